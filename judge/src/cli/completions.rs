//! Shell completions and manual pages, both derived from the commands themselves.

#![expect(
    clippy::disallowed_methods,
    reason = "only names are read, which the shell shows to who types"
)]

use super::exit::Done;
use super::new::languages_of_all;
use clap::{Args, Command};
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate};
use clap_complete::env::Shells;
use model::builtin::PREFIX;
use rulebook::rules::Rules;
use rulebook::{IoContext, Result, courses};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{env, fs};
use store::manifest::Manifest;

pub(super) const ASKED_BY: &str = "JUDGE_COMPLETE";

const NAME: &str = "judge";

/// Script that quotes the words for bash, which inserts completions as if they had been typed.
const BASH_QUOTES: &str = include_str!("completions.bash");

/// Maximum number of entries of a folder that are searched for runs.
const FOLDERS_MAX: usize = 1000;

#[derive(Args)]
#[command(after_help = HELP)]
pub(super) struct CompletionsArgs {
    /// The shell
    #[arg(value_parser = ["bash", "zsh", "fish"])]
    shell: String,
}

const HELP: &str = "To enable completions permanently, in bash, zsh (FOLDER is in fpath) or fish:
  judge completions bash > ~/.local/share/bash-completion/completions/judge
  judge completions zsh > FOLDER/_judge
  judge completions fish > ~/.config/fish/completions/judge.fish";

impl CompletionsArgs {
    pub(super) fn execute(&self) -> Result<Done> {
        let shells = Shells::builtins();
        let mut script = Vec::new();
        shells
            .completer(&self.shell)
            .expect("all three are built in")
            .write_registration(ASKED_BY, NAME, NAME, NAME, &mut script)
            .or_io("write", "a script")?;
        say!("{}", String::from_utf8_lossy(&script).trim_end());
        // Other shells quote the completions themselves.
        if self.shell == "bash" {
            say!("\n{}", BASH_QUOTES.trim_end());
        }
        Ok(Done::Success)
    }
}

#[derive(Args)]
pub(super) struct ManPagesArgs {
    /// The folder to write them into
    folder: PathBuf,
}

impl ManPagesArgs {
    pub(super) fn execute(&self, commands: Command) -> Result<Done> {
        fs::create_dir_all(&self.folder).or_io("write", &self.folder)?;
        let commands = commands.disable_help_subcommand(true);
        clap_mangen::generate_to(commands, &self.folder).or_io("write", &self.folder)?;
        Ok(Done::Success)
    }
}

type Candidates = fn() -> Vec<String>;

/// Candidates of arguments: the argument's name, its verbs, and the candidates.
const COMPLETED: [(&str, &[&str], Candidates); 8] = [
    (
        "game",
        &[
            "run", "plan", "play", "check", "match", "new", "bot", "referee", "perft",
        ],
        games,
    ),
    ("lang", &["new"], languages),
    ("with", &["run", "plan", "split", "match"], builtins),
    ("players", &["play"], builtins),
    (
        "competition",
        &["run", "plan", "check", "match", "doctor", "regrade"],
        competitions,
    ),
    ("name", &["competition"], competitions),
    (
        "run",
        &[
            "explain", "report", "verify", "regrade", "grades", "repro", "view", "merge", "reveal",
        ],
        runs,
    ),
    ("entrant", &["explain", "regrade"], entrants),
];

pub(super) fn completing(mut commands: Command) -> Command {
    for (argument, verbs, candidates) in COMPLETED {
        for verb in verbs {
            // `mut_arg` would put the argument behind the others.
            commands = commands.mut_subcommand(verb, |command| {
                command.mut_args(|one| {
                    if one.get_id() != argument {
                        return one;
                    }
                    one.add(ArgValueCompleter::new(move |current: &OsStr| {
                        let begin = current.to_string_lossy();
                        candidates()
                            .into_iter()
                            .filter(|one| one.starts_with(&*begin))
                            .map(CompletionCandidate::new)
                            .collect()
                    }))
                })
            });
        }
    }
    commands
}

fn games() -> Vec<String> {
    let rules = rulebook::rules::built_in();
    rules.map(|rules| rules.info().slug.to_owned()).collect()
}

fn languages() -> Vec<String> {
    languages_of_all().into_iter().map(str::to_owned).collect()
}

fn competitions() -> Vec<String> {
    let is_toml = |path: &Path| path.extension().is_some_and(|ending| ending == "toml");
    courses()
        .map(|course| course.name.to_owned())
        .chain(files_here(is_toml))
        .collect()
}

fn builtins() -> Vec<String> {
    let mut asked: Vec<Arc<dyn Rules>> = rulebook::rules::built_in().collect();
    let is_named = |rules: &Arc<dyn Rules>| env::args().any(|word| word == rules.info().slug);
    if asked.iter().any(is_named) {
        asked.retain(is_named);
    }
    let names: BTreeSet<String> = asked
        .iter()
        .flat_map(|rules| rules.baselines())
        .map(|(name, _)| format!("{PREFIX}{name}"))
        .collect();
    names.into_iter().collect()
}

fn runs() -> Vec<String> {
    let here = files_here(Path::is_dir);
    let below = here.iter().flat_map(|folder| {
        fs::read_dir(folder)
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path().display().to_string())
            .take(FOLDERS_MAX)
            .collect::<Vec<_>>()
    });
    here.iter()
        .cloned()
        .chain(below)
        .filter(|folder| is_run(Path::new(folder)))
        .collect()
}

fn is_run(folder: &Path) -> bool {
    folder.join(system::run_folder::MANIFEST).is_file()
}

fn files_here(keep: impl Fn(&Path) -> bool) -> Vec<String> {
    let mut kept: Vec<String> = fs::read_dir(".")
        .into_iter()
        .flatten()
        .flatten()
        .take(FOLDERS_MAX)
        .map(|entry| PathBuf::from(entry.file_name()))
        .filter(|name| keep(name))
        .map(|name| name.display().to_string())
        .collect();
    kept.sort();
    kept
}

fn entrants() -> Vec<String> {
    let run = env::args().map(PathBuf::from).find(|word| is_run(word));
    let manifest = run.and_then(|run| Manifest::read(&run).ok().flatten());
    let entrants = manifest.map_or_else(Vec::new, |manifest| manifest.entrants);
    entrants.into_iter().map(|line| line.name).collect()
}
