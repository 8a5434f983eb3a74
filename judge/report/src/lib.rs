//! The files that people and programs read, all derived from the journal, in fixture order.

mod blame;
mod explain;
pub mod exports;
pub mod html;
mod moments;
mod outputs;
mod replay;
mod run_data;
mod sheet;
mod submission_result;
pub mod verify;
mod views;
mod words;

pub use blame::{FirstFault, FirstFaults, Said, advice, describe};
pub use explain::{GameCommands, explain, facts};
pub use moments::{is_frozen, is_revealed, moment_entrants};
pub use outputs::{
    ResultChange, Written, copies_csv, ranked_by, results, tables_bytes, write_identities,
    write_results, write_tables,
};
pub use replay::{Replay, Step, replay};
pub use run_data::{GameSource, PlayedRun, RunData, ranked};
pub use submission_result::{no_prize, no_result};
pub use views::{
    ENTRIES_MAX, Extent, HiddenNames, LATEST_NAME, Latest, LatestSubmission, MARK_NAME, View,
    check_view_place, names, public_fingerprint, read_mark, write_view,
};
pub use words::{
    Announcement, close_totals, decimals, has_one_start, interval_meaning, practice_round, titled,
};
