//! The files that people and programs read. Every file is derived from the journal, in fixture
//! order. It does not depend on the number of workers and interruptions.

mod blame;
mod csv;
mod explain;
pub mod exports;
pub mod html;
mod moments;
mod outputs;
mod own_change;
mod replay;
mod sheet;
mod slowest;
mod staff;
mod submission_result;
mod tables;
mod thinned;
mod views;
mod winners;
mod words;

pub use blame::{FirstFault, FirstFaults, describe};
pub use csv::{RunFiles, Visit, Written, gather, ranked, tables_bytes, write_csvs};
pub use explain::{GameCommands, explain};
pub use moments::{
    MOMENTS, MomentFacts, is_frozen, is_revealed, moment, moment_again, read_moments,
};
pub use outputs::{ResultChange, ranked_by, results};
pub use replay::{Replay, Step, replay};
pub use slowest::Slowest;
pub use staff::{copies_csv, write_identities};
pub use submission_result::{NoResult, no_prize, no_result};
pub use thinned::moments_of_page;
pub use views::{
    Extent, Gate, LATEST_NAME, Latest, LatestSubmission, MARK_NAME, PlayedRun, PublishedGames,
    SUMS_NAME, View, check_view_place, last_moment_again, public_fingerprint, read_mark,
    rewrite_own_tables, rewrite_public_view, write_view,
};
pub use winners::Announcement;
pub use words::{close_totals, decimals, has_one_start, interval_meaning, practice_round, titled};
