//! A tournament that can be played.
use super::run_folder::Traces;
use super::run_tell::Unclaimed;
use error::JudgeError;
use journal::manifest::Manifest;
use journal::{Journal, Keys, MachineLine};
use play::worker::Order;
use sandbox::{Isolation, OpenRunCgroups};
use std::collections::HashSet;
use std::path::PathBuf;
use words::artifact::Artifact;
use words::competition::Competition;
use words::entrant::Entrant;
use words::fixture::Fixture;
use words::slurm::SlurmSettings;

/// A tournament that can be played: everything is built and checked.
pub(super) struct Prepared {
    /// The run's folder, absolute. It is locked as long as the journal is open.
    pub(super) folder: PathBuf,
    /// What goes when this is dropped; nothing for a run.
    pub(super) traces: Option<Traces>,
    pub(super) journal: Journal,
    pub(super) keys: Keys,
    /// Not written yet.
    pub(super) manifest: Manifest,
    pub(super) roles: &'static [&'static str],
    /// The ids of all games, in the order that numbers them: by the entrants' names.
    pub(super) games: Vec<String>,
    /// Every game, in the order of play, which tells nothing of names: what bots write for their
    /// authors stands in that order.
    pub(super) fixtures: Vec<Fixture>,
    pub(super) entrants: Vec<Entrant>,
    pub(super) unclaimed: Unclaimed,
    pub(super) slurm: SlurmSettings,
    /// Why there is nothing to play yet, in a watch.
    pub(super) lacks: Option<JudgeError>,
    pub(super) artifacts: Vec<Artifact>,
    pub(super) isolation: Isolation,
    pub(super) run_cgroups: Option<OpenRunCgroups>,
    /// How programs are shut in and started, in lines for people.
    pub(super) machinery: Vec<String>,
}

impl Prepared {
    pub(super) const fn competition(&self) -> &Competition {
        &self.manifest.competition
    }

    /// Returns what workers are told first.
    pub(super) fn order(&self) -> Order {
        Order {
            conditions: self.competition().conditions.clone(),
            artifacts: self.artifacts.clone(),
            pin: None,
            isolation: self.isolation.clone(),
            run_cgroups: self
                .run_cgroups
                .as_ref()
                .map(OpenRunCgroups::run_cgroups)
                .cloned(),
        }
    }

    /// Returns what the journal tells of this machine, as one that plays now.
    ///
    /// # Errors
    /// When the machine's clock cannot be read.
    pub(super) fn machine_line(&self) -> Result<Option<MachineLine>, JudgeError> {
        let machine = self.manifest.machine.clone();
        let conditions = &self.competition().conditions;
        let line = |machine| {
            let calibration_us = play::calibrate()?;
            Ok(MachineLine::look(
                crate::BUILD,
                machine,
                calibration_us,
                conditions,
                None,
            ))
        };
        machine.map(line).transpose()
    }

    /// Returns how programs are shut in here.
    pub(super) const fn isolation(&self) -> &Isolation {
        &self.isolation
    }

    /// Returns what the entrants play with.
    pub(super) fn artifacts(&self) -> &[Artifact] {
        &self.artifacts
    }

    /// Says so where all initial states are the same.
    pub(super) fn note_on_states(&self) -> Option<String> {
        let states = self.competition().states;
        let setups: HashSet<&str> = self.fixtures.iter().map(|f| f.setup.get()).collect();
        (setups.len() == 1 && states > 1).then(|| {
            format!(
                "note: all {states} initial states are the same, so deterministic bots only repeat \
                 the same games (protocol.md lists the game's settings for --set)"
            )
        })
    }
}
