//! `latest.json`: what an open page asks for to learn whether there is a newer one in its place.
//! It lies beside the page and is not among the sums, because it may change by itself.

use jiff::Timestamp;
use journal::manifest::EntrantLine;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use words::fault::quote;
use words::hash::hexadecimal;

/// The file's name.
pub const LATEST_NAME: &str = "latest.json";

/// What the page in a folder is of.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Latest {
    /// When it was made; nothing where there is no page yet.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub made: String,
    /// What tells it from others.
    pub digest: String,
    /// The round.
    pub round: String,
    /// How many games have been played.
    pub played: usize,
    /// How many there are.
    pub of: usize,
    /// What was submitted last, in the folder of a student.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub submission: Option<LatestSubmission>,
}

/// What a student submitted last, and whether it can play. Nothing here tells of games.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LatestSubmission {
    /// Which version plays, or came last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<usize>,
    /// When that was received.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub received: Option<Timestamp>,
    /// Something of this entrant plays.
    pub plays: bool,
    /// Why what came last does not play.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl Latest {
    /// Returns the file's content.
    pub fn text(&self) -> Vec<u8> {
        let mut text = serde_json::to_vec(self).expect("plain data");
        text.push(b'\n');
        text
    }

    /// Reads a file; none where it is no such one.
    pub fn read(text: &[u8]) -> Option<Self> {
        serde_json::from_slice(text).ok()
    }
}

impl LatestSubmission {
    /// Says what is known of an entrant's submission before it has played.
    pub fn of(line: &EntrantLine) -> Self {
        Self {
            version: line.version,
            received: line.timing.map(|timing| timing.received),
            plays: line.artifact.is_some(),
            reason: line
                .broken
                .as_ref()
                .or(line.replaced.as_ref())
                .map(|reason| quote(reason.as_bytes())),
        }
    }
}

/// Makes the name of what a page is made from, part by part.
#[derive(Clone, Debug, Default)]
pub(super) struct PageDigest(Sha256);

impl PageDigest {
    /// Adds a part.
    pub(super) fn add(&mut self, part: &[u8]) {
        self.0.update((part.len() as u64).to_be_bytes());
        self.0.update(part);
    }

    /// Returns 32 hexadecimal digits.
    pub(super) fn text(self) -> String {
        let mut text = hexadecimal(&self.0.finalize());
        text.truncate(32);
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_nothing_else() {
        let latest = Latest {
            digest: "d".to_owned(),
            submission: Some(LatestSubmission {
                version: Some(2),
                received: Some(Timestamp::UNIX_EPOCH),
                plays: false,
                reason: Some("it \"does\" not build".to_owned()),
            }),
            ..Latest::default()
        };
        assert_eq!(Latest::read(&latest.text()), Some(latest));
        assert_eq!(Latest::read(b"<html>"), None);
    }

    #[test]
    fn parts_cannot_be_shifted_into_each_other() {
        let digest = |parts: &[&[u8]]| {
            let mut digest = PageDigest::default();
            for part in parts {
                digest.add(part);
            }
            digest.text()
        };
        assert_ne!(digest(&[b"ab", b"c"]), digest(&[b"a", b"bc"]));
    }
}
