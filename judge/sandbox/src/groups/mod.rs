//! Control groups: how a tree of processes is counted, bounded, suspended and ended, whatever
//! its members do to hide. Used only where a competition lets bots start processes.
//!
//! A group here is one folder of the same name in each hierarchy that is needed: the one of
//! version 2, and those of version 1 for what version 2 lacks on this machine.

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
