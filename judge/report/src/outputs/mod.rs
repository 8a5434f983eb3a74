//! The CSV files of a run, one file for each, and the list of all. A run's folder, the views
//! and `judge verify` go by this list.

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
pub(crate) use self::output::{ByGame, Gathered, Made, OutputSource, Scored};
pub(crate) use self::submissions::timing;

use self::output::Output;

/// All outputs, in the order in which a run lists them. Those with rows for each game are last.
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
