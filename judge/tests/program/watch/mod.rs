//! `judge run --watch`, on a clock that the tests set.

mod deadlines;
mod edits;
mod hostile;
mod repositories;

use crate::support::{
    FIRST_LEGAL, Has, LAST_LEGAL, PATIENCE, Run, Scene, Words, eventually, game_lines, processes,
};
use nix::sys::signal::Signal;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

const DEADLINE: &str = "deadline = 2020-12-20T18:00:00Z\ntoo_late = \"graded\"\n";

const PRACTICE: &str = "round = \"practice/1\"\n";

/// Counts every submission that a judge sees only after the deadline.
const CLOCK_COUNTS: &str = "received = \"judge\"\n";

/// A running watch; dropping it kills the process.
pub(crate) struct Watching {
    pub(crate) child: Child,
    log: PathBuf,
    /// Length of the log of the scene's earlier watches, in bytes.
    log_before: usize,
    clock: PathBuf,
}

impl Watching {
    /// Starts a watch of a scene, after any earlier one has ended; they share a log.
    pub(crate) fn begin(scene: &Scene, flags: &(impl Words + ?Sized)) -> Self {
        Self::of(scene, scene.command_by_secret(flags))
    }

    fn of(scene: &Scene, mut command: Command) -> Self {
        let (log, clock) = (scene.folder().join("log"), scene.folder().join("clock"));
        let file = File::options().create(true).append(true).open(&log);
        let file = file.expect("readable");
        let log_before = fs::read(&log).expect("readable").len();
        let child = command
            .arg("--watch")
            .env("JUDGE_TESTS_CLOCK", &clock)
            .stdout(file.try_clone().expect("a descriptor"))
            .stderr(file)
            .spawn();
        Self {
            child: child.expect("it starts"),
            log,
            log_before,
            clock,
        }
    }

    fn set_clock(&self, time: &str) {
        set_clock(&self.clock, time);
    }

    /// Reads the output of this watch. Earlier ones may have been killed before their first line.
    pub(crate) fn read(&self) -> String {
        let all = fs::read_to_string(&self.log).expect("there");
        all[self.log_before..].to_owned()
    }

    fn says(&self, words: &str) {
        self.says_times(words, 1);
    }

    fn says_times(&self, words: &str, times: usize) {
        let (began, patience) = (
            Instant::now(),
            PATIENCE.saturating_sub(Duration::from_secs(5)),
        );
        eventually(words, || {
            let read = self.read();
            let is_said = read.matches(words).count() >= times;
            assert!(
                is_said || began.elapsed() < patience,
                "{words:?} is not in\n{read}"
            );
            is_said
        });
    }

    /// Waits until the watch has read its clock and can be interrupted.
    fn has_started(&self) {
        self.says("watching for");
    }

    fn ends(&mut self) -> Option<i32> {
        self.child.wait().expect("a running child").code()
    }

    #[track_caller]
    pub(crate) fn ends_well(&mut self) {
        assert_eq!(self.ends(), Some(0), "{}", self.read());
    }

    fn signal(&self, signal: Signal) {
        processes::signal(self.child.id().cast_signed(), signal);
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if std::thread::panicking() {
            eprintln!("{}", self.read());
        }
    }
}

/// Sets the clock in one step, because the watch may be reading it.
pub(crate) fn set_clock(clock: &Path, time: &str) {
    let next = clock.with_extension("next");
    fs::write(&next, time).expect("writable");
    fs::rename(&next, clock).expect("writable");
}

/// A class of two, with a clock that stands at the first of December.
fn scene(lines: &str, watch: &str) -> Scene {
    let scene = Scene::of(["ann", "bob"]);
    compete(&scene, lines, watch);
    set_clock(&scene.folder().join("clock"), "2020-12-01T10:00:00Z");
    scene
}

fn compete(scene: &Scene, lines: &str, watch: &str) {
    let text = format!(
        "game = \"catch-the-cat\"\nstates = 1\n{lines}[config]\nside = 5\n[watch]\n{watch}"
    );
    let place = scene.submissions().join("competition.toml");
    set_clock(&place, &text);
}

fn table(scene: &Scene) -> Vec<String> {
    scene.cells("standings.csv", "rank,entrant,total,games,wins,losses")
}

#[test]
fn contest_continues_until_final_round_is_played() {
    let scene = scene(&format!("{DEADLINE}seed = 5\n"), "");
    let mut watch = Watching::begin(&scene, "");
    watch.says("practice until 2020-12-20T18:00:00Z, then the final round");
    watch.says("2020-12-01T10:00:00Z 2 of 2 games played");
    scene.script("eve", LAST_LEGAL);
    watch.says("eve: plays version 1");
    watch.says("6 of 6 games played");
    watch.set_clock("2020-12-02T10:00:00Z");
    scene.script("bob", "no program");
    watch.says("playing version 1 of 2020-12-01T10:00:00Z");
    watch.set_clock("2020-12-03T10:00:00Z");
    scene.script("bob", &format!("{FIRST_LEGAL}# mended\n"));
    watch.says("bob: plays version 3");
    assert_eq!(scene.rows("standings.csv").len(), 3);
    // A submission just before the deadline is in time.
    watch.set_clock("2020-12-20T17:59:59Z");
    scene.script("zoe", LAST_LEGAL);
    watch.says("zoe: plays version 1");
    watch.set_clock("2020-12-20T18:00:00Z");
    watch.ends_well();
    watch.says("2020-12-20T18:00:00Z round final");
    watch.says("12 of 12 games played");
    watch.says("2020-12-20T18:00:00Z all games have been played");
    scene.read("logs/check/ann.txt").has(&["files"]);
    let json = scene.read("logs/check/ann.json");
    let kept: BTreeMap<String, Box<RawValue>> = serde_json::from_str(&json).expect("JSON");
    let report = &kept["report"];
    report.get().has(&["{\"submission\":\"ann\","]);
    assert_eq!(json, format!("{{\"version\":1,\"report\":{report}}}"));

    // The same command has nothing to do, and a plain run has the same result.
    Watching::begin(&scene, "").ends_well();
    let plain = Scene::new();
    plain.first_legal("ann");
    plain.script("eve", LAST_LEGAL).script("zoe", LAST_LEGAL);
    plain.script("bob", &format!("{FIRST_LEGAL}# mended\n"));
    let lines = format!("{DEADLINE}{CLOCK_COUNTS}seed = 5\n");
    compete(&plain, &lines, "");
    plain.run_as_is().well();
    assert_eq!(table(&scene), table(&plain));
    scene.does("verify", "");
}

#[test]
fn killed_watch_resumes_to_same_result() {
    let lines = format!("{DEADLINE}seed = 9\n");
    let scene = scene(&lines, "");
    let names = ["ann", "bob", "eve", "joe", "zoe"];
    for name in names {
        scene.first_legal(name);
    }
    for (games, signal) in [
        (1, Signal::SIGKILL),
        (7, Signal::SIGKILL),
        (13, Signal::SIGINT),
        (20, Signal::SIGKILL),
    ] {
        let mut watch = Watching::begin(&scene, "");
        scene.wait_for_lines(games);
        let drained = (signal == Signal::SIGINT).then_some(130);
        if drained.is_some() {
            // The lines may be those of before.
            watch.has_started();
        }
        watch.signal(signal);
        assert_eq!(watch.ends(), drained);
    }
    let mut watch = Watching::begin(&scene, "");
    watch.has_started();
    watch.set_clock("2020-12-20T18:00:00Z");
    eventually("the final round begins", || {
        game_lines(&scene.read("journal.jsonl")).count() > 21
    });
    watch.signal(Signal::SIGKILL);
    watch.ends();
    Watching::begin(&scene, "").ends_well();
    let plain = Scene::new();
    for name in names {
        plain.first_legal(name);
    }
    compete(&plain, &format!("{CLOCK_COUNTS}{lines}"), "");
    plain.run_as_is().well();
    assert_eq!(table(&scene), table(&plain));
}

#[test]
fn watch_waits_for_submissions_and_refuses_another() {
    let scene = scene(PRACTICE, "");
    for name in ["ann", "bob"] {
        fs::remove_dir_all(scene.submissions().join(name)).expect("there");
    }
    let mut watch = Watching::begin(&scene, "");
    watch.says("waiting: no submissions in");
    fs::create_dir(scene.submissions().join("eve")).expect("writable");
    watch.says("waiting for submissions: no entrant can play yet");
    watch.says("eve: the folder is empty");
    watch.read().lacks(&["eve: does not play"]);
    scene.first_legal("ann");
    watch.says("waiting: only 1 of the entrants can play");
    scene.first_legal("bob");
    watch.says("2 of 2 games played");
    let mut other = scene.command_by_secret("--watch");
    let ended = other.env("JUDGE_TESTS_CLOCK", &watch.clock).ended();
    let pid = format!("(process {})", watch.child.id());
    ended.refused(&["another judge run --watch is running in", &pid]);
    let reported = format!("{pid} and plays there itself");
    let refusal = ["judge run --watch is running in", &reported];
    scene.run_by_secret("").refused(&refusal);
    watch.signal(Signal::SIGINT);
    assert_eq!(watch.ends(), Some(130));
    watch.says("interrupted; the results are in ");
    watch.says("; rerun the same command to continue");
}

#[test]
fn new_version_gives_self_killing_bots_no_retries() {
    let scene = scene(PRACTICE, "");
    let version =
        |number: u32| FIRST_LEGAL.replace("legal=", &format!(": {number}; kill -9 $$; legal="));
    let blamed_at_once = || {
        let records = scene.records().into_iter();
        let faults = records.flat_map(|record| record.faults);
        let words = "of its games were in doubt in this round, far more than of others";
        faults.filter(|fault| fault.detail.contains(words)).count()
    };
    scene.script("mal", &version(1));
    let watch = Watching::begin(&scene, "");
    watch.says("6 of 6 games played");
    let before = blamed_at_once();
    // The next process of the watch has the count, too.
    drop(watch);
    scene.script("mal", &version(2));
    let watch = Watching::begin(&scene, "");
    watch.has_started();
    watch.set_clock("2020-12-01T10:05:00Z");
    watch.says("mal: plays version 2");
    watch.says("6 of 6 games played");
    assert_eq!(blamed_at_once() - before, 4, "all games of the new version");
}

#[test]
fn staff_are_warned_about_repeated_practice_names() {
    let scene = scene(DEADLINE, "");
    scene.sources("ann", &[("anonymous", "")]);
    let words = "note: the final round has the nicknames and pseudonyms of the practice rounds";
    let www = scene.folder().join("www").display().to_string();
    let mut watch = Watching::begin(&scene, &format!("--publish {www}"));
    watch.says("published names: the submissions' own, pseudonyms");
    watch.read().lacks(&[words]);
    watch.set_clock("2020-12-20T18:00:00Z");
    watch.ends_well();
    watch.says(words);
}
