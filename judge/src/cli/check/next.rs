//! The next commands for a submission without faults.

use crate::check::FailedGame;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use model::text::for_shell;
use nix::unistd::{AccessFlags, access};
use rulebook::rules::Rules;
use run::commands::{path_for_shell, program};
use run::default_folder;
use std::env;
use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use system::foreign::ForeignFolder;

/// Flags of `judge check` that do not affect the games, and whether a value follows.
const OWN_FLAGS: [(&str, bool); 8] = [
    ("--format", true),
    ("--json", false),
    ("--points", true),
    ("--title", true),
    ("--visibility", true),
    ("--seconds", true),
    ("--states", true),
    ("--seed", true),
];

/// Returns commands that let the submission at `path` play against others and read nothing next to it.
pub(super) fn step(path: &Path, rules: &Arc<dyn Rules>, names_game: bool) -> String {
    let flags = flags(path, rules, names_game);
    let command = |verb: &str, place: &Path, opponent: &str| {
        let words = [program(), verb.to_owned(), path_for_shell(place)];
        [&words[..], &[opponent.to_owned()], &flags]
            .concat()
            .join(" ")
    };
    let watch = format!(
        "To watch it play: {}",
        command("play", path, "builtin:random")
    );
    let Some(alone) = alone(path, rules) else {
        return watch;
    };
    format!(
        "{watch}\nTo play a tournament: {}{}",
        command("run", &alone, "--with random"),
        out(path, &alone, &**rules)
    )
}

fn flags(path: &Path, rules: &Arc<dyn Rules>, names_game: bool) -> Vec<String> {
    let mut flags = settings(path, env::args_os().skip(2));
    let is_game_flag = |flag: &String| {
        ["--game", "--competition"]
            .iter()
            .any(|f| flag.starts_with(f))
    };
    if !names_game && !flags.iter().any(is_game_flag) {
        flags.insert(0, format!("--game {}", rules.info().slug));
    }
    flags
}

pub(super) fn replay(
    path: &Path,
    rules: &Arc<dyn Rules>,
    names_game: bool,
    game: &FailedGame,
    seed: u64,
) -> String {
    let player = |player: &Option<String>| match player {
        Some(opponent) => opponent.clone(),
        None => path_for_shell(path),
    };
    let mut words = vec![program(), "play".to_owned()];
    words.extend(game.players.iter().map(player));
    words.extend(flags(path, rules, names_game));
    words.push(format!("--state {} --seed {seed}", game.state));
    words.join(" ")
}

/// Returns the place by which a tournament takes the submission alone.
fn alone(path: &Path, rules: &Arc<dyn Rules>) -> Option<PathBuf> {
    if intake::is_single(path, Some(rules)) {
        return Some(path.to_owned());
    }
    let folder = ForeignFolder::open(path).ok()?;
    match folder.sorted_names(1).ok()?.as_slice() {
        [only] => Some(path.join(only)).filter(|only| only.is_file()),
        _ => None,
    }
}

/// Keeps the words of the command line that affect the games.
pub(super) fn settings(path: &Path, words: impl Iterator<Item = OsString>) -> Vec<String> {
    let mut kept = Vec::new();
    let mut words = words.peekable();
    let mut path = Some(path);
    while let Some(word) = words.next() {
        if path.is_some_and(|path| path.as_os_str() == word) {
            path = None;
            continue;
        }
        if word == "--" {
            continue;
        }
        let word = word.to_string_lossy();
        let (flag, value) = word
            .split_once('=')
            .map_or((&*word, None), |(f, v)| (f, Some(v)));
        if let Some((_, follows)) = OWN_FLAGS.iter().find(|(own, _)| *own == flag) {
            if *follows && value.is_none() {
                words.next();
            }
            continue;
        }
        kept.push(for_shell(&word));
    }
    kept
}

/// Returns whether a folder is above somebody's home or the temporary files, so unfit for results.
fn is_general(folder: &Path) -> bool {
    let home = env::var_os("HOME").map(PathBuf::from);
    let home = home.and_then(|home| home.canonicalize().ok());
    let temporary = env::temp_dir().canonicalize().ok();
    let is_above = |place: Option<PathBuf>| place.is_some_and(|place| place.starts_with(folder));
    is_above(home) || is_above(temporary)
}

/// Returns the `--out` for `judge run`, if its default would be inside the submission. It is next
/// to it where that is writable, and else among the temporary files.
fn out(path: &Path, submission: &Path, rules: &dyn Rules) -> String {
    let there = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let here = env::current_dir().ok();
    if !here.is_some_and(|here| here.starts_with(&there)) {
        return String::new();
    }
    let folder = there
        .parent()
        .filter(|folder| !is_general(folder) && access(*folder, AccessFlags::W_OK).is_ok())
        .map_or_else(env::temp_dir, Path::to_owned);
    let folder = default_folder(&folder, &[submission.to_owned()], rules);
    format!(" --out {}", for_shell(&folder.to_string_lossy()))
}

const TICK: Duration = Duration::from_millis(500);

/// Shows one line that overwrites itself; hidden without a terminal, or if `is_quiet` is set, as for
/// JSON.
pub(super) fn progress(is_quiet: bool) -> ProgressBar {
    let shown = !is_quiet && std::io::stderr().is_terminal();
    let target = if shown {
        ProgressDrawTarget::stderr()
    } else {
        ProgressDrawTarget::hidden()
    };
    let style = ProgressStyle::with_template("{prefix}{msg} … {elapsed}");
    let bar = ProgressBar::with_draw_target(None, target);
    bar.set_style(style.expect("it is well formed"));
    if shown {
        bar.enable_steady_tick(TICK);
    }
    bar
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_says_how_games_are_played_is_kept() {
        let words = "--seconds 5 ann --set side=5 --json --states=2 --turn-s 0.5 --weak-isolation";
        let words = words.split(' ').map(OsString::from);
        let kept = settings(Path::new("ann"), words);
        assert_eq!(kept.join(" "), "--set side=5 --turn-s 0.5 --weak-isolation");
    }

    #[test]
    fn the_end_of_the_flags_is_none() {
        let words = ["--set", "side=5", "--", "-2+3"].map(OsString::from);
        let kept = settings(Path::new("-2+3"), words.into_iter());
        assert_eq!(kept, ["--set", "side=5"]);
    }

    #[test]
    fn home_folder_and_its_parents_get_no_results() {
        let home = env::var_os("HOME").map(PathBuf::from);
        for folder in home.iter().flat_map(|home| home.ancestors()) {
            assert!(is_general(folder), "{}", folder.display());
        }
        assert!(!is_general(Path::new("/nowhere/submissions")));
    }
}
