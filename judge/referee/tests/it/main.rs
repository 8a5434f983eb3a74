//! Games at the real table with scripted players, refereed again. They are refereed unchanged, and
//! with every possible change.

mod changes;
mod clean;
mod games;
mod players;
mod reported;
mod table;
