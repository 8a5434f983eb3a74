//! What the judge asks of the system that it runs on, whatever it is about: failures of ours,
//! files that are written whole, the places in a run's folder, and what an interrupt takes away.

pub mod cleanup;
pub mod files;
pub mod run_folder;
