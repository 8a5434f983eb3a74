//! Playing in slices: after each, the tables are written and the results published.

use super::calendar::Due;
use super::order::newcomers_first;
use super::pause::Pause;
use super::publish::{self, Moment};
use super::{AGAIN, Ended, Published, Watch};
use crate::{Played, Scheduled};
use jiff::Timestamp;
use model::numbers::{about, counted};
use rulebook::JudgeError;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// The shortest slice.
const SLICE_MIN: Duration = Duration::from_secs(120);
/// A slice takes at least this many times as long as preparing and writing.
const SLICE_REST: u32 = 20;
/// A new version waits for this many times as long as preparing takes.
const PREPARE_REST: u32 = 10;

impl Watch<'_> {
    /// Plays a schedule slice by slice, and publishes after each.
    pub(super) fn play(&mut self, scheduled: Scheduled, due: &Due) -> Result<Ended, JudgeError> {
        let mut run = scheduled.begin()?;
        run.ended = Arc::new(self.memory.ended_in(&due.round));
        first_newcomers(run.scheduled_mut(), due.round_began);
        let (mut played, games) = run.counts();
        if played < games {
            let games = counted((games - played) as u64, "game");
            self.log.say(&format!("{games} to play"));
        }
        let mut writing = Duration::ZERO;
        loop {
            let rest = SLICE_MIN.max((self.preparing + writing) * SLICE_REST);
            let changed = if played < games {
                self.slice(&mut run, due, rest)
            } else {
                Ok(false)
            };
            self.note_ended(&run, due)?;
            let began = Instant::now();
            let moment = self.moment(due)?;
            let noted = publish::note(run.scheduled_mut(), moment);
            let written = run.write(self.sink).map(|_| ());
            let changed = changed?;
            noted?;
            written?;
            self.show(run.scheduled_mut(), moment)?;
            writing = began.elapsed();
            let before = played;
            played = run.counts().0;
            if played > before {
                let games = counted(games as u64, "game");
                self.log.say(&format!("{played} of {games} played"));
            }
            if self.stop.load(Ordering::Relaxed) {
                return Ok(Ended::Interrupted);
            }
            if played == games {
                return Ok(Ended::Played);
            }
            if changed {
                return Ok(Ended::Changed);
            }
            self.check(Duration::ZERO)?;
        }
    }

    /// Notes how often bots were ended in the round, for its next versions.
    fn note_ended(&mut self, run: &Played, due: &Due) -> Result<(), JudgeError> {
        let mut memory = self.memory.clone();
        memory.note_ended(&due.round, &run.ended);
        if memory != self.memory {
            memory.write(&self.run)?;
            self.memory = memory;
        }
        Ok(())
    }

    /// Returns the present moment; a freeze may have begun since `due` was found.
    pub(super) fn moment(&mut self, due: &Due) -> Result<Moment, JudgeError> {
        let now = self.clock.look()?;
        let is_frozen = self.expected(now, self.is_revealed()?).frozen;
        Ok(Moment {
            now,
            frozen: due.frozen || is_frozen,
        })
    }

    /// Publishes the results; a failure stops nothing else.
    pub(super) fn show(
        &mut self,
        scheduled: &mut Scheduled,
        moment: Moment,
    ) -> Result<(), JudgeError> {
        let freeze = self.terms.loaded.watch.freeze;
        let shown = self.publisher.show(scheduled, moment, freeze);
        let before = self.published;
        self.published = match (&shown, moment.frozen) {
            (Ok(_), false) => Published::Whole,
            (Ok(_), true) => {
                if before == Published::Behind {
                    self.log.say_over(
                        "published",
                        "the published results could not be updated before the freeze; until judge reveal they show \
                         the last ones written",
                    );
                }
                Published::Whole
            }
            (Err(_), true) if before != Published::Behind => Published::Untold,
            (Err(_), _) => Published::Behind,
        };
        self.tell_published(moment.now, shown)
    }

    /// Reports the result of publishing.
    pub(super) fn tell_published(
        &mut self,
        now: Timestamp,
        published: Result<Vec<String>, JudgeError>,
    ) -> Result<(), JudgeError> {
        match published {
            Ok(notes) => notes.iter().for_each(|note| self.log.say_of(note, note)),
            Err(JudgeError::Interrupted) => return Err(JudgeError::Interrupted),
            Err(error) => {
                self.try_again(now);
                let again = about(AGAIN.as_secs_f64());
                let told =
                    format!("{error}; everything else continues, and judge retries in {again}");
                self.log.say_of("published", &told);
            }
        }
        Ok(())
    }

    /// Plays for at most `rest`. Returns whether something has changed before its end.
    fn slice(&mut self, run: &mut Played, due: &Due, rest: Duration) -> Result<bool, JudgeError> {
        let drain = Arc::new(AtomicBool::new(false));
        let is_over = AtomicBool::new(false);
        let pause = Pause {
            listing: &self.looker.listing,
            listed: self.listed,
            acceptance: &self.looker.acceptance,
            calendar: &self.calendar,
            memory: &self.memory,
            due,
            stop: self.stop,
            new_after: self.preparing * PREPARE_REST,
            rest,
            is_revealed: self.is_revealed()?,
        };
        let clock = &self.clock;
        thread::scope(|scope| {
            let (drain_too, is_over_too) = (Arc::clone(&drain), &is_over);
            let pausing = thread::Builder::new()
                .spawn_scoped(scope, move || {
                    let changed = pause.wait(clock, is_over_too);
                    drain_too.store(true, Ordering::Relaxed);
                    changed
                })
                .map_err(|e| JudgeError::io("start", "a thread", e))?;
            let games = 0..run.scheduled().fixtures().len();
            let played = run.play_some(games, &drain, self.sink);
            is_over.store(true, Ordering::Relaxed);
            let changed = pausing.join().expect("it does not panic");
            played.map(|()| changed)
        })
    }
}

/// Puts the games of entrants who arrived after the round began first.
fn first_newcomers(scheduled: &mut Scheduled, round_began: Timestamp) {
    let received: BTreeMap<String, Timestamp> = scheduled
        .entrants()
        .iter()
        .filter_map(|entrant| {
            let timing = entrant.receipt.timing?;
            Some((entrant.name.clone(), timing.received))
        })
        .collect();
    newcomers_first(&mut scheduled.fixtures, &received, round_began);
}
