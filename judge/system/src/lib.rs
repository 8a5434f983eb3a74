//! What the judge asks of the system that it runs on, whatever it is about: failures of ours,
//! files that are written whole, folders that are kept, the places in a run's folder, what an
//! interrupt or the next start takes away, and work that is shared by the cores.

pub mod cleanup;
pub mod cores;
pub mod files;
pub mod foreign;
pub mod kept_folder;
pub mod owner;
pub mod run_folder;
pub mod strangers;
