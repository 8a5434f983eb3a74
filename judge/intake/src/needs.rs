//! What this machine lacks to build or run submissions.

use super::{language, missing};
use engines::Kit;
use system::error::JudgeError;

/// What to say to somebody who has the program elsewhere.
pub const SYSTEM_ONLY: &str = "what is installed below a home folder, as by rustup, does not count: \
    programs in the sandbox are found in /usr/local/bin, /usr/bin and /bin only";

/// Tells what is missing for submissions of a course, with the package that has it.
///
/// # Errors
/// When a compiler that is there cannot be run.
pub fn lacks_for_kit(kit: &'static Kit) -> Result<Option<String>, JudgeError> {
    Ok(language::of(kit).toolchain()?.err())
}

/// Tells that a program is missing, with the package that has it; none where it is there.
pub fn lacks_program(program: &str) -> Option<String> {
    missing::not_installed(program)
}
