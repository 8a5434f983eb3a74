//! Reads a competition from TOML; errors name the file, the line, the key and the allowed values.

mod complaint;
mod kit;
mod schedule;
mod scoring;
mod settings;
#[cfg(test)]
mod tests;
mod values;

pub(crate) use complaint::Complaint;
pub use complaint::{TABLE_KEYS, TOP_LEVEL_KEYS};
pub use values::{CPU_STEP_MS_MAX, MEMORY_MIB, RATE_MAX, STATES_MAX};

use crate::changes::Changes;
use crate::error::{JudgeError, Result, refuse};
use crate::rules::Rules;
use complaint::{Wrong, wrong};
use jiff::tz::Offset;
use kit::{FileReader, KitTable, States, ToolchainsTable, states, toolchains};
use model::competition::{
    BuildLimits, Competition, NameRule, SlurmSettings, SubmissionLimits, WatchSettings,
};
use model::fixture::{Conditions, IDLE_DEFAULT_MS};
use model::lateness::TooLate;
use model::numbers::counted;
use model::text::line_number;
use schedule::{BotsTable, BuildsTable, ClockTable, ScheduleTable, SubmissionsTable, schedule};
use scoring::{LateRow, ScoringTable, lateness};
use serde::Deserialize;
use settings::{SlurmTable, WatchTable};
use std::collections::BTreeMap;
use std::mem;
use std::ops::Range;
use std::sync::Arc;
use toml::Spanned;
use values::{Micros, Moment, Round, Seed, Wait};

/// A competition with its game and the settings around it.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The competition.
    pub competition: Competition,
    /// Its game.
    pub rules: Arc<dyn Rules>,
    /// How it is played on a cluster. Not part of the competition, because it changes no result.
    pub slurm: SlurmSettings,
    /// How it is watched. Not part of the competition, because it changes no result.
    pub watch: WatchSettings,
    /// The folders of toolchains' programs on this machine; an artifact built with them is identified by its hash.
    pub toolchains: BTreeMap<String, String>,
    /// The offset from UTC in the deadline's text. Times of platforms without an offset use it.
    pub zone: Option<Offset>,
    /// The name of the zone of platforms' times, such as `Europe/Stockholm`, if the text has one.
    pub timezone: Option<String>,
    /// Whether the time of the judge's first sight counts, even after the deadline, if nothing else says one.
    pub judges_clock_counts: bool,
    /// Each key in the text with its value, such as `watch.freeze`.
    pub keys: BTreeMap<String, toml::Value>,
    /// The text that the competition was read from.
    pub text: String,
}

impl Loaded {
    /// Returns the competition with the changes of a command.
    pub fn changed(mut self, changes: &Changes) -> Result<Self> {
        if !changes.keys.is_empty() {
            changes.are_of_competition()?;
            let text = changes.text(&self.text);
            let read = parse(&text, &no_files).map_err(|refusal| {
                let written = changes.written(refusal.key.as_deref());
                JudgeError::input(format!("{written}: {}", refusal.reason))
            })?;
            let is_changed = |key| changes.keys.iter().any(|change| change.key == key);
            let before = mem::replace(&mut self.competition, read.competition);
            let competition = &mut self.competition;
            // Files are read once, with the competition.
            if !before.starts.is_empty() {
                if !is_changed("states") {
                    competition.states = before.states;
                }
                if competition.states as usize > before.starts.len() {
                    return refuse(format!(
                        "{}: the file of start positions has {}; add lines, or give no more states than lines",
                        changes.written(Some("states")),
                        counted(before.starts.len(), "line")
                    ));
                }
            }
            (competition.kit, competition.starts) = (before.kit, before.starts);
            // A limit that the game itself sets stays next to another one.
            let (time, before) = (&mut competition.conditions.time, before.conditions.time);
            if !is_changed("clock.turn_s") {
                time.turn_us = before.turn_us;
            }
            if !is_changed("clock.bank_s") {
                time.bank_us = before.bank_us;
            }
            if !is_changed("clock.increment_s") {
                time.increment_us = before.increment_us;
            }
        }
        let competition = &mut self.competition;
        let config = &mut competition.conditions.config;
        *config = changes.game.over(&*self.rules, config)?;
        competition.seed = changes.seed.or(competition.seed);
        Ok(self)
    }

    /// Returns whether the competition comes from a file.
    pub fn is_of_file(&self) -> bool {
        !self.keys.is_empty()
    }
}

/// Reads a competition that needs no other file; errors call it `name`.
pub fn read(name: &str, text: &str) -> Result<Loaded> {
    read_with(name, text, &no_files)
}

fn no_files(_: &str) -> Result<Vec<u8>, String> {
    Err("only a competition in a file can have files".to_owned())
}

/// Reads a competition; errors call the file `name`, and `files` reads the course's files next to it.
pub fn read_with(name: &str, text: &str, files: FileReader<'_>) -> Result<Loaded> {
    parse(text, files).map_err(|refusal| {
        let at = refusal.span.map_or_else(String::new, |span| {
            format!(", line {}", line_number(text, span.start))
        });
        let key = refusal
            .key
            .map_or_else(String::new, |key| format!("{key}: "));
        JudgeError::input(format!("{name}{at}: {key}{}", refusal.reason))
    })
}

struct Refusal {
    span: Option<Range<usize>>,
    /// The key, if the reason does not name it.
    key: Option<String>,
    reason: String,
}

impl From<Wrong> for Refusal {
    fn from((span, reason): Wrong) -> Self {
        Self {
            span: Some(span),
            key: None,
            reason,
        }
    }
}

fn parse(text: &str, files: FileReader<'_>) -> Result<Loaded, Refusal> {
    let file: File = toml::from_str(text).map_err(|error| {
        let complaint = Complaint::of(error.message());
        let span = error.span();
        let key = span.as_ref().and_then(|span| key_at(text, span.start));
        let names_its_key = matches!(
            complaint,
            Complaint::UnknownKey(..) | Complaint::MissingKey(_)
        );
        Refusal {
            span,
            key: key.filter(|_| !names_its_key).map(str::to_owned),
            reason: complaint.words(),
        }
    })?;
    let rules = crate::rules::find(file.game.get_ref())
        .map_err(|error| (file.game.span(), error.to_string()))?;
    let clock = file.clock;
    let schedule = schedule(&*rules, file.schedule)?;
    let scoring = file.scoring.checked(&*rules, &schedule)?;
    for (key, span) in [
        ("timezone", file.timezone.as_ref().map(Spanned::span)),
        ("late", file.late.as_ref().map(Spanned::span)),
        ("too_late", file.too_late.as_ref().map(Spanned::span)),
        ("received", file.received.as_ref().map(Spanned::span)),
    ] {
        if let Some(span) = span.filter(|_| file.deadline.is_none()) {
            let reason =
                format!("{key} needs a deadline, for example deadline = 2026-12-24T18:00:00+01:00");
            return Err((span, reason).into());
        }
    }
    let (late, too_late) = lateness(
        file.deadline.as_ref().map(Spanned::span),
        file.late,
        file.too_late.map(Spanned::into_inner),
        &scoring,
    )?;
    let (deadline, zone) = file
        .deadline
        .map(Spanned::into_inner)
        .map(|Moment(at, offset)| (at, offset))
        .unzip();
    let (states, starts) = states(&*rules, file.states, files)?;
    let time = clock.time(&*rules)?;
    let (builds, submissions) = (BuildLimits::default(), SubmissionLimits::DEFAULT);
    let competition = Competition {
        title: title(&*rules, file.title)?,
        conditions: Conditions {
            game: rules.info().slug.to_owned(),
            game_program: rules.program().map(|program| program.hash.clone()),
            game_mended: None,
            limit: rules.limit(),
            config: config(&*rules, &file.config)?,
            time,
            clocks: clock.own_clocks(&*rules, time)?,
            mode: clock.counts,
            backstop_ms: clock.backstop_s.map_or(10_000, Wait::millis),
            idle_ms: clock.idle_s.map_or(IDLE_DEFAULT_MS, Wait::millis),
            // Interpreters on a loaded machine take seconds.
            startup_ms: clock.startup_s.map_or(20_000, Wait::millis),
            startup_free_ms: clock.startup_free_ms.map(|free| free.0),
            lifetime: file.bots.lifetime.unwrap_or(rules.info().lifetime),
            // The courses' machines can give as much to each of several games at once.
            memory_mib: file.bots.memory_mib.map_or(1024, |memory| memory.0),
            processes: file.bots.processes,
        },
        states,
        starts,
        seed: file.seed.map(|seed| seed.0),
        round: file.round.0,
        deadline,
        late,
        too_late,
        schedule,
        scoring,
        names: file.names.public.and_then(PublicNames::rule),
        guessable: file.names.guessable,
        builds: BuildLimits {
            wall_ms: (file.builds.wall_s).map_or(builds.wall_ms, Micros::millis),
            cpu_ms: (file.builds.cpu_s).map_or(builds.cpu_ms, Micros::millis),
        },
        submissions: SubmissionLimits {
            files: (file.submissions.files).map_or(submissions.files, |files| files.0),
            mib: (file.submissions.mib).map_or(submissions.mib, |mib| mib.0),
        },
        kit: file.kit.checked(&*rules, files)?,
    };
    Ok(Loaded {
        slurm: file.slurm.checked()?,
        watch: (file.watch).checked(deadline, competition.seed.is_some())?,
        competition,
        rules,
        toolchains: toolchains(file.toolchains)?,
        zone,
        timezone: file.timezone.map(Spanned::into_inner),
        judges_clock_counts: file.received.is_some(),
        keys: keys(text),
        text: text.to_owned(),
    })
}

fn keys(text: &str) -> BTreeMap<String, toml::Value> {
    let mut keys = BTreeMap::new();
    // The text has already been parsed into another type.
    for (key, value) in text.parse::<toml::Table>().unwrap_or_default() {
        match value {
            toml::Value::Table(inner) => {
                let named = |(own, value)| (format!("{key}.{own}"), value);
                keys.extend(inner.into_iter().map(named));
            }
            value => drop(keys.insert(key, value)),
        }
    }
    keys
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    game: Spanned<String>,
    title: Option<Spanned<String>>,
    states: Option<Spanned<States>>,
    seed: Option<Seed>,
    #[serde(default)]
    round: Round,
    deadline: Option<Spanned<Moment>>,
    timezone: Option<Spanned<String>>,
    late: Option<Spanned<Vec<Spanned<LateRow>>>>,
    too_late: Option<Spanned<TooLate>>,
    received: Option<Spanned<ReceivedBy>>,
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
    #[serde(default)]
    builds: BuildsTable,
    #[serde(default)]
    submissions: SubmissionsTable,
    #[serde(default)]
    kit: KitTable,
    #[serde(default)]
    slurm: SlurmTable,
    #[serde(default)]
    watch: WatchTable,
    #[serde(default)]
    toolchains: ToolchainsTable,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum ReceivedBy {
    Judge,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct NamesTable {
    public: Option<PublicNames>,
    #[serde(default)]
    guessable: bool,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum PublicNames {
    Submission,
    Nickname,
    Roster,
    Real,
}

impl PublicNames {
    const fn rule(self) -> Option<NameRule> {
        match self {
            Self::Submission => None,
            Self::Nickname => Some(NameRule::Nickname),
            Self::Roster => Some(NameRule::Roster),
            Self::Real => Some(NameRule::Real),
        }
    }
}

fn title(rules: &dyn Rules, title: Option<Spanned<String>>) -> Result<String, Wrong> {
    let Some(title) = title else {
        return Ok(rules.info().title.to_owned());
    };
    let text = title.get_ref();
    if text.trim().is_empty() || text.chars().any(char::is_control) {
        return wrong(&title, "title: must be one line of text");
    }
    Ok(title.into_inner())
}

/// Completes the game's configuration. An error points at the setting without which all others are
/// valid; where several are wrong, it points at the first of them.
fn config(
    rules: &dyn Rules,
    table: &BTreeMap<Spanned<String>, toml::Value>,
) -> Result<Box<serde_json::value::RawValue>, Wrong> {
    let mut settings: Vec<(&Spanned<String>, &toml::Value)> = table.iter().collect();
    settings.sort_by_key(|(key, _)| key.span().start);
    let configured = |is_in: &dyn Fn(usize) -> bool| {
        let plain: BTreeMap<&str, &toml::Value> = settings
            .iter()
            .enumerate()
            .filter(|(at, _)| is_in(*at))
            .map(|(_, (key, value))| (key.get_ref().as_str(), *value))
            .collect();
        let json = serde_json::to_string(&plain).expect("TOML's values are JSON's");
        rules.configure(&json).map_err(|error| {
            error.reported(|refused| JudgeError::input(Complaint::of(&refused.to_string()).words()))
        })
    };
    configured(&|_| true).map_err(|reason| {
        let mut all = 0..settings.len();
        let needless = all
            .clone()
            .find(|at| configured(&|other| other != *at).is_ok());
        let first_wrong = |at| Some((at, configured(&|other| other <= at).err()?));
        let (at, reason) = match needless {
            Some(at) => (at, reason),
            None => all.find_map(first_wrong).unwrap_or((0, reason)),
        };
        let span = settings.get(at).map_or(0..0, |(key, _)| key.span());
        (span, reason.to_string())
    })
}

/// Returns the key whose value begins at a place in the text, or else the first key of that line.
fn key_at(text: &str, place: usize) -> Option<&str> {
    let before = text.get(..place)?;
    let begin = before.rfind('\n').map_or(0, |end| end + 1);
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let own = before[begin..]
        .trim_end()
        .strip_suffix('=')
        .map(str::trim_end)
        .map(|keys| keys.rsplit(|c| !is_plain(c)).next().unwrap_or(keys));
    let of_line = || Some(text[begin..].lines().next()?.split_once('=')?.0.trim());
    let key = own.or_else(of_line)?;
    (!key.is_empty() && key.chars().all(is_plain)).then_some(key)
}
