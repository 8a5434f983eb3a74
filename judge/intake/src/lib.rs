//! From submissions (folders, zips, git repositories) to [`model::artifact::Artifact`]s.

mod at_once;
mod build;
mod read;
mod who;

pub use build::copies::{Compared, Copies, Sameness, find_copies};
pub use build::failed_builds::forget_failures;
pub use build::game_files::{GameFiles, adopt_program};
pub use build::kept_program::{can_run, find_kept_program};
pub use build::missing::{TOOLCHAINS_ELSEWHERE, lacks_for_kit, lacks_library, lacks_program};
pub use build::prepare::{BuildContext, BuildStep, prepare};
pub use build::program_cache::ProgramCache;
pub use build::room::{RemovedVersions, bytes_of, remove_programs_but, remove_versions};
pub use build::sanitizers::{Sanitized, run_with_sanitizers};
pub use build::toolchains::{FoundProgram, Toolchains};
pub use read::listed::Listed;
pub use read::meant::{did_you_mean_path, unreadable_words};
pub use read::names::GAME_FILE;
pub use read::polled::{PolledRepositories, RepositoryEvent};
pub use read::repositories::LIST_NAME;
pub use read::source::PlatformMark;
pub use read::source::{Fingerprint, Fingerprints, SourceFile};
pub use read::submission::date_receipts;
pub use read::submission::{Form, Submission};
pub use read::unreadable::limit;
pub use who::collect::{Class, Expected, Opening};
pub use who::one_or_class::{classes_in, has_list, is_single, strangers_list};
pub use who::open::{Opened, folder_of, open, open_one};
pub use who::people;
pub use who::platform::Ignored;
pub use who::teams::apply_list;
pub use who::versions::{KeptSubmissions, KeptVersion};
