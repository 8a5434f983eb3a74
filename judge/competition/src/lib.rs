//! Competitions: [`read`] takes one from a TOML text, [`COURSES`] are built in, and
//! [`schedule`] lists the games of one. It is given texts, and opens no files.

mod courses;
mod file;
pub mod schedule;

pub use courses::{COURSES, Course, standard};
pub use file::{Loaded, MEMORY_MIB, RATE_MAX, SILENCE_SECONDS_MIN, read};
