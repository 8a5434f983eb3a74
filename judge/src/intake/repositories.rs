//! The list of git repositories in which submissions are.

use crate::error::JudgeError;
use crate::fault::quote;
use std::fs;
use std::io::Read;
use std::path::Path;

/// The list's name in a folder of submissions.
pub(super) const LIST_NAME: &str = "submissions.txt";

/// The most bytes of a list.
const LIST_BYTES_MAX: u64 = 1 << 20;
/// The reference that is fetched where the list names none.
const DEFAULT_REFERENCE: &str = "HEAD";

/// One line of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Repository {
    pub(super) name: String,
    pub(super) url: String,
    /// A branch, a tag or a commit.
    pub(super) reference: String,
    /// The line, counted from 1.
    pub(super) line: usize,
}

/// Reads a list: `NAME URL [REFERENCE]` a line; empty lines and those that begin with `#`
/// mean nothing.
///
/// # Errors
/// When a line is not of this form, or a name comes twice; the message names the line.
pub(super) fn read_list(path: &Path) -> Result<Vec<Repository>, JudgeError> {
    let failed = |e| {
        JudgeError::input(format!(
            "cannot read {}: {e}; --submissions takes a folder, a zip, or a text file of lines NAME URL [REFERENCE]",
            path.display()
        ))
    };
    let mut text = String::new();
    let file = fs::File::open(path).map_err(failed)?;
    file.take(LIST_BYTES_MAX)
        .read_to_string(&mut text)
        .map_err(failed)?;
    parse(&text).map_err(|reason| JudgeError::input(format!("{} {reason}", path.display())))
}

fn parse(text: &str) -> Result<Vec<Repository>, String> {
    let mut repositories: Vec<Repository> = Vec::new();
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    for (index, text) in text.lines().enumerate() {
        let line = index + 1;
        let words: Vec<&str> = text.split_whitespace().collect();
        let (name, url, reference) = match words.as_slice() {
            [] => continue,
            [first, ..] if first.starts_with('#') => continue,
            [name, url] => (*name, *url, DEFAULT_REFERENCE),
            [name, url, reference] => (*name, *url, *reference),
            _ => {
                return Err(format!(
                    "line {line}: expected NAME URL [REFERENCE], not {}",
                    quote(text.as_bytes())
                ));
            }
        };
        if let Some(other) = repositories.iter().find(|other| other.name == name) {
            return Err(format!(
                "line {line}: {} is in line {} already",
                quote(name.as_bytes()),
                other.line
            ));
        }
        check_url(url).map_err(|reason| format!("line {line}: {reason}"))?;
        check_reference(reference).map_err(|reason| format!("line {line}: {reason}"))?;
        repositories.push(Repository {
            name: name.to_owned(),
            url: url.to_owned(),
            reference: reference.to_owned(),
            line,
        });
    }
    Ok(repositories)
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
        "{} is no address that is fetched; it must begin with https://, ssh:// or file:///, or be of the form git@host:path",
        quote(url.as_bytes())
    ))
}

fn check_reference(reference: &str) -> Result<(), String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
    if reference.starts_with(|c: char| c.is_ascii_alphanumeric()) && reference.chars().all(plain) {
        return Ok(());
    }
    Err(format!(
        "{} is no branch, tag or commit",
        quote(reference.as_bytes())
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read_line_by_line() {
        let text = "\u{feff}# the course's list\r\n\r\nann https://host/ann.git\r\nbob git@host:bob/bot.git v1.0\r\n";
        let list = parse(text).expect("well-formed");
        let names: Vec<(&str, &str, usize)> = list
            .iter()
            .map(|r| (r.name.as_str(), r.reference.as_str(), r.line))
            .collect();
        assert_eq!(names, [("ann", "HEAD", 3), ("bob", "v1.0", 4)]);
    }

    #[test]
    fn lines_that_would_do_something_else_are_refused() {
        for (line, words) in [
            ("ann", "expected NAME URL"),
            ("ann https://host/a b c", "expected NAME URL"),
            ("ann ext::sh%20-c%20id", "no address"),
            ("ann http://host/a", "no address"),
            ("ann --upload-pack=id", "no address"),
            ("ann -oProxyCommand=id@host:a", "no address"),
            ("ann file://host/a", "no address"),
            ("ann /etc", "no address"),
            ("ann https://host/a --force", "no branch"),
            ("ann https://host/a main:other", "no branch"),
            (
                "ann https://host/a\nann https://host/b",
                "line 2: ann is in line 1 already",
            ),
        ] {
            let error = parse(line).expect_err(line);
            assert!(error.contains(words), "{error} for {line}");
        }
    }
}
