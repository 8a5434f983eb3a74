//! Starts strangers' programs, confines them, and makes sure that they end. The only crate with
//! `unsafe` code. It knows processes and limits, but no games, messages or clocks.

mod account;
mod build;
mod build_use;
mod cage;
mod channels;
mod files;
mod groups;
mod isolation;
mod launch;
mod namespaces;
mod orphans;
mod running;
mod seccomp;
mod spawn;
mod warm;

pub use build::{Build, BuildRun, Builder, OUTPUT_BYTES_KEPT, serve_build};
pub use build_use::{BuildEnd, FOLDER_BYTES_MAX, FOLDER_DEPTH_MAX, FOLDER_ENTRIES_MAX, remove};
pub use cage::{BotRights, Cage, Limits, tasks_of_user};
pub use channels::{CHANNELS, CHANNELS_OF_WEAK, Channel};
pub use files::SYSTEM;
pub use groups::{CgroupVersion, ControlGroups, Lease, OpenRunCgroups, Pool, RunCgroups};
pub use isolation::{Isolation, Mechanism};
pub use launch::{FIRST_BYTES_MAX, Launch};
pub use namespaces::Namespaces;
pub use orphans::{adopt_orphans, end_orphans, pin_to, reap_orphans};
pub use running::{Ended, Running};
pub use seccomp::Paths;
