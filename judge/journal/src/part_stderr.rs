//! The output of bots on standard error in one game, in a line of a part's journal that precedes
//! the game's line: `{"v":3,"wrote":"FIXTURE","stderr":["by seat",…],"turns":[[[turn,byte],…],…]}`.

use super::author_log::BYTES_PER_ENTRANT_MAX;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::iter;
use words::record::{self, MatchRecord};
use words::stderr::{Stderr, TurnMark};

/// The content of such a line.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StderrLine {
    v: u32,
    /// The fixture of the game.
    pub(super) wrote: String,
    /// By seat.
    stderr: Vec<String>,
    /// Where the output of each turn begins, by seat. Earlier judges did not write it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    turns: Vec<Vec<TurnMark>>,
}

impl StderrLine {
    /// Parses the content of a line.
    ///
    /// # Errors
    /// When it is not of this form.
    pub(super) fn read(content: &[u8]) -> Result<Self, serde_json::Error> {
        serde_json::from_slice(content)
    }

    /// Returns the bots' output, by seat.
    pub(super) fn by_seat(self) -> Vec<Stderr> {
        let turns = self.turns.into_iter().chain(iter::repeat(Vec::new()));
        let seats = self.stderr.into_iter().zip(turns);
        seats.map(|(text, turns)| Stderr { text, turns }).collect()
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
        let kept = record.seats.iter().zip(stderr).map(|(seat, text)| {
            let carried = self.0.entry(seat.entrant.clone()).or_default();
            if *carried >= BYTES_PER_ENTRANT_MAX {
                return Stderr::default();
            }
            *carried += text.text.len() as u64;
            text.clone()
        });
        let (stderr, turns) = kept.map(|wrote| (wrote.text, wrote.turns)).unzip();
        let content = StderrLine {
            v: record::VERSION,
            wrote: record.fixture.clone(),
            stderr,
            turns,
        };
        let is_something = content.stderr.iter().any(|text| !text.is_empty());
        is_something.then(|| serde_json::to_vec(&content).expect("plain data"))
    }
}
