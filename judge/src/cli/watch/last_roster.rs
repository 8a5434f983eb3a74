//! Who submitted what, in a run that goes on: while an edit of the roster is wrong, the last one
//! counts that could be read, by an earlier watch too. Else extensions would be gone.

use error::JudgeError;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use system::files::{make_private_folder, read_regular, write_whole};
use system::run_folder::STAFF;
use words::entrant::Roster;

/// The copy's name in the staff's folder of a run.
const FILE_NAME: &str = "roster.csv";

/// The last roster that could be read.
#[derive(Debug)]
pub(super) struct LastRoster {
    copy: PathBuf,
    last: Last,
}

/// What was read last.
#[derive(Debug, Default)]
enum Last {
    /// Nothing could be read yet.
    #[default]
    Unknown,
    /// This one, or that there is none.
    Known(Option<Roster>),
}

impl LastRoster {
    pub(super) fn of_run(run: &Path) -> Self {
        Self {
            copy: run.join(STAFF).join(FILE_NAME),
            last: Last::Unknown,
        }
    }

    /// Reads the roster at a path, if there is one; what is wrong with it is added to `wrong`.
    ///
    /// # Errors
    /// When it is wrong and none could be read before, or the copy cannot be read or written.
    pub(super) fn read(
        &mut self,
        path: Option<&Path>,
        read: impl Fn(&Path) -> Result<Roster, JudgeError>,
        wrong: &mut Vec<JudgeError>,
    ) -> Result<Option<Roster>, JudgeError> {
        let roster = match path.map(&read).transpose() {
            Ok(roster) => {
                self.keep(path)?;
                roster
            }
            Err(error @ JudgeError::Input(_)) => {
                let last = match std::mem::take(&mut self.last) {
                    Last::Known(last) => last,
                    Last::Unknown if self.copy.exists() => match read(&self.copy) {
                        Ok(roster) => Some(roster),
                        Err(_) => return Err(error),
                    },
                    Last::Unknown => return Err(error),
                };
                wrong.push(error);
                last
            }
            Err(error) => return Err(error),
        };
        self.last = Last::Known(roster.clone());
        Ok(roster)
    }

    /// Keeps a copy of the roster for the next watch.
    fn keep(&self, path: Option<&Path>) -> Result<(), JudgeError> {
        let failed = |e| JudgeError::io("write", &self.copy, e);
        let Some(path) = path else {
            return match fs::remove_file(&self.copy) {
                Err(e) if e.kind() != ErrorKind::NotFound => Err(failed(e)),
                _ => Ok(()),
            };
        };
        let text = fs::read(path).map_err(|e| JudgeError::io("read", path, e))?;
        if read_regular(&self.copy).is_ok_and(|kept| kept == text) {
            return Ok(());
        }
        self.copy.parent().map_or(Ok(()), make_private_folder)?;
        write_whole(&self.copy, &text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(path: &Path) -> Result<Roster, JudgeError> {
        let text = fs::read_to_string(path).expect("ours");
        match text.strip_prefix("good ") {
            Some(reason) => Ok(Roster {
                left_out: vec![reason.to_owned()],
                ..Roster::default()
            }),
            None => Err(JudgeError::input(text)),
        }
    }

    #[test]
    fn a_wrong_edit_loses_nothing_of_the_last_roster_even_where_the_watch_starts_again() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("list.csv");
        let mut last = LastRoster::of_run(folder.path());
        let look = |last: &mut LastRoster, text: Option<&str>| {
            let mut wrong = Vec::new();
            if let Some(text) = text {
                fs::write(&path, text).expect("ours");
            }
            let roster = last.read(text.map(|_| path.as_path()), read, &mut wrong);
            let told = roster.map(|roster| roster.map(|roster| roster.left_out.join("")));
            (told.ok(), wrong.len())
        };
        let known = |which: &str| Some(Some(which.to_owned()));
        assert_eq!(look(&mut last, Some("bad")), (None, 0), "none is known");
        assert_eq!(look(&mut last, Some("good 1")), (known("1"), 0));
        assert_eq!(look(&mut last, Some("bad")), (known("1"), 1));
        let mut next = LastRoster::of_run(folder.path());
        assert_eq!(look(&mut next, Some("bad")), (known("1"), 1));
        assert_eq!(look(&mut next, Some("good 2")), (known("2"), 0));
        assert_eq!(look(&mut next, None), (Some(None), 0), "it is taken away");
        assert_eq!(look(&mut next, Some("bad")), (Some(None), 1));
        let mut after = LastRoster::of_run(folder.path());
        assert_eq!(look(&mut after, Some("bad")), (None, 0));
    }
}
