//! Control groups count, limit, suspend and end a tree of processes, whatever its members do to
//! hide. They are used only if a competition lets bots start processes.
//!
//! A group here is one folder of the same name in each required hierarchy. These are version 2, and
//! version 1 for everything that version 2 lacks on this machine.

mod find;
mod group;
mod leaf;
mod open_run_cgroups;
mod places;
mod pool;
mod run_cgroups;
mod sweep;
mod sweeper;

pub use open_run_cgroups::OpenRunCgroups;
pub use places::{CgroupFolder, CgroupVersion, ControlGroups};
pub use pool::{Lease, Pool};
pub use run_cgroups::RunCgroups;
pub use sweeper::sweep_when_left;
