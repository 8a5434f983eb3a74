//! The files of one person, split into attempts by the names and numbers that a platform gives.

use crate::read::source::SourceFile;
use crate::read::submission::Submission;
use jiff::civil::DateTime;

#[derive(Clone, Debug)]
pub(crate) struct Upload {
    /// Its number; higher ones came later.
    pub(crate) number: u64,
    /// Whether the platform keeps attempts apart, each with a number.
    pub(crate) is_apart: bool,
    pub(crate) late: bool,
    /// When it was received, if its name says so; the same for all files of an attempt.
    pub(crate) received: Option<DateTime>,
    pub(crate) file: SourceFile,
    pub(crate) read: Submission,
}

/// Groups uploads into attempts, oldest first, and restores the authors' names of the files. A
/// number is the author's own if another file names it (`#include "part-1.h"`).
pub(crate) fn attempts(mut uploads: Vec<Upload>) -> Vec<Vec<Upload>> {
    let names: Vec<String> = (0..uploads.len())
        .map(|at| own_name(&uploads, at))
        .collect();
    for (upload, name) in uploads.iter_mut().zip(names) {
        upload.file.path = name;
    }
    uploads.sort_by_key(|upload| (upload.late, upload.number));
    let mut attempts: Vec<Vec<Upload>> = Vec::new();
    for upload in uploads {
        let Some(last) = attempts.last_mut() else {
            attempts.push(vec![upload]);
            continue;
        };
        match last
            .iter()
            .position(|one| one.file.path == upload.file.path)
        {
            Some(first) => {
                let from = widest_gap(last, first, upload.number);
                let mut next = last.split_off(from);
                next.push(upload);
                attempts.push(next);
            }
            None if last.iter().all(|one| one.late != upload.late) => attempts.push(vec![upload]),
            None if upload.is_apart && last.iter().all(|one| one.number != upload.number) => {
                attempts.push(vec![upload]);
            }
            None => last.push(upload),
        }
    }
    attempts
}

/// Returns where the next attempt begins, after `first`: at the widest gap between numbers.
fn widest_gap(uploads: &[Upload], first: usize, next: u64) -> usize {
    let number = |at: usize| uploads.get(at).map_or(next, |upload| upload.number);
    let gaps = first + 1..=uploads.len();
    gaps.max_by_key(|&at| number(at).saturating_sub(number(at - 1)))
        .unwrap_or(uploads.len())
}

fn own_name(uploads: &[Upload], at: usize) -> String {
    let path = &uploads[at].file.path;
    if uploads[at].is_apart {
        // A platform that keeps attempts apart renames no file.
        return path.clone();
    }
    let Some(plain) = without_number(path) else {
        return path.clone();
    };
    let is_named = uploads
        .iter()
        .enumerate()
        .filter(|(other, _)| *other != at)
        .map(|(_, other)| &other.file.bytes)
        .any(|text| {
            text.windows(path.len())
                .any(|piece| piece == path.as_bytes())
        });
    if is_named { path.clone() } else { plain }
}

/// Removes `-1` from a name, before its ending.
fn without_number(path: &str) -> Option<String> {
    let (stem, ending) = path.rsplit_once('.').unwrap_or((path, ""));
    let (plain, number) = stem.rsplit_once('-')?;
    let is_number = !number.is_empty()
        && number.len() <= 3
        && !number.starts_with('0')
        && number.bytes().all(|byte| byte.is_ascii_digit());
    let dot = if path.len() > stem.len() { "." } else { "" };
    (is_number && !plain.is_empty()).then(|| format!("{plain}{dot}{ending}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes uploads of a number, with `!` if it is late, the name of a file, and its text. Returns
    /// the attempts.
    fn reported(all: &[(&str, &str, &str)]) -> Vec<String> {
        let upload = |(number, path, text): &(&str, &str, &str)| Upload {
            number: number.trim_end_matches('!').parse().expect("a number"),
            is_apart: false,
            late: number.ends_with('!'),
            received: None,
            file: SourceFile::new(path, *text),
            read: Submission::of(Vec::new()),
        };
        let reported = |attempt: Vec<Upload>| {
            let texts = attempt.iter().map(|Upload { file, .. }| {
                let text = String::from_utf8_lossy(&file.bytes);
                format!("{}={text}", file.path)
            });
            texts.collect::<Vec<_>>().join(" ")
        };
        let attempts = attempts(all.iter().map(upload).collect()).into_iter();
        attempts.map(reported).collect()
    }

    #[test]
    fn files_that_came_again_are_the_next_attempt() {
        let all = [
            ("200", "Cat-1.h", "2"),
            ("100", "Cat.h", "1"),
            ("101", "Catcher.h", "1"),
            ("199", "util.h", "2"),
            ("201", "Catcher-1.h", "2"),
        ];
        let expected = ["Cat.h=1 Catcher.h=1", "util.h=2 Cat.h=2 Catcher.h=2"];
        assert_eq!(reported(&all), expected);
        assert_eq!(reported(&[("300", "hw-2.zip", "3")]), ["hw.zip=3"]);
    }

    #[test]
    fn what_is_late_is_another_attempt() {
        let all = [
            ("100", "Cat.h", "1"),
            ("90!", "Catcher.h", "2"),
            ("200!", "Cat-1.h", "2"),
        ];
        assert_eq!(reported(&all), ["Cat.h=1", "Catcher.h=2 Cat.h=2"]);
    }

    #[test]
    fn referenced_file_number_is_no_attempt_number() {
        let text = "#include \"part-1.h\"\n#include \"part-2.h\"";
        let all = [
            ("1", "Cat.h", text),
            ("2", "part-1.h", ""),
            ("3", "part-2.h", ""),
            ("4", "week-0.md", ""),
        ];
        let expected = format!("Cat.h={text} part-1.h= part-2.h= week-0.md=");
        assert_eq!(reported(&all), [expected]);
    }
}
