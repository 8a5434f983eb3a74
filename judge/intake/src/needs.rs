//! What this machine lacks to build or run submissions.

use super::{languages, missing};
use engines::Kit;
use error::JudgeError;
use words::competition::CourseKit;

/// What to say to somebody who has the program elsewhere.
pub const SYSTEM_ONLY: &str = "programs below a home folder, for example from rustup, do not count: \
    the sandbox finds programs only in /usr/local/bin, /usr/bin and /bin";

/// Returns what is missing for submissions of a course, with the package that has it.
///
/// # Errors
/// When a compiler that is there cannot be run.
pub fn lacks_for_kit(kit: &'static Kit) -> Result<Option<String>, JudgeError> {
    let libraries = CourseKit::default().libraries_of(kit.libraries);
    Ok(languages::of(kit).toolchain(&libraries)?.err())
}

/// Returns that a library of a kit's language is not installed, with the package that has it; none
/// where it is there.
///
/// # Errors
/// When the program that knows cannot be run.
pub fn lacks_library(kit: &'static Kit, library: &str) -> Result<Option<String>, JudgeError> {
    languages::of(kit).lacks(library)
}

/// Returns that a program is missing, with the package that has it; none where it is there.
pub fn lacks_program(program: &str) -> Option<String> {
    missing::not_installed(program)
}
