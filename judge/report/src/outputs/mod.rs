//! The CSV files of a run, and the lists of all. A table is one list of columns: the name of each, its
//! value, and who may read it. The run's folder, the views and `judge verify` use these lists.

mod changes;
mod games;
mod machines;
mod output;
mod standings;
mod submissions;

pub use self::changes::{ResultChange, results};
pub use self::standings::ranked_by;
pub use self::submissions::{copies_csv, write_identities};

pub(crate) use self::changes::changes_of;
pub(crate) use self::machines::{MachineRow, PlayedOn};
pub(crate) use self::output::{Gathered, GatheredOutput, OutputSource, PerGameOutput, Scored};
pub(crate) use self::submissions::names_csv;

/// The files that are made at the end, in the order of a run's list.
pub(crate) const GATHERED: &[GatheredOutput] = &[
    standings::STANDINGS,
    games::PAIRS,
    submissions::SUBMISSIONS,
    changes::CHANGES,
];

/// The files with rows for each game.
pub(crate) const PER_GAME: &[PerGameOutput] = &[games::GAMES, games::FAULTS];
