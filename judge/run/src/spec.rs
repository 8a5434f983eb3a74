//! The specification of a run, as plain data.

use crate::permissions::Staff;
use crate::terms::{CompetitionSpec, competition_beside};
use intake::{ProgramCache, Submission};
use model::competition::FILE_NAME;
use rulebook::JudgeError;
use rulebook::Loaded;
use std::path::PathBuf;
use store::{MachineLine, MachineLines, UnequalMachines};

/// The specification of a run.
#[derive(Clone, Debug, Default)]
pub struct RunSpec {
    /// The judge's version, with the commit that it is built from.
    pub build: &'static str,
    /// The purpose of the run.
    pub kind: RunKind,
    /// The places of the submissions.
    pub places: Vec<PathBuf>,
    /// The places of the pool that the submissions play against, and not each other.
    pub pool_places: Vec<PathBuf>,
    /// The built-in bots of the pool, by names with `builtin:`.
    pub pool_builtins: Vec<String>,
    /// The roster; by default the one next to the submissions.
    pub roster: Option<PathBuf>,
    /// Built-in bots that take part, with or without `builtin:`.
    pub builtins: Vec<String>,
    /// The run's folder; by default one in `results`, named after the game and the places.
    pub out: Option<PathBuf>,
    /// The competition; by default the one next to the submissions, or the game's standard one.
    pub competition: CompetitionSpec,
    /// How this machine plays.
    pub machine: MachineUse,
    /// Whether games count although this machine is not like those of the other games.
    pub mixed: bool,
    /// Whether programs may play that were submitted after games on this draw had been shown.
    pub on_shown_draw: bool,
    /// Paths that bots may not reach, besides the places and the run's folder.
    pub closed: Vec<PathBuf>,
}

/// The purpose of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RunKind {
    /// Play it and keep everything.
    #[default]
    Played,
    /// Compare bots, and publish nothing; otherwise as `Played`.
    Compared,
    /// Continue while submissions arrive, under the watch's own lock, perhaps without entrants.
    /// Failed builds are not started again; otherwise, staff may have changed the machine.
    Watched,
    /// Play trial games. If there is no run yet, only the programs are kept for it.
    TriedOut,
    /// Continue in a folder made from another run, whose programs and charges it keeps.
    FromPast,
}

/// How this machine plays.
#[derive(Clone, Debug, Default)]
pub struct MachineUse {
    /// Number of games played at once, and of submissions built at once.
    pub jobs: usize,
    /// Whether each worker and its bots are bound to a CPU of their own.
    pub pins: bool,
    /// Whether strangers' programs run although the machine isolates them weakly.
    pub weak_isolation: bool,
    /// Whether each process starts in a new sandbox.
    pub cold: bool,
    /// Programs that were built before; `None` if every build is started.
    pub cache: Option<ProgramCache>,
}

impl MachineUse {
    pub(crate) fn flags(&self) -> Vec<String> {
        let flags = [
            ("--no-pin", !self.pins),
            ("--weak-isolation", self.weak_isolation),
            ("--cold", self.cold),
        ];
        flags
            .iter()
            .filter(|(_, is_set)| *is_set)
            .map(|(flag, _)| (*flag).to_owned())
            .collect()
    }
}

impl RunSpec {
    /// All but a match, and a run of bots that are named one by one.
    pub(crate) fn has_strangers(&self) -> bool {
        let game = self.competition.game.as_ref();
        match self.kind {
            RunKind::Compared => false,
            RunKind::Played | RunKind::TriedOut => {
                !(self.places.iter()).all(|place| intake::is_single(place, game))
            }
            RunKind::Watched | RunKind::FromPast => true,
        }
    }

    pub(crate) fn all_places(&self) -> Vec<PathBuf> {
        [&*self.places, &*self.pool_places].concat()
    }

    pub(crate) fn staff(&self) -> Staff {
        Staff::of(&self.all_places())
    }

    pub(crate) fn read_competition(&self) -> Result<Option<Loaded>, JudgeError> {
        let staff = self.staff();
        if self.names_game() {
            let mut file = self.competition.named.iter();
            file.try_for_each(|file| staff.admit(file.as_ref()))?;
            return self.competition.read_named();
        }
        let mut files = self.places.iter().map(|place| place.join(FILE_NAME));
        files.try_for_each(|file| staff.admit(&file))?;
        competition_beside(&self.places)
    }

    /// Or to the standard one of the named game or of the submissions' game.
    pub(crate) fn change(
        &self,
        loaded: Option<Loaded>,
        submissions: &[Submission],
    ) -> Result<Loaded, JudgeError> {
        let changed = (self.competition).change(loaded, submissions, &self.all_places())?;
        if let Some(place) = changed.rules.place() {
            self.staff().admit_game(place)?;
        }
        Ok(changed)
    }

    pub(crate) const fn names_game(&self) -> bool {
        self.competition.names_game()
    }

    pub(crate) fn admit_places(&self) -> Result<(), JudgeError> {
        let staff = self.staff();
        let all = self.all_places();
        all.iter().try_for_each(|place| staff.admit_place(place))
    }

    /// They change with a new submission or a change of the competition.
    pub(crate) fn watched(&self) -> Vec<PathBuf> {
        let competition = self.competition.named.iter().map(PathBuf::from);
        self.all_places()
            .into_iter()
            .chain(self.roster.clone())
            .chain(competition)
            .collect()
    }

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
            "the games of this run were played on machines of a different speed than this one: {}. Clocks would \
             decide games differently, and judge scales no times; continue on a machine like those, or accept the \
             difference with --mixed, which tables and page will state",
            unequal.words()
        )))
    }
}
