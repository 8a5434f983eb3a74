//! `judge repro`: games of a run, played again.

use crate::support::culprits::{self, CRASH, FLAGS, python};
use crate::support::snapshot::{self, Session};
use crate::support::{Has, Row, Scene, cells_of, copy_folder, judge};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};

fn game(scene: &Scene, cat: &str, catcher: &str) -> Row {
    let mut games = scene.rows("games.csv").into_iter();
    let met = games.find(|game| game.get("cat") == cat && game.get("catcher") == catcher);
    met.expect("everybody meets everybody")
}

fn number(scene: &Scene, cat: &str, catcher: &str) -> String {
    game(scene, cat, catcher).get("game").to_owned()
}

#[test]
fn every_fault_has_its_row_and_repeats() {
    let scene = Scene::new();
    culprits::add(&scene);
    scene.script("mute", &python(culprits::MUTE));
    scene.run(FLAGS).well();
    every_fault_is_a_row_with_its_evidence(&scene);
    let mut session = Session::default();
    for bot in ["crash", "cheat", "formula", "mute"] {
        let number = number(&scene, bot, "honest");
        let ended = if bot == "mute" {
            // A fault of silence may have a note about the machine's load.
            let ended = scene.does("repro", &number);
            ended.says(&["gave no answer in ", "the same game and the same end"]);
            ended
        } else {
            session.run(&mut scene.verb("repro", &number))
        };
        ended.stdout.lacks(&["departs"]);
        let first = format!("ply 0  {bot} (cat) | thinking at ply 0\n");
        assert!(ended.stderr.starts_with(&first), "{ended:?}");
        // Every line of the bot has a mark.
        let mark = format!("  {bot} (cat) | ");
        let mut lines = ended.stderr.lines();
        assert!(lines.all(|line| line.contains(&mark)), "{ended:?}");
    }
    session.compare("repro__faults");
}

fn every_fault_is_a_row_with_its_evidence(scene: &Scene) {
    let games = scene.rows("games.csv");
    let faults = scene.rows("faults.csv");
    assert_eq!(games.len(), 20);
    for (game, number) in games.iter().zip(1..) {
        assert_eq!(game.get("game"), number.to_string());
        let own = faults.iter();
        let own = own.filter(|fault| fault.get("game") == game.get("game"));
        let own: Vec<&Row> = own.collect();
        if game.get("end") == "rules" {
            assert!(own.is_empty(), "{own:?}");
            continue;
        }
        let [fault] = own[..] else {
            panic!("two players, so one fault: {own:?}")
        };
        let here = fault.cells("fixture,state,entrant,role,cause,detail,ended_game");
        let there = game.cells("fixture,state,charged,charged_as,end,detail");
        assert_eq!(here, format!("{there},yes"), "{fault:?}");
        let other = ["catcher", "cat"][usize::from(fault.get("seat") == "1")];
        assert_eq!(fault.get("opponents"), game.get(other), "{fault:?}");
        let wall_us: u64 = fault.get("wall_us").parse().expect("a time");
        assert!(wall_us > 0, "{fault:?}");
    }
    // Each of them is guilty, and nobody else.
    let own = cells_of(&faults, "entrant,cause,exit,line,phase");
    let expected = [
        "crash,crash,signal 11 SIGSEGV,,turn",
        "cheat,illegal-move,,{\"move\":[0,0]},turn",
        "formula,malformed,,'=1+1,turn",
        "mute,silence,,,turn",
    ];
    assert_eq!(BTreeSet::from_iter(own), expected.map(str::to_owned).into());
}

#[test]
fn games_of_a_run_are_played_again() {
    let scene = Scene::new();
    culprits::add(&scene);
    scene.run(FLAGS).well();
    id_prefix_finds_game_and_names_find_seats(&scene);
    corrected_own_version_continues_beyond_record(&scene);
    pause_prints_process_and_waits_for_enter(&scene);
    an_interrupt_leaves_nothing_of_an_own_version(&scene);
    wrong_names_are_refused_with_next_step(&scene);
    game_of_replaced_version_is_found_by_id(&scene);
    what_a_run_has_lost_is_named(&scene);
}

fn id_prefix_finds_game_and_names_find_seats(scene: &Scene) {
    let game = game(scene, "crash", "honest");
    let id = &game.get("fixture")[..12];
    for choice in [["--bot", "honest"], ["--seat", "1"], ["--seat", "catcher"]] {
        let ended = scene.does("repro", &[&[id][..], &choice].concat());
        let begin = format!("game {} (id {id}", game.get("game"));
        ended.says(&[&begin, "crash (cat): as recorded", "honest (catcher): live"]);
        assert_eq!(ended.stdout.matches("ms CPU   as recorded").count(), 2);
        ended.stderr.lacks(&["thinking"]);
    }
}

fn corrected_own_version_continues_beyond_record(scene: &Scene) {
    let number = number(scene, "crash", "honest");
    scene.script("mended", &python("pass"));
    let own = scene.submissions().join("mended").display().to_string();
    let mut session = Session::default();
    let with_own = [&*number, "--bot-dir", &own];
    session.run(&mut scene.verb("repro", &with_own));
    let both = [&with_own[..], &["--live", "all"]].concat();
    session.run(&mut scene.verb("repro", &both));
    scene.script("broken", "no program");
    let own = scene.submissions().join("broken").display().to_string();
    session.run(&mut scene.verb("repro", &[&number, "--bot-dir", &own]));
    session.compare("repro__own_version");
    for own in ["mended", "broken"] {
        fs::remove_dir_all(scene.submissions().join(own)).expect("writable");
    }
}

/// Starts a command that waits for Enter.
fn paused_at(command: &mut Command) -> Child {
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    command.stderr(Stdio::null()).spawn().expect("it starts")
}

fn pause_prints_process_and_waits_for_enter(scene: &Scene) {
    let number = number(scene, "crash", "honest");
    let mut paused = scene.verb("repro", &format!("{number} --pause-at 1"));
    snapshot::compare("repro__pause_in_a_recorded_turn", &mut paused);
    let mut child = paused_at(&mut scene.verb("repro", &format!("{number} --pause-at 2")));
    let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
    let mut next = |words: &str| {
        let mut lines = lines.by_ref().map(|line| line.expect("text"));
        lines.find(|line| line.contains(words)).expect(words)
    };
    let paused = next("press Enter");
    let words = paused.split_whitespace();
    let mut words = words.skip_while(|word| *word != "process");
    let pid = words.nth(1).and_then(|word| word.parse::<i32>().ok());
    let pid = pid.unwrap_or_else(|| panic!("a process id in {paused}"));
    kill(Pid::from_raw(pid), None).expect("the bot lives while its author looks at it");
    let mut stdin = child.stdin.take().expect("piped");
    stdin.write_all(b"\n").expect("it waits");
    next("the same game and the same end");
    assert!(child.wait().expect("it ends").success());
}

fn an_interrupt_leaves_nothing_of_an_own_version(scene: &Scene) {
    let number = number(scene, "crash", "honest");
    let own = scene.submissions().join("crash");
    let temporary = tempfile::tempdir().expect("a temporary folder");
    let mut paused = scene.verb("repro", &format!("{number} --pause-at 0 --bot-dir"));
    paused.arg(own).env("TMPDIR", temporary.path());
    let mut child = paused_at(&mut paused);
    let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
    let paused = lines.find(|line| line.as_ref().expect("text").contains("press Enter"));
    assert!(paused.is_some());
    let built = || fs::read_dir(temporary.path()).expect("readable").count();
    assert_eq!(built(), 1);
    // Otherwise waiting for the child would close its input, and it would continue.
    let stdin = child.stdin.take();
    kill(Pid::from_raw(child.id().cast_signed()), Signal::SIGINT).expect("a running child");
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    assert_eq!(built(), 0);
    drop(stdin);
}

fn wrong_names_are_refused_with_next_step(scene: &Scene) {
    let honest = number(scene, "crash", "honest");
    let mut session = Session::default();
    for args in [
        &["0"][..],
        &["13"],
        &["one"],
        &["0123456789abcdef"],
        &[&honest, "--bot", "nobody"],
        &[&honest, "--bot-dir", "nowhere"],
    ] {
        session.run(&mut scene.verb("repro", args));
    }
    let out = scene.out();
    for folder in [
        scene.submissions(),
        out.join("run.json"),
        out.join("nowhere"),
    ] {
        session.run(judge().arg("repro").arg(folder).arg("1"));
    }
    session.compare("repro__refused");
}

fn what_a_run_has_lost_is_named(scene: &Scene) {
    let game = game(scene, "crash", "honest");
    let journal = scene.out().join("journal.jsonl");
    let text = scene.read("journal.jsonl");
    let lines = text.lines().map(|line| {
        let is_own = line.contains(game.get("fixture"));
        if is_own { "{broken" } else { line }
    });
    let broken: Vec<&str> = lines.collect();
    fs::write(&journal, format!("{}\n{{\"torn", broken.join("\n"))).expect("writable");
    let mut session = Session::default();
    session.run(&mut scene.verb("repro", &[game.get("game")]));
    scene.does("repro", &number(scene, "cheat", "honest"));
    fs::write(&journal, text).expect("writable");

    let run = scene.out().join("run.json");
    let manifest = scene.read("run.json");
    let other = manifest.replace("\"backstop_ms\": 2000", "\"backstop_ms\": 3000");
    assert_ne!(manifest, other);
    fs::write(&run, other).expect("writable");
    session.run(&mut scene.verb("repro", &[&game.get("fixture")[..8]]));
    fs::write(&run, manifest).expect("writable");

    fs::remove_dir_all(scene.out().join("artifacts")).expect("writable");
    let own = scene.submissions().join("crash").display().to_string();
    session.run(&mut scene.verb("repro", &[game.get("game")]));
    let args = [game.get("game"), "--bot-dir", &own];
    session.run(&mut scene.verb("repro", &args));
    session.redact(r"(?m) [0-9a-f]{8}$", " [id]");
    session.compare("repro__what_is_lost");
}

fn game_of_replaced_version_is_found_by_id(scene: &Scene) {
    let old = game(scene, "crash", "honest");
    copy_folder(&scene.out(), &scene.folder().join("later"));
    scene.script("crash", &python(&format!("{CRASH}; pass")));
    let run = format!("run --submissions submissions --out later --seed 1 {FLAGS}");
    scene.judge(&run);
    scene.script("crash", &python(CRASH));
    let ended = scene.judge(&["repro", "later", old.get("fixture")]);
    ended.says(&[
        "a game of an earlier version",
        "the same game and the same end",
    ]);
}

/// Built-in bots that fill empty seats take two of the seats.
#[test]
fn built_in_bots_repeat_hidden_information_game() {
    let scene = Scene::new();
    let bots = "--with builtin:random --with builtin:hunter";
    scene.judge(&format!(
        "run --game monkey-metal-man --states 1 {bots} --out out"
    ));
    // Without a fault, all play live.
    for choice in [&["--seat", "2"][..], &["--live", "all"], &[]] {
        let ended = scene.does("repro", &[&["1"][..], choice].concat());
        ended.says(&["filler (builtin:hunter)", "the same game and the same end"]);
    }
}
