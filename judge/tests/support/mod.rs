//! What the end-to-end tests share: running the real program in a temporary folder.
#![allow(
    dead_code,
    unreachable_pub,
    clippy::allow_attributes,
    reason = "a module of several test programs, each of which uses a part of it"
)]

pub mod arena;
pub mod brief;
pub mod catalogue;
pub mod culprits;
pub mod golden;
pub mod groups;
pub mod outside;
pub mod page;
pub mod processes;
pub mod pty;
pub mod season;
pub mod zips;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::inotify::{AddWatchFlags, InitFlags, Inotify};
use std::fs;
use std::os::fd::AsFd;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The repository.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("judge lies in the repository")
}

/// Copies a folder with all that is below it.
pub fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a new folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("readable");
        let place = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_folder(&entry.path(), &place);
        } else {
            fs::copy(entry.path(), place).expect("copied with its mode");
        }
    }
}

/// A folder of submissions and a folder for the run.
pub struct Scene {
    folder: TempDir,
}

impl Scene {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        // Bots that run as another user must reach their files.
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).expect("ours");
        let scene = Self { folder };
        fs::create_dir(scene.submissions()).expect("a new folder");
        scene
    }

    pub fn submissions(&self) -> PathBuf {
        self.folder.path().join("submissions")
    }

    pub fn out(&self) -> PathBuf {
        self.folder.path().join("out")
    }

    /// The folder that everything is in.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// A name that nobody else uses: that of the folder.
    pub fn name(&self) -> String {
        let name = self.folder.path().file_name().expect("it has one");
        name.to_string_lossy().into_owned()
    }

    /// Adds a submission that is a script.
    pub fn script(&self, name: &str, text: &str) -> &Self {
        let folder = self.submissions().join(name);
        fs::create_dir_all(&folder).expect("a new folder");
        let path = folder.join("bot");
        fs::write(&path, text).expect("a new file");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("ours");
        self
    }

    /// Adds a submission of source files.
    pub fn sources(&self, name: &str, files: &[(&str, &str)]) -> &Self {
        let folder = self.submissions().join(name);
        for (file, text) in files {
            let path = folder.join(file);
            fs::create_dir_all(path.parent().expect("below the folder")).expect("a new folder");
            fs::write(path, text).expect("a new file");
        }
        self
    }

    /// Adds a file, which may be executed or not.
    pub fn file(&self, name: &str, content: impl AsRef<[u8]>, mode: u32) -> &Self {
        let path = self.submissions().join(name);
        fs::write(&path, content).expect("a new file");
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("ours");
        self
    }

    /// Adds a committed example.
    pub fn example(&self, game: &str, name: &str) -> &Self {
        let from = root().join("examples").join(game).join(name);
        let to = self.submissions().join(name);
        copy_folder(&from, &to);
        self
    }

    /// Adds a bot that asks for the legal moves and plays the first one.
    pub fn first_legal(&self, name: &str) -> &Self {
        self.script(name, FIRST_LEGAL)
    }

    /// The command `judge run` on this scene.
    pub fn command(&self, flags: &[&str]) -> Command {
        let mut command = judge();
        command
            .arg("run")
            .arg("--submissions")
            .arg(self.submissions());
        command.arg("--out").arg(self.out()).args(flags);
        command
    }

    /// Runs `judge run` to its end.
    pub fn run(&self, flags: &[&str]) -> Ended {
        Ended::of(self.command(flags).output().expect("the program starts"))
    }

    /// Waits, by the kernel's notices, until the journal has this many lines.
    pub fn wait_for_lines(&self, lines: usize) {
        let path = self.out().join("journal.jsonl");
        let folder = self.out();
        fs::create_dir_all(&folder).expect("ours");
        let watch = Inotify::init(InitFlags::IN_CLOEXEC).expect("the kernel has inotify");
        watch
            .add_watch(&folder, AddWatchFlags::IN_MODIFY)
            .expect("ours");
        let enough = || fs::read_to_string(&path).is_ok_and(|text| text.lines().count() >= lines);
        while !enough() {
            let mut fds = [PollFd::new(watch.as_fd(), PollFlags::POLLIN)];
            let changed = poll(&mut fds, PollTimeout::from(60_000_u16)).expect("a poll");
            assert!(
                changed > 0,
                "the journal did not grow to {lines} lines within a minute"
            );
            watch.read_events().expect("events");
        }
    }

    /// Reads a file of the run.
    pub fn read(&self, name: &str) -> String {
        let path = self.out().join(name);
        fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    }

    /// Reads a CSV file of the run as rows by column name.
    pub fn rows(&self, name: &str) -> Vec<Row> {
        read_csv(&self.read(name))
    }

    /// Reads a CSV file without the columns that hold times.
    pub fn timeless(&self, name: &str) -> Vec<Vec<String>> {
        let rows = self.rows(name).into_iter().map(|row| {
            let kept = row
                .0
                .into_iter()
                .filter(|(column, _)| !column.contains("_us"));
            kept.map(|(_, cell)| cell).collect()
        });
        rows.collect()
    }
}

/// Reads CSV text as rows by column name.
pub fn read_csv(text: &str) -> Vec<Row> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let header = reader.headers().expect("a header").clone();
    let rows = reader.records().map(|row| {
        let row = row.expect("a row");
        Row(header
            .iter()
            .map(str::to_owned)
            .zip(row.iter().map(str::to_owned))
            .collect())
    });
    rows.collect()
}

/// One row of a CSV file.
#[derive(Debug, Clone)]
pub struct Row(Vec<(String, String)>);

impl Row {
    pub fn has(&self, column: &str) -> bool {
        self.0.iter().any(|(name, _)| name == column)
    }

    pub fn get(&self, column: &str) -> &str {
        let found = self.0.iter().find(|(name, _)| name == column);
        &found
            .unwrap_or_else(|| panic!("no column {column} in {:?}", self.0))
            .1
    }
}

/// A bot in shell for games whose moves are lists of plain numbers.
pub const FIRST_LEGAL: &str = r#"#!/bin/sh
while read -r line; do
  case $line in
    '{"hello"'* | '{"start"'*) echo '{"ready":{"legal_moves":true}}' ;;
    '{"turn"'*) legal=${line#*'"legal":['} && echo "{\"move\":${legal%%]*}]}" ;;
  esac
done
"#;

/// Its sister, which plays the last one.
pub const LAST_LEGAL: &str = r#"#!/bin/sh
while read -r line; do
  case $line in
    '{"hello"'* | '{"start"'*) echo '{"ready":{"legal_moves":true}}' ;;
    '{"turn"'*) last=${line##*'['} && echo "{\"move\":[${last%%]*}]}" ;;
  esac
done
"#;

/// Falls silent in its first turn, under another name.
pub const SILENT: &str = r#"#!/bin/sh
read -r hello; echo '{"ready":{}}'
read -r start; echo '{"ready":{}}'
read -r turn; exec sleep 99
"#;

/// Small, quick games of Catch the Cat, without points for CPU time.
pub const QUICK: &[&str] = &[
    "--game",
    "catch-the-cat",
    "--k",
    "0",
    "--side",
    "5",
    "--states",
    "1",
];

/// The program.
pub fn judge() -> Command {
    Command::new(env!("CARGO_BIN_EXE_judge"))
}

/// A finished command.
#[derive(Debug)]
pub struct Ended {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Ended {
    pub fn of(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).expect("UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("UTF-8"),
        }
    }

    /// Asserts that the command did what it should.
    pub fn well(self) -> Self {
        assert_eq!(self.code, Some(0), "{self:?}");
        self
    }

    /// Asserts that the output holds all these words.
    pub fn says(&self, words: &[&str]) {
        for word in words {
            assert!(self.stdout.contains(word), "{word:?} is not in {self:?}");
        }
    }

    /// Asserts that the input was refused with a message that holds all these words.
    pub fn refused(self, words: &[&str]) -> Self {
        assert_eq!(self.code, Some(2), "{self:?}");
        for word in words {
            assert!(self.stderr.contains(word), "{word:?} is not in {self:?}");
        }
        self
    }
}

/// Waits until something holds; fails after a minute.
pub fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !holds() {
        assert!(Instant::now() < deadline, "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}
