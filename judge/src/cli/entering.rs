//! Flags that define the entrants of a tournament and how it is played.

use super::settings::{Scored, Settings};
use clap::Args;
use error::JudgeError;
use run::{MachineUse, RunKind, RunSpec};
use std::path::PathBuf;

/// Flags about how this machine plays games.
#[derive(Args, Clone, Default)]
pub(super) struct Workers {
    /// Number of games to play at once [default: the number of CPUs]
    #[arg(long, allow_negative_numbers = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(super) jobs: Option<u16>,
    /// Do not pin each worker and its bots to one CPU
    #[arg(long)]
    pub(super) no_pin: bool,
    /// Run even if this machine cannot sandbox programs: submissions then have your rights
    #[arg(long)]
    pub(super) weak_isolation: bool,
    /// Sandbox every process from scratch instead of starting it in a warm cage: slower, with the
    /// same results
    #[arg(long)]
    pub(super) cold: bool,
}

impl Workers {
    /// Returns how this machine plays.
    pub(super) fn machine(&self) -> MachineUse {
        MachineUse {
            jobs: jobs(self.jobs),
            pins: !self.no_pin,
            weak_isolation: self.weak_isolation,
            cold: self.cold,
        }
    }
}

/// Returns the number of games played at once; by default the number of CPUs.
pub(super) fn jobs(asked: Option<u16>) -> usize {
    let all = || std::thread::available_parallelism().map_or(1, usize::from);
    asked.map_or_else(all, usize::from)
}

/// Flags about a tournament.
#[derive(Args, Default)]
pub(super) struct Entering {
    /// A folder with a folder, zip or program for each submission, or a learning platform's
    /// download; or one zip of all; or a text file of git repositories, each line NAME URL
    /// [REFERENCE [FOLDER]]; or a single submission, to play built-in bots; may be repeated
    #[arg(long, value_name = "PLACE", required_unless_present = "with")]
    pub(super) submissions: Vec<PathBuf>,
    /// A CSV file that says who submitted what: columns submission, id, name, email, section; or a
    /// list exported from Moodle, Canvas or Artemis
    /// [default: roster.csv beside the submissions, if there is one]
    #[arg(long, value_name = "FILE")]
    pub(super) roster: Option<PathBuf>,
    /// Enter a built-in bot too, for example random; may be repeated
    #[arg(long, value_name = "BOT")]
    pub(super) with: Vec<String>,
    /// The run folder; an existing run is continued [default: results/GAME, or results/GAME-NAME with the name of the submissions' folder]
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
    #[command(flatten)]
    pub(super) workers: Workers,
    /// Let programs play that were submitted after games on this draw were shown; the table marks
    /// them
    #[arg(long)]
    pub(super) on_shown_draw: bool,
    /// Continue on a machine whose speed differs by more than half from the machines that played
    /// the games; tables and page say so
    #[arg(long)]
    pub(super) mixed: bool,
    #[command(flatten)]
    pub(super) settings: Settings,
    #[command(flatten)]
    pub(super) scored: Scored,
}

impl Entering {
    /// Returns the specification of the run.
    ///
    /// # Errors
    /// When a value is not allowed.
    pub(super) fn spec(
        &self,
        kind: RunKind,
        mut places: Vec<PathBuf>,
    ) -> Result<RunSpec, JudgeError> {
        let mut competition = self.settings.competition()?;
        self.scored.add_to(&mut competition.changes);
        let mut all = self.submissions.clone();
        all.append(&mut places);
        Ok(RunSpec {
            build: crate::BUILD,
            kind,
            places: all,
            given: None,
            roster: self.roster.clone(),
            builtins: self.with.clone(),
            out: self.out.clone(),
            competition,
            machine: self.workers.machine(),
            mixed: self.mixed,
            on_shown_draw: self.on_shown_draw,
            closed: Vec::new(),
        })
    }
}
