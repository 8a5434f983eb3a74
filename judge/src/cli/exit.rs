//! Results of a verb, and the exit codes.

use super::out;
use rulebook::JudgeError;
use std::env;
use std::ffi::OsStr;
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

/// Returns the next step if the error is about a place that the command names, or about a folder
/// above it. Such a place is a wrong input. A watch may find its places later, so it is exempt.
fn next_step(error: &JudgeError) -> Option<&'static str> {
    let JudgeError::Io { path, source, .. } = error else {
        return None;
    };
    let mut words = env::args_os().skip(2);
    if !error.is_of_one_place() || words.any(|word| word == "--watch") {
        return None;
    }
    let named = env::args_os().skip(2).any(|word| is_named(path, &word));
    (named || path == Path::new(".")).then(|| match source.kind() {
        ErrorKind::IsADirectory | ErrorKind::InvalidInput => "give a file",
        ErrorKind::NotADirectory | ErrorKind::AlreadyExists => {
            "a file is in the way; choose another place"
        }
        ErrorKind::NotFound => "check the name, and make the folder first",
        _ => "choose another place, or change its permissions",
    })
}

/// Returns whether a word of the command, such as `DIR` or `--out=DIR`, names a path or a place
/// below it.
fn is_named(path: &Path, word: &OsStr) -> bool {
    let mut places = [
        Some(Path::new(word)),
        word.to_str()
            .and_then(|word| word.split_once('='))
            .map(|(_, place)| Path::new(place)),
    ]
    .into_iter()
    .flatten();
    let real = |path: &Path| path.canonicalize().ok();
    places.any(|place| {
        let is_below = !path.as_os_str().is_empty() && place.starts_with(path);
        is_below || real(place).is_some_and(|place| real(path) == Some(place))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_names_a_place_and_the_folders_above_it() {
        for (path, word, named) in [
            ("a/b", "a/b", true),
            ("a", "a/b", true),
            ("a/b", "--out=a/b", true),
            ("a/b", "a", false),
            ("a/b", "a/bc", false),
            ("", "a", false),
            ("a", "", false),
        ] {
            let found = is_named(Path::new(path), OsStr::new(word));
            assert_eq!(found, named, "{path} {word}");
        }
    }
}
