//! System primitives shared by all crates of the judge. They write files whole, keep folders, and
//! know the paths in a run's folder. They clean up after interrupts and crashes, and distribute
//! work over all cores.

pub mod cleanup;
pub mod cores;
pub mod files;
pub mod foreign;
pub mod kept_folder;
pub mod run_folder;
