//! Reading a competition from TOML. Every value is checked where it stands: an error names
//! the file, the line, the key and what is allowed.

use super::{
    Competition, Disqualify, GradeStep, Grades, NameRule, PointsRule, Prize, Schedule, Scoring, Tie,
};
use crate::clock::ClockMode;
use crate::error::JudgeError;
use crate::fixture::{Conditions, find_game};
use crate::position::line;
use crate::scoring::Points;
use engines::{Entry, Lifetime, TimeControl};
use serde::Deserialize;
use serde::de::{Deserializer, Error as _};
use std::collections::BTreeMap;
use std::ops::{Range, RangeInclusive};
use std::time::Duration;
use toml::Spanned;

/// A competition that was read.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The competition.
    pub competition: Competition,
    /// Its game.
    pub entry: &'static Entry,
}

/// Reads a competition; `name` is what errors call the file.
///
/// # Errors
/// When the text is no TOML, a key is unknown or missing, or a value is not allowed.
pub fn read(name: &str, text: &str) -> Result<Loaded, JudgeError> {
    let file: File = toml::from_str(text).map_err(|error| {
        let at = error
            .span()
            .map_or_else(String::new, |span| position(text, &span));
        JudgeError::input(format!(
            "{name}{at}: {}",
            error.message().replace('\n', " ")
        ))
    })?;
    let wrong = |span: &Range<usize>, reason: &str| {
        JudgeError::input(format!("{name}{}: {reason}", position(text, span)))
    };
    let entry = find_game(file.game.get_ref())
        .map_err(|error| wrong(&file.game.span(), &error.to_string()))?;
    let config = config(entry, &file.config).map_err(|(span, reason)| wrong(&span, &reason))?;
    let schedule =
        schedule(entry, file.schedule).map_err(|(span, reason)| wrong(&span, &reason))?;
    let scoring = file
        .scoring
        .checked()
        .map_err(|(span, reason)| wrong(&span, &reason))?;
    let clock = file.clock;
    let competition = Competition {
        title: file.title.unwrap_or_else(|| entry.info.title.to_owned()),
        conditions: Conditions {
            game: entry.info.slug.to_owned(),
            config,
            time: clock.time(entry),
            mode: clock.counts,
            backstop_ms: clock.backstop_s.0 / 1000,
            startup_ms: clock.startup_s.0 / 1000,
            lifetime: file.bots.lifetime.unwrap_or(entry.info.lifetime),
            memory_mib: file.bots.memory_mib.0,
            processes: file.bots.processes,
        },
        states: file.states.0,
        seed: file.seed,
        schedule,
        scoring,
        names: file.names.public,
    };
    Ok(Loaded { competition, entry })
}

/// Gives the plainest competition of a game, for games without a course.
pub(super) fn bare(entry: &'static Entry) -> Competition {
    let text = format!("game = \"{}\"\n", entry.info.slug);
    read(entry.info.slug, &text)
        .expect("all else has a default")
        .competition
}

/// What is wrong, and where in the text.
type Wrong = (Range<usize>, String);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    game: Spanned<String>,
    title: Option<String>,
    #[serde(default)]
    states: States,
    #[serde(default = "first_seed")]
    seed: u64,
    #[serde(default)]
    config: BTreeMap<Spanned<String>, toml::Value>,
    #[serde(default)]
    clock: ClockTable,
    #[serde(default)]
    bots: BotsTable,
    schedule: Option<ScheduleTable>,
    #[serde(default)]
    scoring: ScoringTable,
    #[serde(default)]
    names: NamesTable,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct NamesTable {
    #[serde(default)]
    public: NameRule,
}

const fn first_seed() -> u64 {
    1
}

/// The most initial states of a competition.
const STATES_MAX: u32 = 1_000_000;

struct States(u32);

impl Default for States {
    fn default() -> Self {
        Self(1)
    }
}

impl<'de> Deserialize<'de> for States {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        let states = i64::deserialize(source)?;
        let allowed = u32::try_from(states)
            .ok()
            .filter(|n| (1..=STATES_MAX).contains(n));
        allowed.map(Self).ok_or_else(|| {
            D::Error::custom(format!("states = {states}: allowed are 1 to {STATES_MAX}"))
        })
    }
}

/// An amount of time that is written in seconds, in microseconds.
#[derive(Clone, Copy)]
struct Micros(u64);

/// The longest time that can be asked for: a day.
const SECONDS_MAX: f64 = 86_400.0;

/// The shortest wall time after which silence is a fault.
pub(crate) const SILENCE_SECONDS_MIN: f64 = 0.1;

impl<'de> Deserialize<'de> for Micros {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        let seconds = number(source)?;
        if !(0.001..=SECONDS_MAX).contains(&seconds) {
            let reason = format!("{seconds} seconds: allowed are 0.001 to {SECONDS_MAX}");
            return Err(D::Error::custom(reason));
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "checked to be positive and small"
        )]
        Ok(Self((seconds * 1e6).round() as u64))
    }
}

/// Reads a number with or without a decimal point.
fn number<'de, D: Deserializer<'de>>(source: D) -> Result<f64, D::Error> {
    match toml::Value::deserialize(source)? {
        toml::Value::Float(number) => Ok(number),
        #[expect(clippy::cast_precision_loss, reason = "limits are far below 2^53")]
        toml::Value::Integer(number) => Ok(number as f64),
        other => {
            let kind = other.type_str();
            Err(D::Error::custom(format!(
                "a number is needed, not a {kind}"
            )))
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ClockTable {
    #[serde(default = "cpu")]
    counts: ClockMode,
    turn_s: Option<Micros>,
    bank_s: Option<Micros>,
    increment_s: Option<Micros>,
    charge_start: Option<bool>,
    #[serde(default = "backstop", deserialize_with = "patience")]
    backstop_s: Micros,
    #[serde(default = "startup", deserialize_with = "patience")]
    startup_s: Micros,
}

/// Reads a limit on silence.
fn patience<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Micros, D::Error> {
    let limit = Micros::deserialize(deserializer)?;
    let least = Duration::from_secs_f64(SILENCE_SECONDS_MIN);
    if u128::from(limit.0) < least.as_micros() {
        let seconds = Duration::from_micros(limit.0).as_secs_f64();
        return Err(D::Error::custom(format!(
            "{seconds} seconds: allowed are {SILENCE_SECONDS_MIN} to {SECONDS_MAX}, as it may take a while until a bot is heard"
        )));
    }
    Ok(limit)
}

impl Default for ClockTable {
    fn default() -> Self {
        Self {
            counts: cpu(),
            turn_s: None,
            bank_s: None,
            increment_s: None,
            charge_start: None,
            backstop_s: backstop(),
            startup_s: startup(),
        }
    }
}

const fn cpu() -> ClockMode {
    ClockMode::Cpu
}

/// Wall time for an answer where the clock counts CPU time.
const fn backstop() -> Micros {
    Micros(10_000_000)
}

/// Wall time for start-up; interpreters on a loaded machine take seconds.
const fn startup() -> Micros {
    Micros(20_000_000)
}

impl ClockTable {
    /// Gives the time of each seat: the game's own where nothing is said of any of it.
    fn time(&self, entry: &Entry) -> TimeControl {
        let said = [self.turn_s, self.bank_s, self.increment_s]
            .iter()
            .any(Option::is_some);
        let own = entry.info.time;
        let time = if said {
            TimeControl {
                turn_us: self.turn_s.map(|time| time.0),
                bank_us: self.bank_s.map(|time| time.0),
                increment_us: self.increment_s.map_or(0, |time| time.0),
                charge_start: own.charge_start,
            }
        } else {
            own
        };
        TimeControl {
            charge_start: self.charge_start.unwrap_or(time.charge_start),
            ..time
        }
    }
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct BotsTable {
    lifetime: Option<Lifetime>,
    #[serde(default)]
    memory_mib: MemoryMib,
    #[serde(default)]
    processes: bool,
}

/// What a bot may allocate, in MiB.
pub const MEMORY_MIB: RangeInclusive<u64> = 16..=1_048_576;

struct MemoryMib(u64);

impl Default for MemoryMib {
    /// What the courses' machines have room for with several games at once.
    fn default() -> Self {
        Self(1024)
    }
}

impl<'de> Deserialize<'de> for MemoryMib {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        let mib = i64::deserialize(source)?;
        let allowed = u64::try_from(mib)
            .ok()
            .filter(|mib| MEMORY_MIB.contains(mib));
        allowed.map(Self).ok_or_else(|| {
            let (least, most) = (MEMORY_MIB.start(), MEMORY_MIB.end());
            D::Error::custom(format!("memory_mib = {mib}: allowed are {least} to {most}"))
        })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ScheduleTable {
    kind: Spanned<Kind>,
    self_play: Option<Spanned<bool>>,
    against: Option<Spanned<Vec<String>>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Kind {
    Pairs,
    Gauntlet,
    Groups,
}

fn schedule(entry: &Entry, table: Option<ScheduleTable>) -> Result<Schedule, Wrong> {
    let Some(table) = table else {
        return Ok(if entry.info.roles.len() == 2 {
            Schedule::Pairs { self_play: false }
        } else {
            Schedule::Groups
        });
    };
    let kind = *table.kind.get_ref();
    let title = entry.info.title;
    let wrong = |reason: String| Err((table.kind.span(), reason));
    match (kind, entry.info.roles.len()) {
        (Kind::Pairs | Kind::Gauntlet, 2) => {}
        (Kind::Groups, seats) if seats > 2 => {}
        (Kind::Groups, _) => {
            return wrong(format!(
                "{title} is played by two: the kinds are pairs and gauntlet"
            ));
        }
        (Kind::Pairs | Kind::Gauntlet, _) => {
            return wrong(format!(
                "{title} is played by more than two: the kind is groups"
            ));
        }
    }
    if let Some(self_play) = table.self_play.as_ref().filter(|_| kind != Kind::Pairs) {
        return Err((
            self_play.span(),
            "self_play goes with kind = \"pairs\"".to_owned(),
        ));
    }
    if let Some(against) = table.against.as_ref().filter(|_| kind != Kind::Gauntlet) {
        return Err((
            against.span(),
            "against goes with kind = \"gauntlet\"".to_owned(),
        ));
    }
    Ok(match kind {
        Kind::Pairs => Schedule::Pairs {
            self_play: table.self_play.is_some_and(Spanned::into_inner),
        },
        Kind::Groups => Schedule::Groups,
        Kind::Gauntlet => {
            let span = table.kind.span();
            let against = table.against.map(Spanned::into_inner).unwrap_or_default();
            if against.is_empty() {
                let reason = "a gauntlet needs opponents, as against = [\"builtin:random\"]";
                return Err((span, reason.to_owned()));
            }
            Schedule::Gauntlet { against }
        }
    })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ScoringTable {
    #[serde(default = "game_points")]
    points: PointsRule,
    #[serde(default)]
    points_per_cpu_second: Rate,
    #[serde(default)]
    ties: Vec<Tie>,
    #[serde(default)]
    podium: Vec<Tie>,
    #[serde(default = "never")]
    disqualify: Disqualify,
    #[serde(default)]
    prizes: Vec<Spanned<Prize>>,
    grades: Option<GradesTable>,
}

impl Default for ScoringTable {
    fn default() -> Self {
        Self {
            points: game_points(),
            points_per_cpu_second: Rate::default(),
            ties: Vec::new(),
            podium: Vec::new(),
            disqualify: never(),
            prizes: Vec::new(),
            grades: None,
        }
    }
}

const fn game_points() -> PointsRule {
    PointsRule::Game
}

const fn never() -> Disqualify {
    Disqualify::Never
}

/// Points for a second.
#[derive(Clone, Copy, Default)]
struct Rate(f64);

impl<'de> Deserialize<'de> for Rate {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        let rate = number(source)?;
        if !(0.0..=RATE_MAX).contains(&rate) {
            let reason = format!("{rate} points per second: allowed are 0 to {RATE_MAX}");
            return Err(D::Error::custom(reason));
        }
        Ok(Self(rate))
    }
}

/// The most points for a second of CPU time.
pub const RATE_MAX: f64 = 1e6;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GradesTable {
    steps: Vec<Spanned<StepTable>>,
    otherwise: String,
    disqualified: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StepTable {
    at_least: i64,
    grade: String,
}

/// The highest total that a grade may ask for.
const TOTAL_MAX: i64 = 1_000_000_000;

impl ScoringTable {
    fn checked(self) -> Result<Scoring, Wrong> {
        let rank = |prize: &Spanned<Prize>| prize.get_ref().to_rank;
        let mut two = self.prizes.windows(2);
        if let Some(two) = two.find(|two| rank(&two[0]) >= rank(&two[1])) {
            let reason = "prizes go from the first rank down: to_rank must rise";
            return Err((two[1].span(), reason.to_owned()));
        }
        if let Some(first) = self
            .prizes
            .first()
            .filter(|prize| prize.get_ref().to_rank == 0)
        {
            return Err((first.span(), "ranks begin at 1".to_owned()));
        }
        Ok(Scoring {
            points: self.points,
            points_per_cpu_second: self.points_per_cpu_second.0,
            ties: self.ties,
            podium: self.podium,
            disqualify: self.disqualify,
            prizes: self.prizes.into_iter().map(Spanned::into_inner).collect(),
            grades: self.grades.map(GradesTable::checked).transpose()?,
        })
    }
}

impl GradesTable {
    fn checked(self) -> Result<Grades, Wrong> {
        for step in &self.steps {
            if step.get_ref().at_least.abs() > TOTAL_MAX {
                return Err((
                    step.span(),
                    format!("at_least: allowed are -{TOTAL_MAX} to {TOTAL_MAX}"),
                ));
            }
        }
        for two in self.steps.windows(2) {
            if two[0].get_ref().at_least <= two[1].get_ref().at_least {
                let reason = "grades go from the best down: at_least must fall";
                return Err((two[1].span(), reason.to_owned()));
            }
        }
        let steps = self.steps.into_iter().map(Spanned::into_inner);
        Ok(Grades {
            steps: steps
                .map(|step| GradeStep {
                    at_least: Points::whole(step.at_least),
                    grade: step.grade,
                })
                .collect(),
            otherwise: self.otherwise,
            disqualified: self.disqualified,
        })
    }
}

/// Completes the game's configuration. The game's own complaint names the setting; its line
/// is looked up by that.
fn config(
    entry: &Entry,
    table: &BTreeMap<Spanned<String>, toml::Value>,
) -> Result<Box<serde_json::value::RawValue>, Wrong> {
    let plain: BTreeMap<&str, &toml::Value> = table
        .iter()
        .map(|(key, value)| (key.get_ref().as_str(), value))
        .collect();
    let json = serde_json::to_string(&plain).expect("TOML's values are JSON's");
    entry.configure(&json).map_err(|refused| {
        let reason = refused.to_string();
        let named = table
            .keys()
            .filter(|key| reason.contains(key.get_ref().as_str()));
        let key = named
            .max_by_key(|key| key.get_ref().len())
            .or(table.keys().next());
        (key.map_or(0..0, Spanned::span), reason)
    })
}

/// Says in which line of a text something stands.
fn position(text: &str, span: &Range<usize>) -> String {
    format!(", line {}", line(text, span.start))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        read("mine.toml", text)
            .expect_err("not allowed")
            .to_string()
    }

    #[test]
    fn what_is_left_out_is_the_games_own() {
        let loaded = read("mine.toml", "game = \"crazy-camel\"\n").expect("allowed");
        let competition = loaded.competition;
        assert_eq!(competition.title, "Crazy Camel");
        assert_eq!(competition.conditions.time, loaded.entry.info.time);
        assert_eq!(competition.schedule, Schedule::Pairs { self_play: false });
        assert_eq!(competition.scoring, Scoring::plain());
    }

    #[test]
    fn times_are_written_in_seconds_with_or_without_decimals() {
        let text =
            "game = \"reversi\"\n[clock]\ncounts = \"wall\"\nbank_s = 60\nincrement_s = 0.5\n";
        let conditions = read("mine.toml", text)
            .expect("allowed")
            .competition
            .conditions;
        assert_eq!(conditions.time.bank_us, Some(60_000_000));
        assert_eq!(conditions.time.increment_us, 500_000);
        assert_eq!(conditions.mode, ClockMode::Wall);
    }

    #[test]
    fn errors_name_the_file_the_line_and_what_is_allowed() {
        for (text, words) in [
            ("game = 7\n", "mine.toml, line 1: "),
            ("title = \"x\"\n", "missing field `game`"),
            (
                "game = \"chess\"\n",
                "line 1: unknown game \"chess\"; the games are",
            ),
            (
                "game = \"reversi\"\nstates = 0\n",
                "line 2: states = 0: allowed are 1 to 1000000",
            ),
            (
                "game = \"reversi\"\n[clock]\nbank_s = -1\n",
                "line 3: -1 seconds: allowed are 0.001",
            ),
            (
                "game = \"reversi\"\n[clock]\nbackstop_s = 0.05\n",
                "line 3: 0.05 seconds: allowed are 0.1 to 86400",
            ),
            (
                "game = \"reversi\"\n[clock]\nbank_ms = 1\n",
                "line 3: unknown field `bank_ms`",
            ),
            ("game = \"reversi\"\n[config]\nopening = 4\n", "line 3: "),
            (
                "game = \"reversi\"\n\n[config]\nopening_plies = 100\n",
                "line 4: ",
            ),
            (
                "game = \"reversi\"\n[schedule]\nkind = \"groups\"\n",
                "line 3: Reversi is played by two: the kinds are pairs and gauntlet",
            ),
            (
                "game = \"reversi\"\n[schedule]\nkind = \"gauntlet\"\n",
                "line 3: a gauntlet needs opponents",
            ),
            (
                "game = \"reversi\"\n[scoring]\nties = [\"age\"]\n",
                "line 3: unknown variant `age`, expected one of `wins`",
            ),
            (
                "game = \"reversi\"\n[[scoring.prizes]]\nto_rank = 2\npoints = 3\n[[scoring.prizes]]\nto_rank = 2\npoints = 1\n",
                "line 5: prizes go from the first rank down",
            ),
            (
                "game = \"reversi\"\n[names]\npublic = \"real\"\n",
                "line 3: unknown variant `real`, expected `submission` or `nickname`",
            ),
        ] {
            let error = error(text);
            assert!(error.contains(words), "{words:?} is not in {error:?}");
        }
    }
}
