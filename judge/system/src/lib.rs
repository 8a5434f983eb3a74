//! System primitives shared by all crates of the judge. They cover whole-file writes, kept folders,
//! the paths of a run's folder, cleanup after interrupts and crashes, and work on all cores.

pub mod cleanup;
pub mod cores;
pub mod files;
pub mod foreign;
pub mod kept_folder;
pub mod owner;
pub mod run_folder;
pub mod strangers;
