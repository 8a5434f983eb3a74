//! Checks that a run or its view agrees with its journal, within bounds of size: each game once, against the rules
//! and against the draw. Nothing of a view is executed.

pub mod files;
mod view;

use engines::Seat;
use model::competition::{Competition, Schedule};
use model::draw::Draw;
use model::fixture::{Conditions, Participant, legs};
use model::points::Points;
use model::record::MatchRecord;
use referee::verify::{WordsKnown, referee};
use rulebook::rules::Rules;
use rulebook::{CPU_STEP_MS_MAX, JudgeError, RATE_MAX, Result, STATES_MAX, schedule};
use serde_json::json;
use std::collections::HashSet;
use std::fmt::Display;
use std::sync::Arc;
use store::manifest::{EntrantLine, Manifest};
pub use view::{public, student};

/// Returns the error for a place that cannot be verified at all.
pub fn refused(shown: &str, reason: &str) -> JudgeError {
    JudgeError::input(format!("cannot verify {shown}: {reason}"))
}

/// Lists all players with their programs, the one that fills seats last.
pub fn players(manifest: &Manifest) -> Vec<Participant> {
    let mut players = manifest.playing();
    players.extend(manifest.filler.clone());
    players
}

/// Limit on games; no run has more.
const GAMES_MAX: usize = 20_000_000;
const PENALTY_MAX: Points = Points::whole(1_000_000);
/// Limit on places; no table has more.
const RANKS_MAX: usize = 1_000_000_000;

/// Checks that a manifest describes a possible schedule. Returns the number of seats.
pub fn check_manifest(manifest: &Manifest) -> Result<usize> {
    let wrong =
        |reason: &str| JudgeError::input(format!("run.json does not describe a run: {reason}"));
    let competition = &manifest.competition;
    let roles = schedule::roles(competition).map_err(|error| match error {
        JudgeError::Rules { .. } => wrong(&error.to_string()),
        error => error,
    })?;
    let seats = roles.len();
    let scoring = &competition.scoring;
    let playing = manifest.playing();
    let mut names: HashSet<&str> = playing.iter().map(|one| &*one.entrant).collect();
    let has_twins = names.len() < playing.len();
    names.extend(competition.opponents().map(String::as_str));
    let (many, states) = (playing.len() as u128, u128::from(competition.states));
    let met = |against: &[String]| many * against.len() as u128 * seats as u128;
    let games = match &competition.schedule {
        Schedule::Pairs { .. } => many * many * states,
        Schedule::Gauntlet { against } => met(against) * states,
        Schedule::Groups => many.max(1) * seats as u128 * states,
    };
    let graded = scoring
        .graded_games()
        .map_or(0, |games| met(&games.against) * u128::from(games.states));
    let tests = met(&scoring.prize_needs.ahead_of) * states;
    let is_dealt = competition.schedule == Schedule::Groups;
    let filler = manifest.filler.as_ref().map(|filler| &*filler.entrant);
    let others = names.iter().filter(|name| Some(**name) != filler).count();
    let drawn = competition.states_drawn();
    let published_states = manifest.draw.states.len();
    let mut penalties = manifest.entrants.iter().filter_map(EntrantLine::penalty);
    for (is_wrong, reason) in [
        (has_twins, "two entrants have the same name"),
        (
            competition.states == 0 || drawn > STATES_MAX,
            "it has more initial states than a competition can have, or none",
        ),
        (
            penalties.any(|penalty| !(Points::default()..=PENALTY_MAX).contains(&penalty)),
            "it has a penalty that no competition has",
        ),
        (
            published_states > 0 && published_states != drawn as usize,
            "it gives the draw for another number of initial states",
        ),
        (graded > 0 && seats != 2, "graded games are of two seats"),
        (
            games + graded + tests > GAMES_MAX as u128,
            "it has more games than can be played",
        ),
        (
            is_dealt && (others == 0 || (playing.len() < seats && filler.is_none())),
            "there is no entrant to deal into groups",
        ),
        (
            !is_dealt && seats != 2 && competition.schedule.opponents().is_empty(),
            "pairs play a game of two seats",
        ),
        (
            !(0.0..=RATE_MAX).contains(&scoring.points_per_cpu_second),
            "points_per_cpu_second is out of range",
        ),
        (
            scoring.cpu_step_ms > CPU_STEP_MS_MAX.into(),
            "cpu_step_ms is out of range",
        ),
        (
            scoring.prizes.iter().any(|prize| prize.to_rank > RANKS_MAX),
            "a prize is for a rank that cannot exist",
        ),
    ] {
        if is_wrong {
            return Err(wrong(reason));
        }
    }
    Ok(seats)
}

const DIFFERENCES_MAX: usize = 20;
const CHARACTERS_MAX: usize = 400;
/// Maximum length of a reported note, in characters; some notes list the names of files.
const NOTE_CHARACTERS_MAX: usize = 4000;

/// The checks so far.
#[derive(Default)]
pub struct Inspection {
    /// The build of this judge.
    pub build: &'static str,
    /// The lines of the table.
    pub rows: Vec<Row>,
    /// The first differences.
    pub differences: Vec<String>,
    /// Number of differences, including those not reported.
    pub found: usize,
    /// The notes, which are no differences.
    pub notes: Vec<String>,
    /// Whether games could not be checked.
    pub is_partial: bool,
}

/// A line of the table: `number` things were checked, and `differ` of them differ.
#[derive(Clone, Copy)]
pub struct Row {
    /// The kind of check.
    pub what: &'static str,
    /// Number of things checked.
    pub number: usize,
    /// One of these things.
    pub unit: &'static str,
    /// Number of those that differ.
    pub differ: usize,
}

impl Inspection {
    /// Begins an inspection by this build of the judge.
    pub fn new(build: &'static str) -> Self {
        Self {
            build,
            ..Self::default()
        }
    }

    /// Adds a line to the table.
    pub fn row(&mut self, what: &'static str, number: usize, unit: &'static str, differ: usize) {
        self.rows.push(Row {
            what,
            number,
            unit,
            differ,
        });
    }

    /// Adds a difference; the text names its place, and is made only if it is reported.
    pub fn differs(&mut self, text: impl Display) {
        self.found += 1;
        if self.differences.len() < DIFFERENCES_MAX {
            let text = shortened(&text.to_string(), CHARACTERS_MAX);
            self.differences.push(text);
        }
    }

    /// Adds a note, which is no difference.
    pub fn note(&mut self, text: impl Into<String>) {
        self.notes
            .push(shortened(&text.into(), NOTE_CHARACTERS_MAX));
    }

    /// Adds a note on games that could not be checked, so that the place is not verified.
    pub fn unchecked(&mut self, text: impl Into<String>) {
        self.note(text);
        self.is_partial = true;
    }

    /// Returns whether no difference was found.
    pub fn is_equal(&self) -> bool {
        self.found == 0 && self.rows.iter().all(|row| row.differ == 0)
    }
}

fn shortened(text: &str, characters_max: usize) -> String {
    let is_long = text.chars().nth(characters_max).is_some();
    text.chars()
        .take(characters_max)
        .map(|c| if c.is_control() { '\u{fffd}' } else { c })
        .chain(is_long.then_some('…'))
        .collect()
}

/// The facts that games are checked against.
pub struct Expected<'a> {
    rules: Arc<dyn Rules>,
    /// The conditions of all games.
    pub conditions: &'a Conditions,
    words: WordsKnown<'a>,
    /// The draw of the initial states.
    pub drawn: DrawnStates,
}

/// The result of the check of a game.
pub struct Checked {
    /// Whether it has a number that no game can have.
    is_out_of_bounds: bool,
    against_rules: Vec<String>,
    /// The differences from the draw; `None` if the game is not of the drawn states.
    otherwise_drawn: Option<Vec<String>>,
    /// The entrants whose bots were not started.
    pub not_started: Vec<String>,
}

impl<'a> Expected<'a> {
    /// Creates the checks of the games of one competition.
    pub fn new(
        conditions: &'a Conditions,
        words: WordsKnown<'a>,
        drawn: DrawnStates,
    ) -> Result<Self> {
        Ok(Self {
            rules: rulebook::rules::of(conditions)?,
            conditions,
            words,
            drawn,
        })
    }

    /// Checks a game; `is_drawn` says whether it belongs to the drawn states.
    pub fn check(&self, record: &MatchRecord, is_drawn: bool) -> Result<Checked> {
        let out_of_bounds = record.out_of_bounds_number();
        let against_rules = if let Some((field, number)) = &out_of_bounds {
            vec![format!("{field}: no game can have {number}")]
        } else {
            referee(&*self.rules, self.conditions, record, self.words)?
                .iter()
                .map(ToString::to_string)
                .collect()
        };
        Ok(Checked {
            is_out_of_bounds: out_of_bounds.is_some(),
            against_rules,
            otherwise_drawn: is_drawn.then(|| self.drawn.differences(record)),
            not_started: record
                .seats
                .iter()
                .filter(|seat| seat.not_started)
                .map(|seat| seat.entrant.clone())
                .collect(),
        })
    }
}

/// The games checked so far.
#[derive(Default)]
pub struct Records {
    refereed: usize,
    against_rules: usize,
    drawn_ones: usize,
    otherwise_drawn: usize,
    is_out_of_bounds: bool,
}

impl Records {
    /// Adds a game; `place` says where it was found.
    pub fn add(&mut self, place: &str, checked: &Checked, inspection: &mut Inspection) {
        let Checked {
            is_out_of_bounds,
            against_rules,
            otherwise_drawn,
            ..
        } = checked;
        self.is_out_of_bounds |= is_out_of_bounds;
        self.refereed += 1;
        self.against_rules += usize::from(!against_rules.is_empty());
        self.drawn_ones += usize::from(otherwise_drawn.is_some());
        let otherwise_drawn = otherwise_drawn.as_deref().unwrap_or_default();
        self.otherwise_drawn += usize::from(!otherwise_drawn.is_empty());
        for difference in against_rules.iter().chain(otherwise_drawn) {
            inspection.differs(format_args!("{place}: {difference}"));
        }
    }

    /// Adds the result to the table. Returns whether the games can be added up.
    pub fn summarize(self, inspection: &mut Inspection) -> bool {
        inspection.row(
            "rules, faults, clocks",
            self.refereed,
            "game",
            self.against_rules,
        );
        inspection.row(
            "setups and seeds",
            self.drawn_ones,
            "game",
            self.otherwise_drawn,
        );
        !self.is_out_of_bounds
    }
}

/// The draw of the initial states; the first game checked gives an unknown part, as all games of a state share it.
pub struct DrawnStates {
    states: Vec<DrawnState>,
    legs: usize,
}

#[derive(Default)]
struct DrawnState {
    setup: Option<String>,
    digest: String,
    /// By leg, see [`model::fixture::leg`]; public names hide which leg a game is.
    seeds: Vec<Vec<u32>>,
}

impl DrawnStates {
    /// Repeats the draw.
    pub fn of(competition: &Competition, seats: usize, draw: &Draw) -> Result<Self> {
        let rules = rulebook::rules::of(&competition.conditions)?;
        let legs = legs(competition.conditions.lifetime, seats);
        let state = |state| {
            let own = draw.state(state);
            let seeds = (0..legs).map(|leg| {
                let luck = own.luck_of_leg(seats, leg);
                (0..seats).map(|n| luck.seed(Seat::new(n))).collect()
            });
            Ok(DrawnState {
                setup: Some(schedule::setup(&*rules, competition, draw, state)?.to_string()),
                digest: own.digest(),
                seeds: seeds.collect(),
            })
        };
        let states = (0..competition.states_drawn())
            .map(state)
            .collect::<Result<_, _>>()?;
        Ok(Self { states, legs })
    }

    /// Takes the published digests of the draw.
    pub fn named(competition: &Competition, seats: usize, digests: &[String]) -> Self {
        let states = digests.iter().zip(0..).map(|(digest, state)| DrawnState {
            setup: competition.start(state).map(ToString::to_string),
            digest: digest.clone(),
            ..DrawnState::default()
        });
        Self {
            states: states.collect(),
            legs: legs(competition.conditions.lifetime, seats),
        }
    }

    /// Returns whether the draw of a state has this digest.
    pub fn has(&self, state: u32, digest: &str) -> bool {
        let state = self.states.get(state as usize);
        state.is_some_and(|state| state.digest == digest)
    }

    /// Lists the digests.
    pub fn digests(&self) -> impl Iterator<Item = &str> {
        self.states.iter().map(|state| &*state.digest)
    }

    /// Takes the unknown parts of a state's draw from a game.
    pub fn learn(&mut self, record: &MatchRecord) {
        if let Some(drawn) = self.states.get_mut(record.state as usize) {
            drawn.setup.get_or_insert_with(|| record.setup.to_string());
            let seeds = seeds(record);
            if drawn.seeds.len() < self.legs && !drawn.seeds.contains(&seeds) {
                drawn.seeds.push(seeds);
            }
        }
    }

    /// Lists the differences of a game from the known parts of the draw.
    pub fn differences(&self, record: &MatchRecord) -> Vec<String> {
        let Some(drawn) = self.states.get(record.state as usize) else {
            return vec![format!("state: there is no state {}", record.state)];
        };
        let mut differences = Vec::new();
        let mut compare = |field: &str, expected: Option<&str>, found: &str| {
            if let Some(expected) = expected.filter(|expected| *expected != found) {
                differences.push(format!("{field}: expected {expected}, found {found}"));
            }
        };
        compare("setup", drawn.setup.as_deref(), record.setup.get());
        compare("draw", Some(&drawn.digest), &record.draw);
        let found = seeds(record);
        if let [expected, ..] = &*drawn.seeds
            && !drawn.seeds.contains(&found)
        {
            let text = |seeds: &[u32]| json!(seeds).to_string();
            compare("seed", Some(&text(expected)), &text(&found));
        }
        differences
    }
}

fn seeds(record: &MatchRecord) -> Vec<u32> {
    record.seats.iter().map(|seat| seat.seed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_is_cut_and_stripped_of_escapes() {
        let mut inspection = Inspection::new("a test");
        inspection.note("not checked: \u{1b}[31m");
        inspection.differs("x".repeat(2 * CHARACTERS_MAX));
        assert_eq!(inspection.notes, ["not checked: \u{fffd}[31m"]);
        let reported = &inspection.differences[0];
        assert_eq!(reported.chars().count(), CHARACTERS_MAX + 1);
    }
}
