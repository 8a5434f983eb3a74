//! Journals report changed, foreign and missing lines, and lose no other game.

use super::{Run, machine_line, refused};
use crate::{DAMAGED_NAME, Games, Inspector, Journal, Keys, keys};
use model::game_id::GameId;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use system::run_folder::STAFF;

#[test]
fn changed_byte_costs_only_its_own_line() {
    let run = Run::new(3);
    run.write_manifest();
    let whole = fs::read(run.path()).expect("there");
    for place in 0..whole.len() {
        let mut changed = whole.clone();
        changed[place] ^= 1 << (place % 8);
        fs::write(run.path(), &changed).expect("writable");
        let games = run.games();
        // A lost newline turns two lines into one bad line, and the last line into a torn one.
        let lost = 1 + usize::from(whole[place] == b'\n' && place + 1 < whole.len());
        assert_eq!(games.len(), run.records.len() - lost, "byte {place}");
        let records = run.records.iter();
        for record in records.filter(|record| games.contains(record.fixture)) {
            let result = games.result(record.fixture).expect("valid").expect("there");
            assert_eq!(result, record.result());
        }
        // Writing to the disk takes time.
        if place % 199 == 0 {
            assert!(!run.play().is_empty(), "byte {place}");
            run.check();
        }
    }
    let damaged = fs::read(run.folder.path().join(DAMAGED_NAME)).expect("kept");
    assert!(damaged.starts_with(b"line 1: "));
}

/// A file of holes costs nothing to write, and a journal of holes has no lines.
#[test]
fn endless_lines_are_refused_before_filling_memory() {
    let beyond_repair = |run: &Run, words: &str| {
        let inspector = Inspector {
            inspect: &|_| (),
            take: &mut |_, _, ()| Ok(()),
        };
        let (folder, conditions) = (run.folder.path(), &run.conditions);
        let inspected = Games::inspect(folder, conditions, Vec::new(), inspector);
        let opened = Games::open(folder, conditions, Vec::new());
        for error in [inspected.err(), opened.err(), run.open().err()] {
            let reported = error.expect("it cannot be read").to_string();
            assert!(reported.contains("is damaged beyond repair"), "{reported}");
            assert!(reported.contains(words), "{reported}");
            assert!(reported.contains("restore it from a backup"), "{reported}");
        }
    };
    let run = Run::new(2);
    let length = fs::metadata(run.path()).expect("there").len();
    let journal = OpenOptions::new().append(true).open(run.path());
    let mut journal = journal.expect("readable");
    journal.set_len(1 << 42).expect("it has no content");
    beyond_repair(&run, "a line is longer than 1 MiB");
    // Each line ends, just before it would be too long.
    journal.set_len(length).expect("shorter");
    for line in 1..=6 {
        let long = journal.set_len(length + line * 1_000_000);
        long.expect("it has no content");
        journal.write_all(b"\n").expect("writable");
    }
    beyond_repair(&run, "more than 4 MiB of it are lines");
    // A torn line stays a torn line.
    journal.set_len(length + 10).expect("shorter");
    assert!(run.play().is_empty());
    run.check();
}

#[test]
fn doubled_missing_moved_or_blank_lines_are_reported() {
    let run = Run::new(4);
    let text = fs::read_to_string(run.path()).expect("there");
    let lines: Vec<&str> = text.lines().collect();
    let reported = |lines: &[&str]| {
        fs::write(run.path(), lines.join("\n") + "\n").expect("writable");
        let findings = run.play();
        run.check();
        findings.words()
    };
    let all = &lines[..];
    assert!(reported(all).is_empty());
    let second = "line 5 of the journal: it is a second line for its game";
    assert_eq!(reported(&[all, &lines[1..2]].concat()), [second]);
    let found = reported(&[&lines[..2], &[" "], &lines[2..]].concat());
    assert_eq!(found, ["line 3 of the journal: it is blank"]);
    let found = reported(&[&lines[..1], &lines[2..]].concat());
    assert_eq!(found, ["lines of the journal are missing before line 2"]);
    let found = reported(&lines[..3]);
    assert_eq!(found, ["the journal is shorter than when the run ended"]);
    let moved = [lines[1], lines[0], lines[2], lines[3]];
    assert_eq!(reported(&moved).len(), 3);
    // A reported problem is recorded, and not reported again.
    assert!(run.play().is_empty());
}

#[test]
fn line_of_other_run_or_settings_is_distrusted() {
    let (run, other) = (Run::new(2), Run::new(3));
    let line = |run: &Run, number: usize| {
        let text = fs::read_to_string(run.path()).expect("there");
        text.lines().nth(number).expect("there").to_owned()
    };
    let mut text = fs::read_to_string(run.path()).expect("there");
    text.push_str(&(line(&other, 2) + "\n"));
    fs::write(run.path(), text).expect("writable");
    let foreign = "line 3 of the journal: its MAC signature does not match";
    assert_eq!(run.play().words(), [foreign]);
    run.check();
    let mut changed = run.conditions.clone();
    changed.backstop_ms = 2;
    let reopened = Journal::open(run.folder.path(), &changed);
    refused(reopened, "use the settings and the judge");
    run.check();
    // Also if the run is known.
    run.write_manifest();
    assert!(Journal::open(run.folder.path(), &changed).is_err());
    run.check();
}

#[test]
fn journal_without_its_keys_is_refused_and_untouched() {
    let run = Run::new(2);
    let text = fs::read(run.path()).expect("there");
    let keys = run.folder.path().join(STAFF).join(keys::FILE_NAME);
    let own = fs::read(&keys).expect("there");
    fs::remove_file(&keys).expect("writable");
    refused(run.open(), "keys.json is missing");
    Keys::make(run.folder.path(), true).expect("valid");
    refused(run.open(), "restore the matching journal");
    assert_eq!(fs::read(run.path()).expect("there"), text);
    fs::write(&keys, own).expect("writable");
    run.check();
}

#[test]
fn a_journal_that_others_change_stops_the_run() {
    for change in [
        (|path: &Path| fs::remove_file(path).expect("writable")) as fn(&Path),
        |path| {
            fs::write(path.with_extension("x"), "")
                .and_then(|()| fs::rename(path.with_extension("x"), path))
                .expect("valid");
        },
        |path| {
            let file = OpenOptions::new().append(true).open(path);
            file.expect("valid").write_all(b"more\n").expect("writable");
        },
    ] {
        let run = Run::new(2);
        let mut journal = run.open().expect("readable");
        change(&run.path());
        refused(journal.sync(), "plays the missing games again");
    }
}

#[test]
fn fifo_as_journal_is_refused_without_waiting() {
    let run = Run::new(1);
    fs::remove_file(run.path()).expect("writable");
    let mode = nix::sys::stat::Mode::S_IRWXU;
    nix::unistd::mkfifo(&run.path(), mode).expect("writable");
    refused(run.open(), "is not a regular file");
    assert!(Games::open(run.folder.path(), &run.conditions, Vec::new()).is_err());
}

#[test]
fn machine_lines_stay_when_other_lines_are_damaged() {
    let run = Run::new(2);
    run.write_manifest();
    let mut journal = run.open().expect("readable");
    // A second look might find another load.
    let machine = machine_line();
    journal.append_machine(&machine).expect("writable");
    journal.append_machine(&machine).expect("writable");
    journal.note_end().expect("writable");
    drop(journal);
    let text = fs::read_to_string(run.path()).expect("there");
    assert_eq!(text.lines().count(), 3, "described once");
    fs::write(run.path(), text.replacen("\"state\":0", "\"state\":9", 1)).expect("writable");
    assert_eq!(run.play().damaged.len(), 1);
    run.check();
    let games = run.games();
    assert_eq!(games.machines()[&machine.digest()], machine);
}

#[test]
fn journal_is_private_and_takes_no_unfit_record() {
    let run = Run::new(1);
    let meta = fs::metadata(run.path()).expect("there");
    assert_eq!(meta.permissions().mode() & 0o777, 0o600);
    let mut journal = run.open().expect("readable");
    let mut record = run.records[0].clone();
    record.fixture = GameId::parse(&[b'0'; 32]).expect("an id");
    assert!(journal.append(&record).is_err());
}
