//! From submissions (folders, zips, git repositories) to [`model::artifact::Artifact`]s.

mod at_once;

mod build {
    //! Files become a program.

    pub(crate) mod build_folder;
    pub(crate) mod built_program;
    pub(crate) mod described;
    pub(crate) mod failed_builds;
    pub(crate) mod game_files;
    pub(crate) mod languages;
    pub(crate) mod normalize;
    pub(crate) mod prepare;
    pub(crate) mod program_store;
    pub(crate) mod room;
    pub(crate) mod sanitizers;
    pub(crate) mod sources;
    pub(crate) mod toolchains;
}

mod read {
    //! A place becomes files with their times, and what the files are. Nothing here knows people.

    pub(crate) mod archive;
    pub(crate) mod executable;
    pub(crate) mod git;
    pub(crate) mod judge_toml;
    pub(crate) mod names;
    pub(crate) mod places;
    pub(crate) mod polled;
    pub(crate) mod received;
    pub(crate) mod recognise;
    pub(crate) mod repositories;
    pub(crate) mod source;
    pub(crate) mod submission;
    pub(crate) mod walk;
}

mod who {
    //! Files and lists become people, versions and names. Nothing here builds.

    pub(crate) mod collect;
    pub(crate) mod inbox;
    pub(crate) mod one_or_class;
    pub(crate) mod open;
    pub mod people;
    pub(crate) mod platform;
    pub(crate) mod versions;
}

pub use build::built_program::{can_run, find_kept_program};
pub use build::failed_builds::forget_failures;
pub use build::game_files::{GameFiles, adopt_program};
pub use build::languages::{lacks_for_kit, lacks_library};
pub use build::prepare::{BuildContext, BuildStep, prepare};
pub use build::program_store::ProgramCache;
pub use build::room::{RemovedVersions, bytes_of, remove_programs_but, remove_versions};
pub use build::sanitizers::{Sanitized, run_with_sanitizers};
pub use build::sources::{Compared, Copies, Sameness, find_copies};
pub use build::toolchains::{FoundProgram, TOOLCHAINS_ELSEWHERE, Toolchains, lacks_program};
pub use read::names::GAME_FILE;
pub use read::places::{did_you_mean_path, unreadable_words};
pub use read::polled::{PolledRepositories, RepositoryEvent};
pub use read::repositories::LIST_NAME;
pub use read::source::{Fingerprint, Fingerprints, PlatformMark, SourceFile, limit};
pub use read::submission::{Form, Submission, date_receipts};
pub use read::walk::Listed;
pub use who::collect::{Class, Expected, Opening};
pub use who::one_or_class::{classes_in, has_list, is_single, strangers_list};
pub use who::open::{Opened, apply_list, folder_of, open, open_one};
pub use who::people;
pub use who::platform::Ignored;
pub use who::versions::{KeptSubmissions, KeptVersion};
