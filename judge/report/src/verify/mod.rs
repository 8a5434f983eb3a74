//! Checks that a run or its view agrees with its journal, within bounds of size. Nothing of a view is executed.

pub mod files;
mod records;
mod view;
use model::competition::Schedule;
use model::fixture::Participant;
use model::points::Points;
pub use records::{Checked, DrawnStates, Expected, Records};
use rulebook::{CPU_STEP_MS_MAX, JudgeError, RATE_MAX, STATES_MAX, schedule};
use std::collections::HashSet;
use std::fmt::Display;
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
pub fn check_manifest(manifest: &Manifest) -> Result<usize, JudgeError> {
    let wrong =
        |reason: &str| JudgeError::input(format!("run.json does not describe a run: {reason}"));
    let competition = &manifest.competition;
    let seats = schedule::roles(competition).map_err(|error| match error {
        JudgeError::Rules { .. } => wrong(&error.to_string()),
        error => error,
    })?;
    let seats = seats.len();
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
    let reported = manifest.draw.states.len();
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
            reported > 0 && reported != drawn as usize,
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

const TOLD: usize = 20;
const CHARACTERS_MAX: usize = 400;
/// Maximum length of a reported note, in characters; some notes list the names of files.
const NOTE_CHARACTERS_MAX: usize = 4000;

/// The checks so far.
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
    pub const fn new(build: &'static str) -> Self {
        Self {
            build,
            rows: Vec::new(),
            differences: Vec::new(),
            found: 0,
            notes: Vec::new(),
            is_partial: false,
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
        if self.differences.len() < TOLD {
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
    let plain = |c: char| if c.is_control() { '\u{fffd}' } else { c };
    let is_long = text.chars().nth(characters_max).is_some();
    text.chars()
        .take(characters_max)
        .map(plain)
        .chain(is_long.then_some('…'))
        .collect()
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
