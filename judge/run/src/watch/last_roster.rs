//! The last good roster of a watch. It stays in use while the roster is wrong or missing, also for
//! the next watch. Otherwise extensions would be lost.

use model::entrant::Roster;
use rulebook::JudgeError;
use std::path::{Path, PathBuf};
use system::files::{make_private_folder, read_regular, write_whole};
use system::run_folder::STAFF;

/// The name of the copy in the run's folder for staff.
const FILE_NAME: &str = "roster.csv";

/// The last roster that could be read.
#[derive(Debug)]
pub(super) struct LastRoster {
    copy: PathBuf,
    last: Last,
}

/// The last result of reading.
#[derive(Clone, Debug)]
enum Last {
    /// No roster could be read yet.
    Unknown,
    /// This roster, or none.
    Known(Option<Roster>),
}

impl LastRoster {
    pub(super) fn of_run(run: &Path) -> Self {
        Self {
            copy: run.join(STAFF).join(FILE_NAME),
            last: Last::Unknown,
        }
    }

    /// Reads the roster at a path, if any. Adds its defects to `wrong`, or that it is gone.
    ///
    /// # Errors
    /// When it is wrong and there is no earlier one, or the copy cannot be read or written.
    pub(super) fn read(
        &mut self,
        path: Option<&Path>,
        read: impl Fn(&Path) -> Result<Roster, JudgeError>,
        wrong: &mut Vec<JudgeError>,
    ) -> Result<Option<Roster>, JudgeError> {
        let roster = match path.map(|path| (path, read(path))) {
            Some((path, Ok(roster))) => {
                self.keep(path)?;
                Some(roster)
            }
            Some((_, Err(error @ JudgeError::Input(_)))) => {
                let Last::Known(last) = self.last(&read) else {
                    return Err(error);
                };
                wrong.push(error);
                last
            }
            Some((_, Err(error))) => return Err(error),
            None => match self.last(&read) {
                Last::Known(Some(last)) => {
                    wrong.push(JudgeError::input(
                        "the roster is missing; put it back (for an empty roster, keep only its first line)",
                    ));
                    Some(last)
                }
                Last::Unknown if self.copy.exists() => {
                    return Err(JudgeError::input(format!(
                        "the roster is missing, and its copy {} cannot be read; put the roster back",
                        self.copy.display()
                    )));
                }
                Last::Known(None) | Last::Unknown => None,
            },
        };
        self.last = Last::Known(roster.clone());
        Ok(roster)
    }

    /// Returns the last good roster, also that of an earlier watch.
    fn last(&self, read: impl Fn(&Path) -> Result<Roster, JudgeError>) -> Last {
        match &self.last {
            Last::Unknown if self.copy.exists() => {
                read(&self.copy).map_or(Last::Unknown, |roster| Last::Known(Some(roster)))
            }
            last => last.clone(),
        }
    }

    /// Keeps a copy of the roster for the next watch.
    fn keep(&self, path: &Path) -> Result<(), JudgeError> {
        let text = read_regular(path).map_err(|e| JudgeError::io("read", path, e))?;
        if read_regular(&self.copy).is_ok_and(|kept| kept == text) {
            return Ok(());
        }
        self.copy.parent().map_or(Ok(()), make_private_folder)?;
        write_whole(&self.copy, &text)
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests read what they have made")]
mod tests {
    use super::*;
    use std::fs;

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
        assert_eq!(look(&mut next, None), (known("2"), 1), "it is gone");
        assert_eq!(look(&mut next, Some("bad")), (known("2"), 1));
        let mut after = LastRoster::of_run(folder.path());
        assert_eq!(look(&mut after, None), (known("2"), 1));
        fs::write(&after.copy, "bad").expect("ours");
        let mut after = LastRoster::of_run(folder.path());
        assert_eq!(
            look(&mut after, None),
            (None, 0),
            "nothing is lost silently"
        );
        let other = tempfile::tempdir().expect("a temporary folder");
        let mut other = LastRoster::of_run(other.path());
        assert_eq!(look(&mut other, None), (Some(None), 0), "none was there");
        assert_eq!(look(&mut other, Some("bad")), (Some(None), 1));
    }
}
