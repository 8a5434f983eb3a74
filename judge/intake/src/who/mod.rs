//! Files and lists become people, versions and names. Nothing here builds.

pub(crate) mod collect;
pub(crate) mod inbox;
pub(crate) mod one_or_class;
pub(crate) mod open;
pub mod people;
pub(crate) mod platform;
pub(crate) mod teams;
pub(crate) mod versions;
