//! What people and programs read: every file here is derived from the journal, in fixture
//! order, and is the same whatever the number of workers and interruptions.

mod blame;
mod csv;
mod faults;
pub mod grades;
pub mod html;
mod pairs;
mod replay;
mod sheet;
mod staff;
mod standings;
mod terminal;
mod views;

pub use blame::{FirstFault, FirstFaults, describe};
pub use csv::{RunFiles, Written, ranked, write_csvs};
pub use staff::write_identities;
pub use terminal::{Progress, final_table};
pub use views::{Played, STAFF_FOLDER, View, write_view};
