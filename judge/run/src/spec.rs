//! What a run is to be, as plain data.

use crate::collected::Collected;
use crate::event::{Sink, stage};
use crate::location::RunLocation;
use crate::receipt_sources::ReceiptSources;
use crate::terms::{competition_beside, named_competition, told_game};
use crate::{places, watch_lock};
use competition::{Changes, Loaded};
use engines::Entry;
use error::JudgeError;
use intake::{Collected as Class, PolledRepositories, Submission};
use journal::{MachineLine, MachineLines, UnequalMachines};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::SystemTime;
use words::entrant::Roster;

/// What a run is to be. What is not said has the default of `judge run`.
#[derive(Clone, Debug)]
pub struct RunSpec {
    /// The judge's version, with the commit that it is built from.
    pub build: &'static str,
    /// What the run is for.
    pub kind: RunKind,
    /// Where the submissions are.
    pub places: Vec<PathBuf>,
    /// The list of people; else the one that lies beside the submissions.
    pub roster: Option<PathBuf>,
    /// Built-in bots that take part, with or without `builtin:`.
    pub builtins: Vec<String>,
    /// The run's folder; else one in `results`, named after the game and the places.
    pub out: Option<PathBuf>,
    /// The competition: a built-in one by its name, or a TOML file.
    pub competition: Option<String>,
    /// The game, where no competition is named.
    pub game: Option<&'static Entry>,
    /// What is changed in the competition.
    pub changes: Changes,
    /// How this machine plays.
    pub machine: MachineUse,
    /// Programs play that were submitted after games on this draw had been shown.
    pub on_shown_draw: bool,
    /// What bots may not reach besides the places and the run's folder.
    pub closed: Vec<PathBuf>,
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
    Corrected,
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
    /// Machines may differ in speed.
    pub mixed: bool,
}

impl MachineUse {
    /// Checks that a machine is like those that the games of a run were played on.
    ///
    /// # Errors
    /// When it is not, and machines may not differ.
    pub(crate) fn admit(
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

/// What is played, where it was not collected from the places: by a watch, which decides what is
/// taken, from two bots that are compared, or from an earlier run.
#[derive(Debug)]
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

impl RunSpec {
    /// Reads the submissions, who submitted them, and the competition.
    ///
    /// # Errors
    /// When one of them is wrong, or a watch goes on in the run's folder.
    pub fn collect(self, sink: &dyn Sink, stop: &AtomicBool) -> Result<Collected, JudgeError> {
        let received = SystemTime::now();
        let loaded = self.read_competition()?;
        // Before everything is fetched, where the submissions need not tell the game.
        if let Ok(changed) = self.change(loaded.clone(), &[]) {
            watch_lock::refuse_beside(&self.location().chosen(changed.entry))?;
        }
        let class = stage(sink, "reading the submissions", || {
            self.read_places(loaded.as_ref(), None, stop)
        })?;
        let loaded = self.change(loaded, &class.submissions)?;
        let (roster, sources) = self.read_roster(&class, &loaded, received)?;
        Ok(self.take(Given {
            loaded,
            class,
            roster,
            sources,
            received,
        }))
    }

    /// Takes what is given in the place of what lies in the places.
    pub fn take(self, given: Given) -> Collected {
        Collected::new(self, given)
    }

    /// Reads the competition that is named; or the one that lies beside the submissions, unless a
    /// game is named.
    ///
    /// # Errors
    /// When it is wrong, or two places have different ones.
    pub fn read_competition(&self) -> Result<Option<Loaded>, JudgeError> {
        match &self.competition {
            Some(name) => named_competition(name).map(Some),
            None if self.game.is_none() => competition_beside(&self.places),
            None => Ok(None),
        }
    }

    /// Changes the competition that was read, or the standard one of the game that is named or that
    /// submissions are for.
    ///
    /// # Errors
    /// When nothing tells the game, or a change is not allowed.
    pub fn change(
        &self,
        loaded: Option<Loaded>,
        submissions: &[Submission],
    ) -> Result<Loaded, JudgeError> {
        let mut loaded = match (loaded, self.game) {
            (Some(loaded), _) => loaded,
            (None, Some(entry)) => Loaded::standard(entry),
            (None, None) => Loaded::standard(told_game(submissions)?),
        };
        loaded.competition = self.changes.apply(loaded.entry, loaded.competition)?;
        Ok(loaded)
    }

    /// Returns whether the game is told without the submissions.
    pub const fn names_game(&self) -> bool {
        self.game.is_some() || self.competition.is_some()
    }

    /// Reads what lies in the places; `loaded` is the competition's file, and `polled` is as in
    /// [`intake::collect`].
    ///
    /// # Errors
    /// As there; and when two places have the same name, or each has a roster.
    pub fn read_places(
        &self,
        loaded: Option<&Loaded>,
        polled: Option<&Arc<PolledRepositories>>,
        stop: &AtomicBool,
    ) -> Result<Class, JudgeError> {
        let game = loaded.map(|loaded| loaded.entry).or(self.game);
        let location = self.location();
        let results = Some(location.results());
        let (mut class, rosters) = places::collect(&self.places, game, results, polled, stop)?;
        if self.roster.is_none() {
            class.roster = places::only_roster(rosters)?;
        }
        let course = loaded.map(|loaded| loaded.competition.kit.files.as_slice());
        let is_courses = |line: &String| {
            let mut own = course.unwrap_or_default().iter();
            own.any(|file| {
                line.strip_prefix(&file.name)
                    .is_some_and(|rest| rest.starts_with(" ("))
            })
        };
        class.ignored.retain(|line| !is_courses(line));
        Ok(class)
    }

    /// Returns where it is said who submitted what, if it is.
    pub fn roster_path<'a>(&'a self, class: &'a Class) -> Option<&'a Path> {
        let path = self.roster.as_ref().or(class.roster.as_ref());
        path.map(PathBuf::as_path)
    }

    /// Reads who submitted what, where there is a list.
    fn read_roster(
        &self,
        class: &Class,
        loaded: &Loaded,
        now: SystemTime,
    ) -> Result<(Option<Roster>, ReceiptSources), JudgeError> {
        let mut sources = ReceiptSources::of(loaded);
        let Some(path) = self.roster_path(class) else {
            return Ok((None, sources));
        };
        let around = (loaded.competition.deadline, loaded.zone);
        let read = crate::read_roster(path, around, &class.submissions, now)?;
        sources.roster = Some(path.to_owned());
        sources.times_at = read.times_at;
        Ok((Some(read.roster), sources))
    }

    /// Lists the files and folders in which something changes where somebody submits something, or
    /// the competition changes.
    pub fn watched(&self) -> Vec<PathBuf> {
        let competition = self.competition.iter().map(PathBuf::from);
        let all = self.places.iter().chain(&self.roster).cloned();
        all.chain(competition).collect()
    }

    /// Makes the run's folder; returns its absolute path.
    ///
    /// # Errors
    /// When it cannot serve.
    pub fn folder(&self, entry: &Entry) -> Result<PathBuf, JudgeError> {
        self.location().folder(entry)
    }

    /// Returns where the run is kept.
    pub(crate) fn location(&self) -> RunLocation<'_> {
        RunLocation {
            out: self.out.as_deref(),
            submissions: &self.places,
        }
    }
}
