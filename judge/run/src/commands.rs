//! Paths and commands in messages to the user.

use crate::game::games_here;
use model::text::for_shell;
use rulebook::JudgeError;
use std::borrow::Borrow;
use std::fmt::Display;
use std::path::Path;

/// Returns the shortest form of a path, relative to the current folder if possible, which is `.`.
pub fn shown(path: &Path) -> String {
    let here = std::env::current_dir().ok();
    let short = here
        .and_then(|here| path.strip_prefix(here).ok().map(Path::to_owned))
        .unwrap_or_else(|| path.to_owned());
    if short.as_os_str().is_empty() {
        return ".".to_owned();
    }
    short.display().to_string()
}

/// Returns the running command, quoted for a shell.
pub fn this_command() -> String {
    let words: Vec<String> = words().map(|word| for_shell(&word)).collect();
    words.join(" ")
}

fn words() -> impl Iterator<Item = String> {
    std::env::args_os().map(|word| word.to_string_lossy().into_owned())
}

/// Returns the running command with one more flag, quoted for a shell.
pub fn this_command_with(flag: &str) -> String {
    with_flag(words(), flag)
}

/// Quotes a command, and adds a flag before the `--` after which no word is a flag.
fn with_flag(words: impl Iterator<Item = String>, flag: &str) -> String {
    let mut words: Vec<String> = words.map(|word| for_shell(&word)).collect();
    let end = words
        .iter()
        .position(|word| word == "--")
        .unwrap_or(words.len());
    words.insert(end, flag.to_owned());
    words.join(" ")
}

/// Returns the running command with another verb, and without some flags and their values.
pub fn this_command_as(verb: &str, without: &[&str]) -> String {
    let mut words = words();
    let mut kept = vec![program(), verb.to_owned()];
    words.nth(1);
    while let Some(word) = words.next() {
        let flag = word.split_once('=').map_or(&*word, |(flag, _)| flag);
        if !without.contains(&flag) {
            kept.push(for_shell(&word));
        } else if flag == word {
            words.next();
        }
    }
    kept.join(" ")
}

/// Returns the command that plays a game of a run again, quoted for a shell.
pub fn repro_command(run: &Path, game: &str) -> String {
    command("repro", run, Some(game))
}

/// Returns the command that shows a game of a run in the terminal, quoted for a shell.
pub fn watch_command(run: &Path, game: usize) -> String {
    let view = command("view", run, Some(&game.to_string()));
    format!("{view} --terminal")
}

/// Returns the command that explains the result of an entrant of a run, quoted for a shell.
pub fn explain_command(run: &Path, entrant: &str) -> String {
    command("explain", run, Some(entrant))
}

/// Returns the command that writes the tables and the page of a run, quoted for a shell.
pub fn view_command(run: &Path) -> String {
    command("view", run, None)
}

/// Returns the command that verifies a published folder, quoted for a shell.
pub fn verify_command(published: &Path) -> String {
    command("verify", published, None)
}

fn command(verb: &str, folder: &Path, what: Option<&str>) -> String {
    let flags_end = what.filter(|what| what.starts_with('-')).map(|_| "--");
    let operands = [Some(path_for_shell(folder)), what.map(for_shell)];
    [
        Some(program()),
        Some(verb.into()),
        flags_end.map(str::to_owned),
    ]
    .into_iter()
    .chain(operands)
    .flatten()
    .collect::<Vec<_>>()
    .join(" ")
}

/// Quotes a path as an operand of a command: as short as possible, and never as a flag.
pub fn path_for_shell(path: &Path) -> String {
    let shown = shown(path);
    if shown.starts_with('-') {
        for_shell(&format!("./{shown}"))
    } else {
        for_shell(&shown)
    }
}

/// Returns the name by which this program was called, quoted for a shell.
pub fn program() -> String {
    for_shell(&words().next().unwrap_or_else(|| "judge".to_owned()))
}

/// Returns the error that the game is unknown, with complete commands that name one.
pub(crate) fn game_unknown(why: &str, slugs: &[impl Borrow<str> + Display]) -> JudgeError {
    let (first, others) = slugs.split_first().expect("there are games");
    let others = match others {
        [] => String::new(),
        others => format!("\n  (or {})", others.join(", ")),
    };
    let command = this_command_with(&format!("--game {first}"));
    JudgeError::input(format!("{why}:\n  {command}{others}"))
}

/// The games of one's own are last: in a class, a student may have put one there.
pub(crate) fn game_or_own_unknown(why: &str, mut games: Vec<String>) -> JudgeError {
    games.extend(games_here().iter().map(|place| path_for_shell(place)));
    game_unknown(why, &games)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn current_folder_is_dot_and_contents_are_relative() {
        let here = std::env::current_dir().expect("there");
        assert_eq!(shown(&here), ".");
        assert_eq!(shown(&here.join("results/nim")), "results/nim");
        assert_eq!(shown(Path::new("/nowhere")), "/nowhere");
    }

    #[test]
    fn no_operand_is_taken_for_a_flag() {
        let ends_with = |command: String, words: &str| {
            assert!(command.ends_with(words), "{command}");
        };
        let run = Path::new("run");
        ends_with(explain_command(run, "ann"), " explain run ann");
        ends_with(explain_command(run, "-2+3"), " explain -- run -2+3");
        ends_with(explain_command(run, "-2 3"), " explain -- run '-2 3'");
        ends_with(repro_command(Path::new("-run"), "7"), " repro ./-run 7");
        ends_with(view_command(Path::new("-a b")), " view './-a b'");
        let here = std::env::current_dir().expect("there");
        ends_with(verify_command(&here), " verify .");
    }

    #[test]
    fn flag_is_inserted_before_double_dash() {
        let add = |command: &str| {
            let words = command.split(' ').map(str::to_owned);
            with_flag(words, "--live all")
        };
        assert_eq!(add("judge repro run 1"), "judge repro run 1 --live all");
        let found = add("judge repro -- -run 1");
        assert_eq!(found, "judge repro --live all -- -run 1");
    }
}
