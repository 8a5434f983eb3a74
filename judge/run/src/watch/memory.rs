//! The memory of a watch between scans and processes, besides the games.

use crate::tournament::EndedBots;
use jiff::Timestamp;
use model::competition::WatchSettings;
use rulebook::JudgeError;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use system::files::{if_there, make_private_folder, read_regular, write_whole};
use system::run_folder::STAFF;

const FILE_NAME: &str = "watch.json";

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Memory {
    pub(super) round_began: Timestamp,
    pub(super) rounds_gone: u32,
    /// The last time of play whose games have all been played.
    pub(super) played_until: Timestamp,
    pub(super) frozen: Option<Timestamp>,
    pub(super) last_round_began: Option<Timestamp>,
    /// The end of submissions by the last reading; `None` if nothing has been read.
    pub(super) closing: Option<KnownClosing>,
    /// Whether all submissions of the last round have been taken, so that nothing more is.
    pub(super) last_taken: bool,
    /// The ended bots of the last round that was played.
    pub(super) ended: Option<EndedInRound>,
}

/// A new version does not begin again with 0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EndedInRound {
    round: String,
    bots: BTreeMap<String, u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct KnownClosing {
    /// The time; `None` if there is no end.
    pub(super) closes: Option<Timestamp>,
    /// When an edit that set it was first seen; `None` if it held from the beginning.
    pub(super) edited: Option<Timestamp>,
}

impl Memory {
    /// Begins at a time: the first games wait for the next time of play.
    pub(super) fn begin(now: Timestamp, settings: &WatchSettings) -> Self {
        Self {
            round_began: now,
            rounds_gone: 0,
            played_until: settings.every.since(now).unwrap_or(now),
            frozen: None,
            last_round_began: None,
            closing: None,
            last_taken: false,
            ended: None,
        }
    }

    pub(super) fn ended_in(&self, round: &str) -> EndedBots {
        let ended = self.ended.as_ref().filter(|ended| ended.round == round);
        ended.map_or_else(EndedBots::default, |ended| EndedBots::new(&ended.bots))
    }

    pub(super) fn note_ended(&mut self, round: &str, ended: &EndedBots) {
        let (round, bots) = (round.to_owned(), ended.counts());
        self.ended = (!bots.is_empty()).then_some(EndedInRound { round, bots });
    }

    pub(super) fn find(run: &Path) -> Result<Option<Self>, JudgeError> {
        let path = run.join(STAFF).join(FILE_NAME);
        let text = if_there(read_regular(&path)).map_err(|e| JudgeError::io("read", &path, e))?;
        let Some(text) = text else {
            return Ok(None);
        };
        serde_json::from_slice(&text).map(Some).map_err(|error| {
            JudgeError::input(format!(
                "{} is damaged ({error}). It says which rounds are over and what is frozen; restore it from a backup, \
                 or remove it to begin again with the first round",
                path.display()
            ))
        })
    }

    pub(super) fn forget(run: &Path) -> Result<(), JudgeError> {
        let path = run.join(STAFF).join(FILE_NAME);
        let removed = if_there(fs::remove_file(&path));
        removed
            .map(drop)
            .map_err(|e| JudgeError::io("remove", path, e))
    }

    pub(super) fn write(&self, run: &Path) -> Result<(), JudgeError> {
        let staff = run.join(STAFF);
        make_private_folder(&staff)?;
        let mut text = serde_json::to_vec_pretty(self).expect("plain data");
        text.push(b'\n');
        write_whole(&staff.join(FILE_NAME), &text)
    }
}
