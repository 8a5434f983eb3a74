//! A place becomes files with their times, and what the files are. Nothing here knows people.

pub(crate) mod archive;
pub(crate) mod executable;
pub(crate) mod git;
pub(crate) mod identify;
pub(crate) mod judge_toml;
pub(crate) mod left_out;
pub(crate) mod listed;
pub(crate) mod meant;
pub(crate) mod names;
pub(crate) mod polled;
pub(crate) mod received;
pub(crate) mod recognise;
pub(crate) mod repositories;
pub(crate) mod source;
pub(crate) mod submission;
pub(crate) mod unreadable;
pub(crate) mod walk;
