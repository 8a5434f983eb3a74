//! What was handed in becomes what can be run: submissions are read from folders, zips and
//! git repositories, each is recognised, built and kept as an
//! [`words::artifact::Artifact`].

mod archive;
mod build_time;
mod collect;
mod comment;
mod course_files;
mod cpp;
mod cpp_object;
mod described;
mod disk;
mod disturbed;
mod executable;
mod failure;
mod git;
mod haskell;
mod haskell_pragmas;
mod identify;
mod inbox;
mod judge_toml;
mod kept_program;
mod kit_fit;
mod language;
mod languages;
mod links;
mod look_alikes;
mod missing;
mod names;
mod needs;
mod ocaml;
mod ocaml_dune;
mod ocaml_given;
mod ocaml_modules;
mod plain_text;
mod prepare;
mod python;
mod received;
mod recognise;
mod repositories;
pub mod roster;
mod shelf;
mod single;
mod source;
mod submission;
mod toolchain;
mod utc;
mod versions;
mod workshop;

pub use collect::{Collected, collect, collect_one};
pub use kept_program::find_kept_program;
pub use needs::{SYSTEM_ONLY, lacks_for_kit, lacks_library, lacks_program};
pub use prepare::{Site, prepare};
pub use source::SourceFile;
pub use submission::{ANONYMOUS, Form, Submission};
