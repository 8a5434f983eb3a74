//! `judge check`: reports the faults of a submission, or of each submission of a class.

mod class;
mod formats;
mod next;

use self::formats::Form;
use super::command_folder::{await_end, on_interrupt};
use super::exit::Done;
use super::out::{self, whole};
use super::settings::Settings;
use crate::check::{self, CheckReport, Examination, Verdict};
use crate::terminal::{self, Paint};
use clap::Args;
use console::Term;
use indicatif::ProgressBar;
use intake::{Expected, GAME_FILE, Opened, Opening, ProgramCache, Submission, Toolchains};
use model::competition::Competition;
use rulebook::JudgeError;
use run::commands::{path_for_shell, program, this_command, this_command_as};
use run::{no_such_game, open_run_cgroups, toolchains};
use sandbox::{Isolation, OpenRunCgroups};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, SystemTime};

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

struct CheckSetup {
    competition: Competition,
    isolation: Isolation,
    toolchains: Toolchains,
    run_cgroups: Option<OpenRunCgroups>,
    interrupted: Arc<AtomicBool>,
    progress: ProgressBar,
}

impl CheckArgs {
    pub(super) fn execute(&self) -> Result<Done, JudgeError> {
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

    fn run_checks(&self, interrupted: &Arc<AtomicBool>) -> Result<Done, JudgeError> {
        let named = self.settings.named_game()?;
        let expected = if self.form.format().is_graders() {
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
        let Some(setup) = self.setup(std::slice::from_ref(&submission), interrupted)? else {
            if submission.form.is_ok() {
                let named = no_such_game(&submission, std::slice::from_ref(&self.path));
                submission.form = Err(named.unwrap_or_else(|| NO_GAME.to_owned()));
            }
            return self.print(&check::unknown(&submission), None);
        };
        if let Err(reason) = &submission.form
            && submission.files.is_empty()
            && !self.form.format().is_graders()
        {
            let path = path_for_shell(&self.path);
            return Err(JudgeError::input(format!("{path}: {reason}")));
        }
        let own = submission.game().map(str::to_owned);
        let report = self.examine(&setup, submission)?;
        setup.progress.finish_and_clear();
        self.print(&report, own.as_deref())
    }

    /// Refuses a game in the place of a bot, unless a command or a grader names the game that is played.
    fn refuse_game(&self) -> Result<(), JudgeError> {
        let is_named = self.settings.competition()?.names_game() || self.form.format().is_graders();
        if is_named || !self.path.join(GAME_FILE).is_file() {
            return Ok(());
        }
        let (program, path) = (program(), path_for_shell(&self.path));
        Err(JudgeError::input(format!(
            "{path} is a game, not a bot; to check it: {program} game check {path}"
        )))
    }

    /// Prepares for checking submissions of one game; `None` for a single one that belongs to no game.
    fn setup(
        &self,
        submissions: &[Submission],
        interrupted: &Arc<AtomicBool>,
    ) -> Result<Option<CheckSetup>, JudgeError> {
        let mut isolation = Isolation::find();
        out::warn(&isolation);
        if self.form.format().is_graders() {
            isolation.admit_to_grader(self.weak_isolation)?;
        }
        isolation.close(&self.path);
        let spec = self.settings.competition()?;
        let places = std::slice::from_ref(&self.path);
        let is_unknown = !spec.names_game() && !run::are_for_one_game(submissions, places);
        // The fault of an invalid submission is the better message. A grader's student names no game.
        if let [one] = submissions
            && is_unknown
            && (one.form.is_err() || self.form.format().is_graders())
        {
            return Ok(None);
        }
        let loaded = spec.load(submissions, places)?;
        if let Some(note) = spec.note_on_rules(&loaded)
            && self.form.format().is_text()
        {
            say!("{note}");
        }
        let toolchains = toolchains(&loaded.toolchains, &mut isolation)?;
        let mut competition = loaded.competition;
        competition.states = self.settings.states.unwrap_or(STATES);
        let run_cgroups = open_run_cgroups(&mut isolation, competition.conditions.processes)?;
        Ok(Some(CheckSetup {
            competition,
            toolchains,
            isolation,
            run_cgroups,
            interrupted: Arc::clone(interrupted),
            progress: next::progress(!self.form.format().is_text()),
        }))
    }

    fn examine(
        &self,
        setup: &CheckSetup,
        submission: Submission,
    ) -> Result<CheckReport, JudgeError> {
        let is_graders = self.form.format().is_graders();
        let name = submission.name.clone();
        let exam = Examination {
            competition: setup.competition.clone(),
            isolation: &setup.isolation,
            toolchains: &setup.toolchains,
            run_cgroups: setup.run_cgroups.as_ref(),
            limit: Duration::from_secs(self.seconds),
            failed_of: None,
            cache: (!is_graders).then(ProgramCache::of_user).flatten(),
            graded: is_graders,
            received: SystemTime::now(),
            interrupted: &setup.interrupted,
            progress: &|what| {
                let message = format!("checking {name}: {what}");
                setup.progress.set_message(message);
            },
        };
        check::examine(exam, submission)
    }

    fn print(&self, report: &CheckReport, own: Option<&str>) -> Result<Done, JudgeError> {
        let words = self.text(report, own);
        let words = self.form.print(report, &self.path, &words);
        if self.form.format().is_text() {
            say!("{words}");
        } else {
            out::line(format_args!("{words}"));
        }
        match &report.unreached {
            // A grader must not take what is there for all.
            Some(reason) if report.ok || self.form.format().is_graders() => {
                Err(JudgeError::Lacking {
                    submission: report.submission.clone(),
                    reason: reason.clone(),
                })
            }
            _ if report.ok => Ok(Done::Success),
            _ => Ok(Done::Wrong),
        }
    }

    fn text(&self, report: &CheckReport, own: Option<&str>) -> String {
        let (paint, columns) = if self.form.format().is_text() {
            (terminal::paint(), terminal::columns(&Term::stdout()))
        } else {
            (Paint::Plain, None)
        };
        let games = report.games;
        let played = if games.planned > 0 {
            format!(
                "{} of {} sample games played against built-in bots: {} won, {} drawn, {} lost (--seed {})\n\n",
                games.played, games.planned, games.won, games.drawn, games.lost, report.seed
            )
        } else {
            String::new()
        };
        let (name, again) = (&report.submission, this_command());
        let rules = report
            .game
            .and_then(|game| rulebook::rules::find(game).ok());
        let is_named = self.settings.game.is_some();
        let is_another = |own: &str| Some(own) != report.game && rulebook::rules::find(own).is_ok();
        let warned = report.checks.iter().any(|c| c.verdict == Verdict::Warning);
        let end = match (report.ok, warned) {
            (false, _) if is_named && own.is_some_and(is_another) => format!(
                "{name} names another game. To check it for that: {}",
                this_command_as("check", &["--game"])
            ),
            (false, _) => {
                let failed = rules.as_ref().zip(report.failed.as_ref());
                let failed = failed.map_or_else(String::new, |(rules, game)| {
                    let command = next::replay(&self.path, rules, own.is_some(), game, report.seed);
                    format!("To watch the game that failed: {command}\n")
                });
                format!("{failed}{name} is not ready. Fix it and check again: {again}")
            }
            (true, _) if report.unreached.is_some() => {
                format!("{name} was not checked to the end. To check again: {again}")
            }
            (true, true) => {
                format!("{name} can play; see the warnings above. To check again: {again}")
            }
            (true, false) => {
                let rules = rules.expect("what is ready has played a game");
                format!(
                    "{name} is ready. {}",
                    next::step(&self.path, &rules, own.is_some())
                )
            }
        };
        format!("{}\n{played}{end}\n", report.text(paint, columns))
    }
}
