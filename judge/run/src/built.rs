//! Everybody who entered, built: who plays whom is not known yet.

use crate::event::{RunEvent, Sink, stage};
use crate::lineup::Lineup;
use crate::scheduled::Scheduled;
use crate::shown_draw;
use crate::spec::{RunKind, RunSpec};
use crate::traces::Traces;
use competition::schedule;
use engines::Entry;
use error::JudgeError;
use jiff::Timestamp;
use journal::manifest::{Machine, Manifest};
use journal::{Journal, Keys};
use sandbox::{Isolation, OpenRunCgroups};
use std::collections::BTreeMap;
use std::path::PathBuf;
use words::builtin::is_builtin;
use words::competition::Competition;
use words::entrant::{Contestant, Entrant, Roster};
use words::fixture::{Fixture, Participant};
use words::slurm::SlurmSettings;

/// Everybody who entered, built as far as they can be.
pub struct Built {
    /// What goes where nothing comes of the run. Dropped before the journal, which has the lock.
    pub(crate) traces: Option<Traces>,
    pub(crate) journal: Journal,
    pub(crate) keys: Keys,
    pub(crate) spec: RunSpec,
    pub(crate) entry: &'static Entry,
    pub(crate) competition: Competition,
    pub(crate) slurm: SlurmSettings,
    /// Folders of programs that the competition names.
    pub(crate) toolchains: BTreeMap<String, String>,
    pub(crate) closes: Option<Timestamp>,
    /// Absolute.
    pub(crate) folder: PathBuf,
    pub(crate) entrants: Vec<Entrant>,
    pub(crate) unclaimed: Unclaimed,
    pub(crate) has_begun: bool,
    pub(crate) isolation: Isolation,
    pub(crate) run_cgroups: Option<OpenRunCgroups>,
}

/// Whom a roster does not know, and who behind others is in doubt.
#[derive(Debug, Default)]
pub struct Unclaimed {
    /// Entrants whom it does not know.
    pub names: Vec<String>,
    /// Doubts, each in words.
    pub doubts: Vec<String>,
}

impl Unclaimed {
    pub(crate) fn of(roster: &Roster, doubts: &[String], entrants: &[Entrant]) -> Self {
        let names = roster.unclaimed(entrants).into_iter();
        let names = names.filter(|name| !is_builtin(name));
        let doubts = doubts.iter().map(|doubt| format!("roster: {doubt}"));
        Self {
            names: names.map(str::to_owned).collect(),
            doubts: doubts.collect(),
        }
    }
}

impl Built {
    /// Lists everybody, by name.
    pub fn entrants(&self) -> &[Entrant] {
        &self.entrants
    }

    /// Lists the games.
    ///
    /// # Errors
    /// When there are not enough who can play, unless the run is watched; or somebody submitted
    /// after the draw was shown.
    pub fn schedule(self, sink: &dyn Sink) -> Result<Scheduled, JudgeError> {
        let Self {
            traces,
            journal,
            keys,
            spec,
            entry,
            competition,
            slurm,
            toolchains,
            closes,
            folder,
            entrants,
            unclaimed,
            has_begun,
            isolation,
            run_cgroups,
        } = self;
        let mut traces = traces;
        let roles = schedule::roles(&competition)?;
        let lineup = Lineup::of(entry, &competition, &entrants, roles.len());
        let (lineup, lacks) = or_lacking(lineup, spec.kind)?;
        let filler = lineup.filler(entry, &folder, has_begun, sink)?;
        let contestants = lineup.contestants;
        let machine = Machine::look(spec.machine.pins, isolation.confinement());
        let mut manifest = Manifest::new(spec.build, competition, &keys, &entrants, machine);
        shown_draw::mark_late(&keys, &mut manifest, spec.on_shown_draw)?;
        manifest.closes = closes;
        manifest.toolchain_folders = toolchains;
        sink.take(RunEvent::Note(&manifest.draw.words()));
        manifest.submissions = spec.location().submissions_name();
        manifest.filler = filler.as_ref().map(Contestant::participant);
        let (ids, fixtures) = stage(sink, "listing the games", || match lacks {
            None => games(&manifest, &keys, &contestants),
            Some(_) => Ok(Default::default()),
        })?;
        if spec.kind != RunKind::TriedOut {
            traces.take().into_iter().for_each(Traces::keep);
        }
        Ok(Scheduled {
            traces: traces.filter(Traces::is_all),
            journal,
            keys,
            manifest,
            folder,
            roles,
            ids,
            fixtures,
            entrants,
            sitting: contestants.into_iter().chain(filler).collect(),
            unclaimed,
            slurm,
            lacks,
            isolation,
            run_cgroups,
            spec,
        })
    }
}

/// Returns who plays; in a run that goes on nobody, and what lacks, as long as there are not enough.
fn or_lacking(
    lineup: Result<Lineup, JudgeError>,
    kind: RunKind,
) -> Result<(Lineup, Option<JudgeError>), JudgeError> {
    match lineup {
        Err(lacks @ JudgeError::Input(_)) if kind == RunKind::Watched => {
            Ok((Lineup::nobody(), Some(lacks)))
        }
        lineup => Ok((lineup?, None)),
    }
}

/// Lists the ids of all games in the order that numbers them, and the games in the order of play.
fn games(
    manifest: &Manifest,
    keys: &Keys,
    contestants: &[Contestant],
) -> Result<(Vec<String>, Vec<Fixture>), JudgeError> {
    let (competition, filler) = (&manifest.competition, manifest.filler.as_ref());
    let draw = keys.draw(competition);
    let mut participants: Vec<Participant> =
        contestants.iter().map(Contestant::participant).collect();
    let numbered = schedule::ids(competition, &draw, &participants, filler)?;
    participants.sort_by_cached_key(|one| keys.opaque_number(&one.entrant));
    let played = schedule::fixtures(competition, &draw, &participants, filler)?;
    Ok((numbered, played))
}
