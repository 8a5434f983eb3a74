//! Examination of one submission for its author. It builds the submission, plays sample games in
//! every seat, and probes what no game tests. Its report says in plain words what is wrong.
//!
//! The coordinator and its workers play the games, as in a run; the findings come from their
//! records. Only `probe` talks to a bot itself.

mod advice;
mod findings;
mod hints;
mod homework;
mod idle;
mod probe;
mod report;
mod situation;
mod sparring;
mod stages;
mod time;
mod version;

pub use report::{Check, CheckReport, SampleGames, Topic, TurnTimes, Verdict};
pub use stages::{Examination, examine, unknown};
pub use version::examine_version;
