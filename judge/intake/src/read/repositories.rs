//! The list of the submissions' git repositories.

use crate::read::names;
use crate::read::source::without_mark;
use model::fault::quote;
use rulebook::{JudgeError, Result};
use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};
use system::foreign::read_whole;

/// Name of the list in a folder of submissions.
pub const LIST_NAME: &str = "submissions.txt";

const LIST_BYTES_MAX: u64 = 1 << 20;
const DEFAULT_REFERENCE: &str = "HEAD";

pub(crate) const FORM: &str = "NAME URL [REFERENCE [FOLDER]]";

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Listed {
    pub(crate) name: String,
    /// The line, counted from 1.
    pub(crate) line: usize,
    pub(crate) repository: Result<Repository, String>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Repository {
    pub(crate) url: String,
    /// A branch, a tag or a commit.
    pub(crate) reference: String,
    /// The folder in it that is the submission; empty for all of it.
    pub(crate) folder: String,
}

impl Repository {
    pub(crate) fn on_this_machine(
        top: &Path,
        commit: String,
        folder: &str,
    ) -> Result<Self, String> {
        Ok(Self {
            url: url_of_folder(top)?,
            reference: commit,
            folder: folder_in(folder)?,
        })
    }
}

/// A repository on this machine may be a path relative to the list's folder. A wrong line affects
/// only its own entrant. If a name occurs twice, neither line is used.
pub(crate) fn read_list(file: File, path: &Path) -> Result<Vec<Listed>> {
    let failed = |e: io::Error| match e.kind() {
        ErrorKind::FileTooLarge => JudgeError::input(format!(
            "{} is longer than 1 MiB, too long for a list of repositories; give the right file",
            path.display()
        )),
        _ => unreadable(path, &e),
    };
    let text = read_whole(file, LIST_BYTES_MAX).map_err(failed)?;
    let there = std::path::absolute(path).map_err(failed)?;
    Ok(parse(&text, there.parent().unwrap_or(Path::new("/"))))
}

pub(crate) fn unreadable(path: &Path, error: &io::Error) -> JudgeError {
    JudgeError::input(format!(
        "cannot read {}: {error}; --submissions takes a folder, a zip, or a text file of lines {FORM}",
        path.display()
    ))
}

fn parse(text: &[u8], list_folder: &Path) -> Vec<Listed> {
    let mut all: Vec<Listed> = Vec::new();
    for (index, bytes) in without_mark(text).split(|byte| *byte == b'\n').enumerate() {
        let line = index + 1;
        let text = String::from_utf8_lossy(bytes);
        let is_text = std::str::from_utf8(bytes).is_ok();
        let words: Vec<&str> = text.split_whitespace().collect();
        let Some(&name) = words.first().filter(|first| !first.starts_with('#')) else {
            continue;
        };
        if let Some(earlier) = all.iter_mut().find(|other| other.name == name) {
            earlier.repository = Err(format!(
                "{} is in lines {} and {line}; keep one of them",
                quote(name),
                earlier.line
            ));
            continue;
        }
        all.push(Listed {
            name: name.to_owned(),
            line,
            repository: if is_text {
                repository(&words, text.trim_end(), list_folder)
            } else {
                Err("is not UTF-8; save the list as UTF-8".to_owned())
            },
        });
    }
    all
}

fn repository(words: &[&str], text: &str, list_folder: &Path) -> Result<Repository, String> {
    let (url, reference, folder) = match words {
        [_, url] => (*url, DEFAULT_REFERENCE, ""),
        [_, url, reference] => (*url, *reference, ""),
        [_, url, reference, folder] => (*url, *reference, *folder),
        _ => return Err(format!("expected {FORM}, not {}", quote(text))),
    };
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
    if !reference.starts_with(|c: char| c.is_ascii_alphanumeric()) || !reference.chars().all(plain)
    {
        let shown = quote(reference);
        return Err(format!("{shown} is not a branch, tag or commit"));
    }
    Ok(Repository {
        url: url_of(url, list_folder)?,
        reference: reference.to_owned(),
        folder: folder_in(folder)?,
    })
}

fn url_of(url: &str, list_folder: &Path) -> Result<String, String> {
    if is_url(url) {
        return Ok(url.to_owned());
    }
    if url.contains("::") || url.contains("://") || url.starts_with('-') {
        return Err(format!(
            "{} is not a valid repository address; it must begin with https://, ssh:// or file:///, have the form \
             git@host:path, or be the path of a folder",
            quote(url)
        ));
    }
    let real = list_folder.canonicalize();
    let mut path = PathBuf::new();
    for part in real
        .as_deref()
        .unwrap_or(list_folder)
        .join(url)
        .components()
    {
        if part == Component::ParentDir {
            path.pop();
        } else {
            path.push(part);
        }
    }
    url_of_folder(&path)
}

fn url_of_folder(path: &Path) -> Result<String, String> {
    let path = path
        .to_str()
        .ok_or("its path is not UTF-8; rename the folder")?;
    // Git decodes an address.
    Ok(format!("file://{}", path.replace('%', "%25")))
}

/// Returns a folder of a repository as git writes it, without slashes at its ends.
fn folder_in(folder: &str) -> Result<String, String> {
    let parts = names::parts(folder);
    let shown = quote(folder);
    if folder.starts_with('/') || parts.contains(&"..") || shown != folder {
        return Err(format!(
            "{shown} is not a folder inside the repository: it must not begin with / or contain .."
        ));
    }
    Ok(parts.join("/"))
}

fn is_url(url: &str) -> bool {
    // Such as git@host:path, which is ssh.
    let is_short = url.split_once(':').is_some_and(|(host, path)| {
        host.contains('@')
            && !host.contains('/')
            && !path.starts_with([':', '/'])
            && !url.starts_with('-')
    });
    is_short
        || ["https://", "ssh://", "file:///"]
            .iter()
            .any(|scheme| url.starts_with(scheme))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read_line_by_line() {
        let text = "\u{feff}# the course's list\r\n\r\nann https://host/ann.git\r\nbob git@host:bob/bot.git v1.0\r\n";
        let list = parse(text.as_bytes(), Path::new("/"));
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
    fn local_path_is_repository_and_folder_follows_reference() {
        let text = "ann ../100%\nbob https://host/b main hw/./3/\n";
        let list = parse(text.as_bytes(), Path::new("/course/list"));
        let [ann, bob] = [0, 1].map(|line| list[line].repository.clone().expect("well-formed"));
        assert_eq!(ann.url, "file:///course/100%25");
        assert_eq!((bob.folder.as_str(), ann.folder.as_str()), ("hw/3", ""));
    }

    #[test]
    fn a_wrong_line_concerns_nobody_else() {
        let text = "ann https://host/ann\nbob\ncid http://host/c\nann https://host/other\n\
                    eve https://host/eve\n";
        let list = parse(text.as_bytes(), Path::new("/"));
        let good: Vec<&str> = list
            .iter()
            .filter(|one| one.repository.is_ok())
            .map(|one| one.name.as_str())
            .collect();
        assert_eq!(good, ["eve"]);
        let ann = list[0].repository.as_ref().expect_err("named twice");
        assert_eq!(ann, "ann is in lines 1 and 4; keep one of them");
        let text = b"m\xfcller https://host/m\nbob https://host/b\n";
        let list = parse(text, Path::new("/"));
        assert_eq!(list[0].name, "m\u{fffd}ller");
        let reason = list[0].repository.as_ref().expect_err("no UTF-8");
        assert!(reason.contains("UTF-8"), "{reason}");
        assert!(list[1].repository.is_ok());
    }

    #[test]
    fn lines_that_would_do_something_else_are_refused() {
        for (line, words) in [
            ("ann", "expected NAME URL"),
            ("ann https://host/a b c d", "expected NAME URL"),
            ("ann https://host/a main ../up", "not a folder inside"),
            ("ann https://host/a main /etc", "not a folder inside"),
            ("ann ext::sh%20-c%20id", "not a valid repository address"),
            ("ann http://host/a", "not a valid repository address"),
            ("ann --upload-pack=id", "not a valid repository address"),
            ("ann -oProxyCommand=x@h:a", "not a valid repository address"),
            ("ann file://host/a", "not a valid repository address"),
            ("ann https://host/a --force", "not a branch"),
            ("ann https://host/a main:other", "not a branch"),
        ] {
            let list = parse(line.as_bytes(), Path::new("/"));
            let error = list[0].repository.as_ref().expect_err(line);
            assert!(error.contains(words), "{error} for {line}");
        }
    }
}
