//! What bots wrote on standard error in one game, as the journal of a part carries it to the run:
//! a line before that of the game, `{"v":3,"wrote":"FIXTURE","stderr":["by seat",…]}`.

use super::author_log::BYTES_PER_ENTRANT_MAX;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use words::record::{self, MatchRecord};

/// The content of such a line.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Written {
    v: u32,
    /// The fixture of the game.
    pub(super) wrote: String,
    /// By seat.
    pub(super) stderr: Vec<String>,
}

impl Written {
    /// Reads the content of a line.
    ///
    /// # Errors
    /// When it says nothing of the kind.
    pub(super) fn read(content: &[u8]) -> Result<Self, serde_json::Error> {
        serde_json::from_slice(content)
    }
}

/// How much of each entrant's words a part has carried, in bytes: more than the run keeps would
/// only make its journal long.
#[derive(Debug, Default)]
pub(super) struct Carried(BTreeMap<String, u64>);

impl Carried {
    /// Makes the line of what the bots of a game wrote, by seat; none where there is nothing to
    /// carry.
    pub(super) fn content(&mut self, record: &MatchRecord, stderr: &[String]) -> Option<Vec<u8>> {
        let kept = record.seats.iter().zip(stderr).map(|(seat, text)| {
            let carried = self.0.entry(seat.entrant.clone()).or_default();
            if *carried >= BYTES_PER_ENTRANT_MAX {
                return String::new();
            }
            *carried += text.len() as u64;
            text.clone()
        });
        let stderr: Vec<String> = kept.collect();
        let content = Written {
            v: record::VERSION,
            wrote: record.fixture.clone(),
            stderr,
        };
        let is_something = content.stderr.iter().any(|text| !text.is_empty());
        is_something.then(|| serde_json::to_vec(&content).expect("plain data"))
    }
}
