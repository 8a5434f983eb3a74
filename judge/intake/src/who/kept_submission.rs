//! Reading of the versions that a run received and kept.

use crate::read::source::SourceFile;
use crate::read::submission::Submission;
use crate::who::versions::{KeptSubmissions, content_hash};
use jiff::Timestamp;
use model::entrant::{Blame, Broken};
use model::lateness::{Deadlines, ReceiptRecord};
use rulebook::JudgeError;
use rulebook::rules::Rules;

/// A version that a run has received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptVersion {
    /// Its number, counted from 1.
    pub number: usize,
    /// The hash of its files, see [`Submission::content`].
    pub content: String,
    /// When the judge first received it.
    pub received: Timestamp,
    /// Number and receipt of the last version that was built or failed to build.
    pub tried: Option<(usize, Timestamp)>,
}

impl KeptSubmissions {
    /// Keeps a version with its receipt, before it can be built.
    pub fn receive(&self, submission: &Submission) -> Result<(), JudgeError> {
        let files = submission.all_files();
        let Some(received) = submission.received.filter(|_| !files.is_empty()) else {
            return Ok(());
        };
        let mut history = self.history(&submission.name)?;
        history.receive(&files, &submission.origin, received.into(), None)
    }

    /// Reads a version of an entrant, counted from 1, or the last one.
    pub fn take(
        &self,
        entrant: &str,
        number: Option<usize>,
        game: &dyn Rules,
    ) -> Result<Submission, JudgeError> {
        let history = self.history(entrant)?;
        let wrong = |reason: String| JudgeError::input(format!("{entrant} {reason}"));
        let Some(last) = history.last() else {
            return Err(wrong("has no version in this run".to_owned()));
        };
        let index = number.map_or(Some(last), |number| history.index(number));
        let index = index.ok_or_else(|| {
            let received: Vec<String> = (0..=last)
                .map(|index| history.name(index).to_string())
                .collect();
            wrong(format!(
                "has no version {}; there are: {}",
                number.unwrap_or_default(),
                received.join(", ")
            ))
        })?;
        let kept = history.submission(index).ok_or_else(|| {
            let version = history.name(index);
            wrong(format!(
                "cannot play {version}: its files have changed since they were received, or were removed to make room; restore the folder versions from a backup"
            ))
        })?;
        Ok(kept.identified(entrant, Some(game)))
    }

    /// Returns the newest version of an entrant, if any.
    pub fn newest(&self, entrant: &str) -> Result<Option<KeptVersion>, JudgeError> {
        let history = self.history(entrant)?;
        Ok(history.last().map(|last| {
            let (content, received) = history.content(last);
            let tried = history.last_tried();
            KeptVersion {
                tried: tried.map(|index| (index + 1, history.content(index).1)),
                number: last + 1,
                content: content.to_owned(),
                received,
            }
        }))
    }

    /// Lists the entrants whose newest submission is late only because the judge's clock alone
    /// dates it. A submission seen for the first time counts as seen at `now`.
    pub fn late_by_first_sight(
        &self,
        submissions: &[Submission],
        deadlines: &Deadlines,
        now: Timestamp,
    ) -> Result<Vec<String>, JudgeError> {
        let mut late = Vec::new();
        for submission in submissions {
            let files = submission.all_files();
            let in_time = Some(ReceiptRecord::InTime);
            let mut earlier = submission.earlier.iter();
            // The same files came in time, so that only their second submission is late.
            let is_again = earlier.any(|one| one.record == in_time && one.all_files() == files);
            if files.is_empty() || is_again {
                continue;
            }
            let name = &submission.name;
            let said = deadlines.record(name, submission.record);
            let first_seen = submission.received.unwrap_or(now);
            let (first_seen, record) = self
                .receipt(name, &content_hash(&files), said)?
                .unwrap_or((first_seen, said));
            if (deadlines.timing(name, record, first_seen)).is_late_by_first_sight() {
                late.push(name.clone());
            }
        }
        Ok(late)
    }

    /// Returns the receipt of a submission that staff let play in place of version `number`,
    /// counted from 1. It has the version's time, and is in time if the version is. If nothing was
    /// kept, the roster's time counts; without one, it is in time.
    pub fn stands_in(
        &self,
        entrant: &str,
        number: Option<usize>,
        deadlines: &Deadlines,
    ) -> Result<ReceiptRecord, JudgeError> {
        let history = self.history(entrant)?;
        let timing = match number.and_then(|number| history.index(number)) {
            Some(index) => history.timing(index, deadlines),
            None => deadlines.timing(
                entrant,
                deadlines.record(entrant, None),
                Timestamp::UNIX_EPOCH,
            ),
        };
        Ok(ReceiptRecord::Chosen(timing.stands_in()))
    }

    /// Reads the files of a version, counted from 1. Returns `None` if they are gone or changed.
    pub fn files(
        &self,
        entrant: &str,
        number: usize,
    ) -> Result<Option<Vec<SourceFile>>, JudgeError> {
        let history = self.history(entrant)?;
        Ok(history.index(number).and_then(|index| history.files(index)))
    }
}

impl Submission {
    /// Returns the hash of all submitted files, or `None` if there are none.
    pub fn content(&self) -> Option<String> {
        let files = self.all_files();
        (!files.is_empty()).then(|| content_hash(&files))
    }

    /// Makes the submission of an entrant of whom nothing could be kept. `words` are those of
    /// [`Broken`], with the same blame.
    pub fn refused(name: String, words: &str, blame: Blame) -> Self {
        let reason = words
            .strip_prefix(Broken::OURS)
            .filter(|_| !blame.is_authors())
            .unwrap_or(words);
        Self {
            name,
            blame,
            ..Self::unreadable(reason.to_owned())
        }
    }
}
