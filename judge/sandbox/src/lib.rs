//! The launcher: starts strangers' programs, shuts them in, and makes sure that they end.
//!
//! The only home of `unsafe` in the project. It knows processes and limits, and nothing
//! of games, messages or clocks.

mod account;
mod build;
mod cage;
mod files;
mod group_memory;
mod groups;
mod launch;
mod limits;
mod running;
mod scratch;
mod seccomp;
mod spawn;
mod strays;
mod tier;

pub use build::{Build, BuildEnd, BuildRun, OUTPUT_BYTES_KEPT, run_build};
pub use cage::Cage;
pub use groups::{Groups, Lease, OpenYard, Place, Pool, Version, Yard, sweep_when_left};
pub use launch::Launch;
pub use limits::Limits;
pub use running::{Ended, Running};
pub use scratch::FOLDER_BYTES_MAX;
pub use strays::{adopt_orphans, end_strays, pin_to, reap_strays};
pub use tier::{Isolation, Mechanism};
