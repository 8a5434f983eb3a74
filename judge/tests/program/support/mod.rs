//! Common support of the end-to-end tests: they run the real program in a temporary folder.

pub(crate) mod arena;
pub(crate) mod bot;
pub(crate) mod browser;
pub(crate) mod catalogue;
pub(crate) mod cluster;
mod commands;
pub(crate) mod culprits;
mod files;
pub(crate) mod groups;
pub(crate) mod outside;
pub(crate) mod page;
pub(crate) mod processes;
pub(crate) mod pty;
mod scene;
pub(crate) mod season;
pub(crate) mod skip;
pub(crate) mod snapshot;
pub(crate) mod web;
pub(crate) mod zips;

pub(crate) use self::commands::{
    Ended, Has, ORDINARY, Run, SYSTEM_PATH, Wait, Words, as_ordinary_user, judge, judge_at,
    without_namespaces,
};
pub(crate) use self::files::{
    all_below, copy_folder, copy_program, executable, files_below, names_in, program, root, source,
    text_below, write_program,
};
pub(crate) use self::scene::{Scene, run_into};

use model::FORMAT;
use model::record::MatchRecord;
use sandbox::{Cage, Launch, Limits};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

pub(crate) fn game_lines(journal: &str) -> impl Iterator<Item = &str> {
    let start = format!("{{\"v\":{FORMAT},\"fixture\":");
    journal.lines().filter(move |line| line.starts_with(&start))
}

/// Reads a line of a journal without its MACs.
pub(crate) fn record(line: &str) -> MatchRecord {
    let (content, _) = line.rsplit_once(",\"after\":").expect("a signed line");
    serde_json::from_str(&format!("{content}}}")).expect("a record")
}

pub(crate) fn read_csv(text: &str) -> Vec<Row> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let header = reader.headers().expect("a header").clone();
    let rows = reader.records().map(|row| {
        let row = row.expect("a row");
        let cells = header.iter().zip(&row);
        let cells = cells.map(|(name, cell)| (name.to_owned(), cell.to_owned()));
        Row(cells.collect())
    });
    rows.collect()
}

pub(crate) fn cells_of(rows: &[Row], columns: &str) -> Vec<String> {
    rows.iter().map(|row| row.cells(columns)).collect()
}

#[derive(Debug, Clone)]
pub(crate) struct Row(Vec<(String, String)>);

impl Row {
    pub(crate) fn has(&self, column: &str) -> bool {
        self.0.iter().any(|(name, _)| name == column)
    }

    /// Returns cells with commas between them.
    pub(crate) fn cells(&self, columns: &str) -> String {
        let cells = columns.split(',').map(|column| self.get(column));
        cells.collect::<Vec<_>>().join(",")
    }

    pub(crate) fn get(&self, column: &str) -> &str {
        let found = self.0.iter().find(|(name, _)| name == column);
        let found = found.unwrap_or_else(|| panic!("no column {column} in {:?}", self.0));
        &found.1
    }
}

/// A bot in shell for games whose moves are lists of plain numbers; it plays the first legal move.
pub(crate) const FIRST_LEGAL: &str = include_str!("../../bots/first_legal.sh");

/// The same bot, playing the last legal move.
pub(crate) const LAST_LEGAL: &str = include_str!("../../bots/last_legal.sh");

/// A bot that falls silent in its first turn, under another process name.
pub(crate) const SILENT: &str = include_str!("../../bots/silent.sh");

/// A bot that sleeps a second, in steps, in each of its first three turns, under another name.
pub(crate) const THINKER: &str = include_str!("../../bots/thinker.sh");

/// Flags for small, quick games of Catch the Cat, each with one process for each bot, without points
/// for CPU time.
pub(crate) const QUICK: &str =
    "--game catch-the-cat --points-per-cpu-second 0 --set side=5 --states 1 --lifetime game";

pub(crate) fn launch<'a>(
    program: &'a Path,
    args: &'a [String],
    directory: &'a Path,
    cage: &'a Cage,
) -> Launch<'a> {
    Launch {
        program,
        args,
        directory,
        forks: false,
        limits: Limits::BOT,
        cage,
        group: None,
    }
}

pub(crate) fn git(folder: &Path, args: &[&str]) -> String {
    let mut git = Command::new("git");
    for setting in [
        "user.name=T",
        "user.email=t@example.org",
        "init.defaultBranch=main",
    ] {
        git.args(["-c", setting]);
    }
    git.args(args).current_dir(folder);
    let ended = git.env("GIT_CONFIG_GLOBAL", "/dev/null").ended().well();
    ended.stdout.trim().to_owned()
}

/// Commits a bot, or its next version, to a repository. Returns the commit.
pub(crate) fn commit(home: &Path, bot: &str, text: &str) -> String {
    write_program(&home.join(bot), text);
    git(home, &["init", "--quiet"]);
    git(home, &["add", "."]);
    git(home, &["commit", "--quiet", "-m", "a version"]);
    git(home, &["rev-parse", "HEAD"])
}

/// Test timeout; no passing test reaches it.
pub(crate) const PATIENCE: Duration = Duration::from_secs(300);

/// Waits until a condition holds, for conditions without a notice.
pub(crate) fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < deadline, "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}
