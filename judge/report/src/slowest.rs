//! The entrants who kept games waiting longest: by their turns, and by their startups.

use engines::Lifetime;
use model::numbers::about;
use model::record::{MatchResult, SeatRecord};
use model::startup::Startup;
use std::collections::BTreeMap;
use std::time::Duration;

/// Mean wall time of an entrant's turns in a game, in microseconds, from which it is worth a note.
const WALL_US_MIN: u64 = 10_000_000;
/// The same for silence, which a busy machine does not lengthen.
const IDLE_US_MIN: u64 = 1_000_000;

const STARTUP_US_MIN: u64 = 1_000_000;

#[derive(Debug, Default)]
pub(crate) struct WallTimes<'a> {
    times: BTreeMap<&'a str, WallTime>,
    starts_each_turn: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct WallTime {
    games: u64,
    wall_us: u64,
    idle_us: u64,
    starts: u64,
    startup_us: u64,
    is_ready: bool,
}

impl WallTime {
    fn add(&mut self, seat: &SeatRecord) {
        self.games += 1;
        self.wall_us = self.wall_us.saturating_add(seat.wall_us);
        self.idle_us = self.idle_us.saturating_add(seat.idle_us);
    }
}

impl<'a> WallTimes<'a> {
    pub(crate) fn of(entrants: impl Iterator<Item = &'a str>, lifetime: Lifetime) -> Self {
        Self {
            times: entrants.map(|name| (name, WallTime::default())).collect(),
            starts_each_turn: lifetime == Lifetime::Turn,
        }
    }

    pub(crate) fn add(&mut self, result: &MatchResult) {
        let MatchResult { seats, faults, .. } = result;
        let turns = if self.starts_each_turn {
            (result.plies / seats.len()).max(1) as u64
        } else {
            1
        };
        for seat in seats {
            let Some(time) = self.times.get_mut(seat.entrant.as_str()) else {
                continue;
            };
            time.add(seat);
            if seat.startup_wall_us > 0 {
                time.starts += turns;
                time.startup_us = time.startup_us.saturating_add(seat.startup_wall_us);
            }
            let startup = Startup::of(&seat.entrant, seats, faults, result.overloaded);
            time.is_ready |= startup == Startup::Ready;
        }
    }

    pub(crate) fn slow_starters(&self) -> Option<String> {
        let slow: Vec<String> = self
            .times
            .iter()
            .filter(|(_, time)| time.starts > 0)
            .filter(|(_, time)| time.startup_us / time.starts > STARTUP_US_MIN)
            .map(|(name, time)| {
                let never = if time.is_ready { "" } else { ", never ready" };
                let mean = Duration::from_micros(time.startup_us / time.starts);
                format!("{name} (about {}{never})", about(mean.as_secs_f64()))
            })
            .collect();
        (!slow.is_empty()).then(|| {
            format!(
                "more than a second to start, in each game: {}",
                slow.join(", ")
            )
        })
    }

    /// Names the entrant with the longest turns by wall time; the times are means of its games.
    pub(crate) fn slowest(&self) -> Option<String> {
        let (entrant, wall_us, idle_us) = self
            .times
            .iter()
            .filter(|(_, time)| time.games > 0)
            .map(|(name, time)| (name, time.wall_us / time.games, time.idle_us / time.games))
            .max_by_key(|(_, wall_us, _)| *wall_us)
            .filter(|(_, wall_us, idle_us)| *wall_us >= WALL_US_MIN || *idle_us >= IDLE_US_MIN)?;
        let seconds = |us: u64| about(Duration::from_micros(us).as_secs_f64());
        let silent = if idle_us * 2 > wall_us {
            format!(
                ", {} of it silent: it sleeps or waits (idle_s limits that)",
                seconds(idle_us)
            )
        } else {
            String::new()
        };
        Some(format!(
            "slowest by wall time: {entrant}, about {} a game{silent}",
            seconds(wall_us)
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Entrant, wall time and silence of a seat, in microseconds.
    type Seat = (&'static str, u64, u64);

    fn slowest(games: &[[Seat; 2]]) -> Option<String> {
        let mut times = WallTimes::of(["ann", "bob"].into_iter(), Lifetime::Game);
        for (entrant, wall_us, idle_us) in games.iter().flatten() {
            if let Some(time) = times.times.get_mut(entrant) {
                time.add(&SeatRecord {
                    wall_us: *wall_us,
                    idle_us: *idle_us,
                    ..SeatRecord::default()
                });
            }
        }
        times.slowest()
    }

    #[test]
    fn slowest_is_named_by_mean_when_games_wait() {
        let second = 1_000_000;
        let quick = [("ann", 10, 0), ("bob", 9 * second, second - 1)];
        assert_eq!(slowest(&[quick, quick]), None);
        assert_eq!(slowest(&[]), None);
        // (games, words)
        let rows: [(&[[Seat; 2]], &str); 3] = [
            (
                &[
                    [("ann", 4 * second, 3 * second), ("bob", 0, 0)],
                    [("ann", 2 * second, 2 * second), ("bob", 5 * second, 0)],
                ],
                "slowest by wall time: ann, about 3.00 s a game, 2.50 s of it silent",
            ),
            (
                &[[("ann", 12 * second, second), ("bob", 3, 0)]],
                "slowest by wall time: ann, about 12 s a game",
            ),
            (
                &[[("ann", 2 * second, second), ("a stranger", 90 * second, 0)]],
                "slowest by wall time: ann, about 2.00 s a game",
            ),
        ];
        for (games, words) in rows {
            let found = slowest(games).expect("games wait for it");
            assert!(found.starts_with(words), "{found}");
        }
    }
}
