//! The referee for game-AI tournaments, as a library; the program `judge` is a thin shell
//! around it. `ARCHITECTURE.md` is the map.

pub mod artifact;
pub mod author_log;
pub mod builtin;
pub mod check;
pub mod cli;
pub mod clock;
pub mod competition;
pub mod error;
pub mod estimate;
pub mod events;
pub mod fault;
pub mod files;
pub mod fixture;
pub mod intake;
pub mod journal;
pub mod leavings;
pub mod manifest;
pub mod names;
pub mod numbers;
pub mod player;
mod position;
pub mod protocol;
pub mod record;
pub mod referee;
pub mod report;
pub mod sandbox;
pub mod schedule;
pub mod scoring;
pub mod starter;
pub mod table;
mod terminal;
pub mod tournament;
pub mod utc;
pub mod worker;
