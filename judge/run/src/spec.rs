//! What a run is to be, as plain data.

use crate::location::RunLocation;
use crate::receipt_sources::ReceiptSources;
use crate::terms::{CompetitionSpec, competition_beside};
use competition::Loaded;
use error::JudgeError;
use intake::Class;
use intake::Submission;
use journal::{MachineLine, MachineLines, UnequalMachines};
use rules::Rules;
use std::path::PathBuf;
use std::time::SystemTime;
use words::entrant::Roster;

/// What a run is to be.
#[derive(Clone, Debug)]
pub struct RunSpec {
    /// The judge's version, with the commit that it is built from.
    pub build: &'static str,
    /// What the run is for.
    pub kind: RunKind,
    /// Where the submissions are.
    pub places: Vec<PathBuf>,
    /// Submissions to play instead of those in `places`.
    pub given: Option<Box<Given>>,
    /// The list of people; else the one that lies beside the submissions.
    pub roster: Option<PathBuf>,
    /// Built-in bots that take part, with or without `builtin:`.
    pub builtins: Vec<String>,
    /// The run's folder; else one in `results`, named after the game and the places.
    pub out: Option<PathBuf>,
    /// Which competition is played; else the one that lies beside the submissions, or the standard
    /// one of their game.
    pub competition: CompetitionSpec,
    /// How this machine plays.
    pub machine: MachineUse,
    /// Games count also where this machine is not like those that others were played on.
    pub mixed: bool,
    /// Programs play that were submitted after games on this draw had been shown.
    pub on_shown_draw: bool,
    /// Paths that bots may not reach, besides the places and the run's folder.
    pub closed: Vec<PathBuf>,
}

/// What is played, where it was not collected from the places: by a watch, which decides what is
/// taken, from two bots that are compared, or from an earlier run.
#[derive(Clone, Debug)]
pub struct Given {
    /// The competition, with what the command changes.
    pub loaded: Loaded,
    /// The submissions.
    pub class: Class,
    /// Who submitted them.
    pub roster: Option<Roster>,
    /// What says when they were received.
    pub sources: ReceiptSources,
    /// When they were received, where nothing else says so.
    pub received: SystemTime,
}

/// What a run is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RunKind {
    /// It is played, and everything is kept.
    #[default]
    Played,
    /// It goes on while submissions come, under the watch's own lock. Nobody need be there yet, and
    /// builds that failed are not begun again: elsewhere who runs a command again may have changed
    /// the machine.
    Watched,
    /// Some games are tried out. Where there is no run yet, only the programs are kept, for it.
    TriedOut,
    /// Its folder was laid out from another run, whose programs and charges it keeps.
    FromPast,
}

/// How this machine plays.
#[derive(Clone, Debug, Default)]
pub struct MachineUse {
    /// How many games are played at once, and submissions built.
    pub jobs: usize,
    /// Each worker and its bots are bound to a CPU of their own.
    pub pins: bool,
    /// Programs run also where they cannot be sandboxed.
    pub weak_isolation: bool,
    /// Every process gets a new sandbox.
    pub cold: bool,
}

impl MachineUse {
    /// Returns the flags that a judge elsewhere must have too, to play as this one would.
    pub(crate) fn flags(&self) -> Vec<String> {
        let flags = [
            ("--no-pin", !self.pins),
            ("--weak-isolation", self.weak_isolation),
            ("--cold", self.cold),
        ];
        let set = flags.iter().filter(|(_, is_set)| *is_set);
        set.map(|(flag, _)| (*flag).to_owned()).collect()
    }
}

impl RunSpec {
    /// Reads the competition that is named; or the one that lies beside the submissions, unless a
    /// game is named.
    ///
    /// # Errors
    /// When it is wrong, or two places have different ones.
    pub(crate) fn read_competition(&self) -> Result<Option<Loaded>, JudgeError> {
        if self.names_game() {
            return self.competition.read_named();
        }
        competition_beside(&self.places)
    }

    /// Changes the competition that was read, or the standard one of the game that is named or that
    /// submissions are for.
    ///
    /// # Errors
    /// When nothing tells the game, or a change is not allowed.
    pub(crate) fn change(
        &self,
        loaded: Option<Loaded>,
        submissions: &[Submission],
    ) -> Result<Loaded, JudgeError> {
        self.competition.change(loaded, submissions)
    }

    /// Returns whether the game is told without the submissions.
    pub(crate) const fn names_game(&self) -> bool {
        self.competition.names_game()
    }

    /// Lists the files and folders in which something changes where somebody submits something, or
    /// the competition changes.
    pub(crate) fn watched(&self) -> Vec<PathBuf> {
        let competition = self.competition.named.iter().map(PathBuf::from);
        let all = self.places.iter().chain(&self.roster).cloned();
        all.chain(competition).collect()
    }

    /// Checks that a machine is like those that the games of a run were played on.
    ///
    /// # Errors
    /// When it is not, and machines may not differ.
    pub(crate) fn admit_machine(
        &self,
        machine: &MachineLine,
        before: &MachineLines,
    ) -> Result<(), JudgeError> {
        let all = before.values().chain([machine]);
        let Some(unequal) = UnequalMachines::among(all).filter(|_| !self.mixed) else {
            return Ok(());
        };
        if UnequalMachines::among(before.values()).is_some() {
            return Ok(());
        }
        Err(JudgeError::input(format!(
            "this machine is not like those that the games of this run were played on: {}. Clocks would decide games \
             otherwise, and nothing is scaled; continue on such a machine, or accept it with --mixed, which the tables \
             and the page will say",
            unequal.words()
        )))
    }

    /// Makes the run's folder; returns its absolute path.
    ///
    /// # Errors
    /// When it cannot serve.
    pub fn folder(&self, rules: &dyn Rules) -> Result<PathBuf, JudgeError> {
        self.location().folder(rules)
    }

    /// Returns where the run is kept.
    pub(crate) fn location(&self) -> RunLocation<'_> {
        RunLocation {
            out: self.out.as_deref(),
            submissions: &self.places,
        }
    }
}
