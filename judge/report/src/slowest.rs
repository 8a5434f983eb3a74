//! The entrant whose turns kept games waiting longest.

use std::collections::BTreeMap;
use words::numbers::about;
use words::record::{MatchResult, SeatRecord};

/// Mean wall time of an entrant's turns in a game, in microseconds, from which it is worth a note.
const WALL_US_MIN: u64 = 10_000_000;
/// The same for silence, which a busy machine does not lengthen.
const IDLE_US_MIN: u64 = 1_000_000;

/// Wall times of each entrant's turns.
#[derive(Debug, Default)]
pub(crate) struct WallTimes<'a>(BTreeMap<&'a str, WallTime>);

#[derive(Clone, Copy, Debug, Default)]
struct WallTime {
    games: u64,
    wall_us: u64,
    idle_us: u64,
}

/// The entrant with the longest turns by wall time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slowest {
    /// The entrant's name.
    pub entrant: String,
    /// Mean wall time of its turns in a game, in microseconds.
    pub wall_us: u64,
    /// Mean silence in a game, in microseconds.
    pub idle_us: u64,
}

impl<'a> WallTimes<'a> {
    /// Begins with the entrants that can be named.
    pub(crate) fn of(entrants: impl Iterator<Item = &'a str>) -> Self {
        Self(entrants.map(|name| (name, WallTime::default())).collect())
    }

    /// Adds a game; entrants of other names do not count.
    pub(crate) fn add(&mut self, result: &MatchResult) {
        self.add_seats(&result.seats);
    }

    fn add_seats(&mut self, seats: &[SeatRecord]) {
        for seat in seats {
            if let Some(time) = self.0.get_mut(seat.entrant.as_str()) {
                time.games += 1;
                time.wall_us = time.wall_us.saturating_add(seat.wall_us);
                time.idle_us = time.idle_us.saturating_add(seat.idle_us);
            }
        }
    }

    /// Returns the slowest entrant, if its games wait long for it.
    pub(crate) fn slowest(&self) -> Option<Slowest> {
        let means = self.0.iter().filter(|(_, time)| time.games > 0);
        let means = means.map(|(name, time)| Slowest {
            entrant: (*name).to_owned(),
            wall_us: time.wall_us / time.games,
            idle_us: time.idle_us / time.games,
        });
        let slowest = means.max_by_key(|one| one.wall_us);
        slowest.filter(|one| one.wall_us >= WALL_US_MIN || one.idle_us >= IDLE_US_MIN)
    }
}

impl Slowest {
    /// Returns a note in words.
    pub fn words(&self) -> String {
        let Self {
            entrant,
            wall_us,
            idle_us,
        } = self;
        let seconds = |us: u64| about(std::time::Duration::from_micros(us).as_secs_f64());
        let silent = if *idle_us * 2 > *wall_us {
            format!(
                ", {} of it silent: it sleeps or waits (idle_s limits that)",
                seconds(*idle_us)
            )
        } else {
            String::new()
        };
        format!(
            "slowest by wall time: {entrant}, about {} a game{silent}",
            seconds(*wall_us)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Entrant, wall time and silence of a seat, in microseconds.
    type Seat = (&'static str, u64, u64);

    fn slowest(games: &[[Seat; 2]]) -> Option<Slowest> {
        let mut times = WallTimes::of(["ann", "bob"].into_iter());
        for game in games {
            let seats = game.map(|(entrant, wall_us, idle_us)| SeatRecord {
                entrant: entrant.to_owned(),
                wall_us,
                idle_us,
                ..SeatRecord::default()
            });
            times.add_seats(&seats);
        }
        times.slowest()
    }

    #[test]
    fn the_slowest_is_named_by_its_mean_and_only_where_games_wait_for_it() {
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
            let found = slowest(games).expect("games wait for it").words();
            assert!(found.starts_with(words), "{found}");
        }
    }
}
