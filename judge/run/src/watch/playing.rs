//! Playing in slices, newcomers' games first; after each, tables are written and published.

use super::calendar::Due;
use super::publish::{self, Moment};
use super::{AGAIN, SCAN_INTERVAL, Watch};
use crate::{Played, Scheduled};
use jiff::Timestamp;
use model::fixture::Fixture;
use model::numbers::{about, counted};
use rulebook::{IoContext, JudgeError, Result};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

const SLICE_MIN: Duration = Duration::from_secs(120);
/// A slice takes at least this many times as long as preparing and writing.
const SLICE_REST: u32 = 20;
/// A new version waits for this many times as long as preparing takes.
const PREPARE_REST: u32 = 10;
/// The longest time that games continue while files are being copied, so that they stop only once.
const COPYING_MAX: Duration = Duration::from_secs(60);
/// The time after which unchanged files are no longer being copied.
const SETTLED: Duration = Duration::from_secs(2);

impl Watch<'_> {
    pub(super) fn play(&mut self, scheduled: Scheduled, due: &Due) -> Result<bool> {
        let mut run = scheduled.begin()?;
        run.ended = Arc::new(self.memory.ended_in(&due.round));
        let received = run
            .scheduled
            .entrants
            .iter()
            .filter_map(|one| Some((one.name.clone(), one.timing?.received)))
            .collect();
        newcomers_first(&mut run.scheduled.fixtures, &received, due.round_began);
        let (mut played, games) = run.counts();
        if played < games {
            let games = counted(games - played, "game");
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
            // The next versions of the round do not begin again with 0.
            self.remember(|memory| memory.note_ended(&due.round, &run.ended))?;
            let began = Instant::now();
            let moment = self.moment(due)?;
            let noted = publish::note(&mut run.scheduled, moment);
            let written = run.write(self.sink).map(|_| ());
            let changed = changed?;
            noted?;
            written?;
            self.show(&mut run.scheduled, moment)?;
            writing = began.elapsed();
            let before = played;
            played = run.counts().0;
            if played > before {
                let games = counted(games, "game");
                self.log.say(&format!("{played} of {games} played"));
            }
            if self.is_stopped() {
                return Err(JudgeError::Interrupted);
            }
            if played == games || changed {
                return Ok(played == games);
            }
            self.check(Duration::ZERO)?;
        }
    }

    /// Returns the present moment; a freeze may have begun since `due` was found.
    pub(super) fn moment(&mut self, due: &Due) -> Result<Moment> {
        let now = self.clock.read()?;
        let is_frozen = self.expected(now, self.is_revealed()?).frozen;
        Ok(Moment {
            now,
            frozen: due.frozen || is_frozen,
        })
    }

    pub(super) fn show(&mut self, scheduled: &mut Scheduled, moment: Moment) -> Result {
        let freeze = self.terms.loaded.watch.freeze;
        let shown = self.publisher.show(scheduled, moment, freeze);
        self.is_published = shown.is_ok();
        self.log_published(moment.now, shown)
    }

    pub(super) fn log_published(
        &mut self,
        now: Timestamp,
        published: Result<Vec<String>>,
    ) -> Result {
        match published {
            Ok(notes) => notes.iter().for_each(|note| self.log.say_of(note, note)),
            Err(JudgeError::Interrupted) => return Err(JudgeError::Interrupted),
            Err(error) => {
                self.try_again(now);
                let again = about(AGAIN.as_secs_f64());
                self.log.say_of(
                    "published",
                    &format!("{error}; everything else continues, and judge retries in {again}"),
                );
            }
        }
        Ok(())
    }

    /// Plays for at most `rest`. Returns whether something has changed before its end.
    fn slice(&self, run: &mut Played, due: &Due, rest: Duration) -> Result<bool> {
        let drain = Arc::new(AtomicBool::new(false));
        let is_over = AtomicBool::new(false);
        let is_revealed = self.is_revealed()?;
        thread::scope(|scope| {
            let waiting = thread::Builder::new()
                .spawn_scoped(scope, || {
                    let changed = self.has_changed(due, rest, is_revealed, &is_over);
                    drain.store(true, Ordering::Relaxed);
                    changed
                })
                .or_io("start", "a thread")?;
            let games = 0..run.scheduled.fixtures.len();
            let played = run.play_some(games, &drain, self.sink);
            is_over.store(true, Ordering::Relaxed);
            let changed = waiting.join().expect("it does not panic");
            played.map(|()| changed)
        })
    }

    fn has_changed(
        &self,
        due: &Due,
        rest: Duration,
        is_revealed: bool,
        is_over: &AtomicBool,
    ) -> bool {
        let new_after = self.preparing * PREPARE_REST;
        let interval = SCAN_INTERVAL.min(self.clock.interval_max());
        let listed = self.seen.as_ref().map(|seen| seen.listed);
        let began = Instant::now();
        let mut scanned = began;
        let mut changed: Option<Instant> = None;
        let mut same = (listed, began);
        while !is_over.load(Ordering::Relaxed) && !self.is_stopped() {
            if began.elapsed() >= rest {
                return false;
            }
            self.clock.nap();
            if scanned.elapsed() < interval {
                continue;
            }
            scanned = Instant::now();
            let Ok(now) = self.clock.read() else {
                return true;
            };
            let digest = Some(self.arrivals.digest());
            if digest != same.0 {
                same = (digest, Instant::now());
            }
            let is_changed = self.acceptance.is_waiting(now) || digest != listed;
            changed = is_changed.then(|| changed.unwrap_or_else(Instant::now));
            let is_whole = same.1.elapsed() >= SETTLED;
            let is_ripe = |since: Instant| is_whole || since.elapsed() >= COPYING_MAX;
            let is_new = began.elapsed() >= new_after && changed.is_some_and(is_ripe);
            let expected = self.expected(now, is_revealed);
            if is_new || expected.round != due.round || expected.frozen != due.frozen {
                return true;
            }
        }
        false
    }
}

/// They are sorted by the arrival of their latest player, so that many versions of one author only
/// delay that author. The others stay in their order.
fn newcomers_first(
    fixtures: &mut [Fixture],
    received: &BTreeMap<String, Timestamp>,
    round_began: Timestamp,
) {
    fixtures.sort_by_cached_key(|fixture| {
        let seats = fixture.seats.iter();
        let came = seats
            .filter_map(|seat| received.get(&*seat.entrant))
            .max()
            .filter(|came| **came > round_began);
        (came.is_none(), came)
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::competition::FINAL;
    use model::draw::Draw;
    use model::fixture::Participant;
    use model::game_id::GameId;
    use rulebook::schedule;

    #[test]
    fn newcomers_play_first_and_flooders_play_last() {
        let rules = rulebook::rules::find("reversi").expect("registered");
        let competition = rulebook::standard(&*rules);
        let names = ["ann", "bob", "mal", "zoe"];
        let participants = names.map(|name| Participant {
            entrant: name.into(),
            artifact: name.into(),
        });
        let draw = Draw::public(1, FINAL);
        let fixtures = schedule::fixtures(&competition, &draw, &participants, None);
        let mut fixtures = fixtures.expect("allowed");
        let at = |second| Timestamp::from_second(second).expect("a time");
        let backlog: Vec<GameId> = fixtures.iter().map(|one| one.id).collect();
        let mut received: BTreeMap<String, Timestamp> =
            names.map(|name| (name.to_owned(), at(0))).into();
        newcomers_first(&mut fixtures, &received, at(10));
        let unchanged = fixtures.iter().map(|one| one.id);
        assert!(unchanged.eq(backlog), "all were there when the round began");
        // He sends one version after the other; she arrived in between.
        received.insert("mal".to_owned(), at(300));
        received.insert("zoe".to_owned(), at(20));
        newcomers_first(&mut fixtures, &received, at(10));
        let plays =
            |fixture: &Fixture, name: &str| fixture.seats.iter().any(|seat| &*seat.entrant == name);
        let groups: Vec<&str> = fixtures
            .iter()
            .map(|one| match (plays(one, "mal"), plays(one, "zoe")) {
                (true, _) => "mal",
                (false, true) => "zoe",
                (false, false) => "others",
            })
            .collect();
        let mut seen: Vec<&str> = groups.clone();
        seen.dedup();
        assert_eq!(seen, ["zoe", "mal", "others"]);
    }
}
