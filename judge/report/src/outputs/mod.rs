//! The CSV files of a run, each in a module of its own, and the list of all. A run's folder, the
//! views and `judge verify` use this list.

mod boundaries;
mod chances;
mod changes;
mod elo;
mod faults;
mod games;
mod machines;
mod output;
mod pairs;
mod standings;
mod submissions;

pub use self::changes::{ResultChange, results};
pub use self::standings::ranked_by;

pub(crate) use self::changes::changes_of;
pub(crate) use self::machines::{MachineRow, PlayedOn};
pub(crate) use self::output::{ByGame, Gathered, Made, Output, OutputSource, Scored};
pub(crate) use self::submissions::timing;

/// All outputs, in the order of a run's list. Those with rows for each game come last.
pub(crate) const OUTPUTS: &[&Output] = &[
    &standings::OUTPUT,
    &pairs::OUTPUT,
    &submissions::OUTPUT,
    &changes::OUTPUT,
    &chances::OUTPUT,
    &elo::OUTPUT,
    &boundaries::OUTPUT,
    &machines::OUTPUT,
    &games::OUTPUT,
    &faults::OUTPUT,
];
