//! What to type where somebody names submissions without the flag for them.

use super::display::{for_shell, program};
use super::out;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::path::Path;

/// Ends the program as its command line asks for, after a word on what was meant, if that can be
/// guessed.
pub(super) fn refuse(error: &clap::Error) -> ! {
    let named = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(word)) if error.kind() == ErrorKind::UnknownArgument => word,
        _ => error.exit(),
    };
    let verb = std::env::args().nth(1).unwrap_or_default();
    let Some(meant) = meant(&verb, named, Path::exists) else {
        error.exit()
    };
    // Its own first line; the usage below it would push the answer off.
    let text = error.to_string();
    let first = text.lines().next().unwrap_or_default();
    out::aside(format_args!("{first}\n{meant}"));
    std::process::exit(error.exit_code())
}

/// Returns what to type, where `word` is a path that one may take for an argument of `verb`.
fn meant(verb: &str, word: &str, exists: impl Fn(&Path) -> bool) -> Option<String> {
    if !matches!(verb, "run" | "plan" | "split") || !exists(Path::new(word)) {
        return None;
    }
    let (program, path) = (program(), for_shell(word));
    Some(format!(
        "  a folder or download of submissions has a flag: {program} {verb} --submissions {path}\n  \
         to let two bots play each other: {program} match {path} OTHER"
    ))
}

#[cfg(test)]
mod tests {
    use super::meant;

    #[test]
    fn only_a_path_that_is_there_is_taken_for_submissions() {
        let told = meant("run", "all of it.zip", |_| true).expect("a path");
        assert!(
            told.contains("run --submissions 'all of it.zip'\n"),
            "{told}"
        );
        assert_eq!(meant("run", "--jbos", |_| false), None);
        assert_eq!(meant("check", "class", |_| true), None);
    }
}
