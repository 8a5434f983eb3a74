//! One round of a watch: a look and its consequences.

use super::calendar::Due;
use super::look::Found;
use super::memory::Memory;
use super::publish::{self, Moment};
use super::{Ended, Published, State, Watch};
use jiff::Timestamp;
use model::lateness::Deadlines;
use rulebook::JudgeError;
use std::time::Duration;

/// The time for which new versions are checked at once, until games continue.
const CHECKING_MAX: Duration = Duration::from_secs(30);

impl Watch<'_> {
    /// Looks, builds, plays and publishes everything due.
    pub(super) fn round(&mut self, now: Timestamp) -> Result<Ended, JudgeError> {
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
        self.looker.is_full = is_full;
        let otherwise = if is_full {
            Ended::Changed
        } else {
            Ended::Played
        };
        let Some((found, due)) = self.find(now)? else {
            return Ok(otherwise);
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
            return Ok(otherwise);
        }
        self.tell_due(&due);
        if found.is_empty() && self.looker.acceptance.is_copying() {
            return Ok(otherwise);
        }
        if due.is_last() && !self.memory.last_taken {
            intake::forget_transient_failures(&self.run)?;
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
            self.memory.last_taken = true;
            self.memory.write(&self.run)?;
        }
        self.tell_people(&scheduled, absent);
        if is_full {
            self.settled = Some(state);
            return Ok(Ended::Changed);
        }
        self.checks.of(&scheduled);
        self.check(CHECKING_MAX)?;
        if let Some(lacks) = &scheduled.lacks {
            self.tell_lacks(lacks, scheduled.entrants(), &due)?;
            self.settled = Some(state);
            return Ok(Ended::Played);
        }
        self.log.say_over("lacks", "enough entrants can play now");
        if !due.plays {
            if self.published != Published::Whole {
                let moment = self.moment(&due)?;
                self.show(&mut scheduled, moment)?;
            }
            self.settled = Some(state);
            return Ok(Ended::Played);
        }
        let ended = self.play(scheduled, &due)?;
        if ended == Ended::Played {
            let mut memory = self.memory.clone();
            self.calendar.has_played(now, &mut memory);
            if memory != self.memory {
                memory.write(&self.run)?;
                self.memory = memory;
            }
            // The next look finds everything else that is due by now.
            let plays = self.expected(now, is_revealed).plays;
            self.settled = Some(State {
                due: Due { plays, ..due },
                ..state
            });
        }
        Ok(ended)
    }

    /// Refuses to begin if an entrant would be late only because no watch ran before. It then keeps
    /// no memory, so that the same command begins again.
    ///
    /// # Errors
    /// When there is such an entrant.
    fn refuse_late(&mut self, found: &Found, now: Timestamp) -> Result<(), JudgeError> {
        if !self.begins_late {
            return Ok(());
        }
        let competition = &self.terms.loaded.competition;
        let deadlines = Deadlines::new(competition, found.roster.as_ref());
        let submissions = &found.collected.submissions;
        let sources = &found.sources;
        let refused = sources.refuse_late(
            &self.run,
            submissions,
            found.roster.as_ref(),
            &deadlines,
            now,
        );
        if refused.is_err() {
            self.is_hopeless = true;
            Memory::forget(&self.run)?;
        }
        refused
    }
}
