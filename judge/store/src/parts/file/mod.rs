//! The format of a part file. A line with the format and the judge that wrote it comes first, then a
//! line with everything but the games, and a line for each game. The programs follow as zips, and last the SHA-256 of all that.

mod read;
#[cfg(test)]
mod tests;
mod write;

pub use self::read::Part;
pub use self::write::{PartPlan, PartWriter};

use super::programs::{ProgramFolder, Programs};
use model::artifact::Artifact;
use model::draw::Secret;
use model::fixture::Conditions;
use model::hash::hash;
use model::toolchain::READ;
use rulebook::JudgeError;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Start of a part file; [`model::FORMAT`] follows, and the version and build of the program.
const MAGIC: &str = "judge part ";

/// Length of the final SHA-256, in digits.
const SUM_DIGITS: usize = 64;

/// Everything but the games and the programs.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    /// The part's id: a hash of its content.
    id: String,
    /// The key that signs its journal; it follows from the run's key and `id`.
    key: Secret,
    content: Content,
}

/// The content from which, with its games, the id of a part is hashed.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Content {
    /// See `GameInfo::rules_version`.
    rules: u32,
    /// [`Keys::fingerprint`] of the run.
    run: String,
    number: usize,
    of: usize,
    games: usize,
    conditions: Conditions,
    /// See [`PartPlan::toolchains`].
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    toolchains: BTreeMap<String, String>,
    artifacts: Vec<Artifact>,
    folders: Vec<ProgramFolder>,
    programs: Programs,
}

impl Content {
    /// Refuses games whose competition opens files to programs: the machine that plays a part must
    /// not open what its author chooses.
    fn refuse_read(&self) -> Result<(), JudgeError> {
        if self.toolchains.contains_key(READ) {
            return Err(JudgeError::input(
                "[toolchains] read opens files of one machine, so its games cannot be played in parts; remove the key, \
                 or play the games on this machine"
                    .to_owned(),
            ));
        }
        Ok(())
    }
}

fn id(content: &Content, games: &[u8]) -> String {
    let content = serde_json::to_vec(content).expect("plain data");
    hash(&[b"part", &content, games])
}
