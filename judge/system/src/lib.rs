//! What the judge asks of the system that it runs on, whatever it is about: failures of ours,
//! files that are written whole, folders that are kept, the places in a run's folder, and what an
//! interrupt or the next start takes away.

pub mod cleanup;
pub mod files;
pub mod kept_folder;
pub mod owner;
pub mod run_folder;
