//! The list of git repositories in which submissions are.

use error::JudgeError;
use std::fs;
use std::io::Read;
use std::path::Path;
use words::fault::quote;

/// The list's name in a folder of submissions.
pub(super) const LIST_NAME: &str = "submissions.txt";

/// The most bytes of a list.
const LIST_BYTES_MAX: u64 = 1 << 20;
/// The reference that is fetched where the list names none.
const DEFAULT_REFERENCE: &str = "HEAD";

/// One line of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Listed {
    /// The entrant's name.
    pub(super) name: String,
    /// The line, counted from 1.
    pub(super) line: usize,
    /// What is fetched, or what is wrong with the line.
    pub(super) repository: Result<Repository, String>,
}

/// What is fetched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Repository {
    pub(super) url: String,
    /// A branch, a tag or a commit.
    pub(super) reference: String,
}

/// Reads a list: `NAME URL [REFERENCE]` a line; empty lines and those that begin with `#`
/// mean nothing. A line that is wrong concerns only its own entrant: the one whose name stands
/// first in it. Where a name comes twice, nobody can tell which line is meant, and neither is
/// fetched.
///
/// # Errors
/// When the list cannot be read.
pub(super) fn read_list(path: &Path) -> Result<Vec<Listed>, JudgeError> {
    let failed = |e| {
        JudgeError::input(format!(
            "cannot read {}: {e}; --submissions takes a folder, a zip, or a text file of lines NAME URL [REFERENCE]",
            path.display()
        ))
    };
    let mut text = Vec::new();
    let file = fs::File::open(path).map_err(failed)?;
    file.take(LIST_BYTES_MAX + 1)
        .read_to_end(&mut text)
        .map_err(failed)?;
    if text.len() as u64 > LIST_BYTES_MAX {
        let shown = path.display();
        return Err(JudgeError::input(format!(
            "{shown} is longer than 1 MiB, too long for a list of repositories; give the right file"
        )));
    }
    Ok(parse(&text))
}

fn parse(text: &[u8]) -> Vec<Listed> {
    let mut all: Vec<Listed> = Vec::new();
    let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text);
    for (index, bytes) in text.split(|byte| *byte == b'\n').enumerate() {
        let line = index + 1;
        let text = String::from_utf8_lossy(bytes);
        let is_text = std::str::from_utf8(bytes).is_ok();
        let words: Vec<&str> = text.split_whitespace().collect();
        let name = match words.first() {
            None => continue,
            Some(first) if first.starts_with('#') => continue,
            Some(first) => (*first).to_owned(),
        };
        let earlier = all.iter_mut().find(|other| other.name == name);
        if let Some(earlier) = earlier {
            let both = [earlier.line, line]
                .map(|line| line.to_string())
                .join(" and ");
            earlier.repository = Err(format!(
                "{} is in lines {both}; keep one of them",
                quote(name.as_bytes())
            ));
            continue;
        }
        all.push(Listed {
            name,
            line,
            repository: if is_text {
                repository(&words, text.trim_end())
            } else {
                Err("is not UTF-8; save the list as UTF-8".to_owned())
            },
        });
    }
    all
}

/// Reads the words of one line.
fn repository(words: &[&str], text: &str) -> Result<Repository, String> {
    let (url, reference) = match words {
        [_, url] => (*url, DEFAULT_REFERENCE),
        [_, url, reference] => (*url, *reference),
        _ => {
            let shown = quote(text.as_bytes());
            return Err(format!("expected NAME URL [REFERENCE], not {shown}"));
        }
    };
    check_url(url)?;
    check_reference(reference)?;
    Ok(Repository {
        url: url.to_owned(),
        reference: reference.to_owned(),
    })
}

fn check_url(url: &str) -> Result<(), String> {
    let known = ["https://", "ssh://", "file:///"];
    // As git@host:path, which is ssh.
    let is_short = url.split_once(':').is_some_and(|(host, path)| {
        host.contains('@')
            && !host.contains('/')
            && !path.starts_with([':', '/'])
            && !url.starts_with('-')
    });
    if known.iter().any(|scheme| url.starts_with(scheme)) || is_short {
        return Ok(());
    }
    Err(format!(
        "{} is not a valid repository address; it must begin with https://, ssh:// or file:///, or have the form git@host:path",
        quote(url.as_bytes())
    ))
}

fn check_reference(reference: &str) -> Result<(), String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
    if reference.starts_with(|c: char| c.is_ascii_alphanumeric()) && reference.chars().all(plain) {
        return Ok(());
    }
    Err(format!(
        "{} is not a branch, tag or commit",
        quote(reference.as_bytes())
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read_line_by_line() {
        let text = "\u{feff}# the course's list\r\n\r\nann https://host/ann.git\r\nbob git@host:bob/bot.git v1.0\r\n";
        let list = parse(text.as_bytes());
        let names: Vec<(&str, &str, usize)> = list
            .iter()
            .map(|one| {
                let reference = &one.repository.as_ref().expect("well-formed").reference;
                (one.name.as_str(), reference.as_str(), one.line)
            })
            .collect();
        assert_eq!(names, [("ann", "HEAD", 3), ("bob", "v1.0", 4)]);
    }

    #[test]
    fn a_wrong_line_concerns_nobody_else() {
        let text = "ann https://host/ann\nbob\ncid http://host/c\nann https://host/other\n\
                    eve https://host/eve\n";
        let list = parse(text.as_bytes());
        let good: Vec<&str> = list
            .iter()
            .filter(|one| one.repository.is_ok())
            .map(|one| one.name.as_str())
            .collect();
        assert_eq!(good, ["eve"]);
        let ann = list[0].repository.as_ref().expect_err("named twice");
        assert_eq!(ann, "ann is in lines 1 and 4; keep one of them");
    }

    #[test]
    fn a_line_that_is_no_text_concerns_nobody_else() {
        let list = parse(b"m\xfcller https://host/m\nbob https://host/b\n");
        assert_eq!(list[0].name, "m\u{fffd}ller");
        let reason = list[0].repository.as_ref().expect_err("no UTF-8");
        assert!(reason.contains("UTF-8"), "{reason}");
        assert!(list[1].repository.is_ok());
    }

    #[test]
    fn lines_that_would_do_something_else_are_refused() {
        for (line, words) in [
            ("ann", "expected NAME URL"),
            ("ann https://host/a b c", "expected NAME URL"),
            ("ann ext::sh%20-c%20id", "not a valid repository address"),
            ("ann http://host/a", "not a valid repository address"),
            ("ann --upload-pack=id", "not a valid repository address"),
            (
                "ann -oProxyCommand=id@host:a",
                "not a valid repository address",
            ),
            ("ann file://host/a", "not a valid repository address"),
            ("ann /etc", "not a valid repository address"),
            ("ann https://host/a --force", "not a branch"),
            ("ann https://host/a main:other", "not a branch"),
        ] {
            let list = parse(line.as_bytes());
            let error = list[0].repository.as_ref().expect_err(line);
            assert!(error.contains(words), "{error} for {line}");
        }
    }
}
