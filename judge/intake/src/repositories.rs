//! The list of the submissions' git repositories.

use super::local_repository::check_path;
use model::fault::quote;
use rulebook::JudgeError;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// Name of the list in a folder of submissions.
pub const LIST_NAME: &str = "submissions.txt";

/// Maximum size of a list, in bytes.
const LIST_BYTES_MAX: u64 = 1 << 20;
/// Reference that is fetched where the list names none.
const DEFAULT_REFERENCE: &str = "HEAD";

/// Beginning of the address of a repository on this machine.
pub(super) const ON_THIS_MACHINE: &str = "file://";

/// Form of a line of a list.
pub(super) const FORM: &str = "NAME URL [REFERENCE [FOLDER]]";

/// One line of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Listed {
    /// The entrant's name.
    pub(super) name: String,
    /// The line, counted from 1.
    pub(super) line: usize,
    /// The repository to fetch, or the defect of the line.
    pub(super) repository: Result<Repository, String>,
}

/// A repository to fetch.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Repository {
    pub(super) url: String,
    /// A branch, a tag or a commit.
    pub(super) reference: String,
    /// The folder in it that is the submission; empty for all of it.
    pub(super) folder: String,
}

impl Repository {
    /// Checks a repository on this machine again, right before git reads it: it may have been
    /// created since the list was read.
    ///
    /// # Errors
    /// When another user may lead git elsewhere; in plain words.
    pub(super) fn check_again(&self) -> Result<(), String> {
        on_this_machine(&self.url).map_or(Ok(()), |path| check_path(&path).map(drop))
    }

    /// Names a commit of a repository on this machine, and a folder in it.
    ///
    /// # Errors
    /// When the path or the folder cannot be given to git.
    pub(super) fn on_this_machine(
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

/// Parses a list: `NAME URL [REFERENCE [FOLDER]]` a line. Empty lines and those that begin with `#`
/// are ignored. A repository on this machine may be a path relative to the list's folder. A wrong
/// line affects only its own entrant, whose name is first in it. If a name occurs twice, neither
/// line is used, because nobody knows which is meant.
///
/// # Errors
/// When the list cannot be read.
pub(super) fn read_list(file: File, path: &Path) -> Result<Vec<Listed>, JudgeError> {
    let failed = |e: io::Error| unreadable(path, &e);
    let mut text = Vec::new();
    file.take(LIST_BYTES_MAX + 1)
        .read_to_end(&mut text)
        .map_err(failed)?;
    if text.len() as u64 > LIST_BYTES_MAX {
        let shown = path.display();
        return Err(JudgeError::input(format!(
            "{shown} is longer than 1 MiB, too long for a list of repositories; give the right file"
        )));
    }
    let there = std::path::absolute(path).map_err(failed)?;
    Ok(parse(&text, there.parent().unwrap_or(Path::new("/"))))
}

/// Returns the error that a list cannot be read.
pub(super) fn unreadable(path: &Path, error: &io::Error) -> JudgeError {
    JudgeError::input(format!(
        "cannot read {}: {error}; --submissions takes a folder, a zip, or a text file of lines {FORM}",
        path.display()
    ))
}

/// Parses the lines of a list in the folder `beside`.
fn parse(text: &[u8], beside: &Path) -> Vec<Listed> {
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
                repository(&words, text.trim_end(), beside)
            } else {
                Err("is not UTF-8; save the list as UTF-8".to_owned())
            },
        });
    }
    all
}

/// Parses the words of one line.
fn repository(words: &[&str], text: &str, beside: &Path) -> Result<Repository, String> {
    let (url, reference, folder) = match words {
        [_, url] => (*url, DEFAULT_REFERENCE, ""),
        [_, url, reference] => (*url, *reference, ""),
        [_, url, reference, folder] => (*url, *reference, *folder),
        _ => {
            let shown = quote(text.as_bytes());
            return Err(format!("expected {FORM}, not {shown}"));
        }
    };
    check_reference(reference)?;
    Ok(Repository {
        url: url_of(url, beside)?,
        reference: reference.to_owned(),
        folder: folder_in(folder)?,
    })
}

/// Returns the address of a repository; a path is one on this machine. Git gets the address of the
/// folder itself, which contains no link. Another user may change nothing on the way to it.
fn url_of(url: &str, beside: &Path) -> Result<String, String> {
    let is_path = !url.contains("://") && !url.starts_with('-');
    let named = on_this_machine(url).or_else(|| is_path.then(|| beside.join(url)));
    let Some(path) = named.filter(|path| !is_path || path.is_dir()) else {
        return check_url(url).map(|()| url.to_owned());
    };
    match check_path(&path)? {
        Some(folder) => url_of_folder(&folder),
        None => Ok(url.to_owned()),
    }
}

/// Returns the path of a repository whose address is on this machine.
fn on_this_machine(url: &str) -> Option<PathBuf> {
    let path = url.strip_prefix(ON_THIS_MACHINE)?;
    path.starts_with('/')
        .then(|| OsString::from_vec(decoded(path)).into())
}

/// Returns the address of a repository on this machine.
fn url_of_folder(path: &Path) -> Result<String, String> {
    let path = path
        .to_str()
        .ok_or("its path is not UTF-8; rename the folder")?;
    // Git decodes an address.
    Ok(format!("{ON_THIS_MACHINE}{}", path.replace('%', "%25")))
}

/// Decodes the path of an address as git does: `%` and two digits are a byte, and all else is
/// unchanged.
fn decoded(path: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = path.as_bytes();
    while let [first, after @ ..] = rest {
        let digits = after.get(..2).filter(|_| *first == b'%');
        let digits = digits.filter(|two| two.iter().all(u8::is_ascii_hexdigit));
        let byte = digits.and_then(|two| std::str::from_utf8(two).ok());
        let byte = byte.and_then(|two| u8::from_str_radix(two, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &after[2..] } else { after };
    }
    bytes
}

/// Returns a folder of a repository as git writes it, without slashes at its ends.
fn folder_in(folder: &str) -> Result<String, String> {
    let parts: Vec<&str> = folder
        .split('/')
        .filter(|part| !part.is_empty() && *part != ".")
        .collect();
    let shown = quote(folder.as_bytes());
    if folder.starts_with('/') || parts.contains(&"..") || shown != folder {
        return Err(format!(
            "{shown} is not a folder inside the repository: it must not begin with / or contain .."
        ));
    }
    Ok(parts.join("/"))
}

fn check_url(url: &str) -> Result<(), String> {
    let known = ["https://", "ssh://", "file:///"];
    // Such as git@host:path, which is ssh.
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
        "{} is not a valid repository address; it must begin with https://, ssh:// or file:///, have the form \
         git@host:path, or be the path of an existing folder",
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
    fn a_path_is_a_repository_on_this_machine_and_a_folder_may_stand_behind_the_reference() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let there = folder.path().canonicalize().expect("it is there");
        std::fs::create_dir(there.join("100%")).expect("a new folder");
        let text = "ann 100%\nbob https://host/b main hw/./3/\n";
        let list = parse(text.as_bytes(), &there);
        let [ann, bob] = [0, 1].map(|line| list[line].repository.clone().expect("well-formed"));
        assert_eq!(ann.url, format!("file://{}/100%25", there.display()));
        assert_eq!((bob.folder.as_str(), ann.folder.as_str()), ("hw/3", ""));
    }

    #[test]
    fn git_gets_the_address_of_the_folder_itself() {
        let above = tempfile::tempdir().expect("a temporary folder");
        let above = above.path().canonicalize().expect("there");
        std::fs::create_dir(above.join("a %1")).expect("ours");
        std::os::unix::fs::symlink("a %1", above.join("link")).expect("ours");
        let own = format!("file://{}/a %251", above.display());
        let shown = above.display();
        for (url, address) in [
            ("link".to_owned(), own.clone()),
            (format!("file://{shown}/link"), own.clone()),
            (format!("file://{shown}/a%20%251"), own),
            // Its folder does not exist now.
            (
                format!("file://{shown}/gone/x"),
                format!("file://{shown}/gone/x"),
            ),
            ("https://host/x".to_owned(), "https://host/x".to_owned()),
        ] {
            assert_eq!(url_of(&url, &above), Ok(address), "{url}");
        }
        for wrong in ["gone", "file://host/x", "-x"] {
            url_of(wrong, &above).expect_err(wrong);
        }
    }

    #[test]
    fn an_address_is_decoded_as_git_does() {
        for (path, bytes) in [
            ("/a b", &b"/a b"[..]),
            ("/100%25", b"/100%"),
            ("/%6c%C3%A9", b"/l\xc3\xa9"),
            ("/%", b"/%"),
            ("/%+1%2", b"/%+1%2"),
        ] {
            assert_eq!(decoded(path), bytes, "{path}");
        }
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
    }

    #[test]
    fn a_line_that_is_no_text_concerns_nobody_else() {
        let list = parse(
            b"m\xfcller https://host/m\nbob https://host/b\n",
            Path::new("/"),
        );
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
            (
                "ann -oProxyCommand=id@host:a",
                "not a valid repository address",
            ),
            ("ann file://host/a", "not a valid repository address"),
            ("ann /no/such/folder", "not a valid repository address"),
            ("ann https://host/a --force", "not a branch"),
            ("ann https://host/a main:other", "not a branch"),
        ] {
            let list = parse(line.as_bytes(), Path::new("/"));
            let error = list[0].repository.as_ref().expect_err(line);
            assert!(error.contains(words), "{error} for {line}");
        }
    }
}
