//! The output of bots on standard error in one game, in a line of a part's journal that precedes
//! the game's line: `{"v":5,"wrote":"FIXTURE","stderr":["by seat",…],"turns":[[[turn,byte],…],…]}`, with `notes` by
//! seat if there are any.

use super::author_log::BYTES_PER_ENTRANT_MAX;
use model::FORMAT;
use model::game_id::GameId;
use model::note::Note;
use model::record::MatchRecord;
use model::stderr::{Stderr, TurnMark};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::iter;

/// The content of such a line.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StderrLine {
    v: u32,
    /// The fixture of the game.
    pub(super) wrote: GameId,
    /// By seat.
    stderr: Vec<String>,
    /// Where the output of each turn begins, by seat.
    turns: Vec<Vec<TurnMark>>,
    /// The bots' notes, by seat; empty if there are none at all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    notes: Vec<Vec<Note>>,
}

impl StderrLine {
    /// Parses the content of a line.
    pub(super) fn read(content: &[u8]) -> Result<Self, serde_json::Error> {
        serde_json::from_slice(content)
    }

    /// Returns the bots' output, by seat.
    pub(super) fn by_seat(self) -> Vec<Stderr> {
        let notes = self.notes.into_iter().chain(iter::repeat(Vec::new()));
        self.stderr
            .into_iter()
            .zip(self.turns)
            .zip(notes)
            .map(|((text, turns), notes)| Stderr { text, turns, notes })
            .collect()
    }
}

/// Amount of each entrant's output that a part has carried, in bytes. The run keeps only so much,
/// and more would just make the part's journal long.
#[derive(Debug, Default)]
pub(super) struct Carried(BTreeMap<String, u64>);

impl Carried {
    /// Returns the line with the output of a game's bots, by seat; none if there is nothing to
    /// carry.
    pub(super) fn content(&mut self, record: &MatchRecord, stderr: &[Stderr]) -> Option<Vec<u8>> {
        let kept: Vec<Stderr> = record
            .seats
            .iter()
            .zip(stderr)
            .map(|(seat, text)| {
                let carried = self.0.entry(seat.entrant.clone()).or_default();
                if *carried >= BYTES_PER_ENTRANT_MAX {
                    return Stderr::default();
                }
                let notes: usize = text.notes.iter().map(Note::bytes).sum();
                *carried += (text.text.len() + notes) as u64;
                text.clone()
            })
            .collect();
        let says = kept.iter().any(|wrote| !wrote.notes.is_empty());
        let (mut stderr, mut turns, mut notes) = (Vec::new(), Vec::new(), Vec::new());
        for wrote in kept {
            stderr.push(wrote.text);
            turns.push(wrote.turns);
            notes.push(wrote.notes);
        }
        let content = StderrLine {
            v: FORMAT,
            wrote: record.fixture,
            stderr,
            turns,
            notes: if says { notes } else { Vec::new() },
        };
        let is_something = says || content.stderr.iter().any(|text| !text.is_empty());
        is_something.then(|| serde_json::to_vec(&content).expect("plain data"))
    }
}
