//! Journals of parts: read while they grow, and checked line by line.

use super::{Run, machine_line, refused};
use crate::{Journal, JournalOwner, PartLine, PartLines, Scope, part_games};
use model::note::{Mark, Note};
use model::record::MatchRecord;
use model::stderr::{Stderr, TurnMark};
use std::fs;
use std::path::Path;

fn said(record: &MatchRecord) -> [Stderr; 2] {
    let marks = [TurnMark(1, 0), TurnMark(3, 2)];
    let note = Note {
        turn: 3,
        text: "noted".to_owned(),
        marks: vec![Mark(1, 2, Some(80), "7".to_owned())],
        cut: String::new(),
    };
    let first = Stderr {
        // The lines of games in which nobody says anything are as before.
        notes: if record.state.is_multiple_of(2) {
            vec![note]
        } else {
            Vec::new()
        },
        ..Stderr::of(b"said", &marks)
    };
    [first, Stderr::of(record.state.to_string().as_bytes(), &[])]
}

type Games = Vec<(Box<MatchRecord>, Vec<Stderr>)>;
type Unfit = Vec<(usize, String)>;

fn lines_of(run: &Run, path: &Path) -> PartLines {
    match PartLines::of_run(path, &run.keys(), &run.conditions, run.folder.path()) {
        Ok(JournalOwner::ThisRun(lines)) => *lines,
        found => panic!("{found:?}"),
    }
}

/// Returns the new games, the lines that do not fit, and the number of machines.
fn read_all(lines: &mut PartLines) -> (Games, Unfit, usize) {
    let (mut games, mut unfit, mut machines) = (Vec::new(), Vec::new(), 0);
    let read = lines.read_new(&mut |line| {
        match line {
            PartLine::Machine(machine) => {
                assert_eq!(machine.part.as_deref(), Some("p"));
                machines += 1;
            }
            PartLine::Game { record, stderr } => games.push((record, stderr)),
            PartLine::Rejected { number, reason } => unfit.push((number, reason)),
        }
        Ok(())
    });
    read.expect("readable");
    (games, unfit, machines)
}

/// Returns the states of the new games and the lines that do not fit. Checks the bots' output.
fn read_new(lines: &mut PartLines) -> (Vec<u32>, Unfit) {
    let (games, unfit, _) = read_all(lines);
    for (record, stderr) in &games {
        assert_eq!(*stderr, said(record));
    }
    let states = games.iter().map(|(record, _)| record.state);
    (states.collect(), unfit)
}

#[test]
fn part_journal_is_read_while_growing_and_torn() {
    let run = Run::new(4);
    let keys = run.keys();
    let (path, key) = (run.folder.path().join("part.jsonl"), keys.part_key("p"));
    let open = || Journal::open_part(&path, &key, &run.conditions);
    let play = |journal: &mut Journal, games: std::ops::Range<usize>| {
        journal.append_machine(&machine_line()).expect("writable");
        for record in &run.records[games] {
            let appended = journal.append_with_stderr(record, &said(record));
            appended.expect("writable");
        }
    };
    let own = || run.records.iter().map(|record| record.fixture);
    let scope = Scope::part(own());
    part_games::write_part_games(run.folder.path(), &keys, "p", own()).expect("writable");
    let mut lines =
        PartLines::new(&path, &key, &run.conditions, scope.clone()).expect("registered");
    let nothing = (Vec::<u32>::new(), Unfit::new());
    assert_eq!(read_new(&mut lines), nothing, "it is not there yet");
    let mut journal = open().expect("readable");
    assert!(open().is_err(), "somebody plays into it");
    play(&mut journal, 0..2);
    assert_eq!(read_new(&mut lines), (vec![0, 1], vec![]));
    assert_eq!(read_new(&mut lines), nothing);
    play(&mut journal, 1..3);
    drop(journal);
    let whole = fs::read(&path).expect("readable");
    fs::write(&path, &whole[..whole.len() - 9]).expect("writable");
    assert_eq!(read_new(&mut lines), nothing, "the last line is torn");
    play(&mut open().expect("readable"), 2..4);
    assert_eq!(read_new(&mut lines), (vec![2, 3], vec![]));
    let mut again = PartLines::new(&path, &key, &run.conditions, scope).expect("registered");
    assert_eq!(read_new(&mut again), (vec![0, 1, 2, 3], vec![]));
    // The run itself has none of these lines, and recognizes them by their content.
    assert_eq!(read_new(&mut lines_of(&run, &path)).0, [0, 1, 2, 3]);
}

#[test]
fn forged_doubled_or_foreign_part_lines_are_rejected() {
    let run = Run::new(2);
    let keys = run.keys();
    let of_part = |name: &str, part: &str| {
        let path = run.folder.path().join(name);
        let key = keys.part_key(part);
        let mut journal = Journal::open_part(&path, &key, &run.conditions).expect("readable");
        journal.append_machine(&machine_line()).expect("writable");
        for record in &run.records {
            let appended = journal.append_with_stderr(record, &said(record));
            appended.expect("writable");
        }
        fs::read_to_string(path).expect("readable")
    };
    let (own, other) = (of_part("own", "p"), of_part("other", "q"));
    let own: Vec<&str> = own.lines().collect();
    let mixed = [
        own[2],
        &own[1].replace("said", "paid"),
        other.lines().last().expect("a game"),
        "",
        own[2],
        own[3],
        own[4],
        "{\"torn",
    ];
    let path = run.folder.path().join("mixed");
    fs::write(&path, mixed.join("\n")).expect("writable");
    // The machine's line is lost, so the part must be found otherwise.
    let whose = || PartLines::of_run(&path, &keys, &run.conditions, run.folder.path());
    assert!(matches!(whose().expect("readable"), JournalOwner::OtherRun));
    let own = run.records.iter().map(|record| record.fixture);
    part_games::write_part_games(run.folder.path(), &keys, "p", own).expect("writable");
    let (games, unfit, machines) = read_all(&mut lines_of(&run, &path));
    let games = games
        .iter()
        .map(|(record, stderr)| (record.state, stderr.len()));
    assert!(games.eq([(0, 0), (0, 0), (1, 2)]));
    assert!(unfit.iter().map(|(number, _)| *number).eq([2, 3, 4]));
    assert_eq!(machines, 0, "it is lost");
    fs::write(&path, "name,points\nann,3\n").expect("writable");
    assert!(matches!(
        whose().expect("readable"),
        JournalOwner::NotAJournal
    ));
    fs::write(&path, "").expect("writable");
    assert!(matches!(whose().expect("readable"), JournalOwner::Empty));
    let other = run.folder.path().join("other");
    let opened = Journal::open_part(&other, &keys.part_key("p"), &run.conditions);
    refused(opened, "is not the journal of this part");
}

#[test]
fn adjacent_journals_have_separate_files_for_damaged_lines() {
    let run = Run::new(2);
    let keys = run.keys();
    let key = keys.part_key("p");
    let names = ["part", "part.1", "part.2", "part.jsonl"];
    for name in names {
        let path = run.folder.path().join(name);
        let open = || Journal::open_part(&path, &key, &run.conditions).expect("readable");
        open().append(&run.records[0]).expect("writable");
        let text = fs::read_to_string(&path).expect("there");
        fs::write(&path, format!("{text}of {name}\n")).expect("writable");
        assert_eq!(open().games().findings.damaged.len(), 1);
    }
    for name in names {
        let damaged = run.folder.path().join(format!("{name}.damaged"));
        let text = fs::read_to_string(damaged).expect("there");
        assert_eq!(text.matches("of part").count(), 1, "{text}");
    }
}

#[test]
fn part_key_signs_no_other_or_nonexistent_game() {
    let run = Run::new(3);
    let keys = run.keys();
    let own = run.records[..2].iter();
    let own = own.map(|record| record.fixture);
    part_games::write_part_games(run.folder.path(), &keys, "p", own).expect("writable");
    let path = run.folder.path().join("part");
    let mut journal =
        Journal::open_part(&path, &keys.part_key("p"), &run.conditions).expect("readable");
    for record in &run.records {
        let mut record = record.clone();
        if record.state == 1 {
            record.seats[0].cpu_us = u64::MAX;
        }
        journal.append(&record).expect("writable");
    }
    let (games, unfit, machines) = read_all(&mut lines_of(&run, &path));
    assert_eq!((games.len(), games[0].0.state, machines), (1, 0, 0));
    let wild = "cpu_us: no game can have 18446744073709551615";
    assert_eq!(unfit[0], (2, wild.to_owned()));
    assert!(unfit[1].1.contains("its part does not contain this game"));
    assert_eq!(unfit.len(), 2);
}
