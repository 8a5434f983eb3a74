//! A run with a list of games: everything that can be played is built and checked.

use crate::built::Built;
use crate::event::{RunEvent, Sink, stage};
use crate::lineup::{clocks_are_of, lineup};
use crate::play::worker::Order;
use crate::shown_draw;
use crate::spec::{RunKind, RunSpec};
use crate::traces::Traces;
use crate::trial::{Trial, TrialPlan};
use intake::people::Claims;
use model::artifact::Artifact;
use model::competition::Competition;
use model::competition::SlurmSettings;
use model::entrant::{Contestant, Entrant};
use model::fixture::{Conditions, Fixture, Participant};
use model::game_id::GameId;
use model::text::listed;
use report::PlayedRun;
use rulebook::JudgeError;
use rulebook::schedule;
use sandbox::{Isolation, OpenRunCgroups};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use store::manifest::{Machine, Manifest};
use store::names::guess_warning;
use store::{Journal, Keys, Moment};

/// A run with a list of games.
pub struct Scheduled {
    /// Removes the files of a trial that never becomes a run; `None` for a run.
    pub(crate) traces: Option<Traces>,
    /// Locks the folder while it is open.
    pub(crate) journal: Journal,
    pub(crate) keys: Keys,
    /// Not written yet.
    pub(crate) manifest: Manifest,
    /// Absolute path of the run's folder.
    pub(crate) folder: PathBuf,
    pub(crate) roles: &'static [&'static str],
    /// The ids of all games, in the order that numbers them: by the entrants' names.
    pub(crate) ids: Vec<GameId>,
    /// Every game, in the order of play. The bots' output for their authors is kept in this order,
    /// so the order reveals nothing about names.
    pub(crate) fixtures: Vec<Fixture>,
    pub(crate) entrants: Vec<Entrant>,
    /// All contestants, with the bot in seats that nobody else takes.
    pub(crate) sitting: Vec<Contestant>,
    pub(crate) claims: Claims,
    pub(crate) slurm: SlurmSettings,
    pub(crate) lacks: Option<JudgeError>,
    pub(crate) isolation: Isolation,
    pub(crate) run_cgroups: Option<OpenRunCgroups>,
    pub(crate) spec: RunSpec,
}

/// Memory of a game that is played, in bytes, besides what tables need: the fixture and its place in
/// the queue, and its number by its id.
const GAME_BYTES: usize = size_of::<Fixture>() + size_of::<&Fixture>() + size_of::<(GameId, u32)>();

impl Scheduled {
    /// Returns the run's folder, an absolute path.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the run's journal. It locks the folder.
    pub const fn journal(&self) -> &Journal {
        &self.journal
    }

    /// Returns the run's keys.
    pub const fn keys(&self) -> &Keys {
        &self.keys
    }

    /// Returns the sources of reports.
    pub(crate) fn as_played(&self) -> PlayedRun<'_> {
        PlayedRun {
            folder: &self.folder,
            manifest: &self.manifest,
            ids: &self.ids,
            games: self.journal.games(),
            keys: &self.keys,
        }
    }

    /// Notes a moment of the run in the journal.
    pub(crate) fn note_moment(&mut self, moment: &Moment) -> Result<(), JudgeError> {
        self.journal.append_moment(moment)?;
        self.journal.note_end()?;
        self.journal.sync()
    }

    /// Notes that games of this run are shown from now on, before they are.
    pub(crate) fn mark_shown(&mut self) -> Result<(), JudgeError> {
        shown_draw::mark_shown_alone(&self.folder, &self.manifest, &mut self.keys).map(|_| ())
    }

    /// Returns the manifest.
    pub const fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Returns the competition.
    pub const fn competition(&self) -> &Competition {
        &self.manifest.competition
    }

    /// Returns the names of the seats, in order.
    pub const fn roles(&self) -> &'static [&'static str] {
        self.roles
    }

    /// Returns the memory that its games take while they are played, in bytes, besides what tables
    /// need.
    pub const fn games_bytes(&self) -> u64 {
        (self.fixtures.len() * GAME_BYTES) as u64
    }

    /// Returns the ids of all games, in the order that numbers them.
    pub fn ids(&self) -> &[GameId] {
        &self.ids
    }

    /// Returns every game, in the order of play.
    pub fn fixtures(&self) -> &[Fixture] {
        &self.fixtures
    }

    /// Returns all entrants, by name.
    pub fn entrants(&self) -> &[Entrant] {
        &self.entrants
    }

    /// Returns whether everything in the run's folder is removed afterwards, except programs.
    pub const fn goes_again(&self) -> bool {
        self.traces.is_some()
    }

    /// Returns the specification of the run.
    pub const fn spec(&self) -> &RunSpec {
        &self.spec
    }

    /// Returns the programs of the players, and of the game if it has one.
    pub(crate) fn artifacts(&self) -> Vec<Artifact> {
        let rules = rulebook::rules::of(&self.competition().conditions).ok();
        let game = rules.and_then(|rules| rules.program().cloned());
        self.sitting
            .iter()
            .map(|one| one.artifact.clone())
            .chain(game)
            .collect()
    }

    /// Returns the first message to workers.
    pub(crate) fn order(&self) -> Order {
        Order {
            conditions: self.competition().conditions.clone(),
            artifacts: self.artifacts(),
            pin: None,
            isolation: self.isolation.clone(),
            run_cgroups: self
                .run_cgroups
                .as_ref()
                .map(OpenRunCgroups::run_cgroups)
                .cloned(),
        }
    }

    /// Plays trial games, some of the missing ones, for at most `time_max` of wall time. `stop`
    /// ends the trial early, and is not changed. Trial games are neither scored nor kept.
    pub fn try_out(
        &self,
        missing: &[&Fixture],
        time_max: Duration,
        stop: &Arc<AtomicBool>,
    ) -> Result<Trial, JudgeError> {
        let plan = TrialPlan {
            order: self.order(),
            pin: self.spec.machine.pins,
            jobs: self.spec.machine.jobs,
            time_max,
            seed: self.manifest.draw.resamples,
        };
        plan.play(missing, stop)
    }

    /// Returns lines that describe how programs are sandboxed and started.
    pub fn machinery(&self) -> Vec<String> {
        let conditions = &self.competition().conditions;
        machinery(&self.isolation, conditions, &self.sitting)
    }

    /// Returns a note if all initial states are the same.
    pub fn note_on_states(&self) -> Option<String> {
        let states = self.competition().states;
        let setups: HashSet<&str> = self.fixtures.iter().map(|f| f.setup.get()).collect();
        (setups.len() == 1 && states > 1).then(|| {
            format!(
                "note: all {states} initial states are the same, so deterministic bots only repeat \
                 the same games (--set changes the game's settings, which judge competition GAME lists under [config])"
            )
        })
    }
}

impl Built {
    /// Lists the games.
    pub fn schedule(self, sink: &dyn Sink) -> Result<Scheduled, JudgeError> {
        let Self {
            traces,
            journal,
            keys,
            spec,
            rules,
            competition,
            slurm,
            toolchains,
            closes,
            folder,
            entrants,
            claims,
            has_begun,
            isolation,
            run_cgroups,
        } = self;
        let mut traces = traces;
        let roles = schedule::roles(&competition)?;
        // In a watch, the entrant may still come.
        if spec.kind != RunKind::Watched {
            clocks_are_of(&competition, &entrants)?;
        }
        let lineup = lineup(
            &*rules,
            &competition,
            &entrants,
            roles.len(),
            (&folder, has_begun),
            sink,
        );
        let ((contestants, filler), lacks) = match lineup {
            Ok(lineup) => (lineup, None),
            // Others may come.
            Err(lacks @ JudgeError::Input(_)) if spec.kind == RunKind::Watched => {
                ((Vec::new(), None), Some(lacks))
            }
            Err(error) => return Err(error),
        };
        let machine = Machine::look(spec.machine.pins, isolation.confinement());
        let mut manifest = Manifest::new(spec.build, competition, &keys, &entrants, machine);
        shown_draw::mark_late(&keys, &mut manifest, spec.on_shown_draw)?;
        manifest.closes = closes;
        manifest.toolchain_folders = toolchains;
        sink.take(RunEvent::Detail(&manifest.draw.words()));
        if let Some(warning) = isolation.warning() {
            sink.take(RunEvent::Note(&warning));
        }
        let warning = guess_warning(&manifest).filter(|_| spec.kind != RunKind::Compared);
        if let Some(warning) = warning {
            sink.take(RunEvent::Note(&warning));
        }
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
            claims,
            slurm,
            lacks,
            isolation,
            run_cgroups,
            spec,
        })
    }
}

/// Lists the ids of all games in the order that numbers them, and the games in the order of play.
fn games(
    manifest: &Manifest,
    keys: &Keys,
    contestants: &[Contestant],
) -> Result<(Vec<GameId>, Vec<Fixture>), JudgeError> {
    let (competition, filler) = (&manifest.competition, manifest.filler.as_ref());
    let draw = keys.draw(competition);
    let mut participants: Vec<Participant> =
        contestants.iter().map(Contestant::participant).collect();
    let numbered = schedule::ids(competition, &draw, &participants, filler)?;
    participants.sort_by_cached_key(|one| keys.opaque_number(&one.entrant));
    let mut played = schedule::fixtures(competition, &draw, &participants, filler)?;
    schedule::number(&mut played, &numbered);
    Ok((numbered, played))
}

/// Returns lines that describe how programs are sandboxed and started.
fn machinery(
    isolation: &Isolation,
    conditions: &Conditions,
    contestants: &[Contestant],
) -> Vec<String> {
    vec![
        isolation.announce(conditions.processes),
        isolation.announce_channels(),
        starts(isolation, conditions, contestants),
    ]
}

/// Returns how programs start, and how much of a start is free.
fn starts(isolation: &Isolation, conditions: &Conditions, contestants: &[Contestant]) -> String {
    let roads = roads(isolation, conditions.processes, contestants);
    match conditions.startup_words() {
        Some(words) => format!("{roads}; {words}"),
        None => roads,
    }
}

fn roads(isolation: &Isolation, processes: bool, contestants: &[Contestant]) -> String {
    if !isolation.starts_warm() || processes {
        return "starts: each in a new sandbox; the results are the same, and starts take longer"
            .to_owned();
    }
    let (forked, executed): (Vec<_>, Vec<_>) = contestants
        .iter()
        .partition(|contestant| contestant.artifact.forks);
    let roads = [
        ("as copies of a loaded program", forked),
        ("from their files", executed),
    ]
    .into_iter()
    .filter(|(_, names)| !names.is_empty())
    .map(|(road, names)| {
        let names: Vec<&str> = names.iter().map(|contestant| &*contestant.name).collect();
        format!("{road}: {}", listed(&names))
    });
    format!(
        "starts: in sandboxes that stay ready (warm cages), {}",
        roads.collect::<Vec<_>>().join("; ")
    )
}
