//! A folder of submissions, and what `judge` makes of it.

use super::{
    Ended, FIRST_LEGAL, LAST_LEGAL, PATIENCE, Row, Run, Words, cells_of, copy_folder, executable,
    game_lines, judge, judge_at, read_csv, record, root,
};
use model::record::MatchRecord;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::inotify::{AddWatchFlags, InitFlags, Inotify};
use std::fs;
use std::os::fd::AsFd;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

pub(crate) struct Scene {
    folder: TempDir,
}

/// Returns the command `judge run` on a class, into a folder.
pub(crate) fn run_into(class: &Path, out: &Path, flags: &(impl Words + ?Sized)) -> Command {
    let mut command = judge_at("run", &["--submissions".as_ref(), class], "--out");
    command.arg(out).args(flags.words());
    command
}

impl Scene {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        // Bots that run as another user must reach their files.
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).expect("writable");
        let scene = Self { folder };
        fs::create_dir(scene.submissions()).expect("a new folder");
        scene
    }

    /// Bots that play the first legal move.
    pub(crate) fn of<const N: usize>(names: [&str; N]) -> Self {
        let scene = Self::new();
        for name in names {
            scene.first_legal(name);
        }
        scene
    }

    /// Three bots whose games end by the rules, and are long enough to be interrupted.
    pub(crate) fn of_three_scripts() -> Self {
        let scene = Self::of(["ann", "bob"]);
        scene.script("zoe", LAST_LEGAL);
        scene
    }

    pub(crate) fn submissions(&self) -> PathBuf {
        self.folder.path().join("submissions")
    }

    pub(crate) fn out(&self) -> PathBuf {
        self.folder.path().join("out")
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Returns a unique name: the folder's.
    pub(crate) fn name(&self) -> String {
        let name = self.folder.path().file_name().expect("it has one");
        name.to_string_lossy().into_owned()
    }

    pub(crate) fn script(&self, name: &str, text: &str) -> &Self {
        executable(&self.submissions().join(name).join("bot"), text);
        self
    }

    pub(crate) fn sources(&self, name: &str, files: &[(&str, &str)]) -> &Self {
        for (file, text) in files {
            self.write(&format!("submissions/{name}/{file}"), text);
        }
        self
    }

    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>, mode: u32) -> &Self {
        let path = self.write(&format!("submissions/{name}"), content);
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("writable");
        self
    }

    pub(crate) fn put(&self, name: &str, content: impl AsRef<[u8]>) -> &Self {
        self.file(name, content, 0o644)
    }

    pub(crate) fn example(&self, game: &str, name: &str) -> &Self {
        let from = root().join("examples").join(game).join(name);
        copy_folder(&from, &self.submissions().join(name));
        self
    }

    pub(crate) fn first_legal(&self, name: &str) -> &Self {
        self.script(name, FIRST_LEGAL)
    }

    /// Takes over another scene's programs: nothing of equal content is built.
    pub(crate) fn take_programs(&self, of: &Self) {
        let [from, to] = [of, self].map(|scene| scene.out().join("artifacts"));
        copy_folder(&from, &to);
    }

    /// Returns the command `judge run` on this scene, with a seed that makes it repeatable.
    pub(crate) fn command(&self, flags: &(impl Words + ?Sized)) -> Command {
        let mut command = self.command_by_secret(flags);
        if !flags.words().contains(&"--seed") {
            command.args(["--seed", "1"]);
        }
        command
    }

    /// Runs the submissions without flags, with the `competition.toml` among them.
    pub(crate) fn run_as_is(&self) -> Ended {
        self.run_by_secret("")
    }

    /// Runs `judge run` to its end, with a draw from a secret: with hidden names, views need one.
    pub(crate) fn run_by_secret(&self, flags: &(impl Words + ?Sized)) -> Ended {
        self.command_by_secret(flags).ended()
    }

    pub(crate) fn command_by_secret(&self, flags: &(impl Words + ?Sized)) -> Command {
        run_into(&self.submissions(), &self.out(), flags)
    }

    pub(crate) fn run(&self, flags: &(impl Words + ?Sized)) -> Ended {
        self.command(flags).ended()
    }

    /// Returns the program with these words, in the scene's folder: `submissions` and `out` are there.
    pub(crate) fn here(&self, words: &(impl Words + ?Sized)) -> Command {
        let mut command = judge();
        command.current_dir(self.folder()).args(words.words());
        command
    }

    /// Runs the program with these words in the scene's folder; it succeeds.
    #[track_caller]
    pub(crate) fn judge(&self, words: &(impl Words + ?Sized)) -> Ended {
        self.here(words).ended().well()
    }

    pub(crate) fn verb(&self, verb: &str, flags: &(impl Words + ?Sized)) -> Command {
        judge_at(verb, &[&self.out()], flags)
    }

    #[track_caller]
    pub(crate) fn does(&self, verb: &str, flags: &(impl Words + ?Sized)) -> Ended {
        self.verb(verb, flags).ended().well()
    }

    /// Makes a view of the run, in a folder of this name.
    #[track_caller]
    pub(crate) fn view(&self, view: &str, name: &str) -> PathBuf {
        self.judge(&format!("report out --view {view} --out {name}"));
        self.folder().join(name)
    }

    /// Waits until the journal has this many games, by the kernel's notices.
    pub(crate) fn wait_for_lines(&self, lines: usize) {
        let path = self.out().join("journal.jsonl");
        let folder = self.out();
        fs::create_dir_all(&folder).expect("writable");
        let watch = Inotify::init(InitFlags::IN_CLOEXEC).expect("the kernel has inotify");
        watch
            .add_watch(&folder, AddWatchFlags::IN_MODIFY)
            .expect("valid");
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

    pub(crate) fn read(&self, name: &str) -> String {
        self.text(&format!("out/{name}"))
    }

    /// Reads a JSON file of the run.
    pub(crate) fn json(&self, name: &str) -> serde_json::Value {
        serde_json::from_str(&self.read(name)).expect("JSON")
    }

    /// Reads an entrant's line of `run.json`.
    #[track_caller]
    pub(crate) fn entrant(&self, name: &str) -> serde_json::Value {
        let run = self.json("run.json");
        let mut entrants = run["entrants"].as_array().expect("a list").iter();
        let line = entrants.find(|line| line["name"] == name);
        line.unwrap_or_else(|| panic!("{name} is not in {run}"))
            .clone()
    }

    /// Returns the program with which an entrant plays, as its hash.
    #[track_caller]
    pub(crate) fn artifact(&self, entrant: &str) -> String {
        let artifact = self.entrant(entrant)["artifact"].clone();
        artifact.as_str().expect("it plays").to_owned()
    }

    /// Reads the games of the journal.
    pub(crate) fn records(&self) -> Vec<MatchRecord> {
        let journal = self.read("journal.jsonl");
        game_lines(&journal).map(record).collect()
    }

    /// Reads a file below the scene's folder.
    pub(crate) fn text(&self, name: &str) -> String {
        let path = self.folder().join(name);
        fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    }

    /// Writes a file below the scene's folder, with the folders around it. Returns its path.
    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.folder().join(name);
        fs::create_dir_all(path.parent().expect("below the folder")).expect("writable");
        fs::write(&path, content).expect("writable");
        path.into_os_string().into_string().expect("UTF-8")
    }

    pub(crate) fn rows(&self, name: &str) -> Vec<Row> {
        read_csv(&self.read(name))
    }

    #[track_caller]
    pub(crate) fn row(&self, name: &str, entrant: &str) -> Row {
        let mut rows = self.rows(name).into_iter();
        let row = rows.find(|row| row.get("entrant") == entrant);
        row.unwrap_or_else(|| panic!("{entrant} is not in {}", self.read(name)))
    }

    pub(crate) fn cells(&self, name: &str, columns: &str) -> Vec<String> {
        cells_of(&self.rows(name), columns)
    }

    #[track_caller]
    pub(crate) fn all_end_by_rules(&self) {
        for game in self.rows("games.csv") {
            assert_eq!(game.get("end"), "rules", "{game:?}");
        }
    }

    #[track_caller]
    pub(crate) fn nobody_has_faults(&self) {
        for row in self.ranked() {
            assert_eq!(row.get("faults"), "0", "{row:?}");
        }
    }

    pub(crate) fn ranked(&self) -> Vec<Row> {
        let mut rows = self.rows("standings.csv");
        rows.retain(|row| !row.get("rank").is_empty());
        rows
    }

    pub(crate) fn timeless(&self, name: &str) -> Vec<Vec<String>> {
        let rows = self.rows(name).into_iter().map(|row| {
            let mut cells = row.0;
            cells.retain(|(column, _)| !column.contains("_us"));
            cells.into_iter().map(|(_, cell)| cell).collect()
        });
        rows.collect()
    }
}
