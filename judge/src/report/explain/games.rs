//! The games of one entrant, as far as they need explaining.

use super::super::blame::{describe, opponents as others};
use super::super::sheet::Roles;
use super::Case;
use super::time::Times;
use crate::competition::Competition;
use crate::numbers::{count, counted, so_many_points};
use crate::record::MatchResult;
use crate::scoring::{Points, Tally, tally};
use engines::{GameResult, Seat};

/// What is gathered of one entrant's games.
pub(super) struct OwnGames {
    entrant: String,
    competition: Competition,
    losses: Vec<Loss>,
    /// The first ones in words.
    faults: Vec<(usize, String)>,
    faults_all: u64,
    pub(super) times: Times,
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
            times: Times::default(),
        }
    }

    /// Adds a game, if the entrant played in it; `game` is its number.
    pub(super) fn add(&mut self, roles: Roles, game: usize, result: &MatchResult) {
        for (index, sitter) in result.seats.iter().enumerate() {
            if sitter.entrant != self.entrant {
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
                        "game {game}, as {role} against {with}, ply {ply}: {what}; the game brought {}",
                        so_many_points(got)
                    );
                    self.faults.push((game, line));
                }
            }
            let by_fault = result.end.charged() == Some(seat);
            if !by_fault && result.outcome.seats[index].result == GameResult::Lost {
                self.losses.push(self.loss(roles, game, result, seat));
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
        lines.push(format!("    to see it again: {}", (case.repeat)(*game)));
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
        lines.push(format!("    to see it again: {}", (case.repeat)(*game)));
    }
    if let Some(more @ 1..) = losses.len().checked_sub(LOSSES_MAX) {
        lines.push(format!("and {} more: see games.csv", count(more as u64)));
    }
    lines
}

/// Lists opponents, those with the fewest points a game first.
pub(super) fn opponents(case: &Case<'_>) -> Vec<String> {
    let own = &case.row.standing.entrant;
    let mut against = case.table.sums.against(own);
    // a/b < c/d as a·d < c·b, without dividing.
    let fewer = |a: &Tally, b: &Tally| {
        let cross = |one: &Tally, other: &Tally| one.points.times(other.games, 1);
        cross(a, b).cmp(&cross(b, a))
    };
    against.sort_by(|a, b| fewer(&a.1, &b.1).then_with(|| a.0.cmp(b.0)));
    let mut lines: Vec<String> = against
        .iter()
        .take(OPPONENTS_MAX)
        .map(|(name, tally)| {
            format!(
                "{name}: {}, {} won, {} drawn, {} lost: {}{}",
                counted(tally.games, "game"),
                tally.wins,
                tally.draws,
                tally.losses,
                so_many_points(tally.points),
                chance(case, name)
            )
        })
        .collect();
    if let Some(more @ 1..) = against.len().checked_sub(OPPONENTS_MAX) {
        lines.push(format!("and {more} more, against whom it did better"));
    }
    lines
}

/// Says how often the entrant would win, by all results of the table.
fn chance(case: &Case<'_>, name: &str) -> String {
    let strengths = case.table.strengths.as_ref();
    let own = &case.row.standing.entrant;
    match strengths.and_then(|strengths| strengths.chance(own, name)) {
        Some(chance) => format!(
            "; by all results it would win about {:.0} % of games",
            chance * 100.0
        ),
        None => String::new(),
    }
}
