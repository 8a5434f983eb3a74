//! What people and programs read: every file here is derived from the journal, in fixture
//! order, and is the same whatever the number of workers and interruptions.

mod blame;
mod csv;
mod explain;
mod faults;
pub mod grades;
pub mod html;
mod live;
mod pairs;
mod progress;
mod replay;
mod sheet;
mod staff;
mod standings;
mod submissions;
mod sure;
mod terminal;
mod views;

pub use blame::{FirstFault, FirstFaults, describe};
pub use csv::{RunFiles, Visit, Written, gather, ranked, write_csvs};
pub use explain::explain;
pub use live::Live;
pub use progress::{Emit, Progress};
pub(crate) use replay::{Replay, replay};
pub use staff::write_identities;
pub use submissions::write_submissions;
pub(crate) use sure::has_one_start;
pub use terminal::final_table;
pub use views::{Extent, Played, STAFF_FOLDER, View, write_view};
