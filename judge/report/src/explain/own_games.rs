//! The data about one entrant that all parts of its explanation share: facts gathered from its
//! games, and its place in the table.

use super::super::blame::{describe_in, opponents as others};
use super::super::sheet::Roles;
use engines::{GameResult, Seat};
use model::competition::Competition;
use model::fixture::Conditions;
use model::numbers::so_many_points;
use model::points::Points;
use model::record::{MatchRecord, MatchResult};
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
