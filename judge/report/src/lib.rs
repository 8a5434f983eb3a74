//! The files that people and programs read. Every file is derived from the journal, in fixture
//! order. It does not depend on the number of workers and interruptions.

mod blame;
mod csv;
mod decimals;
mod explain;
pub mod exports;
pub mod html;
mod moments;
mod no_result;
mod outputs;
mod own_change;
mod prizes;
mod replay;
mod sheet;
mod slowest;
mod staff;
mod submission_result;
mod tables;
mod thinned;
mod title;
mod uncertainty;
mod views;
mod winners;

pub use blame::{FirstFault, FirstFaults, describe};
pub use csv::{RunFiles, Visit, Written, gather, ranked, tables_bytes, write_csvs};
pub use decimals::{close_totals, decimals};
pub use explain::{GameCommands, explain};
pub use moments::{
    MOMENTS, MomentFacts, is_frozen, is_revealed, moment, moment_again, read_moments,
};
pub use no_result::{NoResult, no_result};
pub use outputs::{ResultChange, ranked_by, results};
pub use prizes::no_prize;
pub use replay::{Replay, Step, replay};
pub use slowest::Slowest;
pub use staff::{copies_csv, write_identities};
pub use thinned::moments_of_page;
pub use title::{practice_round, titled};
pub use uncertainty::{has_one_start, interval_meaning};
pub use views::{
    Extent, Gate, LATEST_NAME, Latest, LatestSubmission, MARK_NAME, PlayedRun, PublishedGames,
    SUMS_NAME, View, check_view_place, last_moment_again, public_fingerprint, read_mark,
    rewrite_own_tables, rewrite_public_view, write_view,
};
pub use winners::Announcement;
