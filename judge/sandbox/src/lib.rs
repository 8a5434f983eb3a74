//! Starts strangers' programs, confines them, and makes sure that they end. The only crate with
//! `unsafe` code. It knows processes and limits, but no games, messages or clocks.

mod account;
mod build;
mod builder;
mod cage;
mod channels;
mod files;
mod find;
mod group_use;
mod groups;
mod isolation;
mod launch;
mod namespaces;
mod orphans;
mod pidfd;
mod running;
mod scratch;
mod seccomp;
mod spawn;
mod warm;

pub use build::{Build, BuildEnd, BuildRun, OUTPUT_BYTES_KEPT};
pub use builder::{Builder, serve_build};
pub use cage::{BotRights, Cage, Limits, tasks_of_user};
pub use channels::{CHANNELS, CHANNELS_OF_WEAK, Channel};
pub use files::SYSTEM;
pub use groups::{CgroupVersion, ControlGroups, Lease, OpenRunCgroups, Pool, RunCgroups};
pub use isolation::{Isolation, Mechanism};
pub use launch::{FIRST_BYTES_MAX, Launch};
pub use namespaces::Namespaces;
pub use orphans::{adopt_orphans, end_orphans, pin_to, reap_orphans};
pub use running::{Ended, Running};
pub use scratch::{FOLDER_BYTES_MAX, FOLDER_DEPTH_MAX, FOLDER_ENTRIES_MAX, remove};
pub use seccomp::Paths;
