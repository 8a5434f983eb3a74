//! Looks at one submission as its author would want it looked at: builds it, plays sample
//! games in every seat, asks what no game asks, and says in plain words what is wrong.
//!
//! Games are played by the coordinator and its workers, as in a run; what is said comes from
//! their records. Only `probe` talks to a bot itself.

mod advice;
mod findings;
mod hints;
mod homework;
mod idle;
mod memory_errors;
mod probe;
mod report;
mod silence;
mod situation;
mod sparring;
mod stages;
mod time;
mod traceback;
mod version;

pub use report::{Check, CheckReport, SampleGames, Topic, TurnTimes, Verdict};
pub use stages::{Examination, examine, unknown};
pub use version::examine_version;
