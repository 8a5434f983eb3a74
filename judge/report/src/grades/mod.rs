//! Grades for learning platforms: one row for each person, in the platform's format.

mod autolab;
mod canvas;
mod cells;
mod fill;
mod gradescope;
mod homework;
mod junit;
mod mark_notes;
mod moodle;
mod people;
mod plain;
mod row;
mod sections;
mod value;

pub use crate::submission_result::SubmissionResult;
pub use autolab::autolab;
pub use canvas::{canvas, fill_canvas, is_gradebook};
pub use fill::Filled;
pub use gradescope::gradescope;
pub use homework::{MarkedPart, Marks};
pub use junit::{add_game, suite};
pub use mark_notes::mark_notes;
pub use moodle::fill_moodle;
pub use people::people_of_run;
pub use plain::plain;
pub use row::{GradeRow, grade_rows};
pub use sections::sections;
pub use value::GradeValue;
