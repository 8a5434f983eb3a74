//! From some games that were tried out to what a whole tournament takes. Pure.

use engines::Lifetime;
use std::collections::{HashMap, HashSet};
use words::fixture::Fixture;
use words::record::MatchRecord;

/// What games that were tried out took, by who sat where.
#[derive(Clone, Debug, Default)]
pub struct Sample {
    /// By entrant and seat.
    seated: HashMap<(String, usize), SeatCost>,
    /// By seat.
    seats: HashMap<usize, SeatCost>,
    games: u64,
    bytes: u64,
}

/// What an entrant took on a chair, over all games that were tried out.
#[derive(Clone, Copy, Debug, Default)]
struct SeatCost {
    games: u64,
    turns: u64,
    turns_us: u64,
    startup_us: u64,
}

/// What a tournament takes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Estimate {
    /// Games.
    pub games: u64,
    /// Starts of bots' processes.
    pub starts: f64,
    /// Wall time of all games, one after the other, in microseconds.
    pub busy_us: f64,
    /// Size of the journal's lines, in bytes.
    pub bytes: f64,
}

impl Sample {
    /// Adds a game; `bytes` is the size of its line in the journal.
    pub fn add(&mut self, record: &MatchRecord, bytes: u64) {
        self.games += 1;
        self.bytes += bytes;
        for (index, seat) in record.seats.iter().enumerate() {
            let own = record
                .turns
                .iter()
                .filter(|turn| turn.seat.index() == index);
            let turns = own.count() as u64;
            let key = (seat.entrant.clone(), index);
            for cost in [
                self.seated.entry(key).or_default(),
                self.seats.entry(index).or_default(),
            ] {
                cost.games += 1;
                cost.turns += turns;
                cost.turns_us += seat.wall_us;
                cost.startup_us += seat.startup_wall_us;
            }
        }
    }

    /// Returns how many games were tried out.
    pub const fn games(&self) -> u64 {
        self.games
    }

    /// Returns the wall time that the games took, one after the other, in microseconds.
    pub fn busy_us(&self) -> f64 {
        let costs = self.seated.values();
        float(costs.map(|cost| cost.turns_us + cost.startup_us).sum())
    }

    /// Estimates what these games take together. Each chair takes what its entrant took there
    /// on average; for who was not tried out, what everybody took there. None where nothing
    /// was tried out.
    pub fn whole<'a>(
        &self,
        fixtures: impl Iterator<Item = &'a Fixture>,
        lifetime: Lifetime,
    ) -> Option<Estimate> {
        if self.games == 0 {
            return None;
        }
        let mut whole = Estimate::default();
        let mut matches: HashSet<Vec<String>> = HashSet::new();
        for fixture in fixtures {
            whole.games += 1;
            let key = || fixture.match_key().into_iter().map(str::to_owned).collect();
            let starts_anew = lifetime != Lifetime::Match || matches.insert(key());
            for (seat, participant) in fixture.seats.iter().enumerate() {
                let known = self.seated.get(&(participant.entrant.to_string(), seat));
                let cost = known.or_else(|| self.seats.get(&seat)).copied();
                let cost = cost.unwrap_or_default();
                let games = float(cost.games.max(1));
                whole.busy_us += float(cost.turns_us) / games;
                if starts_anew {
                    whole.busy_us += float(cost.startup_us) / games;
                    whole.starts += match lifetime {
                        Lifetime::Turn => float(cost.turns) / games,
                        Lifetime::Game | Lifetime::Match => 1.0,
                    };
                }
            }
        }
        whole.bytes = float(self.bytes) / float(self.games) * float(whole.games);
        Some(whole)
    }

    /// Lists who took the most wall time for a game, as (entrant, seconds), the slowest first.
    pub fn slowest(&self) -> Vec<(&str, f64)> {
        let mut by_entrant: HashMap<&str, (u64, u64)> = HashMap::new();
        for ((entrant, _), cost) in &self.seated {
            let (games, time_us) = by_entrant.entry(entrant).or_default();
            *games += cost.games;
            *time_us += cost.turns_us + cost.startup_us;
        }
        let mean = |(entrant, (games, time_us))| (entrant, float(time_us) / float(games) / 1e6);
        let mut slowest: Vec<(&str, f64)> = by_entrant.into_iter().map(mean).collect();
        slowest.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(b.0)));
        slowest
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "counts and microseconds far below 2^53"
)]
fn float(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use engines::{Outcome, Seat};
    use serde_json::value::RawValue;
    use words::draw::Draw;
    use words::fixture::Participant;
    use words::record::{End, SeatRecord, TurnRecord, VERSION};

    fn record(seats: [(&str, u64, u64); 2]) -> MatchRecord {
        let nothing = RawValue::from_string("{}".to_owned()).expect("JSON");
        let seat = |(entrant, wall_us, startup_wall_us): (&str, u64, u64)| SeatRecord {
            entrant: entrant.to_owned(),
            wall_us,
            startup_wall_us,
            ..SeatRecord::default()
        };
        let turns = [0, 1, 0].map(|seat| TurnRecord {
            seat: Seat::new(seat),
            mv: None,
            cpu_us: 0,
            wall_us: 0,
        });
        MatchRecord {
            v: VERSION,
            fixture: String::new(),
            game: String::new(),
            state: 0,
            setup: nothing,
            draw: String::new(),
            seats: seats.map(seat).to_vec(),
            turns: turns.to_vec(),
            faults: Vec::new(),
            end: End::Rules,
            outcome: Outcome {
                seats: Vec::new(),
                reason: "".into(),
            },
            overloaded: false,
            machine: None,
        }
    }

    fn fixture(seats: [&str; 2]) -> Fixture {
        let participant = |entrant: &str| Participant {
            entrant: entrant.into(),
            artifact: "".into(),
        };
        Fixture {
            id: String::new(),
            state: 0,
            seats: seats.map(participant).to_vec(),
            setup: RawValue::from_string("{}".to_owned()).expect("JSON").into(),
            luck: Draw::public(1, "final").state(0).luck(2).into(),
        }
    }

    fn sample() -> Sample {
        let mut sample = Sample::default();
        sample.add(&record([("slow", 1000, 50), ("quick", 10, 5)]), 100);
        sample.add(&record([("quick", 20, 5), ("slow", 3000, 50)]), 300);
        sample
    }

    #[test]
    fn every_chair_takes_what_its_entrant_took_there() {
        let games = [
            fixture(["slow", "quick"]),
            fixture(["slow", "quick"]),
            // Unknown: what those who sat there took on average.
            fixture(["new", "slow"]),
        ];
        let whole = |lifetime| sample().whole(games.iter(), lifetime).expect("tried out");
        let by_game = whole(Lifetime::Game);
        let slow_quick = 1000.0 + 50.0 + 10.0 + 5.0;
        let new_slow = 1020.0 / 2.0 + 55.0 / 2.0 + 3000.0 + 50.0;
        let near = |one: f64, other: f64| assert!((one - other).abs() < 1e-6, "{one} {other}");
        near(by_game.busy_us, 2.0 * slow_quick + new_slow);
        assert_eq!(by_game.games, 3);
        near(by_game.starts, 6.0);
        near(by_game.bytes, 600.0);
        let by_match = whole(Lifetime::Match);
        near(by_match.starts, 4.0);
        near(by_game.busy_us - by_match.busy_us, 55.0);
        // Two turns for the first seat, one for the second.
        near(whole(Lifetime::Turn).starts, 9.0);
    }

    #[test]
    fn nothing_is_estimated_from_nothing_and_the_slowest_is_named() {
        let games = [fixture(["a", "b"])];
        let none = Sample::default().whole(games.iter(), Lifetime::Game);
        assert_eq!(none, None);
        assert_eq!(sample().slowest()[0].0, "slow");
    }
}
