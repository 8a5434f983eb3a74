//! `judge check`: reports the faults of a submission, or of each submission of a class.

mod class;
mod exam;
mod findings;
mod formats;
mod homework;
mod idle;
mod probe;
mod sample;
mod text;

use self::formats::Form;
use super::exit::Done;
use super::flags::Settings;
use super::one_game::{await_end, on_interrupt};
use super::out::{self, whole};
use crate::terminal::Paint;
use clap::Args;
use indicatif::ProgressBar;
use intake::{Expected, GAME_FILE, Opened, Opening, ProgramCache, Submission, Toolchains};
use model::clock::ClockMode;
use model::competition::Competition;
use rulebook::{JudgeError, Result, refuse};
use run::commands::{path_for_shell, program, this_command};
use run::watch::{VersionReport, VersionToCheck};
use run::{no_such_game, open_run_cgroups, toolchains};
use sandbox::{Isolation, OpenRunCgroups};
use serde::Serialize;
use serde_json::value::to_raw_value;
use std::path::{Path, PathBuf};
use std::slice::from_ref;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

const STATES: u32 = 5;

const NO_GAME: &str = "does not say which game it plays; name it in a file judge.toml (game = \"…\"), or ask staff to \
                      set the game in the grader";

#[derive(Args)]
#[command(after_help = "For example: judge check bot.sh --game connect-four")]
#[command(mut_arg("states", |flag| flag.help("Number of initial states [default: 5]").long_help(None)))]
pub(super) struct CheckArgs {
    /// The bot, a folder or a file; or a class, as judge run takes it
    path: PathBuf,
    #[command(flatten)]
    settings: Settings,
    /// Longest time for the sample games and what follows, in seconds
    ///
    /// It is 25 s at least, and a fifth is kept for what follows. A turn that takes half as long is stopped. Functions of a course are tested
    /// before, each in its own time.
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = whole::<u64>(1..=86_400))]
    seconds: u64,
    #[command(flatten)]
    form: Form,
    /// Write a grader's result even if this machine isolates programs weakly
    #[arg(long, hide_short_help = true)]
    weak_isolation: bool,
}
struct Examination<'a> {
    /// The competition; its `states` are the number of initial states.
    competition: Competition,
    isolation: Isolation,
    toolchains: Toolchains,
    run_cgroups: Option<OpenRunCgroups>,
    /// The examination ends this long after the build and the questions about functions, or after
    /// `EXAMINATION_MIN`. A turn is stopped after half of the part for games.
    limit: Duration,
    failed_of: Option<&'a Path>,
    cache: Option<ProgramCache>,
    /// Whether a grader scores it; a program that the course's test cannot ask is then wrong.
    graded: bool,
    interrupted: &'a Arc<AtomicBool>,
    progress: ProgressBar,
}

#[derive(Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Verdict {
    Ok,
    /// The submission plays, but its author should know this.
    Warning,
    /// The fault costs games, or there is no valid submission.
    Wrong,
    NotLookedAt,
}

impl Verdict {
    fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warning => "warning",
            Self::Wrong => "WRONG",
            Self::NotLookedAt => "-",
        }
    }
}

#[derive(Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Topic {
    Files,
    Build,
    Comment,
    Start,
    Output,
    Silence,
    Moves,
    Crash,
    Time,
    Quiet,
    End,
    Memory,
    Repeat,
    Stderr,
    #[serde(untagged)]
    Homework(&'static str),
}

impl Topic {
    const ALWAYS: [Self; 13] = [
        Self::Files,
        Self::Build,
        Self::Start,
        Self::Output,
        Self::Silence,
        Self::Moves,
        Self::Crash,
        Self::Time,
        Self::Quiet,
        Self::End,
        Self::Memory,
        Self::Repeat,
        Self::Stderr,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Files => "files",
            Self::Build => "build",
            Self::Comment => "comment",
            Self::Start => "start",
            Self::Output => "output",
            Self::Silence => "silence",
            Self::Moves => "moves",
            Self::Crash => "crash",
            Self::Time => "time",
            Self::Quiet => "quiet",
            Self::End => "end",
            Self::Memory => "memory",
            Self::Repeat => "repeat",
            Self::Stderr => "stderr",
            Self::Homework(name) => name,
        }
    }

    fn is_homework(self) -> bool {
        matches!(self, Self::Homework(_))
    }
}

#[derive(Serialize)]
struct Check {
    /// Its place in the order of the examination, from 1.
    number: usize,
    #[serde(rename = "name")]
    topic: Topic,
    verdict: Verdict,
    message: String,
    /// Details, line by line: the place, the evidence, the remedy.
    detail: Vec<String>,
    /// From 0 to 1; `None` outside of homework, and where the judge did not get there.
    #[serde(skip_serializing_if = "Option::is_none")]
    mark: Option<f64>,
}

#[derive(Clone, Copy, Default, Serialize)]
struct SampleGames {
    planned: usize,
    played: usize,
    won: usize,
    drawn: usize,
    lost: usize,
}

/// Times of the turns, in microseconds of CPU time.
#[derive(Clone, Copy, Default, Serialize)]
struct TurnTimes {
    counts: ClockMode,
    turns: usize,
    median_us: u64,
    worst_us: u64,
    turn_limit_us: Option<u64>,
    bank_us: Option<u64>,
}

#[derive(Default, Serialize)]
struct CheckReport {
    submission: String,
    game: Option<&'static str>,
    language: &'static str,
    ok: bool,
    checks: Vec<Check>,
    /// Topics behind an earlier fault. Homework among them has the mark 0.
    not_checked: Vec<Topic>,
    /// Why the judge did not get to everything, through no fault of the submission.
    unreached: Option<String>,
    /// A game with a fault: the opponents in seat order, `None` for the submission; and its state.
    #[serde(skip)]
    failed: Option<(Vec<Option<String>>, u32)>,
    seed: u64,
    games: SampleGames,
    times: TurnTimes,
}

const OUT_OF_TIME: &str = "the time of the check was over; --seconds gives more";

impl CheckReport {
    fn add(
        &mut self,
        topic: Topic,
        verdict: Verdict,
        message: impl Into<String>,
        detail: Vec<String>,
    ) {
        self.ok &= verdict != Verdict::Wrong;
        self.checks.push(Check {
            number: self.checks.len() + 1,
            topic,
            verdict,
            message: message.into(),
            detail,
            mark: None,
        });
    }

    fn mark(
        &mut self,
        name: &'static str,
        verdict: Verdict,
        message: impl Into<String>,
        detail: Vec<String>,
        mark: f64,
    ) {
        self.add(Topic::Homework(name), verdict, message, detail);
        self.checks.last_mut().expect("it was added just now").mark = Some(mark);
    }

    fn fine(&mut self, topic: Topic, message: impl Into<String>) {
        self.add(topic, Verdict::Ok, message, Vec::new());
    }

    fn not_looked_at(&mut self, topic: Topic, why: &str) {
        self.add(topic, Verdict::NotLookedAt, why, Vec::new());
    }

    /// Adds homework without a mark, because the judge did not get there, with the reason.
    fn not_reached(&mut self, name: &'static str, why: &str) {
        self.not_looked_at(Topic::Homework(name), why);
        self.cut_short(why);
    }

    fn cut_short(&mut self, why: &str) {
        self.unreached.get_or_insert_with(|| why.to_owned());
    }

    fn has(&self, topic: Topic) -> bool {
        self.checks.iter().any(|check| check.topic == topic)
    }

    /// Finds the first fault of one of these kinds.
    fn wrong(&mut self, topics: &[Topic]) -> Option<&mut Check> {
        self.checks
            .iter_mut()
            .find(|check| check.verdict == Verdict::Wrong && topics.contains(&check.topic))
    }
}

/// Examines a version that a watch received, for its author.
pub(super) fn examine_version(version: VersionToCheck<'_>) -> Result<VersionReport> {
    let VersionToCheck {
        submission,
        loaded,
        mut isolation,
        run,
        cache,
        stop,
    } = version;
    let competition = &loaded.competition;
    let exam = Examination {
        toolchains: toolchains(&loaded.toolchains, &mut isolation)?,
        run_cgroups: open_run_cgroups(&mut isolation, competition.conditions.processes)?,
        competition: Competition {
            states: 2,
            // The report must not reveal the run's draw.
            seed: None,
            ..competition.clone()
        },
        isolation,
        limit: Duration::from_secs(60),
        // The run has just tried to build it.
        failed_of: Some(run),
        cache,
        graded: false,
        interrupted: stop,
        progress: ProgressBar::hidden(),
    };
    let report = exam::examine(&exam, submission)?;
    Ok(VersionReport {
        ok: report.ok,
        text: report.text(Paint::Plain),
        json: to_raw_value(&report).expect("plain data"),
    })
}

impl CheckArgs {
    pub(super) fn execute(&self) -> Result<Done> {
        let interrupted = on_interrupt(|| {
            let again = this_command();
            out::aside(format_args!(
                "\njudge: interrupted; to check again: {again}"
            ));
        })?;
        let done = self.run_checks(&interrupted);
        await_end(&interrupted);
        done
    }

    fn run_checks(&self, interrupted: &Arc<AtomicBool>) -> Result<Done> {
        let named = self.settings.named_game()?;
        let is_graders = self.form.format().is_graders();
        let expected = if is_graders {
            Expected::HandedIn
        } else {
            Expected::Either
        };
        let opening = Opening::new(expected, named.as_ref(), interrupted);
        self.refuse_game()?;
        let mut submission = match intake::open(&self.path, opening)? {
            Opened::One(one) => *one,
            Opened::Class(class) => return self.class(class, interrupted),
        };
        let Some(exam) = self.examination(from_ref(&submission), interrupted)? else {
            if submission.form.is_ok() {
                let named = no_such_game(&submission, from_ref(&self.path));
                submission.form = Err(named.unwrap_or_else(|| NO_GAME.to_owned()));
            }
            return self.print(&exam::unknown(&submission), None);
        };
        if let Err(reason) = &submission.form
            && submission.files.is_empty()
            && !is_graders
        {
            let path = path_for_shell(&self.path);
            return refuse(format!("{path}: {reason}"));
        }
        let own = submission.game().map(str::to_owned);
        exam.progress
            .set_prefix(format!("checking {}: ", submission.name));
        let report = exam::examine(&exam, submission)?;
        exam.progress.finish_and_clear();
        self.print(&report, own.as_deref())
    }

    /// Refuses a game in the place of a bot, unless a command or a grader names the game that is played.
    fn refuse_game(&self) -> Result {
        let is_named = self.settings.competition()?.names_game() || self.form.format().is_graders();
        if is_named || !self.path.join(GAME_FILE).is_file() {
            return Ok(());
        }
        let (program, path) = (program(), path_for_shell(&self.path));
        refuse(format!(
            "{path} is a game, not a bot; to check it: {program} game check {path}"
        ))
    }

    /// Prepares for checking submissions of one game; `None` for a single one that belongs to no game.
    fn examination<'a>(
        &self,
        submissions: &[Submission],
        interrupted: &'a Arc<AtomicBool>,
    ) -> Result<Option<Examination<'a>>> {
        let format = self.form.format();
        let mut isolation = Isolation::find();
        out::warn(&isolation);
        if format.is_graders() {
            isolation.admit_to_grader(self.weak_isolation)?;
        }
        isolation.close(&self.path);
        let spec = self.settings.competition()?;
        let places = from_ref(&self.path);
        let is_unknown = !spec.names_game() && !run::are_for_one_game(submissions, places);
        // The fault of an invalid submission is the better message. A grader's student names no game.
        if let [one] = submissions
            && is_unknown
            && (one.form.is_err() || format.is_graders())
        {
            return Ok(None);
        }
        let loaded = spec.load(submissions, places)?;
        if let Some(note) = spec.note_on_rules(&loaded)
            && format.is_text()
        {
            say!("{note}");
        }
        let conditions = &loaded.competition.conditions;
        Ok(Some(Examination {
            toolchains: toolchains(&loaded.toolchains, &mut isolation)?,
            run_cgroups: open_run_cgroups(&mut isolation, conditions.processes)?,
            competition: Competition {
                states: self.settings.states.unwrap_or(STATES),
                ..loaded.competition
            },
            isolation,
            limit: Duration::from_secs(self.seconds),
            failed_of: None,
            cache: (!format.is_graders()).then(ProgramCache::of_user).flatten(),
            graded: format.is_graders(),
            interrupted,
            progress: text::progress(!format.is_text()),
        }))
    }

    fn print(&self, report: &CheckReport, own: Option<&str>) -> Result<Done> {
        let format = self.form.format();
        let text = self.form.print(report, &self.path, &self.text(report, own));
        if format.is_text() {
            say!("{text}");
        } else {
            out::line(format_args!("{text}"));
        }
        match &report.unreached {
            // A grader must not take what is there for all.
            Some(reason) if report.ok || format.is_graders() => Err(JudgeError::Lacking {
                submission: report.submission.clone(),
                reason: reason.clone(),
            }),
            _ if report.ok => Ok(Done::Success),
            _ => Ok(Done::Wrong),
        }
    }
}
