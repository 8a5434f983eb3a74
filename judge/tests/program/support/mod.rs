//! Common support of the end-to-end tests: they run the real program in a temporary folder.

pub(crate) mod arena;
pub(crate) mod brief;
pub(crate) mod browser;
pub(crate) mod catalogue;
pub(crate) mod cluster;
pub(crate) mod culprits;
pub(crate) mod failing_rules;
pub(crate) mod groups;
pub(crate) mod machine;
pub(crate) mod outside;
pub(crate) mod page;
pub(crate) mod processes;
pub(crate) mod pty;
pub(crate) mod season;
pub(crate) mod skip;
pub(crate) mod snapshot;
pub(crate) mod web;
pub(crate) mod zips;

use self::machine::Share;
use model::FORMAT;
use model::record::MatchRecord;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::inotify::{AddWatchFlags, InitFlags, Inotify};
use sandbox::{Build, BuildRun, Builder, Isolation};
use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::os::fd::AsFd;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::LazyLock;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Returns the repository, or the copy of it that `JUDGE_TESTS_ROOT` names. An ordinary user may
/// have no access to the folder in which these tests were compiled.
pub(crate) fn root() -> &'static Path {
    static ROOT: LazyLock<PathBuf> = LazyLock::new(|| {
        let here = || Path::new(env!("CARGO_MANIFEST_DIR")).parent();
        let named = std::env::var_os("JUDGE_TESTS_ROOT").map(PathBuf::from);
        named.unwrap_or_else(|| here().expect("judge lies in the repository").to_owned())
    });
    &ROOT
}

/// Returns the program, or the copy of it that `JUDGE_TESTS_PROGRAM` names.
pub(crate) fn program() -> &'static Path {
    static PROGRAM: LazyLock<PathBuf> = LazyLock::new(|| {
        let named = std::env::var_os("JUDGE_TESTS_PROGRAM");
        named.map_or_else(|| env!("CARGO_BIN_EXE_judge").into(), PathBuf::from)
    });
    &PROGRAM
}

/// Writes a program that this process, or its child, starts at once.
///
/// A child writes the file. If we did, a process that another test just starts would hold it open
/// for a moment, and the system starts no file that is open for writing.
pub(crate) fn write_program(path: &Path, text: &str) {
    let mut writer = Command::new("/bin/sh")
        .args(["-c", "cat > \"$0\" && chmod 755 \"$0\""])
        .arg(path)
        .stdin(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut stdin = writer.stdin.take().expect("piped");
    stdin.write_all(text.as_bytes()).expect("it reads");
    drop(stdin);
    assert!(writer.wait().expect("ours").success(), "{}", path.display());
}

/// Copies a program that this process, or its child, starts at once: see [`write_program`].
pub(crate) fn copy_program(from: impl AsRef<OsStr>, to: &Path) {
    let copied = Command::new("cp").arg(from).arg(to).status();
    assert!(copied.expect("it starts").success(), "{}", to.display());
}

/// Copies a folder with all that is below it, and the modes. The judge notices changed modes, and
/// builds such a program again.
pub(crate) fn copy_folder(from: &Path, to: &Path) {
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
    let mode = fs::metadata(from).expect("a folder").permissions();
    fs::set_permissions(to, mode).expect("ours");
}

/// A folder of submissions and a folder for the run. It holds a share in the machine until it is
/// dropped.
pub(crate) struct Scene {
    folder: TempDir,
    _share: Share,
}

impl Scene {
    pub(crate) fn new() -> Self {
        Self::with(Share::beside_others())
    }

    /// Makes a scene of three bots whose games end by the rules, and are long enough to be
    /// interrupted.
    pub(crate) fn of_three_scripts() -> Self {
        let scene = Self::new();
        scene
            .first_legal("ann")
            .first_legal("bob")
            .script("zoe", LAST_LEGAL);
        scene
    }

    /// Makes a scene for a test that takes a resource of all programs of a user, while no other
    /// test runs.
    #[track_caller]
    pub(crate) fn alone() -> Self {
        Self::with(Share::alone())
    }

    fn with(share: Share) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        // Bots that run as another user must reach their files.
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).expect("ours");
        let scene = Self {
            folder,
            _share: share,
        };
        fs::create_dir(scene.submissions()).expect("a new folder");
        scene
    }

    pub(crate) fn submissions(&self) -> PathBuf {
        self.folder.path().join("submissions")
    }

    pub(crate) fn out(&self) -> PathBuf {
        self.folder.path().join("out")
    }

    /// Returns the folder that contains everything.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Returns a unique name: the folder's.
    pub(crate) fn name(&self) -> String {
        let name = self.folder.path().file_name().expect("it has one");
        name.to_string_lossy().into_owned()
    }

    /// Adds a submission that is a script.
    pub(crate) fn script(&self, name: &str, text: &str) -> &Self {
        let folder = self.submissions().join(name);
        fs::create_dir_all(&folder).expect("a new folder");
        let path = folder.join("bot");
        fs::write(&path, text).expect("a new file");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("ours");
        self
    }

    /// Adds a submission of source files.
    pub(crate) fn sources(&self, name: &str, files: &[(&str, &str)]) -> &Self {
        let folder = self.submissions().join(name);
        for (file, text) in files {
            let path = folder.join(file);
            fs::create_dir_all(path.parent().expect("below the folder")).expect("a new folder");
            fs::write(path, text).expect("a new file");
        }
        self
    }

    /// Adds a file with a mode.
    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>, mode: u32) -> &Self {
        let path = self.submissions().join(name);
        fs::write(&path, content).expect("a new file");
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("ours");
        self
    }

    /// Adds a committed example.
    pub(crate) fn example(&self, game: &str, name: &str) -> &Self {
        let from = root().join("examples").join(game).join(name);
        let to = self.submissions().join(name);
        copy_folder(&from, &to);
        self
    }

    /// Adds a bot that asks for the legal moves and plays the first one.
    pub(crate) fn first_legal(&self, name: &str) -> &Self {
        self.script(name, FIRST_LEGAL)
    }

    /// Takes over the programs that another scene's run has built. A run of this scene then builds
    /// no submission of equal content.
    pub(crate) fn take_programs(&self, of: &Self) {
        let [from, to] = [of, self].map(|scene| scene.out().join("artifacts"));
        copy_folder(&from, &to);
    }

    /// Returns the command `judge run` on this scene, with a seed that makes it repeatable.
    pub(crate) fn command(&self, flags: &[&str]) -> Command {
        let mut command = self.command_by_secret(flags);
        if !flags.contains(&"--seed") {
            command.args(["--seed", "1"]);
        }
        command
    }

    /// Runs the submissions without flags, with the `competition.toml` among them.
    pub(crate) fn run_as_is(&self) -> Ended {
        self.run_by_secret(&[])
    }

    /// Runs `judge run` to its end, with a draw from a secret: with hidden names, views need one.
    pub(crate) fn run_by_secret(&self, flags: &[&str]) -> Ended {
        let ended = self.command_by_secret(flags).output();
        Ended::of(ended.expect("the program starts"))
    }

    /// Returns the command `judge run` on this scene, with a draw from a secret.
    pub(crate) fn command_by_secret(&self, flags: &[&str]) -> Command {
        let mut command = judge();
        command
            .arg("run")
            .arg("--submissions")
            .arg(self.submissions());
        command.arg("--out").arg(self.out()).args(flags);
        command
    }

    /// Runs `judge run` to its end.
    pub(crate) fn run(&self, flags: &[&str]) -> Ended {
        Ended::of(self.command(flags).output().expect("the program starts"))
    }

    /// Waits until the journal has this many games, by the kernel's notices.
    pub(crate) fn wait_for_lines(&self, lines: usize) {
        let path = self.out().join("journal.jsonl");
        let folder = self.out();
        fs::create_dir_all(&folder).expect("ours");
        let watch = Inotify::init(InitFlags::IN_CLOEXEC).expect("the kernel has inotify");
        watch
            .add_watch(&folder, AddWatchFlags::IN_MODIFY)
            .expect("ours");
        let enough =
            || fs::read_to_string(&path).is_ok_and(|text| game_lines(&text).count() >= lines);
        while !enough() {
            let mut fds = [PollFd::new(watch.as_fd(), PollFlags::POLLIN)];
            let patience = PollTimeout::try_from(PATIENCE).expect("short");
            let changed = poll(&mut fds, patience).expect("a poll");
            assert!(changed > 0, "the journal did not grow to {lines} games");
            watch.read_events().expect("events");
        }
    }

    /// Reads a file of the run.
    pub(crate) fn read(&self, name: &str) -> String {
        let path = self.out().join(name);
        fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    }

    /// Reads a CSV file of the run as rows by column name.
    pub(crate) fn rows(&self, name: &str) -> Vec<Row> {
        read_csv(&self.read(name))
    }

    /// Reads the rows of `standings.csv` that have a rank.
    pub(crate) fn ranked(&self) -> Vec<Row> {
        let mut rows = self.rows("standings.csv");
        rows.retain(|row| !row.get("rank").is_empty());
        rows
    }

    /// Reads a CSV file without its columns of times.
    pub(crate) fn timeless(&self, name: &str) -> Vec<Vec<String>> {
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

/// Returns the same command for a machine where nobody may make namespaces, not even root: a filter
/// refuses the call. Within a test program, change `Isolation::namespaces` instead.
pub(crate) fn without_namespaces(command: &Command) -> Command {
    let mut bare = Command::new("/usr/bin/python3");
    bare.arg(root().join("judge/tests/hostile/without_namespaces.py"));
    bare.arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => bare.env(name, value),
            None => bare.env_remove(name),
        };
    }
    bare
}

/// Lists the lines of a journal that are games; other lines describe machines.
pub(crate) fn game_lines(journal: &str) -> impl Iterator<Item = &str> {
    let start = format!("{{\"v\":{FORMAT},\"fixture\":");
    journal.lines().filter(move |line| line.starts_with(&start))
}

/// Reads a line of a journal without its MACs.
pub(crate) fn record(line: &str) -> MatchRecord {
    let (content, _) = line.rsplit_once(",\"after\":").expect("a signed line");
    serde_json::from_str(&format!("{content}}}")).expect("a record")
}

/// Reads CSV text as rows by column name.
pub(crate) fn read_csv(text: &str) -> Vec<Row> {
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
pub(crate) struct Row(Vec<(String, String)>);

impl Row {
    pub(crate) fn has(&self, column: &str) -> bool {
        self.0.iter().any(|(name, _)| name == column)
    }

    pub(crate) fn get(&self, column: &str) -> &str {
        let found = self.0.iter().find(|(name, _)| name == column);
        &found
            .unwrap_or_else(|| panic!("no column {column} in {:?}", self.0))
            .1
    }
}

/// A bot in shell for games whose moves are lists of plain numbers; it plays the first legal move.
pub(crate) const FIRST_LEGAL: &str = r#"#!/bin/sh
while read -r line; do
  case $line in
    '{"hello"'* | '{"start"'*) echo '{"ready":{"legal_moves":true}}' ;;
    '{"turn"'*) legal=${line#*'"legal":['} && echo "{\"move\":${legal%%]*}]}" ;;
  esac
done
"#;

/// The same bot, playing the last legal move.
pub(crate) const LAST_LEGAL: &str = r#"#!/bin/sh
while read -r line; do
  case $line in
    '{"hello"'* | '{"start"'*) echo '{"ready":{"legal_moves":true}}' ;;
    '{"turn"'*) last=${line##*'['} && echo "{\"move\":[${last%%]*}]}" ;;
  esac
done
"#;

/// A bot that falls silent in its first turn, under another process name.
pub(crate) const SILENT: &str = r#"#!/bin/sh
read -r hello; echo '{"ready":{}}'
read -r start; echo '{"ready":{}}'
read -r turn; exec sleep 99
"#;

/// A bot that sleeps for a second in each of its first three turns, under another process name. It
/// sleeps in steps, so that a machine that stops delays its answer.
pub(crate) const THINKER: &str = r#"#!/bin/sh
read -r hello; echo '{"ready":{"legal_moves":true}}'
read -r start; echo '{"ready":{"legal_moves":true}}'
read -r turn
exec python3 -c '
import json, sys, time
line = sys.argv[1]
turns = 0
while line.startswith("{\"turn\""):
    turns += 1
    for _ in range(10 if turns <= 3 else 0): time.sleep(0.1)
    print(json.dumps({"move": json.loads(line)["turn"]["legal"][0]}), flush=True)
    line = sys.stdin.readline()
' "$turn"
"#;

/// Flags for small, quick games of Catch the Cat, without points for CPU time.
pub(crate) const QUICK: &[&str] = &[
    "--game",
    "catch-the-cat",
    "--points-per-cpu-second",
    "0",
    "--set",
    "side=5",
    "--states",
    "1",
];

/// Runs a build step the way the program does.
pub(crate) fn run_build(build: Build) -> BuildRun {
    let builder = Builder {
        judge: program(),
        isolation: &Isolation::find(),
        stop: &AtomicBool::new(false),
    };
    builder.run(build).expect("it can be started")
}

/// Runs git in a folder, with an author of its own.
pub(crate) fn git(folder: &Path, args: &[&str]) -> String {
    let output = Command::new("git")
        .args([
            "-c",
            "user.name=T",
            "-c",
            "user.email=t@example.org",
            "-c",
            "init.defaultBranch=main",
        ])
        .args(args)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .expect("git starts");
    assert!(output.status.success(), "git {args:?}: {output:?}");
    String::from_utf8(output.stdout)
        .expect("text")
        .trim()
        .to_owned()
}

/// Returns the program as a command. It finds the system's toolchains, and none of the user's own.
pub(crate) fn judge() -> Command {
    let mut judge = Command::new(program());
    judge.env("PATH", "/usr/local/bin:/usr/bin:/bin");
    judge
}

/// A finished command.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ended {
    pub(crate) fn of(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).expect("UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("UTF-8"),
        }
    }

    /// Asserts that the command succeeded.
    pub(crate) fn well(self) -> Self {
        assert_eq!(self.code, Some(0), "{self:?}");
        self
    }

    /// Asserts that the output contains all these words.
    pub(crate) fn says(&self, words: &[&str]) {
        for word in words {
            assert!(self.stdout.contains(word), "{word:?} is not in {self:?}");
        }
    }

    /// Asserts that the input was refused, with a message that contains all these words.
    pub(crate) fn refused(self, words: &[&str]) -> Self {
        assert_eq!(self.code, Some(2), "{self:?}");
        for word in words {
            assert!(self.stderr.contains(word), "{word:?} is not in {self:?}");
        }
        self
    }
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
