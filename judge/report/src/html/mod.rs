//! `report.html`: a run as one page that needs only a browser, and pages of single games. Here is the data behind a
//! page: its reader, and a summary of a run, gathered game by game.

mod bot_stderr;
mod choose;
mod conduct;
mod encode;
mod entrants;
mod games;
mod history;
mod overview;
mod pages;
mod phrases;
mod shell;
mod standings;
mod verdict;
mod yours;

use crate::moments::{OwnChange, Record};
use crate::run_data::RunData;
use crate::words::decimals;
pub(crate) use bot_stderr::BotStderr;
pub use bot_stderr::{BotWords, bot_words_of_game};
use engines::{GameResult, Outcome, SeatOutcome};
pub use games::{FOLDER_NAME as GAMES_FOLDER, GAMES_MAX, write_game};
use jiff::Timestamp;
use model::competition::Competition;
use model::fault::{Cause, Fault, Phase, quote};
use model::record::MatchRecord;
use model::tally::Tally;
pub use pages::Pages;
pub(crate) use phrases::{cut, readable_times, second_words};
use rulebook::Result;
use rulebook::scoring::{StandingsTable, StateScores, places_score};
pub(crate) use shell::{data_of, waiting};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;
use store::{Moment, MomentEntrant};

/// The page's name in a run's folder.
pub const FILE_NAME: &str = "report.html";

/// Data of a page that looks for newer pages in its place.
#[derive(Clone, Copy, Debug)]
pub struct Live<'a> {
    /// The digest that identifies this page among them.
    pub digest: &'a str,
    /// The time of the page.
    pub made: Made,
}

/// The time of a page that newer ones will follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Made {
    /// The moment on the page.
    pub at: Timestamp,
    /// The time from which no page follows, until the secret is revealed.
    pub freeze: Option<Timestamp>,
}

#[derive(Debug)]
pub(crate) struct OwnPage<'a> {
    /// The author's own deadline, if it differs from the deadline of all.
    pub(crate) extension: Option<Timestamp>,
    pub(crate) submitted: &'a str,
    pub(crate) received: Option<usize>,
    pub(crate) errors: &'a str,
    pub(crate) reported: &'a StaffReports,
    pub(crate) change: Option<OwnChange<'a>>,
    pub(crate) versions: Vec<(&'a Moment, &'a MomentEntrant)>,
    pub(crate) live: Option<Live<'a>>,
}

#[derive(Debug, Default)]
pub(crate) struct StaffReports {
    pub(crate) build: Option<String>,
    pub(crate) check: Option<String>,
    pub(crate) stderr: Option<String>,
}

impl StaffReports {
    pub(crate) fn files(&self) -> impl Iterator<Item = (&'static str, &str)> {
        [
            ("stderr.txt", &self.stderr),
            ("build.txt", &self.build),
            ("check.txt", &self.check),
        ]
        .into_iter()
        .filter_map(|(name, text)| Some((name, text.as_deref()?)))
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Audience<'a> {
    /// The entrant whose author reads the page: it shows only that entrant's games.
    own: Option<usize>,
    /// Content that only the author may see; the author need not have an entrant that plays.
    given: Option<&'a OwnPage<'a>>,
    /// Whether every game has a page of its own in the folder `games` next to the page.
    full: bool,
    live: Option<Live<'a>>,
}

#[derive(Clone, Copy)]
struct Page<'a> {
    run: &'a RunData<'a>,
    competition: &'a Competition,
    table: &'a StandingsTable,
    summary: &'a Summary,
    roles: &'static [&'static str],
    reader: Audience<'a>,
    decimals: usize,
    /// The end of the axes of times, in microseconds.
    end_us: u64,
    limit_us: Option<u64>,
}

impl<'a> Page<'a> {
    fn new(
        run: &'a RunData<'a>,
        table: &'a StandingsTable,
        summary: &'a Summary,
        reader: Audience<'a>,
    ) -> Result<Self> {
        let competition = &run.manifest.competition;
        let limit_us = competition.conditions.time.turn_us;
        let conduct = summary.conduct.iter();
        let longest = conduct.map(|conduct| conduct.turns.max_us).max();
        Ok(Self {
            run,
            competition,
            table,
            summary,
            roles: rulebook::schedule::roles(competition)?,
            reader,
            decimals: decimals(table.rows.iter().map(|row| row.total.points)),
            end_us: longest.unwrap_or(1).max(limit_us.unwrap_or(1)),
            limit_us,
        })
    }

    fn times_called(&self) -> String {
        phrases::capital(self.competition.conditions.mode.called())
    }

    fn points(&self, tally: &Tally) -> String {
        phrases::points(tally.points, self.decimals)
    }
}

const FAULTS_SHOWN_MAX: usize = 20;

#[derive(Debug, Default)]
struct Summary {
    names: Vec<String>,
    index: HashMap<String, usize>,
    conduct: Vec<EntrantSummary>,
    /// By entrant, opponent, and the first one's seat (0 in games for more than two); with their first game.
    pairs: BTreeMap<(usize, usize, usize), (Record, usize)>,
    states: BTreeMap<u32, State>,
    games: Vec<GameSummary>,
    results: HashSet<Rc<SeatsAndPlaces>>,
}

#[derive(Debug, Default)]
struct EntrantSummary {
    turns: Histogram,
    bot_name: Option<String>,
    causes: BTreeMap<Cause, u64>,
    faults: Vec<FaultEntry>,
}

#[derive(Debug)]
struct FaultEntry {
    game: usize,
    seat: usize,
    opponents: Vec<usize>,
    count: u64,
    /// The turn of the fault, from 1; `None` if it was outside of turns.
    turn: Option<u32>,
    what: String,
    line: Option<String>,
}

#[derive(Clone, Debug, Default)]
struct State {
    games: u64,
    /// Games won by the seat; joint wins count for each.
    won: Vec<u64>,
    drawn: u64,
    turns: u64,
    /// Of the first two entrants.
    scores: StateScores,
    game: usize,
}

/// A summary of a game, in 48 bytes: a page has one for each game of its run.
#[derive(Debug)]
struct GameSummary {
    number: u32,
    turns: u32,
    result: Rc<SeatsAndPlaces>,
    faults: Box<[(usize, Cause)]>,
    /// The winners' lead over the next, in points of the game's own formula; `None` if all have the same place.
    margin: Option<u64>,
}

/// The entrants of a game and their places, by seat. Many games share them.
#[derive(Debug, PartialEq, Eq, Hash)]
struct SeatsAndPlaces {
    seats: Vec<usize>,
    places: Vec<u8>,
}

impl GameSummary {
    const fn number(&self) -> usize {
        self.number as usize
    }

    fn is_of(&self, own: Option<usize>) -> bool {
        own.is_none_or(|own| self.seats().contains(&own))
    }

    fn seats(&self) -> &[usize] {
        &self.result.seats
    }
}

fn margin(outcome: &Outcome) -> Option<u64> {
    let of = |is_won: bool| {
        outcome
            .seats
            .iter()
            .filter(move |seat| (seat.placement == 1) == is_won)
            .map(|seat| seat.points)
            .max()
    };
    Some(of(true)?.abs_diff(of(false)?))
}

fn fault_entry(game: usize, seats: &[usize], fault: &Fault) -> FaultEntry {
    let seat = fault.seat.index();
    let others = seats.iter().enumerate().filter(|(other, _)| *other != seat);
    FaultEntry {
        game,
        seat,
        opponents: others.map(|(_, &other)| other).collect(),
        count: 1,
        turn: (fault.phase == Phase::Turn).then_some(fault.ply.saturating_add(1)),
        what: phrases::fault(fault),
        line: fault.line.as_deref().map(quote),
    }
}

/// Adds a fault to those reported. Faults that differ only in numbers are of one kind.
fn add_fault(faults: &mut Vec<FaultEntry>, fault: FaultEntry) {
    let kind = |what: &str| what.replace(|c: char| c.is_ascii_digit(), "");
    let own = kind(&fault.what);
    if let Some(same) = faults.iter_mut().find(|one| kind(&one.what) == own) {
        same.count += 1;
    } else if faults.len() < FAULTS_SHOWN_MAX {
        faults.push(fault);
    }
}

impl Summary {
    fn number(&mut self, name: &str) -> usize {
        *self.index.entry(name.to_owned()).or_insert_with(|| {
            self.names.push(name.to_owned());
            self.conduct.push(EntrantSummary::default());
            self.names.len() - 1
        })
    }

    fn add(&mut self, competition: &Competition, game: usize, record: &MatchRecord) {
        let mode = competition.conditions.mode;
        let entrants = record.seats.iter();
        let seats: Vec<usize> = entrants.map(|seat| self.number(&seat.entrant)).collect();
        let places: Vec<u8> = record
            .outcome
            .seats
            .iter()
            .map(|seat| seat.placement)
            .collect();
        for turn in &record.turns {
            let conduct = &mut self.conduct[seats[turn.seat.index()]];
            conduct.turns.add(turn.counted_us(mode));
        }
        for (&own, participant) in seats.iter().zip(&record.seats) {
            let conduct = &mut self.conduct[own];
            if conduct.bot_name.is_none() {
                conduct.bot_name.clone_from(&participant.bot_name);
            }
        }
        for fault in &record.faults {
            let conduct = &mut self.conduct[seats[fault.seat.index()]];
            *conduct.causes.entry(fault.cause).or_default() += 1;
            add_fault(&mut conduct.faults, fault_entry(game, &seats, fault));
        }
        let sides = || seats.iter().zip(&places);
        for (seat, (&one, &own)) in sides().enumerate() {
            for (&other, &place) in sides().filter(|(other, _)| **other != one) {
                let role = if seats.len() == 2 { seat } else { 0 };
                let pair = self.pairs.entry((one, other, role));
                pair.or_insert((Record::default(), game)).0.add(own, place);
            }
        }
        let entrants = record.seats.iter().map(|seat| seat.entrant.as_str());
        if !competition.scoring.is_unranked(entrants) {
            self.add_state(game, &seats, record);
        }
        let kind = |fault: &Fault| (seats[fault.seat.index()], fault.cause);
        let faults = record.faults.iter().map(kind).collect();
        let own = SeatsAndPlaces { seats, places };
        let result = self
            .results
            .get(&own)
            .cloned()
            .unwrap_or_else(|| Rc::new(own));
        self.results.insert(Rc::clone(&result));
        self.games.push(GameSummary {
            number: u32::try_from(game).expect("a run has fewer games"),
            turns: u32::try_from(record.turns.len()).expect("a line has fewer turns"),
            faults,
            margin: margin(&record.outcome),
            result,
        });
    }

    fn add_state(&mut self, game: usize, seats: &[usize], record: &MatchRecord) {
        let state = self.states.entry(record.state).or_insert_with(|| State {
            won: vec![0; record.seats.len()],
            game,
            ..State::default()
        });
        state.games += 1;
        state.turns += record.turns.len() as u64;
        state.scores.games += 1;
        for (seat, &entrant) in seats.iter().enumerate() {
            if let Some((seats, score)) = state.scores.sides.get_mut(entrant) {
                *seats += 1;
                *score += places_score(&record.outcome, seat);
            }
        }
        let outcomes = &record.outcome.seats;
        let won = |seat: &SeatOutcome| u64::from(seat.result == GameResult::Won);
        state.drawn += u64::from(outcomes.iter().map(won).sum::<u64>() == 0);
        for (count, seat) in state.won.iter_mut().zip(outcomes) {
            *count += won(seat);
        }
    }
}

/// Number of steps in each doubling of the time. A percentile is then at most 1/16 too high.
const STEPS: u64 = 16;
const STEPS_LOG2: u32 = STEPS.ilog2();

#[derive(Clone, Debug, Default)]
struct Histogram {
    counts: Vec<u64>,
    count: u64,
    max_us: u64,
}

impl Histogram {
    fn add(&mut self, us: u64) {
        let step = step(us);
        if self.counts.len() <= step {
            self.counts.resize(step + 1, 0);
        }
        self.counts[step] += 1;
        self.count += 1;
        self.max_us = self.max_us.max(us);
    }

    /// Returns a time that `percent` of 100 turns did not exceed.
    fn percentile(&self, percent: u64) -> u64 {
        let enough = (self.count * percent).div_ceil(100).max(1);
        let mut below = 0;
        self.counts
            .iter()
            .position(|count| {
                below += count;
                below >= enough
            })
            .map_or(0, |step| last_us(step).min(self.max_us))
    }

    /// Returns the share of turns in each of `bins` equal parts of the logarithmic axis from 1 µs to `end_us`.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a picture"
    )]
    fn shape(&self, end_us: u64, bins: usize) -> Vec<f64> {
        let mut shape = vec![0.0; bins];
        for (step, &count) in self.counts.iter().enumerate() {
            let at = position(last_us(step), end_us) * bins as f64;
            shape[(at as usize).min(bins - 1)] += count as f64 / self.count.max(1) as f64;
        }
        shape
    }
}

/// Returns the place of a time on a logarithmic axis from 1 µs (0) to `end_us` (1).
#[expect(clippy::cast_precision_loss, reason = "a picture")]
fn position(us: u64, end_us: u64) -> f64 {
    ((us.max(1) as f64).ln() / (end_us.max(2) as f64).ln()).min(1.0)
}

fn step(us: u64) -> usize {
    let step = match us.checked_ilog2() {
        Some(log2) if log2 >= STEPS_LOG2 => {
            let shift = log2 - STEPS_LOG2;
            u64::from(shift + 1) * STEPS + (us >> shift) - STEPS
        }
        _ => us,
    };
    usize::try_from(step).expect("a thousand steps")
}

fn last_us(step: usize) -> u64 {
    let step = step as u64;
    if step < STEPS {
        return step;
    }
    let shift = step / STEPS - 1;
    ((step % STEPS + STEPS + 1) << shift) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_faults_are_reported_once_with_count() {
        let fault = |what: &str| FaultEntry {
            game: 1,
            seat: 0,
            opponents: Vec::new(),
            count: 1,
            turn: Some(1),
            what: what.to_owned(),
            line: None,
        };
        let mut reported = Vec::new();
        for what in ["crash: signal 11", "no time: 12 ms", "no time: 140 ms"] {
            add_fault(&mut reported, fault(what));
        }
        let reported: Vec<_> = reported
            .iter()
            .map(|one| (&one.what[..], one.count))
            .collect();
        assert_eq!(reported, [("crash: signal 11", 1), ("no time: 12 ms", 2)]);
    }

    #[test]
    fn time_step_end_is_within_one_sixteenth() {
        for us in (0..5_000).chain([1_000_000, 123_456_789, 1 << 40]) {
            let last = last_us(step(us));
            assert!(us <= last && last - us <= us / STEPS, "{us} in {last}");
            assert!(step(us) == 0 || last_us(step(us) - 1) < us, "{us}");
        }
    }

    #[test]
    fn percentiles_are_those_of_the_sorted_times() {
        let mut histogram = Histogram::default();
        assert_eq!(histogram.percentile(50), 0);
        for us in 1..=10 {
            histogram.add(us);
        }
        assert_eq!(histogram.percentile(50), 5);
        assert_eq!(histogram.percentile(99), 10);
        assert_eq!(histogram.shape(10, 4).len(), 4);
    }
}
