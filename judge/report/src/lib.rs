//! What people and programs read: every file here is derived from the journal, in fixture
//! order, and is the same whatever the number of workers and interruptions.

mod blame;
mod changes;
mod csv;
mod explain;
mod faults;
pub mod grades;
pub mod html;
mod machines;
mod moments;
mod no_result;
mod own_change;
mod pairs;
mod prizes;
mod replay;
mod sheet;
mod staff;
mod standings;
mod submission_result;
mod submissions;
mod thinned;
mod uncertainty;
mod views;

pub use blame::{FirstFault, FirstFaults, describe};
pub use changes::{ResultChange, results};
pub use csv::{RunFiles, Visit, Written, gather, ranked, write_csvs};
pub use explain::explain;
pub use moments::{
    MOMENTS, MomentFacts, is_frozen, is_revealed, moment, moment_again, read_moments,
};
pub use no_result::{NoResult, no_result};
pub use prizes::no_prize;
pub use replay::{Replay, Step, replay};
pub use staff::{copies_csv, write_identities};
pub use standings::ranked_by;
pub use thinned::moments_of_page;
pub use uncertainty::{has_one_start, interval_meaning};
pub use views::{
    Extent, LATEST_NAME, Latest, LatestSubmission, MARK_NAME, OwnTables, PlayedRun, PublishedGames,
    SUMS_NAME, View, check_view_place, last_moment_again, public_fingerprint, read_mark,
    rewrite_own_tables, rewrite_public_view, write_view,
};
