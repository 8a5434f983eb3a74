//! Competitions: [`read`] takes one from a TOML text, [`courses`] lists those that are built in, and
//! [`schedule`] lists the games of one. It is given texts, and a reader for the files that a text
//! names; it opens none itself.

mod changes;
mod courses;
mod file;
pub mod schedule;

pub use changes::{Changes, GameSettings};
pub use courses::{courses, standard};
pub use file::{
    FileReader, Loaded, MEMORY_MIB, RATE_MAX, SILENCE_SECONDS_MIN, STATES_MAX, read, read_with,
};
