//! Zips and single files, honest and hostile, next to folders.

use crate::support::snapshot::{self, Session};
use crate::support::zips::{Raw, bomb, raw_zip, windows_zip, zip};
use crate::support::{FIRST_LEGAL, Has, LAST_LEGAL, QUICK, Scene, run_into};
use std::fs;
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

#[test]
fn folders_zips_programs_and_scripts_play_together() {
    let scene = Scene::of(["folder"]);
    let packed = [
        ("hw/__MACOSX/._bot", "junk", 0o644),
        ("hw/bot", FIRST_LEGAL, 0o755),
        ("hw/.DS_Store", "junk", 0o644),
        ("hw/notes/Plan.md", "# Plan", 0o644),
    ];
    scene.put("unix.zip", zip(&packed));
    let windows = windows_zip(&[("bot", FIRST_LEGAL), ("src\\notes.txt", "text")]);
    scene.put("windows.ZIP", windows);
    let inner = zip(&[("hw/bot", FIRST_LEGAL, 0o755)]);
    let around = [
        Raw::file(b"hw.zip", &inner),
        Raw::file(b"__MACOSX/._hw.zip", b"junk"),
    ];
    scene.file("packed-twice.zip", raw_zip(&around), 0o644);
    scene.file("program", LAST_LEGAL, 0o755);
    scene.file("lost-its-mode.sh", FIRST_LEGAL, 0o644);
    scene.put("README.md", "# No submission");
    let inner = zip(&[("bot", FIRST_LEGAL, 0o755)]);
    scene.file("as-moodle_7_assignsubmission_file_/hw.zip", inner, 0o644);
    let ended = snapshot::compare("run__folders_zips_and_programs", &mut scene.command(QUICK));
    let names = scene.cells("standings.csv", "entrant");
    let expected = "folder unix windows program lost-its-mode packed-twice as-moodle_7";
    for name in expected.split(' ') {
        assert!(
            names.iter().any(|n| n == name),
            "{name} is not in {names:?}"
        );
    }
    scene.all_end_by_rules();
    // Junk is no news.
    ended.stdout.lacks(&["README", "note:"]);
}

#[test]
fn hostile_zips_are_refused_with_reason_others_play() {
    let scene = Scene::of(["ann", "bob"]);
    let script = FIRST_LEGAL.as_bytes();
    let bot = Raw::file(b"bot", script);
    let named = |name: &'static [u8]| raw_zip(&[bot, Raw::file(name, b"x")]);
    let empty = |names: Vec<String>| {
        let files = names.iter().map(|name| Raw::file(name.as_bytes(), b""));
        raw_zip(&files.collect::<Vec<_>>())
    };
    let claims = |size| {
        raw_zip(&[Raw {
            claimed: Some(size),
            ..bot
        }])
    };
    let symbolic = Raw {
        mode: 0o120_777,
        ..bot
    };
    let encrypted = Raw { flags: 1, ..bot };
    let exotic = Raw { method: 12, ..bot };
    let whole = zip(&[("bot", FIRST_LEGAL, 0o755)]);
    let deep = b"1/2/3/4/5/6/7/8/9/0/1/2/3/4/5/6/7/8/9/0/1/2/3/4/5/x";
    let inner_bomb = bomb(64 << 20);
    let mut damaged = raw_zip(&[bot]);
    damaged[60] ^= 1;
    let cases: Vec<(&str, Vec<u8>)> = vec![
        ("up", named(b"../evil")),
        ("deep-up", named(b"a/../../evil")),
        ("windows-up", named(b"..\\evil")),
        ("absolute", named(b"/tmp/evil")),
        ("drive", named(b"C:\\evil")),
        ("twice", raw_zip(&[bot, bot])),
        ("twice-disguised", named(b"./bot")),
        ("both", named(b"bot/x")),
        ("deep", named(deep)),
        ("long", named(&[b'x'; 201])),
        (
            "many",
            empty((0..501).map(|n| format!("file-{n}")).collect()),
        ),
        (
            "folders",
            empty((0..2_501).map(|n| format!("folder-{n}/")).collect()),
        ),
        ("bomb", bomb((64 << 20) + 1)),
        ("claims-little", claims(1)),
        ("encrypted", raw_zip(&[encrypted])),
        ("exotic", raw_zip(&[exotic])),
        ("cut", whole[..whole.len() / 2].to_vec()),
        ("damaged", damaged),
        ("empty", raw_zip(&[])),
        ("links", raw_zip(&[symbolic])),
        ("noise", b"hello".to_vec()),
        ("inner-bomb", raw_zip(&[Raw::file(b"hw.zip", &inner_bomb)])),
        ("gzip", b"\x1f\x8b\x08\0".to_vec()),
    ];
    for (name, bytes) in &cases {
        scene.file(&format!("{name}.zip"), bytes, 0o644);
    }
    scene.put("other.tar.gz", b"\x1f\x8b\x08\0");
    scene.put("claims-much.zip", claims(u32::MAX - 1));
    let limits = "game = \"catch-the-cat\"\nstates = 1\n[config]\nside = 5\n[scoring]\npoints_per_cpu_second = 0\n[submissions]\nfiles = 500\nmib = 64\n";
    scene.put("competition.toml", limits);
    snapshot::compare("run__hostile_zips", &mut scene.command(""));
    assert!(scene.ranked().len() <= 3, "only honest ones play");
    let reasons = scene.rows("submissions.csv");
    assert_eq!(reasons.len(), cases.len() + 4);
    let [submitted, out] = [scene.submissions(), scene.out()].map(|place| place.join("evil"));
    for evil in [Path::new("/tmp/evil"), Path::new("/evil"), &submitted, &out] {
        assert!(!evil.exists(), "{} was written", evil.display());
    }
}

#[test]
fn learning_platform_zip_is_accepted_unchanged() {
    let scene = Scene::new();
    let with_mode = |mode, file| Raw { mode, ..file };
    let inner = zip(&[("bot", FIRST_LEGAL, 0o755)]);
    let inner = Raw::file(b"hw3/Ann Lee_17_assignsubmission_file_/hw.zip", &inner);
    let carol = b"hw3/Carol_19_assignsubmission_file_/hw.txt";
    let dan = b"hw3/Dan_20_assignsubmission_file_/bot";
    let deep = "1/".repeat(25);
    let deep = format!("hw3/Eve_21_assignsubmission_file_/{deep}bot");
    let bot = |name| Raw::file(name, LAST_LEGAL.as_bytes());
    let whole = raw_zip(&[
        with_mode(0o100_644, inner),
        bot(deep.as_bytes()),
        Raw {
            flags: 1,
            ..bot(b"hw3/Fay_22_assignsubmission_file_/bot")
        },
        Raw {
            method: 12,
            ..bot(b"hw3/Gus_23_assignsubmission_file_/bot")
        },
        bot(b"hw3/Hal_24_assignsubmission_file_/bot"),
        bot(b"hw3/Hal_24_assignsubmission_file_/./bot"),
        bot(b"hw3/Ida_25_assignsubmission_file_/../Bob_18_assignsubmission_file_/bot"),
        bot(b"hw3/Bob_18_assignsubmission_file_/bot"),
        Raw::file(b"hw3/Bob_18_assignsubmission_file_/more/x.txt", b"x"),
        with_mode(0o120_777, Raw::file(dan, b"/bin/sh")),
        with_mode(0o100_644, Raw::file(carol, b"I could not.")),
    ]);
    scene.put("all.zip", whole);
    let mut session = Session::default();
    let mut run = |path: &str| {
        let class = scene.submissions().join(path);
        let flags = format!("{QUICK} --seed 1");
        session.run(&mut run_into(&class, &scene.out(), &flags));
    };
    run("all.zip");
    let entrants = scene.ranked();
    assert_eq!(entrants.len(), 2);
    assert!(
        entrants
            .iter()
            .any(|row| row.get("entrant") == "Ann Lee_17")
    );
    scene.put("bad.zip", b"PK");
    run("bad.zip");
    let flat = zip(&[("Cat.h", "x", 0o644), ("notes.txt", "x", 0o644)]);
    scene.put("flat.zip", flat);
    run("flat.zip");
    session.compare("run__zip_of_a_learning_platform");
}

#[test]
fn newest_class_zip_of_each_person_counts() {
    let scene = Scene::new();
    let class = |people: &[(&str, &str)]| {
        let files = people
            .iter()
            .map(|(name, bot)| (format!("{name}_assignsubmission_file_/bot"), *bot));
        let files: Vec<(String, &str)> = files.collect();
        let files = files.iter().map(|(name, bot)| (name.as_str(), *bot, 0o755));
        zip(&files.collect::<Vec<_>>())
    };
    let first = class(&[("Ann Lee_1", "no program"), ("Bob Ray_2", FIRST_LEGAL)]);
    scene.file("b-first.zip", first, 0o644);
    let second = class(&[("Ann Lee_1", LAST_LEGAL), ("Eve Orr_3", FIRST_LEGAL)]);
    scene.file("a-second.zip", second, 0o644);
    let at = |name: &str, seconds: u64| {
        let path = scene.submissions().join(name);
        let time = UNIX_EPOCH + Duration::from_secs(seconds);
        let file = fs::File::options().write(true).open(path);
        file.and_then(|file| file.set_modified(time))
            .expect("valid");
    };
    at("b-first.zip", 1_000_000);
    at("a-second.zip", 2_000_000);
    // A file that is still being copied.
    scene.put("third.zip", "PK");
    let mut session = Session::default();
    session.run(&mut scene.command(QUICK));
    let reported = scene.cells("submissions.csv", "entrant,plays,version");
    assert_eq!(
        reported,
        ["Ann Lee_1,yes,2", "Bob Ray_2,yes,1", "Eve Orr_3,yes,1"]
    );
    // Next to other submissions, nobody submits for other people.
    let other = Scene::new();
    other.first_legal("joe").first_legal("zoe");
    other.put("mal.zip", class(&[("joe_1", LAST_LEGAL)]));
    session.run(&mut other.command(QUICK));
    session.compare("run__zips_of_a_class");
    let entrants = other.cells("submissions.csv", "entrant");
    assert!(entrants.contains(&"mal".to_owned()), "{entrants:?}");
}
