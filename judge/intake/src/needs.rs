//! Programs and libraries that this machine lacks to build or run submissions.

use super::toolchains::Toolchains;
use super::{languages, missing};
use engines::Kit;
use model::competition::CourseKit;
use rulebook::JudgeError;

/// Advice for a program that is installed elsewhere.
pub const TOOLCHAINS_ELSEWHERE: &str = "if it is installed elsewhere, add its folder to PATH or to [toolchains] in \
                                        the competition's file; judge doctor lists what judge finds";

/// Returns the tool that submissions of a course lack on this machine, with its package.
///
/// # Errors
/// When an installed compiler cannot be run.
pub fn lacks_for_kit(tools: &Toolchains, kit: &'static Kit) -> Result<Option<String>, JudgeError> {
    let libraries = CourseKit::default().libraries_of(kit.libraries);
    Ok(languages::of(kit).toolchain(tools, &libraries)?.err())
}

/// Returns the message that a library of a kit's language is not installed, with its package.
/// Returns `None` if it is installed.
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

/// Returns the message that a program is missing, with its package, or `None` if it is installed.
pub fn lacks_program(tools: &Toolchains, program: &str) -> Option<String> {
    missing::not_installed(tools, program)
}
