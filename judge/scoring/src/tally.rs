//! What one game brings to one seat, and sums of that.

use engines::{GameResult, Outcome};
use std::cmp::Ordering;
use std::ops::RangeInclusive;
use words::competition::{PointsRule, RankKey, Scoring};
use words::points::Points;
use words::record::MatchResult;

/// What one entrant has gathered, in one role or in all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Games played.
    pub games: u64,
    /// Games won, alone or jointly.
    pub wins: u64,
    /// Games that nobody won.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
    /// Points, CPU time taken off.
    pub points: Points,
    /// What was taken off for CPU time.
    pub cpu_cost: Points,
    /// The places in all games, added up; 1 is the best place of a game.
    pub places: u64,
    /// What the game breaks ties by (captures), added up.
    pub tie_break: i64,
    /// CPU time charged, in microseconds.
    pub cpu_us: u64,
    /// Faults of the entrant.
    pub faults: u64,
    /// Games without a fault of the entrant that were played to their end, or in which it had
    /// moved before somebody else's fault ended them.
    pub faultless: u64,
}

impl Tally {
    /// Adds what was gathered elsewhere.
    pub fn add(&mut self, other: &Self) {
        self.games += other.games;
        self.wins += other.wins;
        self.draws += other.draws;
        self.losses += other.losses;
        self.points += other.points;
        self.cpu_cost += other.cpu_cost;
        self.places += other.places;
        self.tie_break += other.tie_break;
        self.cpu_us += other.cpu_us;
        self.faults += other.faults;
        self.faultless += other.faultless;
    }

    /// Takes away what is a part of this.
    #[must_use]
    pub fn without(&self, part: &Self) -> Self {
        Self {
            games: self.games - part.games,
            wins: self.wins - part.wins,
            draws: self.draws - part.draws,
            losses: self.losses - part.losses,
            points: self.points - part.points,
            cpu_cost: self.cpu_cost - part.cpu_cost,
            places: self.places - part.places,
            tie_break: self.tie_break - part.tie_break,
            cpu_us: self.cpu_us - part.cpu_us,
            faults: self.faults - part.faults,
            faultless: self.faultless - part.faultless,
        }
    }

    /// Compares two by one key; `Less` means that this one stands ahead.
    pub(super) fn compare(&self, other: &Self, key: RankKey) -> Ordering {
        match key {
            RankKey::Points => other.points.cmp(&self.points),
            RankKey::Wins => other.wins.cmp(&self.wins),
            RankKey::TieBreak => other.tie_break.cmp(&self.tie_break),
            // Mean places without dividing: a/b < c/d as a·d < c·b.
            RankKey::Placement => {
                let cross = |one: &Self, other: &Self| {
                    u128::from(one.places) * u128::from(other.games.max(1))
                };
                cross(self, other).cmp(&cross(other, self))
            }
        }
    }

    /// Compares two by all keys of a ranking; `Less` means that this one stands ahead.
    pub fn compare_by(&self, other: &Self, ranking: &[RankKey]) -> Ordering {
        let mut compared = ranking.iter().map(|&key| self.compare(other, key));
        let decided = compared.find(|order| order.is_ne());
        decided.unwrap_or(Ordering::Equal)
    }

    /// Returns what a key counts, so that more is better; for places that is what is missing
    /// from none.
    pub(super) fn counted_by(&self, key: RankKey) -> Points {
        let whole = |count: u64| Points::whole(i64::try_from(count).expect("far below 2^63"));
        match key {
            RankKey::Points => self.points,
            RankKey::Wins => whole(self.wins),
            RankKey::Placement => Points::default() - whole(self.places),
            RankKey::TieBreak => Points::whole(self.tie_break),
        }
    }

    /// Returns the points before anything was taken off for CPU time.
    pub fn base(&self) -> Points {
        let mut base = self.points;
        base += self.cpu_cost;
        base
    }
}

/// Returns what a game brought to the seat with this index.
pub fn tally(scoring: &Scoring, game: &MatchResult, seat: usize) -> Tally {
    let outcome = game.outcome.seats[seat];
    let cpu_us = game.seats[seat].cpu_us;
    let is = |result| u64::from(outcome.result == result);
    let cpu_cost = Points::for_cpu(scoring.points_per_cpu_second, cpu_us);
    let faults = game.faults.iter().filter(|f| f.seat.index() == seat);
    let faults = faults.count() as u64;
    // Seats take turns from the first one on.
    let has_played = game.end.charged().is_none() || game.plies > seat;
    Tally {
        games: 1,
        wins: is(GameResult::Won),
        draws: is(GameResult::Drawn),
        losses: is(GameResult::Lost),
        points: points(scoring.points, &game.outcome, seat) - cpu_cost,
        cpu_cost,
        places: outcome.placement.into(),
        tie_break: outcome.tie_break,
        cpu_us,
        faults,
        faultless: u64::from(has_played && faults == 0),
    }
}

/// Returns by how many points a game two can be apart: `range` has the least and the most of the
/// game's own formula, and nobody is charged more CPU time than the bank, where there is one.
pub fn points_apart_max(scoring: &Scoring, range: &RangeInclusive<i64>, bank_us: u64) -> Points {
    let mut apart = match scoring.points {
        PointsRule::Game => Points::whole(range.end() - range.start()),
        PointsRule::Win | PointsRule::WinDraw => Points::whole(1),
    };
    apart += Points::for_cpu(scoring.points_per_cpu_second, bank_us);
    apart
}

/// Returns what the result is worth, without the CPU time.
pub fn points(rule: PointsRule, outcome: &Outcome, seat: usize) -> Points {
    let won = |seat: &&engines::SeatOutcome| seat.result == GameResult::Won;
    let winners = outcome.seats.iter().filter(won).count();
    match (rule, outcome.seats[seat].result) {
        (PointsRule::Game, _) => Points::whole(outcome.seats[seat].points),
        (PointsRule::Win | PointsRule::WinDraw, GameResult::Won) => Points::share(1, winners),
        (PointsRule::WinDraw, GameResult::Drawn) => Points::share(1, 2),
        (PointsRule::Win, GameResult::Drawn)
        | (PointsRule::Win | PointsRule::WinDraw, GameResult::Lost) => Points::default(),
    }
}
