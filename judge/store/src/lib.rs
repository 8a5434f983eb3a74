//! The data of a run that cannot be derived. They are journal, manifest, names and bots' output.

mod appending;
pub mod author_log;
mod findings;
mod games;
mod kept;
pub mod keys;
mod line;
pub mod machines;
pub mod manifest;
mod moments;
pub mod names;
mod noted;
pub mod part_games;
pub mod parts;
mod repair;
#[cfg(test)]
mod tests;

pub use appending::{Journal, RunKeys, has_begun, is_being_played, lock};
pub use findings::{DamagedLine, Findings};
pub use games::{Games, Inspector, MatchingGames, find_games};
pub use keys::Keys;
pub use line::LINE_BYTES_MAX;
pub use machines::{MachineGames, MachineLine, MachineLines, UnequalMachines};
pub use moments::{Moment, MomentEntrant};
pub use part_games::{JournalOwner, PartLine, PartLines, Scope};
pub use repair::DAMAGED_NAME;
