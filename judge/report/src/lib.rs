//! The files that people and programs read. Every file is derived from the journal, in fixture
//! order. It does not depend on the number of workers and interruptions.

mod blame;
mod decimals;
mod derive;
mod explain;
mod gather;
pub mod graders;
pub mod grades;
pub mod html;
mod moments;
mod no_result;
mod outputs;
mod own_change;
mod prizes;
mod replay;
mod sheet;
mod slowest;
mod submission_result;
mod title;
mod uncertainty;
mod views;
mod winners;

pub use blame::{FirstFault, FirstFaults, describe};
pub use decimals::{close_totals, decimals};
pub use derive::{Written, tables_bytes, write_page, write_results, write_tables};
pub use explain::{GameCommands, explain};
pub use gather::ranked;
pub use moments::{MOMENTS, MomentFacts, is_frozen, is_revealed, moment, read_moments};
pub use no_result::{NoResult, no_result};
pub use outputs::{ResultChange, copies_csv, ranked_by, results, write_identities};
pub use prizes::no_prize;
pub use replay::{Replay, Step, replay};
pub use slowest::Slowest;
pub use title::{practice_round, titled};
pub use uncertainty::{has_one_start, interval_meaning};
pub use views::{
    ENTRIES_MAX, Extent, Gate, LATEST_NAME, Latest, LatestSubmission, MARK_NAME, PlayedRun,
    PublishedGames, SUMS_NAME, Sum, View, check_view_place, last_moment_again, names,
    public_fingerprint, read_mark, rewrite_own_tables, rewrite_public_view, sums, write_view,
    wrong_sums,
};
pub use winners::Announcement;
