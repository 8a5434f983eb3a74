//! Files become a program.

pub(crate) mod build_folder;
pub(crate) mod built_program;
pub(crate) mod comment;
pub(crate) mod copies;
pub(crate) mod described;
pub(crate) mod failed_builds;
pub(crate) mod game_files;
pub(crate) mod kept_program;
pub(crate) mod languages;
pub(crate) mod missing;
pub(crate) mod normalize;
pub(crate) mod prepare;
pub(crate) mod program_cache;
pub(crate) mod program_store;
pub(crate) mod room;
pub(crate) mod sanitizers;
pub(crate) mod toolchain;
pub(crate) mod toolchains;
