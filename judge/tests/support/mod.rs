//! What the end-to-end tests share: running the real program in a temporary folder.
#![allow(
    dead_code,
    unreachable_pub,
    clippy::allow_attributes,
    reason = "a module of several test programs, each of which uses a part of it"
)]

pub mod culprits;
pub mod outside;
pub mod page;
pub mod processes;
pub mod zips;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// The repository.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("judge lies in the repository")
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
        fs::create_dir_all(&to).expect("a new folder");
        for entry in fs::read_dir(&from).expect("a committed example") {
            let entry = entry.expect("readable");
            fs::copy(entry.path(), to.join(entry.file_name())).expect("copied with its mode");
        }
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

    /// Reads a file of the run.
    pub fn read(&self, name: &str) -> String {
        let path = self.out().join(name);
        fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    }

    /// Reads a CSV file of the run as rows by column name.
    pub fn rows(&self, name: &str) -> Vec<Row> {
        let text = self.read(name);
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

/// One row of a CSV file.
#[derive(Debug, Clone)]
pub struct Row(Vec<(String, String)>);

impl Row {
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
