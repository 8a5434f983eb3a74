//! Competitions from TOML ([`read`]), the built-in [`courses`], and the [`schedule`] of games.

mod changes;
mod courses;
mod error;
mod file;
pub mod nearest;
pub mod rules;
pub mod schedule;
pub mod scoring;

pub use changes::{Changes, GameSettings, KeyChange};
pub use courses::{courses, standard};
pub use error::JudgeError;
pub use file::{
    CPU_STEP_MS_MAX, Loaded, MEMORY_MIB, RATE_MAX, STATES_MAX, TABLE_KEYS, TOP_LEVEL_KEYS, read,
    read_with,
};
