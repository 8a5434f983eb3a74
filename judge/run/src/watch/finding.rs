//! Reading, building and checking of the submissions that a watch finds.

use super::Watch;
use super::acceptance::Taking;
use super::calendar::Due;
use super::look::Found;
use crate::Scheduled;
use crate::commands::shown;
use crate::spec::RunSpec;
use intake::Ignored;
use jiff::{SignedDuration, Timestamp};
use rulebook::JudgeError;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant, SystemTime};

/// The longest wait at the deadline for files that are still being copied.
const COPYING_MAX: Duration = Duration::from_secs(60);

impl Watch<'_> {
    /// Reads the submissions and finds what is due. Returns `None` if they cannot be read just now.
    pub(super) fn find(&mut self, now: Timestamp) -> Result<Option<(Found, Due)>, JudgeError> {
        match self.find_due(now) {
            Ok((found, due)) => {
                self.log.say_over("sources", "everything can be read again");
                let roster = found.roster.iter();
                let left_out: Vec<&str> = roster
                    .flat_map(|roster| roster.left_out.iter().map(String::as_str))
                    .collect();
                if !left_out.is_empty() {
                    let told = format!("roster: left out {}", left_out.join("; "));
                    self.log.say_of("left out", &told);
                }
                if let Some(note) = found.sources.note() {
                    self.log.say_of("times", &note);
                }
                if !found.collected.ignored.is_empty() {
                    let ignored = Ignored::listed(&found.collected.ignored);
                    self.log.say_of("ignored", &format!("ignored: {ignored}"));
                }
                Ok(Some((found, due)))
            }
            Err(error @ JudgeError::Input(_)) => {
                let told = format!("waiting: {error}; nothing is built or played until then");
                self.log.say_of("sources", &told);
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    fn find_due(&mut self, now: Timestamp) -> Result<(Found, Due), JudgeError> {
        let is_revealed = self.is_revealed()?;
        self.terms = self.terms.read_again(self.spec)?;
        let mut is_last = self.expected(now, is_revealed).is_last();
        loop {
            let found = self.look(now, self.taking(is_last))?;
            // The roster may have extensions, and the deadline may have been moved.
            self.calendar = found.calendar.clone();
            let due = self.due(now, is_revealed)?;
            let words = self.calendar.words(&due);
            self.log.say_of("calendar", &words);
            if is_last || !due.is_last() {
                return Ok((found, due));
            }
            is_last = true;
        }
    }

    /// Returns the rule for taking versions: nothing any more once the last round has begun.
    fn taking(&self, is_last: bool) -> Taking {
        if self.memory.last_taken {
            Taking::Nothing
        } else if is_last {
            Taking::Last
        } else {
            let seconds = self.terms.loaded.watch.again_after_s;
            Taking::InTurn(SignedDuration::from_secs(seconds.into()))
        }
    }

    /// Checks at least one version, and more until `time` is over. Its failures stop nothing else.
    pub(super) fn check(&mut self, time: Duration) -> Result<(), JudgeError> {
        let now = SystemTime::from(self.clock.now());
        let checked = self
            .checks
            .some(&self.run, &self.terms, time, now, self.stop);
        match checked {
            Ok(wrong) => {
                for (name, text) in wrong {
                    let see = shown(&text);
                    self.log.say(&format!(
                        "{name}: judge check found something to fix: see {see}"
                    ));
                }
                Ok(())
            }
            Err(JudgeError::Interrupted) => Err(JudgeError::Interrupted),
            Err(error) => {
                self.log.say_of("checks", &format!("cannot check: {error}"));
                Ok(())
            }
        }
    }

    /// Looks; at the deadline looks again until nothing is being copied any more.
    pub(super) fn look(&mut self, now: Timestamp, taking: Taking) -> Result<Found, JudgeError> {
        let began = Instant::now();
        let repositories = Arc::clone(&self.looker.listing.repositories);
        let is_last = taking == Taking::Last;
        if is_last {
            repositories.ask_all();
        }
        let mut now = now;
        loop {
            let revision = repositories.revision();
            let found = self.looker.look(&self.terms, now, taking, self.stop);
            // Each is asked for a bounded time. One may answer while the others are examined.
            let is_answered =
                !is_last || repositories.were_all_asked() && repositories.revision() == revision;
            let is_whole = !is_last || !self.looker.acceptance.is_copying();
            if found.is_err() || is_answered && (is_whole || began.elapsed() > COPYING_MAX) {
                // The last look may be the end of the watch.
                self.tell_repositories()?;
                return found;
            }
            self.clock.wait(Duration::from_secs(1), self.stop);
            if self.stop.load(Ordering::Relaxed) {
                return Err(JudgeError::Interrupted);
            }
            now = self.clock.look()?;
        }
    }

    /// Builds and schedules.
    pub(super) fn prepare(
        &mut self,
        found: Found,
        due: &Due,
        now: Timestamp,
    ) -> Result<Scheduled, JudgeError> {
        let began = Instant::now();
        let given = found.given(&self.terms, &due.round, now);
        let spec = RunSpec {
            given: Some(Box::new(given)),
            ..self.spec.clone()
        };
        let collected = spec.collect(self.sink, self.stop);
        let built = collected.and_then(|collected| collected.build(self.sink, self.stop));
        let scheduled = built.and_then(|built| built.schedule(self.sink));
        self.preparing = began.elapsed();
        let scheduled = scheduled?;
        if let Some(keys) = self.terms.edited(&self.used) {
            self.log.say(&format!("edited and now in use: {keys}"));
        }
        self.used = self.terms.clone();
        Ok(scheduled)
    }
}
