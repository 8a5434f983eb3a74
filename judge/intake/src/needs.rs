//! What this machine lacks to build or run submissions.

use super::toolchains::Toolchains;
use super::{languages, missing};
use engines::Kit;
use error::JudgeError;
use words::competition::CourseKit;

/// What to say to somebody who has the program elsewhere.
pub const TOOLCHAINS_ELSEWHERE: &str = "a program elsewhere is found if its folder is in PATH, or is named in the \
    competition's [toolchains]; judge doctor shows what is found";

/// Returns what is missing for submissions of a course, with the package that has it.
///
/// # Errors
/// When a compiler that is there cannot be run.
pub fn lacks_for_kit(tools: &Toolchains, kit: &'static Kit) -> Result<Option<String>, JudgeError> {
    let libraries = CourseKit::default().libraries_of(kit.libraries);
    Ok(languages::of(kit).toolchain(tools, &libraries)?.err())
}

/// Returns that a library of a kit's language is not installed, with the package that has it; none
/// where it is there.
///
/// # Errors
/// When the program that knows cannot be run.
pub fn lacks_library(
    tools: &Toolchains,
    kit: &'static Kit,
    library: &str,
) -> Result<Option<String>, JudgeError> {
    languages::of(kit).lacks(tools, library)
}

/// Returns that a program is missing, with the package that has it; none where it is there.
pub fn lacks_program(tools: &Toolchains, program: &str) -> Option<String> {
    missing::not_installed(tools, program)
}
