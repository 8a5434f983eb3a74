//! How a watch plays: slice by slice, and after each what has been played is shown.

use super::calendar::Due;
use super::pause::Pause;
use super::publish::{self, Moment};
use super::slice::Playing;
use super::{Ended, Watch};
use crate::cli::prepared::Prepared;
use error::JudgeError;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use words::numbers::counted;

/// So long is played at least until the tables are written.
const SLICE_MIN: Duration = Duration::from_secs(120);
/// So much longer than writing takes is played between, and than preparing takes before something
/// new is prepared.
const SLICE_REST: u32 = 20;
const PREPARE_REST: u32 = 10;

impl Watch<'_> {
    /// Plays what is prepared, and shows it, slice by slice.
    pub(super) fn play(&mut self, prepared: Prepared, due: &Due) -> Result<Ended, JudgeError> {
        let mut playing = Playing::begin(self.entering, prepared, due.round_began)?;
        let (mut played, games) = playing.counts();
        if played < games {
            let games = counted((games - played) as u64, "game");
            self.diary.say(&format!("{games} to play"));
        }
        let mut writing = Duration::ZERO;
        loop {
            let rest = SLICE_MIN.max((self.preparing + writing) * SLICE_REST);
            let changed = if played < games {
                self.slice(&mut playing, due, rest)
            } else {
                Ok(false)
            };
            let began = Instant::now();
            let moment = self.moment(due)?;
            let noted = publish::note(&mut playing.prepared, moment);
            let written = playing.write();
            let changed = changed?;
            noted?;
            written?;
            self.show(&mut playing.prepared, moment)?;
            writing = began.elapsed();
            let before = played;
            played = playing.counts().0;
            if played > before {
                let games = counted(games as u64, "game");
                self.diary.say(&format!("{played} of {games} played"));
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

    /// Returns the present moment of what is due: a freeze may have begun since that was found out.
    pub(super) fn moment(&mut self, due: &Due) -> Result<Moment, JudgeError> {
        let now = self.clock.look()?;
        let is_frozen = self.expected(now, self.is_revealed()?).frozen;
        Ok(Moment {
            now,
            frozen: due.frozen || is_frozen,
        })
    }

    /// Plays for so long; returns whether it was ended because something has changed.
    fn slice(
        &mut self,
        playing: &mut Playing<'_>,
        due: &Due,
        rest: Duration,
    ) -> Result<bool, JudgeError> {
        let drain = Arc::new(AtomicBool::new(false));
        let is_over = AtomicBool::new(false);
        let pause = Pause {
            listing: &self.looker.listing,
            contents: self.looker.contents.clone(),
            arrivals: &self.looker.arrivals,
            listed: self.listed,
            desk: &self.looker.desk,
            calendar: &self.calendar,
            memory: &self.memory,
            due,
            stop: self.stop,
            new_after: self.preparing * PREPARE_REST,
            rest,
            is_revealed: self.is_revealed()?,
        };
        let clock = &mut self.clock;
        thread::scope(|scope| {
            let (drain_too, is_over_too) = (Arc::clone(&drain), &is_over);
            let pausing = thread::Builder::new().spawn_scoped(scope, move || {
                let changed = pause.wait(clock, is_over_too);
                drain_too.store(true, Ordering::Relaxed);
                changed
            });
            let pausing = pausing.map_err(|e| JudgeError::io("start", "a thread", e))?;
            let played = playing.play(&drain);
            is_over.store(true, Ordering::Relaxed);
            let changed = pausing.join().expect("it does not panic");
            played.map(|()| changed)
        })
    }
}
