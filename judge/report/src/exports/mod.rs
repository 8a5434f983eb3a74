//! Formats of platforms, graders and test viewers: each is one file and a line in [`EXPORTS`].

mod autolab;
mod canvas;
mod export;
mod fill;
mod graded;
mod gradescope;
mod homework;
mod junit;
mod platform;
mod row;
mod table;

pub use crate::submission_result::SubmissionResult;
pub use export::{Export, ExportSource, Exported, GraderReport};
pub use fill::Filled;
pub use graded::{Graded, Outcome, Test, Visibility};
pub use homework::Marks;
pub use row::{GradeValue, grade_rows, mark_notes, people_of_run};
pub use table::sections;

/// All formats, in the order of the help.
pub const EXPORTS: [&Export; 6] = [
    &table::CSV,
    &canvas::CANVAS,
    &platform::MOODLE,
    &gradescope::GRADESCOPE,
    &autolab::AUTOLAB,
    &junit::JUNIT,
];
