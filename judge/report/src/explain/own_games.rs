//! The data about one entrant that all parts of its explanation share (facts gathered from its
//! games, and its place in the table), and the parts on opponents, faults and losses.

use super::super::blame::{describe_in, opponents as others};
use super::super::sheet::Roles;
use engines::{GameResult, Seat};
use model::competition::Competition;
use model::fixture::Conditions;
use model::numbers::{count, counted, so_many_points};
use model::points::Points;
use model::record::{MatchRecord, MatchResult};
use model::tally::Tally;
use rulebook::scoring::{StandingsRow, StandingsTable, tally};
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// Facts gathered from the games of one entrant.
pub(super) struct OwnGames {
    entrant: String,
    competition: Competition,
    pub(super) losses: Vec<Loss>,
    /// The first faults in words, each with the number of its game.
    pub(super) faults: Vec<(usize, String)>,
    pub(super) faults_all: u64,
    /// Its places against each opponent in games for more than two.
    pub(super) met: BTreeMap<String, Places>,
    pub(super) times: ChargedTimes,
}

/// How often a game placed the entrant before another one at the table, level with it, or after it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Places {
    pub(super) before: u64,
    pub(super) level: u64,
    pub(super) after: u64,
}

impl Places {
    pub(super) fn add(&mut self, own: u8, other: u8) {
        match own.cmp(&other) {
            Ordering::Less => self.before += 1,
            Ordering::Equal => self.level += 1,
            Ordering::Greater => self.after += 1,
        }
    }

    /// Returns the share of games in which it was placed before the other, in percent; level counts
    /// half.
    #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
    pub(super) fn percent(self) -> f64 {
        let all = self.before + self.level + self.after;
        (self.before as f64 + self.level as f64 / 2.0) / all.max(1) as f64 * 100.0
    }
}

/// A lost game that no fault of the entrant ended.
pub(super) struct Loss {
    pub(super) game: usize,
    pub(super) role: &'static str,
    pub(super) opponents: String,
    pub(super) own: Points,
    /// The deficit to the best at the table.
    pub(super) behind: Points,
    /// The end of the game, in words.
    pub(super) end: String,
}

/// Maximum number of faults listed.
const FAULTS_MAX: usize = 5;

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

    /// Adds the entrant's faults in a game; `game` is its number.
    pub(super) fn add_faults(&mut self, roles: Roles, game: usize, result: &MatchResult) {
        for (index, participant) in result.seats.iter().enumerate() {
            if participant.entrant != self.entrant {
                continue;
            }
            let seat = Seat::new(index);
            for fault in result.faults.iter().filter(|fault| fault.seat == seat) {
                self.faults_all += 1;
                if self.faults.len() < FAULTS_MAX {
                    let (role, with) = (roles[index], others(result, seat));
                    let what = describe_in(result, fault);
                    let ply = fault.ply;
                    let got = tally(&self.competition.scoring, result, index).points;
                    let line = format!(
                        "game {game}, as {role} against {with}, ply {ply}: {what}; the game earned {}",
                        so_many_points(got)
                    );
                    self.faults.push((game, line));
                }
            }
        }
    }

    /// Adds a game that counts for the table, if the entrant played in it.
    pub(super) fn add(&mut self, roles: Roles, game: usize, result: &MatchResult) {
        self.add_faults(roles, game, result);
        for (index, participant) in result.seats.iter().enumerate() {
            if participant.entrant != self.entrant {
                continue;
            }
            let seat = Seat::new(index);
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
        Loss {
            game,
            role: roles[seat.index()],
            opponents: others(result, seat),
            own,
            behind: (0..result.seats.len()).map(points).max().unwrap_or(own) - own,
            end: result.outcome.reason.to_string(),
        }
    }
}

/// Times that the clock counts, in microseconds.
#[derive(Default)]
pub(super) struct ChargedTimes {
    /// The time of each turn.
    pub(super) turns: Vec<u64>,
    /// The time of the game that came nearest to its limit, and that limit, if there is a bank.
    pub(super) game_max: Option<(u64, u64)>,
}

impl ChargedTimes {
    /// Adds the turns of an entrant in a game.
    pub(super) fn add(&mut self, entrant: &str, conditions: &Conditions, record: &MatchRecord) {
        for (seat, _) in record
            .seats
            .iter()
            .enumerate()
            .filter(|(_, participant)| participant.entrant == entrant)
        {
            self.add_seat(conditions, record, Seat::new(seat));
        }
    }

    fn add_seat(&mut self, conditions: &Conditions, record: &MatchRecord, seat: Seat) {
        let mode = conditions.mode;
        let own = record.turns.iter().filter(|turn| turn.seat == seat);
        let before = self.turns.len();
        self.turns.extend(own.map(|turn| turn.counted_us(mode)));
        let turns = (self.turns.len() - before) as u64;
        let used = record.seats[seat.index()].counted_us(mode);
        if let Some(bank) = conditions.time.bank_us {
            let allowed = bank + turns * conditions.time.increment_us;
            // The game that came nearest to its limit: compares used/allowed without dividing.
            let nearer = |(most, limit): (u64, u64)| {
                u128::from(used) * u128::from(limit) > u128::from(most) * u128::from(allowed)
            };
            if self.game_max.is_none_or(nearer) {
                self.game_max = Some((used, allowed));
            }
        }
    }
}

/// The commands for the game with a number.
#[derive(Clone, Copy)]
pub struct GameCommands<'a> {
    /// Plays it again.
    pub repeat: &'a dyn Fn(usize) -> String,
    /// Shows it.
    pub watch: &'a dyn Fn(usize) -> String,
}

/// The data behind an explanation.
pub(super) struct Case<'a> {
    pub(super) competition: &'a Competition,
    pub(super) roles: Roles,
    pub(super) table: &'a StandingsTable,
    pub(super) row: &'a StandingsRow,
    /// Penalty for lateness; it is taken off the grade, or off the prize where there are no grades.
    pub(super) penalty: Option<Points>,
    pub(super) own: &'a OwnGames,
    /// The commands for a game.
    pub(super) commands: GameCommands<'a>,
}

/// Maximum number of lost games listed.
const LOSSES_MAX: usize = 5;
/// Maximum number of opponents listed.
const OPPONENTS_MAX: usize = 20;

pub(super) fn faults(case: &Case<'_>) -> Vec<String> {
    let own = case.own;
    let mut lines = Vec::new();
    for (game, line) in &own.faults {
        lines.push(line.clone());
        let command = (case.commands.repeat)(*game);
        lines.push(format!("    to play it again: {command}"));
    }
    if let Some(more @ 1..) = own.faults_all.checked_sub(own.faults.len() as u64) {
        lines.push(format!("and {} more: see faults.csv", count(more)));
    }
    lines
}

/// Lists the lost games with the greatest deficit in points to the best at the table. Of equal
/// ones, those against the entrants with the lowest places come first.
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
            "game {game}, as {role} against {opponents}: {}, {}; {}",
            so_many_points(loss.own),
            deficit(loss.behind),
            loss.end
        ));
        let command = (case.commands.watch)(*game);
        lines.push(format!("    to watch it: {command}"));
    }
    if let Some(more @ 1..) = losses.len().checked_sub(LOSSES_MAX) {
        lines.push(format!("and {} more: see games.csv", count(more as u64)));
    }
    lines
}

/// Describes a loser's deficit; by some formulas the loser has as many points as the winner, or
/// more.
fn deficit(behind: Points) -> String {
    if behind == Points::default() {
        "and nobody had more".to_owned()
    } else {
        format!("{} behind", so_many_points(behind))
    }
}

/// Lists opponents, the entrant's worst results first. These are the results with the fewest points
/// a game; in games for more than two, with the opponents that most often finished ahead of it.
pub(super) fn opponents(case: &Case<'_>) -> Vec<String> {
    let own = &case.row.standing.entrant;
    let mut against = case.table.sums.against(own);
    // Compares a/b < c/d as a·d < c·b, without dividing.
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

/// Formats places: `ahead 7 times, level once, behind 0 times (94 %)`.
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

/// Describes how often the entrant would win, estimated from all results of the table.
fn chance(case: &Case<'_>, name: &str) -> String {
    let strengths = case.table.strengths.as_ref();
    let own = &case.row.standing.entrant;
    match strengths.and_then(|strengths| strengths.chance(own, name)) {
        Some(chance) => format!("; expected {:.0} %", chance * 100.0),
        None => String::new(),
    }
}

/// Explains the output of [`chance`].
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
