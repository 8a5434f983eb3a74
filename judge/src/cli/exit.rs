//! Results of a verb, and the exit codes.

use super::out;
use error::JudgeError;
use std::env;
use std::io::ErrorKind;
use std::path::Path;
use std::process::ExitCode;

/// The judge or the machine failed.
pub(super) const EXIT_JUDGE: u8 = 1;
/// The command or its input is wrong.
pub(super) const EXIT_INPUT: u8 = 2;
/// A repeated game ended differently.
pub(super) const EXIT_DIFFERENT: u8 = 3;
/// A check found something wrong.
pub(super) const EXIT_WRONG: u8 = 4;
/// Verification found a difference from the journal.
pub(super) const EXIT_UNVERIFIED: u8 = 5;
/// The run was interrupted; the finished games are kept.
pub(super) const EXIT_INTERRUPTED: u8 = 130;
/// Result of a verb.
pub(super) enum Done {
    Success,
    Differently,
    /// A check found something wrong.
    Wrong,
    /// Verification found a difference from the journal.
    Unverified,
    Interrupted,
}

/// Prints an error, and returns the exit code of a verb.
pub(super) fn exit_code(result: Result<Done, JudgeError>) -> ExitCode {
    // A verb whose output was not written has failed.
    let result = match (result, out::failure()) {
        (Ok(_), Some(error)) => Err(JudgeError::io("write to", "standard output", error)),
        (result, _) => result,
    };
    match result {
        Ok(Done::Success) => ExitCode::SUCCESS,
        Ok(Done::Differently) => EXIT_DIFFERENT.into(),
        Ok(Done::Wrong) => EXIT_WRONG.into(),
        Ok(Done::Unverified) => EXIT_UNVERIFIED.into(),
        Ok(Done::Interrupted) => EXIT_INTERRUPTED.into(),
        Err(error) => failed(error),
    }
}

/// Prints an error, and returns its exit code.
fn failed(error: JudgeError) -> ExitCode {
    let error = match next_step(&error) {
        Some(next) => JudgeError::input(format!("{error}; {next}")),
        None => error,
    };
    let whose = match error {
        JudgeError::Input(_)
        | JudgeError::Lacking { .. }
        | JudgeError::Interrupted
        | JudgeError::RecordEnds(_) => "judge",
        JudgeError::Io { .. }
        | JudgeError::Os { .. }
        | JudgeError::Launch { .. }
        | JudgeError::Execute { .. }
        | JudgeError::Build { .. }
        | JudgeError::BuilderLost(_)
        | JudgeError::Rules { .. }
        | JudgeError::Game { .. }
        | JudgeError::Format { .. }
        | JudgeError::Cluster(_)
        | JudgeError::Unplayed { .. } => "judge error",
    };
    out::aside(format_args!("{whose}: {error}"));
    match error {
        JudgeError::Input(_) => EXIT_INPUT.into(),
        JudgeError::Interrupted => EXIT_INTERRUPTED.into(),
        _ => EXIT_JUDGE.into(),
    }
}

/// Returns the next step if the error is about a place that the command names. Such a place is a
/// wrong input.
fn next_step(error: &JudgeError) -> Option<&'static str> {
    let JudgeError::Io { path, source, .. } = error else {
        return None;
    };
    let real = |path: &Path| path.canonicalize().unwrap_or_default();
    let mut named = env::args_os().skip(2);
    let is_here = path == Path::new(".");
    let is_named = error.is_of_one_place()
        && (is_here
            || named.any(|named| {
                let named = Path::new(&named);
                is_related(path, named) || is_related(&real(path), &real(named))
            }));
    is_named.then(|| match source.kind() {
        ErrorKind::IsADirectory | ErrorKind::InvalidInput => "give a file",
        ErrorKind::NotADirectory | ErrorKind::AlreadyExists => {
            "a file is in the way; choose another place"
        }
        ErrorKind::NotFound => "check the name, and make the folder first",
        _ => "choose another place, or change its permissions",
    })
}

/// Returns whether a path is that of an argument, or one is inside the other.
fn is_related(path: &Path, named: &Path) -> bool {
    let is_empty = named.as_os_str().is_empty() || path.as_os_str().is_empty();
    !is_empty && (path.starts_with(named) || named.starts_with(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_related_to_the_places_around_it() {
        for (path, named, related) in [
            ("a/b", "a/b", true),
            ("a", "a/b", true),
            ("a/b", "a", true),
            ("a/b", "a/bc", false),
            ("", "a", false),
            ("a", "", false),
        ] {
            let found = is_related(Path::new(path), Path::new(named));
            assert_eq!(found, related, "{path} {named}");
        }
    }
}
