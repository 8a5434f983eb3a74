//! Programs' output for an author, in a form that the author may read: it shows the paths of the
//! author's own files, but not those of the staff's folders.

#![expect(
    clippy::disallowed_methods,
    reason = "only the judge writes into a run's folder"
)]

use model::entrants_folder::EntrantsFolder;
use rulebook::JudgeError;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use store::manifest::EntrantLine;

/// Number of lines shown at once of a compiler's output, and number of them before its first error.
const FIRST_LINES: usize = 10;
const LINES_BEFORE: usize = 3;
/// Maximum length of one of these lines, in characters.
const LINE_CHARS_MAX: usize = 200;
/// Folders whose files are the same for everybody.
const SYSTEM: [&str; 7] = ["usr", "lib", "lib64", "bin", "opt", "etc", "nix"];
/// Characters that may precede a path, besides whitespace.
const BEFORE_PATHS: &str = "\"'`([=:,\u{2018}\u{201c}";
/// Options of compilers that a path follows directly.
const OPTIONS: [&str; 4] = ["-I", "-L", "-i", "-B"];
/// Characters that end a path, besides whitespace.
const AFTER_PATHS: &str = "\"'`()[],;:<>\u{2019}\u{201d}";

/// Reads the log of an entrant's build or check in a run's folder, if there is one.
pub(super) fn log(run: &Path, kind: &str, name: &str) -> Result<Option<String>, JudgeError> {
    let file = EntrantsFolder::Logs.file_of(name, ".txt");
    let path = run.join("logs").join(kind).join(file);
    match fs::read(&path) {
        Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(JudgeError::io("read", path, error)),
    }
}

/// Returns an entrant's line in the form that its author may read.
pub(super) fn for_author(line: &EntrantLine, mask: impl Fn(&str) -> String) -> EntrantLine {
    let file = EntrantsFolder::Logs.file_of(&line.name, ".txt");
    let log = format!("logs/build/{file}");
    let own = |text: &String| mask(&own_paths(&text.replace(&log, "build.txt")));
    let mut line = line.clone();
    line.broken = line.broken.as_ref().map(own);
    line.replaced = line.replaced.as_ref().map(own);
    line.warnings = line.warnings.iter().map(own).collect();
    if let Some(newest) = &mut line.newest {
        newest.reason = own(&newest.reason);
    }
    line
}

/// Shortens the paths in a text. A program's own files keep their path inside the program, and
/// files of the system keep their whole path. Of other files only the name remains.
pub(super) fn own_paths(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('/') {
        let (before, from) = rest.split_at(at);
        shown.push_str(before);
        let last = shown.chars().next_back();
        let is_behind = last.is_none_or(|last| last.is_whitespace() || BEFORE_PATHS.contains(last));
        let is_option = shown
            .split_whitespace()
            .next_back()
            .is_some_and(|word| OPTIONS.contains(&word) && shown.ends_with(word));
        // Excludes `https://`.
        let is_path = (is_behind || is_option) && !from.starts_with("//");
        let end = from.find(|c: char| c.is_whitespace() || AFTER_PATHS.contains(c));
        let (path, after) = from.split_at(end.unwrap_or(from.len()));
        shown.push_str(if is_path { own_path(path) } else { path });
        rest = after;
    }
    shown + rest
}

fn own_path(path: &str) -> &str {
    let mut parts = path[1..].splitn(2, '/');
    let (Some(first), Some(rest)) = (parts.next(), parts.next()) else {
        return path;
    };
    if SYSTEM.contains(&first) {
        return path;
    }
    // Programs are in folders named by their hashes.
    let of_program = path.split_once("/artifacts/");
    if let Some((_, own)) = of_program.and_then(|(_, inside)| inside.split_once('/')) {
        return own;
    }
    let name = rest.trim_end_matches('/').rsplit('/').next();
    name.filter(|name| !name.is_empty()).unwrap_or(path)
}

/// Returns the lines around the first error in a compiler's output, or its first lines if it has no
/// error.
pub(super) fn first_errors(text: &str) -> String {
    let is_error = |line: &str| line.to_ascii_lowercase().contains("error");
    let at = text.lines().position(is_error).unwrap_or_default();
    text.lines()
        .skip(at.saturating_sub(LINES_BEFORE))
        .take(FIRST_LINES)
        .map(|line| {
            let line = model::fault::quote(line.as_bytes());
            line.chars().take(LINE_CHARS_MAX).collect::<String>()
        })
        .collect::<Vec<_>>()
        .join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_author_sees_the_paths_of_own_files_alone() {
        let hash = "5f".repeat(32);
        for (text, expected) in [
            (
                format!("File \"/srv/course/run/artifacts/{hash}/bot/ann.py\", line 3"),
                "File \"bot/ann.py\", line 3",
            ),
            (
                format!("/tmp/check-Xy/artifacts/{hash}/ann.py:3: error"),
                "ann.py:3: error",
            ),
            (
                "/usr/bin/ld: /tmp/ccAb.o: in function `main'".to_owned(),
                "/usr/bin/ld: ccAb.o: in function `main'",
            ),
            (
                "cannot read /home/staff/course/submissions/ann/".to_owned(),
                "cannot read ann",
            ),
            (
                "-I/home/staff/course -B/home/staff/bin a:/home/staff/x.h,/home/staff/y.h"
                    .to_owned(),
                "-Icourse -Bbin a:x.h,y.h",
            ),
            (
                "1/2 of https://a.example/b is // no </pre> or / path /tmp".to_owned(),
                "1/2 of https://a.example/b is // no </pre> or / path /tmp",
            ),
        ] {
            assert_eq!(own_paths(&text), expected);
        }
        let line = EntrantLine {
            name: "ann".to_owned(),
            warnings: vec!["built with compiler warnings: see logs/build/ann.txt".to_owned()],
            ..EntrantLine::default()
        };
        let told = for_author(&line, str::to_owned).warnings;
        assert_eq!(told, ["built with compiler warnings: see build.txt"]);
    }

    #[test]
    fn the_first_error_is_shown_with_what_leads_to_it() {
        let mut lines: Vec<String> = (0..40).map(|n| format!("warning {n}")).collect();
        lines[20] = "bot.cpp:3: Error: no\u{202e}".to_owned();
        let shown = first_errors(&lines.join("\n"));
        assert!(shown.starts_with("warning 17\n"), "{shown}");
        assert!(shown.contains("Error: no\\u{202e}"), "{shown}");
        assert_eq!(shown.lines().count(), FIRST_LINES);
        assert_eq!(first_errors("make: no rule"), "make: no rule");
        assert_eq!(first_errors(""), "");
    }
}
