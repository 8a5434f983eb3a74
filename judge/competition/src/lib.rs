//! Competitions: [`read`] takes one from a TOML text, [`courses`] lists those that are built in, and
//! [`schedule`] lists the games of one. It is given texts, and opens no files.

mod courses;
mod file;
pub mod schedule;

pub use courses::{courses, standard};
pub use file::{Loaded, MEMORY_MIB, RATE_MAX, SILENCE_SECONDS_MIN, STATES_MAX, read};
