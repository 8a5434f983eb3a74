//! `judge check`: what is wrong with one submission, in plain words.

use super::display::{for_shell, program, shown, this_command};
use super::exit::Done;
use super::interrupt::stop_on_interrupt;
use super::out;
use super::prepare::game;
use super::run_cgroups::open_run_cgroups;
use super::settings::Settings;
use crate::check::{self, CheckReport, Examination, Verdict};
use clap::Args;
use error::JudgeError;
use intake::{self, Submission};
use sandbox::{Isolation, OpenRunCgroups};
use std::fs::Permissions;
use std::io::IsTerminal;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::{Duration, SystemTime};
use system::cleanup::TemporaryFolder;

/// Initial states that are played where the user does not say how many.
const STATES: u32 = 5;

#[derive(Args)]
pub(super) struct CheckArgs {
    /// The submission: a folder or a file
    path: PathBuf,
    #[command(flatten)]
    settings: Settings,
    /// Start no more sample games after this many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    seconds: u64,
    /// Print one JSON object and nothing else
    #[arg(long)]
    json: bool,
    /// Check even if this machine cannot sandbox programs: the submission then has your rights
    #[arg(long)]
    weak_isolation: bool,
}

impl CheckArgs {
    pub(super) fn execute(&self) -> Result<Done, JudgeError> {
        let interrupted = stop_on_interrupt()?;
        let mut submission = intake::collect_one(&self.path, self.settings.named_game()?)?;
        let mut isolation = Isolation::find();
        isolation.admit(self.weak_isolation)?;
        let named = self.settings.named_competition()?;
        let (entry, competition) = if let Some(loaded) = named {
            (loaded.entry, loaded.competition)
        } else {
            match game(&self.settings, std::slice::from_ref(&submission)) {
                Ok(entry) => (entry, competition::standard(entry)),
                // What is no submission may well tell no game; that it is none is what to say.
                Err(_) if submission.form.is_err() && self.settings.game.is_none() => {
                    return Ok(self.tell(&check::unknown(&submission)));
                }
                Err(error) => return Err(error),
            }
        };
        let mut competition = self.settings.change(entry, competition)?;
        competition.states = self.settings.states.unwrap_or(STATES);
        let run_cgroups = open_run_cgroups(&mut isolation, competition.conditions.processes)?;
        self.announce(&submission, entry.info.title);
        let folder = TemporaryFolder::new("check", Permissions::from_mode(0o755))
            .map_err(|e| JudgeError::io("make a folder in", std::env::temp_dir(), e))?;
        submission.admit(entry);
        let exam = Examination {
            competition,
            folder: folder.path(),
            isolation: &isolation,
            run_cgroups: run_cgroups
                .as_ref()
                .map(OpenRunCgroups::run_cgroups)
                .cloned(),
            jobs: std::thread::available_parallelism().map_or(1, usize::from),
            pin: true,
            limit: Duration::from_secs(self.seconds),
            received: SystemTime::now(),
            interrupted: &interrupted,
            progress: &|_| {},
        };
        let report = check::examine(&exam, submission)?;
        if interrupted.load(Ordering::Relaxed) {
            out::aside(format_args!(
                "judge: interrupted; to check again: {}",
                this_command()
            ));
            return Ok(Done::Interrupted);
        }
        Ok(self.tell(&report))
    }

    /// Says on a terminal that this takes a while.
    fn announce(&self, submission: &Submission, title: &str) {
        if !self.json && std::io::stderr().is_terminal() {
            out::aside(format_args!("checking {} for {title}…", submission.name));
        }
    }

    fn tell(&self, report: &CheckReport) -> Done {
        if self.json {
            let json = serde_json::to_string(report).expect("plain data");
            say!("{json}");
        } else {
            say!("{}", self.text(report).trim_end());
        }
        if report.ok {
            Done::Success
        } else {
            Done::Wrong
        }
    }

    fn text(&self, report: &CheckReport) -> String {
        let games = report.games;
        let played = if games.planned > 0 {
            format!(
                "{} of {} sample games played: {} won, {} drawn, {} lost (--seed {})\n\n",
                games.played, games.planned, games.won, games.drawn, games.lost, report.seed
            )
        } else {
            String::new()
        };
        let (name, again) = (&report.submission, this_command());
        let warned = report.checks.iter().any(|c| c.verdict == Verdict::Warning);
        let end = match (report.ok, warned) {
            (false, _) => format!("{name} is not ready. Fix it and check again: {again}"),
            (true, true) => {
                format!("{name} can play; see the warnings above. To check again: {again}")
            }
            (true, false) => format!(
                "{name} is ready. To play against others: {} run --submissions {} {}{}{}",
                program(),
                for_shell(&self.folder()),
                self.what(report),
                if self.is_alone() {
                    " --with builtin:random"
                } else {
                    ""
                },
                self.out()
            ),
        };
        format!("{}\n{played}{end}\n", report.text())
    }

    /// What `judge run` is told to play.
    fn what(&self, report: &CheckReport) -> String {
        match &self.settings.competition {
            Some(name) => format!("--competition {}", for_shell(name)),
            None => format!("--game {}", report.game.unwrap_or_default()),
        }
    }

    /// The folder that the submission is in.
    fn above(&self) -> PathBuf {
        let there = self.path.canonicalize();
        let there = there.unwrap_or_else(|_| self.path.clone());
        there.parent().map_or_else(|| there.clone(), Path::to_owned)
    }

    /// Returns whether there is nothing beside the submission that it could play.
    fn is_alone(&self) -> bool {
        let beside = std::fs::read_dir(self.above()).into_iter().flatten();
        let shown = beside.flatten().filter(|entry| {
            let name = entry.file_name();
            !name.as_encoded_bytes().starts_with(b".")
        });
        shown.count() <= 1
    }

    /// Where `judge run` is to put its results, where it would put them among the submissions.
    fn out(&self) -> String {
        let above = self.above();
        let here = std::env::current_dir().ok();
        let is_among = here.is_some_and(|here| here.starts_with(&above));
        let beside = above.parent().filter(|_| is_among);
        beside.map_or_else(String::new, |folder| {
            format!(
                " --out {}",
                for_shell(&folder.join("results").to_string_lossy())
            )
        })
    }

    /// The folder that `judge run` takes: the one above the submission.
    fn folder(&self) -> String {
        let folder = shown(&self.above());
        if folder.is_empty() {
            ".".to_owned()
        } else {
            folder
        }
    }
}
