//! A run, a resumed run, a regrade and a watch through this crate alone, between scripts.
//!
//! The test program is also the judge that the tests start: as a worker, a builder, or a built-in
//! bot, by its first argument. It therefore has a harness of its own, which answers nextest's
//! `--list` and `--exact NAME`.

#![expect(clippy::disallowed_methods, reason = "tests read what they have made")]
#![expect(clippy::print_stdout, reason = "a harness lists its tests")]

use jiff::Timestamp;
use rulebook::JudgeError;
use rulebook::{Changes, GameSettings, KeyChange};
use run::play::worker;
use run::watch::{self, Publisher, Time, VersionReport, WatchEnd, WatchSpec};
use run::{
    CompetitionSpec, MachineUse, Place, Played, RegradeSpec, RunEvent, RunKind, RunSpec, Sink,
    Written, builtin,
};
use sandbox::serve_build;
use serde_json::value::RawValue;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The tests, by name.
const TESTS: [(&str, fn()); 4] = [
    ("a_run_is_played_to_its_end", a_run_is_played_to_its_end),
    (
        "a_run_that_was_stopped_goes_on",
        a_run_that_was_stopped_goes_on,
    ),
    (
        "a_corrected_submission_plays_beside_the_run",
        a_corrected_submission_plays_beside_the_run,
    ),
    (
        "a_watch_that_was_interrupted_plays_its_final_round",
        a_watch_that_was_interrupted_plays_its_final_round,
    ),
];

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let served = match words.first().map(String::as_str) {
        Some("worker") => worker::serve(),
        Some("builder") => serve_build(),
        Some("bot") => play_as_bot(&words[1], &words[2]),
        _ => return test(&words),
    };
    served.map_or(ExitCode::FAILURE, |()| ExitCode::SUCCESS)
}

fn play_as_bot(game: &str, name: &str) -> Result<(), JudgeError> {
    let rules = rulebook::rules::find(game)?;
    let (input, output) = (std::io::stdin().lock(), std::io::stdout().lock());
    let choose =
        |seat, view: &RawValue, legal: &RawValue, seed| rules.choose(name, seat, view, legal, seed);
    builtin::play(&choose, input, output)
}

/// Lists the tests, or runs the named ones, or all.
fn test(words: &[String]) -> ExitCode {
    let has = |word: &str| words.iter().any(|own| own == word);
    if has("--list") {
        let listed = TESTS.iter().filter(|_| !has("--ignored"));
        listed.for_each(|(name, _)| println!("{name}: test"));
        return ExitCode::SUCCESS;
    }
    let names: Vec<&String> = words.iter().filter(|own| !own.starts_with('-')).collect();
    let is_meant = |name: &str| names.is_empty() || names.iter().any(|own| name.contains(&***own));
    for (name, run) in TESTS.iter().filter(|(name, _)| is_meant(name)) {
        run();
        println!("{name}: passed");
    }
    ExitCode::SUCCESS
}

/// Answers with the first legal move.
const FIRST: &str = r#"#!/bin/sh
while read -r line; do
  case $line in
    *'"hello"'*|*'"start"'*) echo '{"ready":{"legal_moves":true}}' ;;
    *'"turn"'*) legal=${line##*'"legal":['}; echo "{\"move\":${legal%%]*}]}" ;;
  esac
done
"#;
/// Answers with an invalid move.
const WRONG: &str = r#"#!/bin/sh
while read -r line; do
  case $line in
    *'"hello"'*|*'"start"'*) echo '{"ready":{}}' ;;
    *'"turn"'*) echo '{"move":"none"}' ;;
  esac
done
"#;

/// A class of two in a new folder.
struct Class {
    folder: tempfile::TempDir,
}

impl Class {
    fn new() -> Self {
        let class = Self {
            folder: tempfile::tempdir().expect("a temporary folder"),
        };
        fs::set_permissions(class.folder.path(), Permissions::from_mode(0o755)).expect("writable");
        for (name, script) in [("amber", WRONG), ("blue", FIRST)] {
            class.write(&format!("class/{name}"), script);
        }
        class
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a submission of one script.
    fn write(&self, name: &str, script: &str) -> PathBuf {
        let folder = self.at(name);
        fs::create_dir_all(&folder).expect("new");
        let bot = folder.join("bot.sh");
        fs::write(&bot, script).expect("new");
        fs::set_permissions(&bot, Permissions::from_mode(0o755)).expect("writable");
        folder
    }

    fn spec(&self) -> RunSpec {
        let mut game = GameSettings::default();
        game.values.insert("side".to_owned(), 5.into());
        RunSpec {
            build: "a test",
            places: vec![self.at("class")],
            builtins: vec!["random".to_owned()],
            out: Some(self.at("out")),
            competition: CompetitionSpec {
                game: rulebook::rules::find("catch-the-cat").ok(),
                changes: Changes {
                    game,
                    keys: vec![KeyChange::by_flag("states", "1".to_owned())],
                    seed: Some(1),
                },
                ..CompetitionSpec::default()
            },
            machine: machine(),
            mixed: true,
            ..RunSpec::default()
        }
    }
}

fn machine() -> MachineUse {
    MachineUse {
        jobs: 1,
        pins: false,
        // These tests do not depend on a sandbox.
        weak_isolation: true,
        cold: false,
        cache: None,
    }
}

/// Counts games, and stops after a number of them.
struct Counting {
    stop: Arc<AtomicBool>,
    stops_after: usize,
    restored: AtomicUsize,
    finished: AtomicUsize,
}

impl Counting {
    fn new(stops_after: usize) -> Self {
        Self {
            stop: Arc::default(),
            stops_after,
            restored: AtomicUsize::new(0),
            finished: AtomicUsize::new(0),
        }
    }

    fn counts(&self) -> (usize, usize) {
        let count = |counted: &AtomicUsize| counted.load(Ordering::Relaxed);
        (count(&self.restored), count(&self.finished))
    }
}

impl Sink for Counting {
    fn take(&self, event: RunEvent<'_>) {
        match event {
            RunEvent::Restored(..) => {
                self.restored.fetch_add(1, Ordering::Relaxed);
            }
            RunEvent::Finished(..) => {
                let before = self.finished.fetch_add(1, Ordering::Relaxed);
                if before + 1 == self.stops_after {
                    self.stop.store(true, Ordering::Relaxed);
                }
            }
            _ => {}
        }
    }
}

fn play(spec: RunSpec, sink: &Counting) -> Played {
    let collected = spec.collect(sink, &sink.stop).expect("a class");
    let built = collected.build(sink, &sink.stop).expect("scripts");
    let scheduled = built.schedule(sink).expect("enough");
    let mut played = scheduled.begin().expect("a new folder");
    let done = played.play(&Place::Here, &sink.stop, sink);
    done.expect("nothing fails");
    played
}

/// The names in the table, the best one first.
fn ranks(written: &Written<'_>) -> Vec<String> {
    let rows = written.tables.table.rows.iter();
    rows.map(|row| row.entrant.clone()).collect()
}

fn lines(path: &Path) -> usize {
    fs::read_to_string(path).expect("written").lines().count()
}

fn a_run_is_played_to_its_end() {
    let (class, sink) = (Class::new(), Counting::new(usize::MAX));
    let played = play(class.spec(), &sink);
    // Three entrants, each pair in both roles.
    assert_eq!((played.counts(), sink.counts()), ((6, 6), (0, 6)));
    let written = played.write(&sink).expect("writable");
    assert_eq!(written.missing(), 0);
    let ranks = ranks(&written);
    assert_eq!(ranks.last().map(String::as_str), Some("amber"), "{ranks:?}");
    assert_eq!(lines(&class.at("out/standings.csv")), 4);
    assert_eq!(lines(&class.at("out/games.csv")), 7);
    let paths = &written.tables.paths;
    assert!(paths.len() > 4 && paths.iter().all(|path| path.exists()));
}

fn a_run_that_was_stopped_goes_on() {
    let class = Class::new();
    // On a loaded machine, many games end before the run hears that it should stop.
    let spec = || {
        let mut spec = class.spec();
        spec.competition.changes.keys = vec![KeyChange::by_flag("states", "20".to_owned())];
        spec
    };
    let all = 6 * 20;
    let first = Counting::new(2);
    let before = play(spec(), &first).counts().0;
    assert!((2..all).contains(&before), "{before}");
    let second = Counting::new(usize::MAX);
    let played = play(spec(), &second);
    assert_eq!(played.counts(), (all, all));
    assert_eq!(second.counts(), (before, all - before));
}

fn a_corrected_submission_plays_beside_the_run() {
    let (class, sink) = (Class::new(), Counting::new(usize::MAX));
    drop(play(class.spec(), &sink));
    let spec = RegradeSpec {
        build: "a test",
        run: class.at("out"),
        entrant: "amber".to_owned(),
        submission: Some(class.write("corrected", FIRST)),
        version: None,
        competition: None,
        roster: None,
        out: Some(class.at("again")),
        machine: machine(),
        mixed: true,
    };
    let again = Counting::new(usize::MAX);
    // It overwrites nothing else, and is not played inside the run.
    for folder in ["class", "out", "out/new"] {
        let out = Some(class.at(folder));
        let spec = RegradeSpec {
            out,
            ..spec.clone()
        };
        let refused = spec.schedule(&again, &again.stop);
        assert!(matches!(refused, Err(JudgeError::Input(_))), "{folder}");
    }
    fs::create_dir(class.at("again")).expect("new");
    let scheduled = spec.schedule(&again, &again.stop).expect("a finished run");
    let mut played = scheduled.begin().expect("a new folder");
    let done = played.play(&Place::Here, &again.stop, &again);
    done.expect("nothing fails");
    // The two games of the others stay.
    assert_eq!(again.counts(), (2, 4));
    let written = played.write(&again).expect("writable");
    let changes = &written.tables.changes;
    assert!(changes.iter().any(|one| one.words().contains("amber")));
    // A line for the machine, and one for each game.
    assert_eq!(lines(&class.at("out/journal.jsonl")), 7);
}

/// A time after the deadline of the watch's competition.
const LATE: &str = "2020-12-20T18:05:00Z";
const WATCHED: &str = "game = \"catch-the-cat\"\nstates = 1\ndeadline = 2020-12-20T18:00:00Z\n\
    too_late = \"graded\"\nreceived = \"judge\"\n[config]\nside = 5\n";

/// A clock that never changes.
struct Late(Timestamp);

impl Time for Late {
    fn read(&self) -> Result<Timestamp, JudgeError> {
        Ok(self.0)
    }

    fn interval_max(&self) -> Duration {
        Duration::from_millis(10)
    }
}

/// Keeps the log of a watch, and interrupts it at a line that begins with these words.
struct Logging {
    stop: Arc<AtomicBool>,
    stops_at: &'static str,
    lines: Mutex<Vec<String>>,
}

impl Sink for Logging {
    fn take(&self, event: RunEvent<'_>) {
        let RunEvent::Log { at, words } = event else {
            return;
        };
        assert_eq!(at.to_string(), LATE, "{words}");
        if words.starts_with(self.stops_at) {
            self.stop.store(true, Ordering::Relaxed);
        }
        self.lines.lock().expect("valid").push(words.to_owned());
    }
}

fn a_watch_that_was_interrupted_plays_its_final_round() {
    let class = Class::new();
    fs::write(class.at("class/competition.toml"), WATCHED).expect("new");
    let spec = WatchSpec {
        run: RunSpec {
            kind: RunKind::Watched,
            competition: CompetitionSpec::default(),
            ..class.spec()
        },
        publisher: Publisher {
            public: Some(class.at("public")),
            students: None,
        },
        time: Arc::new(Late(LATE.parse().expect("a time"))),
        check: |version| {
            let json = format!("{{\"of\":\"{}\"}}", version.submission.name);
            Ok(VersionReport {
                ok: false,
                text: "wrong".to_owned(),
                json: RawValue::from_string(json).expect("JSON"),
            })
        },
    };
    let watch = |stops_at| {
        let sink = Logging {
            stop: Arc::default(),
            stops_at,
            lines: Mutex::default(),
        };
        let end = watch::watch(&spec, &sink, &sink.stop).expect("nothing fails");
        (end, sink.lines.into_inner().expect("valid"))
    };
    let (end, lines) = watch("6 games to play");
    assert_eq!(end, WatchEnd::Interrupted, "{lines:#?}");
    let (end, lines) = watch("no line begins so");
    assert_eq!(end, WatchEnd::Over, "{lines:#?}");
    let last = lines.last().map(String::as_str);
    assert_eq!(last, Some("all games have been played"), "{lines:#?}");
    let own = fs::read_to_string(class.at("out/logs/check/blue.json")).expect("kept");
    assert_eq!(own, "{\"version\":1,\"report\":{\"of\":\"blue\"}}");
    for folder in ["out", "public"] {
        let table = class.at(folder).join("standings.csv");
        assert_eq!(self::lines(&table), 4, "{folder}");
    }
}
