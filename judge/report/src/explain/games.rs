//! The games of one entrant, as far as they need explaining.

use super::super::blame::{describe, opponents as others};
use super::super::sheet::Roles;
use super::Case;
use super::time::ChargedTimes;
use engines::{GameResult, Seat};
use scoring::{Tally, tally};
use std::cmp::Ordering;
use std::collections::BTreeMap;
use words::competition::Competition;
use words::numbers::{count, counted, so_many_points};
use words::points::Points;
use words::record::MatchResult;

/// What is gathered of one entrant's games.
pub(super) struct OwnGames {
    entrant: String,
    competition: Competition,
    losses: Vec<Loss>,
    /// The first ones in words.
    faults: Vec<(usize, String)>,
    faults_all: u64,
    /// How it was placed against each opponent in games for more than two.
    met: BTreeMap<String, Places>,
    pub(super) times: ChargedTimes,
}

/// How often a game placed the entrant before somebody else at the table, level or after.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Places {
    before: u64,
    level: u64,
    after: u64,
}

impl Places {
    fn add(&mut self, own: u8, other: u8) {
        match own.cmp(&other) {
            Ordering::Less => self.before += 1,
            Ordering::Equal => self.level += 1,
            Ordering::Greater => self.after += 1,
        }
    }

    /// Returns the share that it was before, in percent; level counts half.
    #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
    fn percent(self) -> f64 {
        let all = self.before + self.level + self.after;
        (self.before as f64 + self.level as f64 / 2.0) / all.max(1) as f64 * 100.0
    }
}

/// A lost game that no fault of the entrant ended.
struct Loss {
    game: usize,
    role: &'static str,
    opponents: String,
    own: Points,
    /// How many points fewer than the best at the table.
    behind: Points,
    /// How it ended.
    end: String,
}

/// How many faults are told.
const FAULTS_MAX: usize = 5;
/// How many lost games are told.
const LOSSES_MAX: usize = 5;
/// How many opponents are told.
const OPPONENTS_MAX: usize = 20;

impl OwnGames {
    pub(super) fn of(entrant: &str, competition: &Competition) -> Self {
        Self {
            entrant: entrant.to_owned(),
            competition: competition.clone(),
            losses: Vec::new(),
            faults: Vec::new(),
            faults_all: 0,
            met: BTreeMap::new(),
            times: ChargedTimes::default(),
        }
    }

    /// Adds a game, if the entrant played in it; `game` is its number.
    pub(super) fn add(&mut self, roles: Roles, game: usize, result: &MatchResult) {
        for (index, participant) in result.seats.iter().enumerate() {
            if participant.entrant != self.entrant {
                continue;
            }
            let seat = Seat::new(index);
            for fault in result.faults.iter().filter(|fault| fault.seat == seat) {
                self.faults_all += 1;
                if self.faults.len() < FAULTS_MAX {
                    let (role, with) = (roles[index], others(result, seat));
                    let what = describe(fault);
                    let ply = fault.ply;
                    let got = tally(&self.competition.scoring, result, index).points;
                    let line = format!(
                        "game {game}, as {role} against {with}, ply {ply}: {what}; the game earned {}",
                        so_many_points(got)
                    );
                    self.faults.push((game, line));
                }
            }
            if result.seats.len() > 2 {
                self.add_places(result, index);
            }
            let by_fault = result.end.charged() == Some(seat);
            if !by_fault && result.outcome.seats[index].result == GameResult::Lost {
                self.losses.push(self.loss(roles, game, result, seat));
            }
        }
    }

    fn add_places(&mut self, result: &MatchResult, own: usize) {
        let place = |index: usize| result.outcome.seats[index].placement;
        for (index, participant) in result.seats.iter().enumerate() {
            if participant.entrant != self.entrant {
                let places = self.met.entry(participant.entrant.clone()).or_default();
                places.add(place(own), place(index));
            }
        }
    }

    fn loss(&self, roles: Roles, game: usize, result: &MatchResult, seat: Seat) -> Loss {
        let points = |index| tally(&self.competition.scoring, result, index).points;
        let own = points(seat.index());
        let best = (0..result.seats.len()).map(points).max();
        Loss {
            game,
            role: roles[seat.index()],
            opponents: others(result, seat),
            own,
            behind: best.unwrap_or(own) - own,
            end: result.outcome.reason.to_string(),
        }
    }
}

pub(super) fn faults(case: &Case<'_>) -> Vec<String> {
    let own = case.own;
    let mut lines = Vec::new();
    for (game, line) in &own.faults {
        lines.push(line.clone());
        lines.push(format!("    to play it again: {}", (case.repeat)(*game)));
    }
    if let Some(more @ 1..) = own.faults_all.checked_sub(own.faults.len() as u64) {
        lines.push(format!("and {} more: see faults.csv", count(more)));
    }
    lines
}

/// Lists the lost games with the most points behind the best at the table; among equal ones
/// those against the entrants that stand lowest.
pub(super) fn losses(case: &Case<'_>) -> Vec<String> {
    let rank = |loss: &Loss| case.table.row(&loss.opponents).map(|row| row.standing.rank);
    let mut losses: Vec<&Loss> = case.own.losses.iter().collect();
    losses.sort_by(|a, b| {
        let behind = b.behind.cmp(&a.behind);
        behind
            .then_with(|| rank(b).cmp(&rank(a)))
            .then(a.game.cmp(&b.game))
    });
    let mut lines = Vec::new();
    for loss in losses.iter().take(LOSSES_MAX) {
        let Loss {
            game,
            role,
            opponents,
            ..
        } = loss;
        lines.push(format!(
            "game {game}, as {role} against {opponents}: {}, {} behind; {}",
            so_many_points(loss.own),
            so_many_points(loss.behind),
            loss.end
        ));
        lines.push(format!("    to play it again: {}", (case.repeat)(*game)));
    }
    if let Some(more @ 1..) = losses.len().checked_sub(LOSSES_MAX) {
        lines.push(format!("and {} more: see games.csv", count(more as u64)));
    }
    lines
}

/// Lists opponents, those first against whom it did worst: with the fewest points a game, or
/// in games for more than two, who were placed before it most often.
pub(super) fn opponents(case: &Case<'_>) -> Vec<String> {
    let own = &case.row.standing.entrant;
    let mut against = case.table.sums.against(own);
    // a/b < c/d as a·d < c·b, without dividing.
    let fewer = |a: &Tally, b: &Tally| {
        let cross = |one: &Tally, other: &Tally| one.points.times(other.games, 1);
        cross(a, b).cmp(&cross(b, a))
    };
    let met = |name: &str| case.own.met.get(name).copied();
    let share = |name: &str| met(name).unwrap_or_default().percent();
    against.sort_by(|a, b| {
        let placed = share(a.0).total_cmp(&share(b.0));
        placed
            .then_with(|| fewer(&a.1, &b.1))
            .then_with(|| a.0.cmp(b.0))
    });
    let mut lines: Vec<String> = against
        .iter()
        .take(OPPONENTS_MAX)
        .map(|(name, tally)| {
            let games = counted(tally.games, "game");
            let (chance, points) = (chance(case, name), so_many_points(tally.points));
            match met(name) {
                Some(places) => {
                    format!(
                        "{name}: {games}, {}; {points} in them{chance}",
                        placed(places)
                    )
                }
                None => format!(
                    "{name}: {games}, {} won, {} drawn, {} lost: {points}{chance}",
                    tally.wins, tally.draws, tally.losses
                ),
            }
        })
        .collect();
    if let Some(more @ 1..) = against.len().checked_sub(OPPONENTS_MAX) {
        lines.push(format!("and {more} more, with better results"));
    }
    if case.table.strengths.is_some() && !against.is_empty() {
        lines.push(meaning_of_chance(case).to_owned());
    }
    lines
}

/// `ahead 7 times, level once, behind 0 times (94 %)`.
fn placed(places: Places) -> String {
    let times = |count: u64| match count {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        count => format!("{count} times"),
    };
    let level = match places.level {
        0 => String::new(),
        level => format!(", level {}", times(level)),
    };
    format!(
        "ahead {}{level}, behind {} ({:.0} %)",
        times(places.before),
        times(places.after),
        places.percent()
    )
}

/// Says how often the entrant would do better, by all results of the table.
fn chance(case: &Case<'_>, name: &str) -> String {
    let strengths = case.table.strengths.as_ref();
    let own = &case.row.standing.entrant;
    match strengths.and_then(|strengths| strengths.chance(own, name)) {
        Some(chance) => format!("; expected {:.0} %", chance * 100.0),
        None => String::new(),
    }
}

/// Says what [`chance`] means.
fn meaning_of_chance(case: &Case<'_>) -> &'static str {
    if case.own.met.is_empty() {
        "expected: how often it would win against this opponent, estimated from all results"
    } else {
        "expected: how often it would finish ahead of this opponent, estimated from all results"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_told_with_the_share_that_the_page_shows() {
        let mut places = Places::default();
        for other in [2, 3, 4, 1, 4, 2, 3, 4] {
            places.add(1, other);
        }
        let told = placed(places);
        assert_eq!(told, "ahead 7 times, level once, behind 0 times (94 %)");
        places.add(2, 1);
        assert_eq!((places.before, places.level, places.after), (7, 1, 1));
    }
}
