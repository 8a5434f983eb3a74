//! System primitives shared by all crates of the judge.

pub mod cleanup;
pub mod cores;
pub mod files;
pub mod foreign;
pub mod kept_folder;
pub mod run_folder;
