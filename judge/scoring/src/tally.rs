//! What one game brings to one seat, and sums of that.

use engines::{GameResult, Outcome};
use words::competition::{PointsRule, Scoring};
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
        faults: faults.count() as u64,
    }
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
