//! One round of a watch.

use super::acceptance::Taking;
use super::calendar::Due;
use super::look::Found;
use super::memory::Memory;
use super::publish::{self, Moment};
use super::{State, Watch};
use crate::commands::shown;
use crate::spec::RunSpec;
use crate::{Given, Scheduled};
use intake::Ignored;
use jiff::{SignedDuration, Timestamp};
use model::lateness::Deadlines;
use rulebook::JudgeError;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant, SystemTime};

/// The longest wait at the deadline for files that are still being copied.
const COPYING_MAX: Duration = Duration::from_secs(60);
const COPY_PAUSE: Duration = Duration::from_secs(2);

impl Watch<'_> {
    /// Reads the submissions and finds what is due. Returns `None` if they cannot be read just now.
    pub(super) fn find(&mut self, now: Timestamp) -> Result<Option<(Found, Due)>, JudgeError> {
        match self.find_due(now) {
            Ok((found, due)) => {
                self.log.say_over("sources", "everything can be read again");
                let roster = found.given.roster.iter();
                let left_out: Vec<&str> = roster
                    .flat_map(|roster| roster.left_out.iter().map(String::as_str))
                    .collect();
                if !left_out.is_empty() {
                    let reported = format!("roster: left out {}", left_out.join("; "));
                    self.log.say_of("left out", &reported);
                }
                if let Some(note) = found.given.sources.note() {
                    self.log.say_of("times", &note);
                }
                let ignored = &found.given.class.ignored;
                if !ignored.is_empty() {
                    let ignored = Ignored::listed(ignored);
                    self.log.say_of("ignored", &format!("ignored: {ignored}"));
                }
                Ok(Some((found, due)))
            }
            Err(error @ JudgeError::Input(_)) => {
                let reported = format!("waiting: {error}; nothing is built or played until then");
                self.log.say_of("sources", &reported);
                // At each look: permissions may be mended, which no listing shows.
                self.again = Some(now);
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    fn find_due(&mut self, now: Timestamp) -> Result<(Found, Due), JudgeError> {
        let is_revealed = self.is_revealed()?;
        let terms = self.terms.read_again(self.spec);
        if terms.is_err() {
            let is_last = self.expected(now, is_revealed).is_last();
            let found = self.look(now, self.taking(is_last))?;
            self.receive(&found.given.class)?;
        }
        self.terms = terms?;
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
            self.clock.wait(COPY_PAUSE, self.stop);
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
        match self
            .checks
            .some(&self.run, &self.terms, time, now, self.stop)
        {
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
        let repositories = Arc::clone(&self.listing.repositories);
        let is_last = taking == Taking::Last;
        if is_last {
            repositories.ask_all();
        }
        let mut now = now;
        loop {
            let revision = repositories.revision();
            let found = self.look_once(now, taking);
            // Each is asked for a bounded time. One may answer while the others are examined.
            let is_answered =
                !is_last || repositories.were_all_asked() && repositories.revision() == revision;
            let is_whole = !is_last || !self.acceptance.is_copying();
            if found.is_err() || is_answered && (is_whole || began.elapsed() > COPYING_MAX) {
                // The last look may be the end of the watch.
                self.tell_repositories()?;
                return found;
            }
            self.clock.wait(COPY_PAUSE, self.stop);
            if self.stop.load(Ordering::Relaxed) {
                return Err(JudgeError::Interrupted);
            }
            now = self.clock.read()?;
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
        let mut given = found.given;
        given.loaded.competition.round.clone_from(&due.round);
        given.received = SystemTime::from(now);
        // A watch saw most submissions arrive, and refuses to begin otherwise.
        given.sources.judges_clock_counts = true;
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

const CHECKING_MAX: Duration = Duration::from_secs(30);

impl Watch<'_> {
    /// Returns whether nothing has changed or may have changed meanwhile.
    pub(super) fn round(&mut self, now: Timestamp) -> Result<bool, JudgeError> {
        let bytes_max = self.terms.loaded.watch.disk_bytes_max;
        let mut removed = Vec::new();
        let refusal = self.disk.refusal(&self.run, bytes_max, &mut removed)?;
        self.tell_removed(&removed);
        if let Some(refusal) = refusal {
            self.log.say_of("disk", &refusal);
        } else {
            self.log
                .say_over("disk", "there is enough disk space again");
        }
        let is_full = self.disk.is_full();
        let Some((found, due)) = self.find(now)? else {
            return Ok(!is_full);
        };
        let is_revealed = self.is_revealed()?;
        let state = State {
            found: found.digest.clone(),
            due: due.clone(),
            is_revealed,
            is_full,
        };
        let is_again = self.is_tried_again(now);
        if self.settled.as_ref() == Some(&state) && !is_again {
            return Ok(!is_full);
        }
        self.tell_due(&due);
        if found.given.class.submissions.is_empty() && self.acceptance.is_copying() {
            return Ok(!is_full);
        }
        if due.is_last() && !self.memory.last_taken {
            intake::forget_failures(&self.run)?;
        }
        self.refuse_late(&found, now)?;
        let absent = found.absent();
        let mut scheduled = self.prepare(found, &due, now)?;
        self.begins_late = false;
        self.again = self.again.filter(|_| !is_again);
        let moment = Moment {
            now,
            frozen: due.frozen,
        };
        if due.frozen {
            // The freeze is noted before the first game that nobody may see yet.
            publish::note(&mut scheduled, moment)?;
        }
        let received = self.publisher.received(&scheduled, moment);
        self.tell_published(now, received)?;
        if due.is_last() && !self.memory.last_taken {
            let memory = self.memory.clone();
            self.remember(Memory {
                last_taken: true,
                ..memory
            })?;
        }
        self.tell_people(&scheduled, absent);
        if is_full {
            self.settled = Some(state);
            return Ok(false);
        }
        self.checks.of(&scheduled);
        self.check(CHECKING_MAX)?;
        if let Some(lacks) = &scheduled.lacks {
            self.tell_lacks(lacks, &scheduled.entrants, &due)?;
            self.settled = Some(state);
            return Ok(true);
        }
        self.log.say_over("lacks", "enough entrants can play now");
        if !due.plays {
            if !self.is_published {
                let moment = self.moment(&due)?;
                self.show(&mut scheduled, moment)?;
            }
            self.settled = Some(state);
            return Ok(true);
        }
        let is_settled = self.play(scheduled, &due)?;
        if is_settled {
            let mut memory = self.memory.clone();
            self.calendar.has_played(now, &mut memory);
            self.remember(memory)?;
            // The next look finds everything else that is due by now.
            let plays = self.expected(now, is_revealed).plays;
            self.settled = Some(State {
                due: Due { plays, ..due },
                ..state
            });
        }
        Ok(is_settled)
    }

    /// It then keeps no memory, so that the same command begins again.
    fn refuse_late(&mut self, found: &Found, now: Timestamp) -> Result<(), JudgeError> {
        if !self.begins_late {
            return Ok(());
        }
        let Given {
            loaded,
            class,
            roster,
            sources,
            ..
        } = &found.given;
        let deadlines = Deadlines::new(&loaded.competition, roster.as_ref());
        let (submissions, roster) = (&class.submissions, roster.as_ref());
        let refused = sources.refuse_late(&self.run, submissions, roster, &deadlines, now);
        if refused.is_err() {
            self.is_hopeless = true;
            Memory::forget(&self.run)?;
        }
        refused
    }
}
