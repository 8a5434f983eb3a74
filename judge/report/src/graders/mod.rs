//! The formats of graders and test viewers: JUnit's XML, Gradescope's `results.json` and Autolab's
//! autoresult. Each file knows one format, and converts plain data into it, which comes from
//! `judge check` and `judge grades`. Foreign text is made harmless here.

mod autolab;
mod gradescope;
mod junit;
mod suite;

pub use autolab::autolab;
pub use gradescope::{Results, gradescope};
pub use junit::junit;
pub use suite::{Outcome, Scoreboard, Suite, Test, Visibility};
