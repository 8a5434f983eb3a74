//! The report of `judge check` as text for people, with the next commands.

use super::formats::findings;
use super::{CheckArgs, CheckReport, SampleGames, Verdict};
use crate::terminal::{self, Paint, Style, joined, line};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use model::numbers::counted;
use model::text::{for_shell, readable};
use nix::unistd::{AccessFlags, access};
use rulebook::rules::Rules;
use run::commands::{path_for_shell, program, this_command, this_command_as};
use run::default_folder;
use std::env;
use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use system::foreign::ForeignFolder;

const VERDICT_COLUMNS: usize = 8;
/// Enough for the largest board of a course; JSON has all lines.
const DETAIL_LINES_MAX: usize = 32;
const UNDRAWN_LINES_MAX: usize = 6;
/// Authors fix homework one by one; the other checks show only the call.
const HOMEWORK_DRAWN_MAX: usize = 2;

impl CheckReport {
    /// Formats the report for a person: first all that is wrong, then all checks.
    pub(super) fn text(&self, paint: Paint) -> String {
        let painted = |verdict: Verdict, text: String| {
            let style = match verdict {
                Verdict::Ok => Style::Good,
                Verdict::Warning => Style::Warning,
                Verdict::Wrong => Style::Bad,
                Verdict::NotLookedAt => Style::Dim,
            };
            paint.line(&line(text, style))
        };
        let mut lines = Vec::new();
        let mut drawn = 0;
        for check in findings(self) {
            let (verdict, number, name) = (check.verdict, check.number, check.topic.name());
            let head = painted(verdict, format!("{} ({number} {name}):", verdict.word()));
            lines.push(format!("{head} {}", readable(&check.message)));
            let is_drawn = check.topic.is_homework() && check.detail.len() > UNDRAWN_LINES_MAX;
            drawn += usize::from(is_drawn);
            let lines_max = if is_drawn && drawn > HOMEWORK_DRAWN_MAX {
                1
            } else {
                DETAIL_LINES_MAX
            };
            let shown = check.detail.iter().take(lines_max);
            lines.extend(shown.map(|line| format!("    {}", readable(line))));
            if let Some(more @ 1..) = check.detail.len().checked_sub(lines_max) {
                let more = counted(more, "more line");
                lines.push(format!("    … {more}; --json has them all"));
            }
            lines.push(String::new());
        }
        for check in &self.checks {
            let message = readable(&check.message);
            let said = match check.verdict {
                Verdict::Ok => format!("  {message}"),
                Verdict::Warning | Verdict::Wrong => "  see above".to_owned(),
                Verdict::NotLookedAt => format!("  not checked: {message}"),
            };
            let (number, name) = (check.number, check.topic.name());
            let word = check.verdict.word();
            let blanks = VERDICT_COLUMNS - word.len();
            let verdict = painted(check.verdict, word.to_owned());
            lines.push(format!(
                "{number:>3}  {verdict}{:blanks$} {name:<17}{said}",
                ""
            ));
            if check.verdict == Verdict::Ok {
                lines.extend(
                    check
                        .detail
                        .iter()
                        .map(|line| format!("                 {}", readable(line))),
                );
            }
        }
        if !self.not_checked.is_empty() {
            let names = joined(self.not_checked.iter().map(|topic| topic.name()), ", ");
            let why = if self.ok {
                ""
            } else {
                ", because of the above"
            };
            lines.push(format!("     not checked{why}: {names}"));
        }
        lines.push(String::new());
        lines.join("\n")
    }
}

impl CheckArgs {
    pub(super) fn text(&self, report: &CheckReport, own: Option<&str>) -> String {
        let paint = if self.form.format().is_text() {
            terminal::paint()
        } else {
            Paint::Plain
        };
        let SampleGames {
            planned,
            played,
            won,
            drawn,
            lost,
        } = report.games;
        let seed = report.seed;
        let mut games = String::new();
        if planned > 0 {
            games = format!(
                "{played} of {planned} sample games played against built-in bots: {won} won, {drawn} drawn, {lost} lost (--seed {seed})\n\n"
            );
        }
        let (name, again) = (&report.submission, this_command());
        let rules = report
            .game
            .and_then(|game| rulebook::rules::find(game).ok());
        let is_named = self.settings.game.is_some();
        let is_another = |own: &str| Some(own) != report.game && rulebook::rules::find(own).is_ok();
        let warned = report.checks.iter().any(|c| c.verdict == Verdict::Warning);
        let end = match (report.ok, warned) {
            (false, _) if is_named && own.is_some_and(is_another) => format!(
                "{name} names another game. To check it for that: {}",
                this_command_as("check", &["--game"])
            ),
            (false, _) => {
                let mut watch = String::new();
                if let (Some(rules), Some(game)) = (&rules, &report.failed) {
                    let command = replay(&self.path, rules, own.is_some(), game, seed);
                    watch = format!("To watch the game that failed: {command}\n");
                }
                format!("{watch}{name} is not ready. Fix it and check again: {again}")
            }
            (true, _) if report.unreached.is_some() => {
                format!("{name} was not checked to the end. To check again: {again}")
            }
            (true, true) => {
                format!("{name} can play; see the warnings above. To check again: {again}")
            }
            (true, false) => {
                let rules = rules.expect("what is ready has played a game");
                format!(
                    "{name} is ready. {}",
                    step(&self.path, &rules, own.is_some())
                )
            }
        };
        format!("{}\n{games}{end}\n", report.text(paint))
    }
}

const JSON: &str = "--json";
/// Flags of `judge check` that do not affect the games. A value follows all but one.
const OWN_FLAGS: [&str; 8] = [
    JSON,
    "--format",
    "--points",
    "--title",
    "--visibility",
    "--seconds",
    "--states",
    "--seed",
];

/// Returns commands that let the submission at `path` play against others and read nothing next to it.
fn step(path: &Path, rules: &Arc<dyn Rules>, names_game: bool) -> String {
    let flags = flags(path, rules, names_game);
    let command = |verb: &str, place: &Path, opponent: &str| {
        let (program, place) = (program(), path_for_shell(place));
        let words = [&*program, verb, &place, opponent].into_iter();
        joined(words.chain(flags.iter().map(String::as_str)), " ")
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
    let is_game_flag =
        |flag: &String| flag.starts_with("--game") || flag.starts_with("--competition");
    if !names_game && !flags.iter().any(is_game_flag) {
        flags.insert(0, format!("--game {}", rules.info().slug));
    }
    flags
}

fn replay(
    path: &Path,
    rules: &Arc<dyn Rules>,
    names_game: bool,
    (players, state): &(Vec<Option<String>>, u32),
    seed: u64,
) -> String {
    let own = path_for_shell(path);
    let players = players.iter().map(|one| one.as_ref().unwrap_or(&own));
    let words = joined(players.chain(&flags(path, rules, names_game)), " ");
    format!("{} play {words} --state {state} --seed {seed}", program())
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
        let flag = word.split_once('=').map_or(&*word, |(flag, _)| flag);
        if !OWN_FLAGS.contains(&flag) {
            kept.push(for_shell(&word));
        } else if flag == word && flag != JSON {
            words.next();
        }
    }
    kept
}

/// Returns whether a folder is above somebody's home or the temporary files, so unfit for results.
fn is_general(folder: &Path) -> bool {
    env::var_os("HOME")
        .map(PathBuf::from)
        .into_iter()
        .chain([env::temp_dir()])
        .any(|place| {
            let real = place.canonicalize();
            real.is_ok_and(|real| real.starts_with(folder))
        })
}

/// Returns the `--out` for `judge run`, if its default would be inside the submission. It is next
/// to it where that is writable, and else among the temporary files.
fn out(path: &Path, submission: &Path, rules: &dyn Rules) -> String {
    let there = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let here = env::current_dir();
    if !here.is_ok_and(|here| here.starts_with(&there)) {
        return String::new();
    }
    let parent = there
        .parent()
        .filter(|folder| !is_general(folder) && access(*folder, AccessFlags::W_OK).is_ok())
        .map_or_else(env::temp_dir, Path::to_owned);
    let folder = default_folder(&parent, &[submission.to_owned()], rules);
    format!(" --out {}", for_shell(&folder.to_string_lossy()))
}

const TICK: Duration = Duration::from_millis(500);

/// Shows one line that overwrites itself; hidden without a terminal, or if `is_quiet` is set, as for
/// JSON.
pub(super) fn progress(is_quiet: bool) -> ProgressBar {
    if is_quiet || !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{prefix}{msg} … {elapsed}");
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    bar.set_style(style.expect("it is well formed"));
    bar.enable_steady_tick(TICK);
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
        // The end of the flags is no setting.
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
