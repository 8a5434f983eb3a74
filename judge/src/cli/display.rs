//! Paths and commands as they are shown to the user.

use std::path::Path;
pub(super) use words::numbers::about;

/// Shows a path as short as it can be from where the user is.
pub(super) fn shown(path: &Path) -> String {
    let here = std::env::current_dir().ok();
    let below = here.and_then(|here| path.strip_prefix(here).ok().map(Path::to_owned));
    below
        .unwrap_or_else(|| path.to_owned())
        .display()
        .to_string()
}

/// Returns the command that is running, fit to be typed again.
pub(super) fn this_command() -> String {
    let words: Vec<String> = std::env::args_os()
        .map(|word| for_shell(&word.to_string_lossy()))
        .collect();
    words.join(" ")
}

/// Returns the command that is running with another verb, and without a flag that has a value.
pub(super) fn this_command_as(verb: &str, flag: &str) -> String {
    let mut words = std::env::args_os().map(|word| for_shell(&word.to_string_lossy()));
    let mut kept: Vec<String> = words.next().into_iter().collect();
    words.next();
    kept.push(verb.to_owned());
    while let Some(word) = words.next() {
        if word == flag {
            words.next();
        } else if !word
            .strip_prefix(flag)
            .is_some_and(|rest| rest.starts_with('='))
        {
            kept.push(word);
        }
    }
    kept.join(" ")
}

/// Returns the command that plays a game of a run again, fit to be typed.
pub(super) fn repro_command(run: &Path, game: &str) -> String {
    command("repro", run, game)
}

/// Returns the command that explains what an entrant of a run got, fit to be typed.
pub(super) fn explain_command(run: &Path, entrant: &str) -> String {
    command("explain", run, &for_shell(entrant))
}

/// Returns the command that writes the tables and the page of a run, fit to be typed.
pub(super) fn view_command(run: &Path) -> String {
    format!("{} view {}", program(), for_shell(&shown(run)))
}

fn command(verb: &str, run: &Path, what: &str) -> String {
    format!("{} {verb} {} {what}", program(), for_shell(&shown(run)))
}

/// Returns this program as it was called, fit to be typed.
pub(super) fn program() -> String {
    let program = std::env::args_os().next().unwrap_or_else(|| "judge".into());
    for_shell(&program.to_string_lossy())
}

/// Quotes a word where a shell would take it for something else.
pub(super) fn for_shell(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./=,:+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}
