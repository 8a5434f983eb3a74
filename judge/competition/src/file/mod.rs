//! Reading a competition from TOML. Every value is checked where it stands: an error names
//! the file, the line, the key and what is allowed.

mod clock;
mod complaint;
mod kit;
mod late;
mod schedule;
mod scoring;
mod slurm;
mod toolchains;
mod values;
mod watch;
mod wrong;

pub use kit::FileReader;
pub use values::{MEMORY_MIB, RATE_MAX, SILENCE_SECONDS_MIN, STATES_MAX};

use self::clock::{BotsTable, BuildsTable, ClockTable};
use self::complaint::Complaint;
use self::kit::KitTable;
use self::late::{LateRow, LatenessKeys, ReceivedBy};
use self::schedule::{ScheduleTable, schedule};
use self::scoring::ScoringTable;
use self::slurm::SlurmTable;
use self::toolchains::{ToolchainsTable, toolchains};
use self::values::{Moment, Round, Seed, StateCount};
use self::watch::{Around, WatchTable};
use self::wrong::Wrong;
use engines::Entry;
use error::JudgeError;
use jiff::tz::Offset;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::ops::Range;
use toml::Spanned;
use words::artifact::STARTUP_FREE_MS;
use words::clock::ClockMode;
use words::competition::{Competition, NameRule, TooLate};
use words::fixture::{Conditions, find_game};
use words::slurm::SlurmSettings;
use words::text::line_number;
use words::watch::WatchSettings;

/// A competition that was read.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The competition.
    pub competition: Competition,
    /// Its game.
    pub entry: &'static Entry,
    /// How it is played on a cluster; no part of the competition, as it changes no result.
    pub slurm: SlurmSettings,
    /// How it is watched; no part of the competition, as it changes no result.
    pub watch: WatchSettings,
    /// Where programs of toolchains lie on this machine, by their names; what is built with them is
    /// known by its hash.
    pub toolchains: BTreeMap<String, String>,
    /// The offset from UTC that the deadline is written with: platforms' times without one are read
    /// at it.
    pub zone: Option<Offset>,
    /// The time at which the judge first sees a submission counts where nothing else tells when it
    /// was received, also after the deadline.
    pub judges_clock_counts: bool,
    /// Each key that the text has, as `watch.freeze`, with its value.
    pub keys: BTreeMap<String, String>,
}

/// Reads a competition that needs no other file; `name` is what errors call it.
///
/// # Errors
/// As [`read_with`].
pub fn read(name: &str, text: &str) -> Result<Loaded, JudgeError> {
    let no_files = |_: &str| Err("only a competition in a file can have files".to_owned());
    read_with(name, text, &no_files)
}

/// Reads a competition; `name` is what errors call the file, and `files` reads the course's own
/// files beside it.
///
/// # Errors
/// When the text is no TOML, a key is unknown or missing, or a value is not allowed.
pub fn read_with(name: &str, text: &str, files: FileReader<'_>) -> Result<Loaded, JudgeError> {
    let file: File = toml::from_str(text).map_err(|error| {
        let at = error
            .span()
            .map_or_else(String::new, |span| position(text, &span));
        let complaint = Complaint::of(error.message());
        let key = error.span().and_then(|span| key_at(text, span.start));
        let key = key.filter(|_| !complaint.names_its_key());
        let key = key.map_or_else(String::new, |key| format!("{key}: "));
        JudgeError::input(format!("{name}{at}: {key}{}", complaint.words()))
    })?;
    let wrong = |(span, reason): Wrong| {
        JudgeError::input(format!("{name}{}: {reason}", position(text, &span)))
    };
    let entry = find_game(file.game.get_ref())
        .map_err(|error| wrong((file.game.span(), error.to_string())))?;
    let clock = file.clock;
    let schedule = schedule(entry, file.schedule).map_err(wrong)?;
    let scoring = file.scoring.checked(entry, &schedule).map_err(wrong)?;
    let deadline = file.deadline.as_ref().map(|moment| moment.get_ref().0);
    let zone = file.deadline.as_ref().map(|moment| moment.get_ref().1);
    let lateness = LatenessKeys {
        deadline: file.deadline.map(|moment| moment.span()),
        late: file.late,
        too_late: file.too_late,
        received: file.received,
    };
    let judges_clock_counts = lateness.received.is_some();
    let (late, too_late) = lateness.checked(&scoring).map_err(wrong)?;
    let competition = Competition {
        title: title(entry, file.title).map_err(wrong)?,
        conditions: Conditions {
            game: entry.info.slug.to_owned(),
            config: config(entry, &file.config).map_err(wrong)?,
            time: clock.time(entry).map_err(wrong)?,
            mode: clock.counts,
            backstop_ms: clock.backstop_s.0 / 1000,
            startup_ms: clock.startup_s.0 / 1000,
            startup_free_ms: clock.startup_free_ms.map(|free| free.0),
            startup_default_ms: Some(STARTUP_FREE_MS),
            startup_on_wall_clock: clock.counts == ClockMode::Wall,
            lifetime: file.bots.lifetime.unwrap_or(entry.info.lifetime),
            memory_mib: file.bots.memory_mib.0,
            processes: file.bots.processes,
        },
        states: file.states.0,
        seed: file.seed.map(|seed| seed.0),
        round: file.round.0,
        deadline,
        late,
        too_late,
        schedule,
        scoring,
        names: file.names.public.and_then(PublicNames::rule),
        builds: file.builds.limits(),
        kit: file.kit.checked(entry, files).map_err(wrong)?,
    };
    let around = Around {
        deadline,
        has_seed: competition.seed.is_some(),
    };
    Ok(Loaded {
        competition,
        entry,
        slurm: file.slurm.checked().map_err(wrong)?,
        watch: file.watch.checked(&around).map_err(wrong)?,
        toolchains: toolchains(file.toolchains).map_err(wrong)?,
        zone,
        judges_clock_counts,
        keys: keys(text),
    })
}

/// Lists the keys of a text with their values.
fn keys(text: &str) -> BTreeMap<String, String> {
    let mut keys = BTreeMap::new();
    // It has been read as something else already.
    let table: toml::Table = text.parse().unwrap_or_default();
    for (key, value) in table {
        match value {
            toml::Value::Table(inner) => {
                let inner = inner.into_iter();
                keys.extend(
                    inner.map(|(own, value)| (format!("{key}.{own}"), format!("{value:?}"))),
                );
            }
            value => drop(keys.insert(key, format!("{value:?}"))),
        }
    }
    keys
}

/// Returns the plainest competition of a game, for games without a course.
pub(super) fn bare(entry: &'static Entry) -> Competition {
    let text = format!("game = \"{}\"\n", entry.info.slug);
    read(entry.info.slug, &text)
        .expect("all else has a default")
        .competition
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    game: Spanned<String>,
    title: Option<Spanned<String>>,
    #[serde(default)]
    states: StateCount,
    seed: Option<Seed>,
    #[serde(default)]
    round: Round,
    deadline: Option<Spanned<Moment>>,
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
    kit: KitTable,
    #[serde(default)]
    slurm: SlurmTable,
    #[serde(default)]
    watch: WatchTable,
    #[serde(default)]
    toolchains: ToolchainsTable,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct NamesTable {
    public: Option<PublicNames>,
}

/// The values of `public`.
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

/// Returns the title, which is shown in one line everywhere.
fn title(entry: &Entry, title: Option<Spanned<String>>) -> Result<String, Wrong> {
    let Some(title) = title else {
        return Ok(entry.info.title.to_owned());
    };
    let text = title.get_ref();
    if text.trim().is_empty() || text.chars().any(char::is_control) {
        let reason = "title: must be one line of text";
        return Err((title.span(), reason.to_owned()));
    }
    Ok(title.into_inner())
}

/// Completes the game's configuration. What is wrong stands where the setting does without
/// which all is well; where several are wrong, the first of them is told.
fn config(
    entry: &Entry,
    table: &BTreeMap<Spanned<String>, toml::Value>,
) -> Result<Box<serde_json::value::RawValue>, Wrong> {
    let mut settings: Vec<(&Spanned<String>, &toml::Value)> = table.iter().collect();
    settings.sort_by_key(|(key, _)| key.span().start);
    let configured = |is_in: &dyn Fn(usize) -> bool| {
        let kept = settings.iter().enumerate().filter(|(at, _)| is_in(*at));
        let plain: BTreeMap<&str, &toml::Value> = kept
            .map(|(_, (key, value))| (key.get_ref().as_str(), *value))
            .collect();
        let json = serde_json::to_string(&plain).expect("TOML's values are JSON's");
        entry
            .configure(&json)
            .map_err(|refused| refused.to_string())
    };
    configured(&|_| true).map_err(|reason| {
        let span = |at: usize| settings.get(at).map_or(0..0, |(key, _)| key.span());
        let all = 0..settings.len();
        if let Some(at) = all
            .clone()
            .find(|at| configured(&|other| other != *at).is_ok())
        {
            return (span(at), reason);
        }
        let first = all.clone().find_map(|at| {
            let reason = configured(&|other| other <= at).err()?;
            Some((span(at), reason))
        });
        first.unwrap_or((span(0), reason))
    })
}

/// Says in which line of a text something stands.
fn position(text: &str, span: &Range<usize>) -> String {
    format!(", line {}", line_number(text, span.start))
}

/// Finds the key whose value begins at a place in the text, or else the one with which the
/// place's line begins.
fn key_at(text: &str, place: usize) -> Option<&str> {
    let before = text.get(..place)?;
    let begin = before.rfind('\n').map_or(0, |end| end + 1);
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let own = before[begin..].trim_end().strip_suffix('=');
    let own = own.map(str::trim_end);
    let own = own.map(|keys| keys.rsplit(|c| !is_plain(c)).next().unwrap_or(keys));
    let of_line = || Some(text[begin..].lines().next()?.split_once('=')?.0.trim());
    let key = own.or_else(of_line)?;
    (!key.is_empty() && key.chars().all(is_plain)).then_some(key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use words::competition::{RankKey, Schedule, Scoring};

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
        assert!(conditions.startup_on_wall_clock);
    }

    #[test]
    fn what_is_free_of_a_start_up_is_a_whole_number_of_milliseconds_or_left_to_the_kits() {
        let with = |line: &str| read("c.toml", &format!("game = \"reversi\"\n[clock]\n{line}\n"));
        let free = |line: &str| {
            let loaded = with(line).expect(line);
            loaded.competition.conditions.startup_free_ms
        };
        assert_eq!(free("startup_free_ms = 0"), Some(0));
        assert_eq!(free("startup_free_ms = 250"), Some(250));
        assert_eq!(free(""), None);
        let default = with("").expect("allowed").competition.conditions;
        assert_eq!(default.startup_default_ms, Some(STARTUP_FREE_MS));
        assert!(!default.startup_on_wall_clock, "it is on the CPU clock");
        for wrong in ["0.5", "-1", "86400001", "\"1\""] {
            let error = with(&format!("startup_free_ms = {wrong}")).expect_err(wrong);
            let words = format!("c.toml, line 3: startup_free_ms: {wrong}: must be 0 to 86400000");
            assert_eq!(error.to_string(), words);
        }
    }

    #[test]
    fn rounds_and_deadlines_are_checked() {
        for (text, words) in [
            (
                "game = \"reversi\"\nround = \"practice\"\n",
                "line 2: round: \"practice\": must be \"final\", or a practice round as \"practice/1\"",
            ),
            (
                "game = \"reversi\"\ndeadline = 2026-12-24T18:00:00\n",
                "line 2: deadline: 2026-12-24T18:00:00: must be a date and a time with its zone",
            ),
            (
                "game = \"reversi\"\ndeadline = 7\n",
                "line 2: deadline: 7: must be a date and a time with its zone",
            ),
        ] {
            let error = error(text);
            assert!(error.contains(words), "{words:?} is not in {error:?}");
        }
        for (text, words) in [
            (
                "late = [{ within_h = 24, penalty = 0 }]\n",
                "line 2: late needs a deadline",
            ),
            (
                "too_late = \"ungraded\"\n",
                "line 2: too_late needs a deadline",
            ),
            (
                "deadline = 2026-12-24T18:00:00Z\nlate = [{ within_h = 0, penalty = 0 }]\n",
                "line 3: within_h: 0: must be 1 to 8760",
            ),
            (
                "deadline = 2026-12-24T18:00:00Z\nlate = [{ within_h = 1, penalty = -1 }]\n",
                "line 3: penalty: -1: must be 0 to 1000000 points",
            ),
            (
                "received = \"judge\"\n",
                "line 2: received needs a deadline",
            ),
            (
                "states = 1\ndeadline = 2026-12-24T18:00:00Z\n",
                "line 3: deadline alone enforces nothing: say what happens to later submissions. Add the line too_late = \"ungraded\" (",
            ),
            (
                "deadline = 2026-12-24T18:00:00Z\nreceived = \"judge\"\n",
                "line 2: deadline alone enforces nothing",
            ),
            (
                "deadline = 2026-12-24T18:00:00Z\nreceived = \"now\"\n",
                "line 3: received: unknown value `now`; allowed: `judge`",
            ),
            (
                "deadline = 2026-12-24T18:00:00Z\nlate = []\n",
                "line 3: late: name at least one step",
            ),
            (
                "deadline = 2026-12-24T18:00:00Z\nlate = [{ within_h = 2, penalty = 0 },\n{ within_h = 2, penalty = 0 }]\n",
                "line 4: list late from the first hours on: within_h must increase",
            ),
            (
                "deadline = 2026-12-24T18:00:00Z\nlate = [{ within_h = 2, penalty = 1 },\n{ within_h = 3, penalty = 0 }]\n[[scoring.prizes]]\nto_rank = 1\npoints = 3\n",
                "line 4: who comes later cannot lose less: penalty must not decrease",
            ),
            (
                "deadline = 2026-12-24T18:00:00Z\nlate = [{ within_h = 2, penalty = 1 }]\n",
                "line 3: the penalty is taken off the grade, else off the prize, and this competition has neither",
            ),
            (
                "deadline = 2026-12-24T18:00:00Z\nlate = [{ within_h = 2, penalty = 0.5 }]\n[[scoring.prizes]]\nto_rank = 1\npoints = 3\n",
                "line 3: the penalty is taken off the prize, which is a whole number: penalty must be one too",
            ),
            (
                "deadline = 2026-12-24T18:00:00Z\nlate = [{ within_h = 2, penalty = 1 }]\n[scoring.grades]\nsteps = [{ at_least = 1, grade = \"pass\" }]\notherwise = \"0\"\ndisqualified = \"no\"\n",
                "line 3: the penalty is taken off the grade, and the grade \"pass\" is no number",
            ),
            (
                "deadline = 2026-12-24T18:00:00Z\ntoo_late = \"gone\"\n",
                "line 3: too_late: unknown value `gone`; allowed: `graded`, `ungraded`, `not-played`",
            ),
        ] {
            let error = error(&format!("game = \"reversi\"\n{text}"));
            assert!(error.contains(words), "{words:?} is not in {error:?}");
        }
        let text = "game = \"reversi\"\nround = \"practice/2\"\ndeadline = 2026-12-24T18:00:00+01:00\n\
            too_late = \"graded\"\n";
        let loaded = read("mine.toml", text).expect("allowed");
        assert!(!loaded.judges_clock_counts);
        assert_eq!(loaded.zone, Some(Offset::constant(1)));
        let word = format!("{text}received = \"judge\"\n");
        let loaded = read("mine.toml", &word).expect("allowed");
        assert!(loaded.judges_clock_counts);
        let utc = text.replace("+01:00", "Z");
        let utc = read("mine.toml", &utc).expect("allowed");
        assert_eq!(utc.zone, Some(Offset::UTC));
        let competition = loaded.competition;
        assert_eq!(competition.round, "practice/2");
        let deadline = competition.deadline.expect("there").to_string();
        assert_eq!(deadline, "2026-12-24T17:00:00Z");
    }

    #[test]
    fn a_ranking_names_each_key_once() {
        let ranking = |keys: &str| {
            let text = format!("game = \"reversi\"\n[scoring]\nranking = {keys}\n");
            read("mine.toml", &text).map(|read| read.competition.scoring.ranking)
        };
        let keys = ranking("[\"wins\", \"points\"]").expect("allowed");
        assert_eq!(keys, [RankKey::Wins, RankKey::Points]);
        for (keys, words) in [
            ("[]", "line 3: ranking: name what the table is ranked by"),
            (
                "[\"wins\", \"wins\"]",
                "line 3: ranking: wins appears twice",
            ),
            (
                "[\"tie-break\"]",
                "line 3: ranking: Reversi counts nothing for tie-break",
            ),
            ("[\"tokens\"]", "line 3"),
        ] {
            let error = ranking(keys).expect_err("refused").to_string();
            assert!(error.contains(words), "{error}");
        }
    }

    #[test]
    fn a_game_that_counts_nothing_for_it_breaks_no_ties_by_it() {
        let text = |game: &str| format!("game = \"{game}\"\n[scoring]\nties = [\"tie-break\"]\n");
        let words = "line 3: ties: Reversi counts nothing for tie-break";
        assert!(error(&text("reversi")).contains(words));
        read("mine.toml", &text("monkey-metal-man")).expect("captures");
    }

    #[test]
    fn who_does_not_play_has_the_grade_of_the_disqualified_unless_the_file_says_otherwise() {
        let grades = |more: &str| {
            let text = format!(
                "game = \"reversi\"\n[scoring.grades]\nsteps = []\notherwise = \"4\"\ndisqualified = \"3\"\n{more}"
            );
            let read = read("mine.toml", &text).expect("allowed");
            read.competition.scoring.grades.expect("there are some")
        };
        assert_eq!(grades("").not_playing(), "3");
        assert_eq!(grades("").missing, None);
        let both = grades("not_playing = \"2\"\nmissing = \"0\"\n");
        assert_eq!(
            (both.not_playing(), both.missing.as_deref()),
            ("2", Some("0"))
        );
    }

    #[test]
    fn what_prizes_need_is_checked() {
        for (text, words) in [
            (
                "game = \"reversi\"\n[scoring]\nprize_needs = { faultless_games = 1 }\n",
                "line 3: there are no prizes: add [[scoring.prizes]], or remove prize_needs",
            ),
            (
                "game = \"reversi\"\n[[scoring.prizes]]\nto_rank = 1\npoints = 3\n[scoring.prize_needs]\nahead_of = [\"builtin:best\"]\n",
                "line 6: ahead_of: Reversi has no built-in bot \"best\"; there are builtin:",
            ),
            (
                "game = \"reversi\"\n[[scoring.prizes]]\nto_rank = 1\npoints = 3\n[scoring.prize_needs]\nahead_of = [\"ann\", \"ann\"]\n",
                "line 6: ahead_of: \"ann\" appears twice",
            ),
            (
                "game = \"reversi\"\n[schedule]\nkind = \"gauntlet\"\nagainst = [\"ann\"]\n[[scoring.prizes]]\nto_rank = 1\npoints = 3\n[scoring.prize_needs]\nahead_of = [\"ann\"]\n",
                "line 9: the gauntlet is against \"ann\", which has no row in the table",
            ),
            (
                "game = \"reversi\"\n[[scoring.prizes]]\nto_rank = 1\npoints = 3\n[scoring.prize_needs]\nfaultless_games = -1\n",
                "line 6: faultless_games: -1: must be 0 to 1000000",
            ),
        ] {
            let error = error(text);
            assert!(error.contains(words), "{words:?} is not in {error:?}");
        }
    }

    #[test]
    fn what_is_missing_or_stands_in_a_wrong_table_is_told_with_the_next_step() {
        for (text, words) in [
            (
                "title = \"x\"\n",
                "missing key `game`: add the game at the top",
            ),
            (
                "game = \"reversi\"\n[names]\npublic = \"nickname\"\ndeadline = 2026-12-01\n",
                "line 4: `deadline` must stand above the first [table]; allowed here: `public`",
            ),
            (
                "game = \"reversi\"\n[scoring.grades]\nsteps = []\notherwise = \"4\"\n",
                "missing key `disqualified`: add the grade of who is disqualified or does not play",
            ),
        ] {
            let error = error(text);
            assert!(error.contains(words), "{words:?} is not in {error:?}");
        }
    }

    #[test]
    fn errors_name_the_file_the_line_and_what_is_allowed() {
        for (text, words) in [
            ("game = 7\n", "mine.toml, line 1: "),
            ("title = \"x\"\n", "missing key `game`"),
            (
                "game = \"reversi\"\ntitle = \"x\n",
                "line 2: title: a text in quotes does not end",
            ),
            (
                "game = \"chess\"\n",
                "line 1: unknown game \"chess\"; the games are",
            ),
            (
                "game = \"reversi\"\nstates = 0\n",
                "line 2: states: 0: must be 1 to 1000000",
            ),
            (
                "game = \"reversi\"\n[clock]\nbank_s = -1\n",
                "line 3: bank_s: -1 seconds: must be 0.001",
            ),
            (
                "game = \"reversi\"\n[clock]\nbackstop_s = 0.05\n",
                "line 3: backstop_s: 0.05 seconds: must be 0.1 to 86400",
            ),
            (
                "game = \"reversi\"\n[clock]\nbank_ms = 1\n",
                "line 3: unknown key `bank_ms`",
            ),
            ("game = \"reversi\"\n[config]\nopening = 4\n", "line 3: "),
            (
                "game = \"reversi\"\n\n[config]\nopening_plies = 100\n",
                "line 4: ",
            ),
            (
                "game = \"reversi\"\n[schedule]\nkind = \"groups\"\n",
                "line 3: Reversi is for two: kind must be pairs or gauntlet",
            ),
            (
                "game = \"reversi\"\n[schedule]\nkind = \"gauntlet\"\n",
                "line 3: a gauntlet needs opponents",
            ),
            (
                "game = \"reversi\"\n[scoring]\nties = [\"age\"]\n",
                "line 3: ties: unknown value `age`; allowed: `wins`",
            ),
            (
                "game = \"reversi\"\n[[scoring.prizes]]\nto_rank = 2\npoints = 3\n[[scoring.prizes]]\nto_rank = 2\npoints = 1\n",
                "line 5: list prizes from the best rank down",
            ),
            (
                "game = \"reversi\"\ntitle = \" \"\n",
                "line 2: title: must be one line",
            ),
            (
                "game = \"reversi\"\n[clock]\nturn_s = 1\nincrement_s = 0.5\n",
                "line 4: increment_s needs a bank to add to",
            ),
            (
                "game = \"reversi\"\n[clock]\nincrement_s = 0.5\n",
                "line 3: increment_s needs a bank",
            ),
            (
                "game = \"reversi\"\n[schedule]\nkind = \"gauntlet\"\nagainst = [\"a\",\n\"a\"]\n",
                "line 5: against: \"a\" appears twice",
            ),
            (
                "game = \"reversi\"\n[schedule]\nkind = \"gauntlet\"\nagainst = [\"builtin:best\"]\n",
                "line 4: against: Reversi has no built-in bot \"best\"; there are builtin:",
            ),
            (
                "game = \"reversi\"\n[schedule]\nkind = \"pairs\"\nagainst = [\"a\"]\n",
                "line 4: against needs kind = \"gauntlet\"",
            ),
            (
                "game = \"reversi\"\n[scoring]\nties = [\"wins\", \"wins\"]\n",
                "line 3: ties: wins appears twice",
            ),
            (
                "game = \"monkey-metal-man\"\n[scoring]\npodium = [\"head-to-head\"]\n",
                "line 3: podium: head-to-head is only for games for two",
            ),
            (
                "game = \"reversi\"\n[scoring.grades]\notherwise = \"4\"\ndisqualified = \"3\"\nsteps = [{ at_least = -9223372036854775808, grade = \"5\" }]\n",
                "line 5: at_least: must be -1000000000 to 1000000000",
            ),
            (
                "game = \"reversi\"\n[scoring.grades]\notherwise = \"4\"\ndisqualified = \"3\"\nsteps = [{ at_least = 5, grade = \"5\" },\n{ at_least = 5, grade = \"6\" }]\n",
                "line 6: list grades from the best down",
            ),
            (
                "game = \"reversi\"\n[scoring]\npoints_per_cpu_second = nan\n",
                "line 3: points_per_cpu_second: NaN points per second: must be 0 to 1000000",
            ),
            (
                "game = \"reversi\"\n[names]\npublic = \"all\"\n",
                "line 3: public: unknown value `all`; allowed: `submission`, `nickname`, `roster`, `real`",
            ),
        ] {
            let error = error(text);
            assert!(error.contains(words), "{words:?} is not in {error:?}");
        }
    }

    #[test]
    fn submission_is_the_default_of_public_names() {
        let names = |line: &str| {
            let text = format!("game = \"reversi\"\n[names]\n{line}\n");
            read("mine.toml", &text).expect(line).competition.names
        };
        assert_eq!(names(""), None);
        assert_eq!(names("public = \"submission\""), None);
        assert_eq!(names("public = \"nickname\""), Some(NameRule::Nickname));
        assert_eq!(names("public = \"roster\""), Some(NameRule::Roster));
        assert_eq!(names("public = \"real\""), Some(NameRule::Real));
    }

    #[test]
    fn what_the_user_wrote_is_quoted_as_it_stands_and_found_where_it_is() {
        for (text, words) in [
            (
                "game = \"reversi\"\n\"map x\" = 1\n",
                "line 2: unknown key `map x`; allowed: ",
            ),
            (
                "game = \"reversi\"\nstates = \"map x\"\n",
                "line 2: states: \"map x\": must be 1 to 1000000",
            ),
            (
                "game = \"reversi\"\nbots = { memory_mib = 1 }\n",
                "line 2: memory_mib: 1: must be 16 to",
            ),
            (
                "game = \"reversi\"\nclock = 3\n",
                "line 2: clock: the whole number `3` is not a table",
            ),
            (
                "game = \"reversi\"\n[config]\nopening_plies = 4\nopening = 4\n",
                "line 4: ",
            ),
            (
                "game = \"reversi\"\n[config]\nopening = 4\nopening_plies = 100\n",
                "line 3: ",
            ),
        ] {
            let error = error(text);
            assert!(error.contains(words), "{words:?} is not in {error:?}");
        }
    }
}
