//! Games at the real table with scripted players, refereed again: as they were written down, and
//! with anything in them changed.

mod changes;
mod clean;
mod games;
mod leaves;
mod players;
mod told;
