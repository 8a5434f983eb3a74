//! `judge verify` from end to end: unchanged runs and views pass, and every change is found with
//! its place.

use crate::support::snapshot::Session;
use crate::support::{Ended, Has, LAST_LEGAL, Run, Scene, copy_folder, judge_at, root};
use model::FORMAT;
use model::record::MatchRecord;
use nix::sys::stat::Mode;
use nix::unistd::mkfifo;
use serde_json::{Value, json};
use std::fs::{self, File, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;
use store::manifest::{DrawSource, Manifest};
use store::{Journal, Keys};

const DIFFERS: i32 = 5;

/// A bot whose answers are no moves.
const MUMBLER: &str = include_str!("../bots/mumbler.sh");

const CAT: &str = "--game catch-the-cat --set side=5 --states 2 --jobs 1 --lifetime game";

fn played(flags: &str) -> Scene {
    let scene = Scene::of(["ann"]);
    scene.script("mumbler", MUMBLER);
    scene.run_by_secret(flags).well();
    scene
}

fn verify_command(place: &Path) -> Command {
    judge_at("verify", &[place], "")
}

fn verify(place: &Path) -> Ended {
    verify_command(place).ended()
}

#[track_caller]
fn expect(place: &Path, code: i32, words: &[&str]) {
    verify(place).exits(code).says(words);
}

/// Checks that verifying finds a difference, and prints these words.
#[track_caller]
fn differs(place: &Path, words: &[&str]) {
    expect(place, DIFFERS, words);
}

/// Returns a function that puts a folder back as it is now.
fn restored(scene: &Scene, folder: &Path) -> impl Fn() + use<> {
    let (kept, folder) = (scene.folder().join("kept"), folder.to_owned());
    copy_folder(&folder, &kept);
    move || {
        if folder.exists() {
            fs::remove_dir_all(&folder).expect("writable");
        }
        copy_folder(&kept, &folder);
    }
}

/// Rewrites the journal with one game changed and valid signatures. Returns the game's line.
fn forge(run: &Path, change: impl Fn(&mut Value) -> bool) -> usize {
    let manifest = Manifest::read(run).expect("readable").expect("there");
    let path = run.join("journal.jsonl");
    let text = fs::read_to_string(&path).expect("there");
    fs::remove_file(&path).expect("writable");
    let mut journal = Journal::open(run, &manifest.competition.conditions).expect("readable");
    let mut forged = None;
    for (line, number) in text.lines().zip(1..) {
        let mut record: Value = serde_json::from_str(line).expect("JSON");
        let object = record.as_object_mut().expect("an object");
        if let Some(about) = object.remove("about") {
            let machine = serde_json::from_value(about).expect("a machine");
            journal.append_machine(&machine).expect("writable");
            continue;
        }
        object.remove("after");
        object.remove("mac");
        if forged.is_none() && change(&mut record) {
            forged = Some(number);
        }
        let record: MatchRecord = serde_json::from_value(record).expect("a record");
        journal.append(&record).expect("writable");
    }
    journal.sync().expect("writable");
    journal.note_end().expect("writable");
    assert!(Keys::of_run(run).is_ok());
    forged.expect("a game to change")
}

fn change_digit(path: &Path) {
    let mut bytes = fs::read(path).expect("there");
    let digit = bytes.iter_mut().rev().find(|byte| byte.is_ascii_digit());
    let digit = digit.expect("a digit");
    *digit = if *digit == b'9' { b'8' } else { *digit + 1 };
    fs::write(path, bytes).expect("writable");
}

#[test]
fn a_run_verifies() {
    let monkey = "--game monkey-metal-man --states 1 --with builtin:random";
    expect(&played(monkey).out(), 0, &["nothing differs"]);
    // A run with a built-in bot has a copy of this program, which every check reads.
    let scene = Scene::of(["ann"]);
    scene.script("mumbler", MUMBLER).script("zoe", LAST_LEGAL);
    scene.run_by_secret(CAT).well();
    let run = scene.out();
    let mut session = Session::default();
    session.run(&mut verify_command(&run));
    let again = restored(&scene, &run);
    changed_journal_line_is_found_with_its_place(&scene, &run, &again);
    again();
    changed_table_page_program_or_manifest_is_found(&scene, &run, &again);
    again();
    moved_run_verifies_and_cut_journal_lacks_grades(&scene);
    again();
    // The page has the revealed secret.
    scene.judge("reveal out");
    session.run(&mut verify_command(&run));
    // None of these is a run.
    fs::remove_file(run.join("staff/keys.json")).expect("writable");
    for place in [run, scene.submissions(), scene.folder().join("nowhere")] {
        session.run(&mut verify_command(&place));
    }
    session.compare("verify__run");
}

/// Function that changes a game, and returns whether it could.
type Change = fn(&mut Value) -> bool;

/// A run of two games that another build of this format wrote.
const STORED: &str = "judge/tests/stored-run";

#[test]
fn a_stored_run_of_this_format_is_read() {
    let stored = root().join(STORED);
    let text = fs::read_to_string(stored.join("run.json")).expect("it is stored");
    let manifest: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(
        manifest["v"], FORMAT,
        "the format was raised: store a run of it in {STORED}"
    );
    let place = tempfile::tempdir().expect("a temporary folder");
    let copy = place.path().join("run");
    copy_folder(&stored, &copy);
    // A change of what a run says raises FORMAT in judge/model/src/lib.rs, and stores a new run.
    let other = "of 1 page, the data was compared and not the HTML around it: judge ";
    expect(&copy, 0, &["nothing differs", other]);
    let page = copy.join("report.html");
    let text = fs::read_to_string(&page).expect("copied");
    fs::write(&page, text.replacen("\"ann\"", "\"eve\"", 1)).expect("writable");
    differs(&copy, &["report.html: line"]);
}

fn moved_run_verifies_and_cut_journal_lacks_grades(scene: &Scene) {
    let renamed = scene.folder().join("autumn");
    fs::rename(scene.out(), &renamed).expect("writable");
    expect(&renamed, 0, &["nothing differs"]);
    let programs = fs::read_dir(renamed.join("artifacts")).expect("readable");
    for program in programs.flatten().filter(|one| one.path().is_dir()) {
        fs::set_permissions(program.path(), Permissions::from_mode(0o700)).expect("writable");
    }
    let words = "have other permissions than those of the build";
    expect(&renamed, 0, &[words]);
    let text = scene.text("autumn/journal.jsonl");
    let end = text.trim_end().rfind('\n').expect("several lines");
    scene.write("autumn/journal.jsonl", &text[..=end]);
    let ended = scene.here("grades autumn").ended();
    ended.refused(&["the journal is shorter than when the run ended"]);
}

fn changed_journal_line_is_found_with_its_place(scene: &Scene, run: &Path, again: &dyn Fn()) {
    let forgeries: [(&str, Change); 5] = [
        ("cpu_us: expected", |game| {
            let us = &mut game["seats"][0]["cpu_us"];
            *us = json!(us.as_u64().expect("a number") + 1);
            true
        }),
        ("points: expected", |game| {
            let points = &mut game["outcome"]["seats"][1]["points"];
            *points = json!(points.as_i64().expect("a number") + 1);
            true
        }),
        ("move: expected a legal move", |game| {
            let turns = game["turns"].as_array_mut().expect("a list");
            let is_long = turns.len() > 2 && !turns[2][1].is_null();
            if is_long {
                turns[2][1] = json!([99, 99]);
            }
            is_long
        }),
        ("seed: expected", |game| {
            game["seats"][0]["seed"] = json!(7);
            true
        }),
        ("cpu_us: no game can have 18446744073709551615", |game| {
            game["seats"][0]["cpu_us"] = json!(u64::MAX);
            true
        }),
    ];
    for (words, change) in forgeries {
        let line = forge(run, change);
        differs(run, &[&format!("differs: line {line}, game "), words]);
        again();
    }
    let mut journal = scene.read("journal.jsonl").into_bytes();
    let machine = journal.iter().position(|byte| *byte == b'\n');
    journal[machine.expect("lines") + 200] ^= 1;
    scene.write("out/journal.jsonl", journal);
    let words = "differs: line 2: its MAC signature does not match";
    differs(run, &[words, "1 of 12 games are not in the journal"]);
}

fn changed_table_page_program_or_manifest_is_found(scene: &Scene, run: &Path, again: &dyn Fn()) {
    for table in [
        "games",
        "faults",
        "standings",
        "cats_vs_catchers",
        "submissions",
    ] {
        let name = format!("{table}.csv");
        if scene.rows(&name).is_empty() {
            scene.write(&format!("out/{name}"), "entrant\nann\n");
        } else {
            change_digit(&run.join(&name));
        }
        differs(
            run,
            &[&format!("differs: {name}: line "), "expected ", "found "],
        );
        again();
    }
    change_digit(&run.join("report.html"));
    differs(run, &["differs: report.html: line "]);
    again();
    let manifest = Manifest::read(run).expect("readable").expect("there");
    let ann = manifest.entrants.iter().find(|line| line.name == "ann");
    let hash = ann.and_then(|line| line.artifact.clone());
    let bot = format!("out/artifacts/{}/bot", hash.expect("it plays"));
    scene.write(&bot, "#!/bin/sh\n");
    differs(run, &["differs: artifacts, the program of ann: "]);
    again();
    let mut changed = manifest.clone();
    changed.draw.resamples += 1;
    changed.write(run).expect("writable");
    differs(run, &["differs: run.json, draw.resamples: expected "]);
    let mut changed = manifest.clone();
    changed.keys = "0".repeat(32);
    changed.write(run).expect("writable");
    differs(run, &["differs: run.json, keys: expected "]);
}

#[test]
fn views_verify_before_and_after_secret_is_revealed() {
    let scene = played(&format!("{CAT} --with builtin:random"));
    let views =
        || [("public", "www"), ("student", "students")].map(|(view, name)| scene.view(view, name));
    let [www, students] = views();
    let ann = students.join("ann");
    let hidden = "the secret is not revealed yet";
    let mut session = Session::default();
    for view in [&www, &students] {
        session.run(&mut verify_command(view));
    }
    let staff = scene.view("staff", "staff");
    session.run(&mut verify_command(&staff));
    session.compare("verify__views_before_the_secret_is_revealed");
    no_changed_byte_of_a_public_view_passes([&www, &ann]);
    view_files_of_terabytes_are_reported_unread([&www, &ann]);
    views();
    invalid_view_neither_hangs_nor_crashes_verify(&scene, &www);

    scene.judge("reveal out");
    views();
    for view in [&www, &ann, &students.join("mumbler")] {
        verify(view).well().stdout.lacks(&[hidden]);
    }
    // Nobody's folder is passed over.
    let mark = students.join("mumbler/view.txt");
    let text = fs::read(&mark).expect("there");
    fs::remove_file(&mark).expect("writable");
    expect(&students, 2, &["mumbler: it is no student's folder"]);
    fs::copy(ann.join("view.txt"), &mark).expect("writable");
    expect(&students, 2, &["another folder is of the same student"]);
    fs::write(&mark, text).expect("writable");
    let link = students.join("zoe");
    symlink(&ann, &link).expect("writable");
    expect(&students, 2, &["cannot verify", "zoe"]);
    fs::remove_file(&link).expect("writable");
    fs::create_dir(students.join(".new-folder")).expect("writable");
    expect(&students, 0, &["2 students, nothing differs"]);
    fs::write(ann.join("submission.csv"), "changed\n").expect("writable");
    let reported = ["submission.csv", "mumbler: nothing differs"];
    differs(&students, &reported);
    // Another secret, with a matching digest.
    let secret = Keys::of_run(&scene.out()).expect("there").draw.text();
    let text = scene.text("www/run.json");
    let wrong = text.replace(&secret, &"5e".repeat(32));
    assert_ne!(wrong, text);
    scene.write("www/run.json", &wrong);
    let words = "draw.source: the secret is not the one that was committed to";
    differs(&www, &[words]);
    let commitment = model::draw::Secret::new([0x5e; 32]).commitment();
    let manifest = Manifest::read(&www).expect("readable").expect("there");
    let DrawSource::Secret {
        commitment: old, ..
    } = manifest.draw.source
    else {
        panic!("it has a secret");
    };
    scene.write("www/run.json", wrong.replace(&old, &commitment));
    differs(
        &www,
        &["setup: expected ", "draw.states: they are not drawn"],
    );
}

fn no_changed_byte_of_a_public_view_passes(views: [&Path; 2]) {
    for view in views {
        for entry in fs::read_dir(view).expect("a folder") {
            let path = entry.expect("readable").path();
            let bytes = fs::read(&path).expect("readable");
            let place = bytes.len() / 2;
            let mut changed = bytes.clone();
            changed[place] ^= 1 << (place % 8);
            fs::write(&path, changed).expect("writable");
            let ended = verify(view);
            let is_found = [Some(DIFFERS), Some(2)].contains(&ended.code);
            assert!(is_found, "{}, byte {place}: {ended:?}", path.display());
            fs::write(&path, bytes).expect("writable");
        }
        verify(view).well();
    }
}

fn invalid_view_neither_hangs_nor_crashes_verify(scene: &Scene, www: &Path) {
    let again = restored(scene, www);
    let check = |what: &str| {
        let ended = verify(www);
        assert!(
            [Some(DIFFERS), Some(2)].contains(&ended.code),
            "{what}: {ended:?}"
        );
        ended.stderr.lacks(&["panicked"]);
        again();
    };
    for name in [
        "view.txt",
        "run.json",
        "journal.jsonl",
        "SHA256SUMS",
        "games.csv",
    ] {
        fs::remove_file(www.join(name)).expect("writable");
        mkfifo(&www.join(name), Mode::S_IRWXU).expect("writable");
        check(&format!("{name} is a fifo"));
        fs::remove_file(www.join(name)).expect("writable");
        check(&format!("{name} is missing"));
    }
    for mark in [
        "",
        "the staff view of a run, made by judge report\nrun 5f\n",
        "the student view of a run, made by judge report\nrun 5f\nnobody\n",
    ] {
        fs::write(www.join("view.txt"), mark).expect("writable");
        check(&format!("view.txt is {mark:?}"));
    }
    // Numbers of any size, in every place of a number.
    for name in ["run.json", "journal.jsonl"] {
        let text = scene.text(&format!("www/{name}"));
        let starts = text.char_indices().zip(text.chars().skip(1));
        let starts = starts.filter(|((_, c), next)| ":[, ".contains(*c) && next.is_ascii_digit());
        let places: Vec<usize> = starts.map(|((at, _), _)| at + 1).collect();
        let step = (places.len() / 4).max(1);
        for place in places.into_iter().step_by(step) {
            let rest = text[place..].trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
            for number in ["18446744073709551615", "1e308"] {
                let changed = format!("{}{number}{rest}", &text[..place]);
                scene.write(&format!("www/{name}"), changed);
                check(&format!("{name}, byte {place} is {number}"));
            }
        }
    }
}

/// Length of a file with a hole, in bytes. Such files cost nothing, in any folder.
const LENGTH: u64 = 1 << 42;

fn lengthen(path: &Path, length: u64) {
    let file = File::options().append(true).create(true).open(path);
    file.and_then(|file| file.set_len(length)).expect("a hole");
}

fn view_files_of_terabytes_are_reported_unread([www, ann]: [&Path; 2]) {
    for view in [www, ann] {
        for entry in fs::read_dir(view).expect("a folder") {
            let path = entry.expect("readable").path();
            let name = path.file_name().expect("it has one").to_string_lossy();
            let kept = fs::read(&path).expect("there");
            lengthen(&path, LENGTH);
            let ended = verify(view);
            fs::write(&path, kept).expect("writable");
            ended.stderr.lacks(&["panicked"]);
            let reported = [ended.stdout, ended.stderr].concat();
            let read_whole = ["run.json", "view.txt", "SHA256SUMS", "moments.jsonl"];
            let is_table = name == "games.csv" && view == ann;
            let (code, words) = if name == "journal.jsonl" {
                (
                    2,
                    "NUL bytes in a row, as no file here has; get the folder again",
                )
            } else if is_table || read_whole.contains(&&*name) {
                (2, "it is longer than 268435456 bytes; get the folder again")
            } else {
                (DIFFERS, "it is longer than 16 GiB, as no file here is")
            };
            assert_eq!(ended.code, Some(code), "{name}: {reported}");
            reported.has(&[&name, words]);
        }
        verify(view).well();
    }
    // A shorter hole, and one in a folder that no view has.
    let page = www.join("report.html");
    let kept = fs::read(&page).expect("there");
    lengthen(&page, 1 << 33);
    fs::create_dir(www.join("more")).expect("writable");
    lengthen(&www.join("more/file"), LENGTH);
    let words = [
        "differs: report.html: it has ",
        "NUL bytes in a row",
        "differs: more/file: it is longer than",
        "differs: report.html: line ",
    ];
    differs(www, &words);
    fs::write(&page, kept).expect("writable");
}
