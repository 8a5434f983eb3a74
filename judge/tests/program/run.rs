//! `judge run` from end to end, with real submissions and real interruptions.

use crate::readme::compare_with_the_page;
use crate::support::processes::{self, children_of, hearing_hangups, signal, worker_with_bot};
use crate::support::snapshot::Session;
use crate::support::{Ended, FIRST_LEGAL, LAST_LEGAL, SILENT, Scene, eventually, judge};
use nix::sys::signal::Signal;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

/// No points for CPU time, which makes results comparable to the last digit.
const EXACT: &[&str] = &["--game", "catch-the-cat", "--k", "0", "--side", "5"];

fn flags<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [EXACT, more].concat()
}

/// Makes a scene of three bots whose games are long enough to be interrupted.
fn three_scripts() -> Scene {
    let scene = Scene::new();
    scene
        .first_legal("ann")
        .first_legal("bob")
        .script("zoe", LAST_LEGAL);
    scene
}

#[test]
fn the_committed_examples_play_and_the_broken_one_is_named() {
    let scene = Scene::new();
    let all = [
        "pathfinder",
        "corner-blocker",
        "drifter",
        "python-sprinter",
        "script-last",
        "forgot-const",
    ];
    for name in all {
        scene.example("catch-the-cat", name);
    }
    // A page of the book shows a game of this seed.
    let ended = scene.run(&["--states", "2", "--seed", "1"]).well();
    assert!(
        ended.stdout.contains("Catch the Cat: 6 submissions"),
        "{ended:?}"
    );
    assert!(
        ended
            .stdout
            .contains("forgot-const: does not play: g++ exited with 1"),
        "{ended:?}"
    );
    assert!(
        scene
            .read("logs/build/forgot-const.txt")
            .contains("abstract"),
        "the compiler's words"
    );
    assert!(
        scene.read("logs/stderr/drifter.txt").contains("going to"),
        "its own printing"
    );

    let standings = scene.ranked();
    assert_eq!(standings.len(), 5);
    assert_eq!(standings[0].get("entrant"), "pathfinder");
    assert_eq!(scene.rows("games.csv").len(), 2 * 5 * 4);
    assert_eq!(scene.rows("cats_vs_catchers.csv").len(), 5 * 4);
    for game in scene.rows("games.csv") {
        assert_eq!(game.get("end"), "rules", "{game:?}");
    }
    points_follow_the_courses_formula(&scene);
    compare_with_the_page(&scene.out());
}

/// Recomputes every game's points from its other columns.
fn points_follow_the_courses_formula(scene: &Scene) {
    for game in scene.rows("games.csv") {
        let number = |column: &str| game.get(column).parse::<f64>().expect(column);
        let plies = number("plies");
        // The cat moves first, and has the odd ply.
        let moves = [(plies / 2.0).ceil(), (plies / 2.0).floor()];
        for (seat, role) in ["cat", "catcher"].into_iter().enumerate() {
            let won = game.get("winner") == game.get(role);
            let base = if won {
                220.0 - moves[seat]
            } else {
                moves[seat]
            };
            let expected = base - number(&format!("{role}_cpu_us")) / 1e6;
            let points = number(&format!("{role}_points"));
            assert!((points - expected).abs() < 1e-5, "{role} in {game:?}");
        }
    }
}

#[test]
fn the_same_command_again_plays_nothing_again() {
    let scene = three_scripts();
    scene.run(&flags(&["--states", "2"])).well();
    let (journal, games) = (scene.read("journal.jsonl"), scene.read("games.csv"));
    let again = scene.run(&flags(&["--states", "2"])).well();
    assert!(
        again.stdout.contains("12 games, 12 of them already played"),
        "{again:?}"
    );
    assert_eq!(scene.read("journal.jsonl"), journal);
    assert_eq!(scene.read("games.csv"), games);
    // The same happens if the program is killed right after the last game.
    let end = scene.read("staff/journal-end.json");
    fs::remove_file(scene.out().join("staff/journal-end.json")).expect("ours");
    scene.run(&flags(&["--states", "2"])).well();
    assert_eq!(scene.read("staff/journal-end.json"), end);
}

#[test]
fn more_states_and_another_entrant_play_only_what_is_missing() {
    let scene = three_scripts();
    scene.run(&flags(&["--states", "1"])).well();
    scene.first_legal("eve");
    let ended = scene.run(&flags(&["--states", "2"])).well();
    assert!(
        ended.stdout.contains("24 games, 6 of them already played"),
        "{ended:?}"
    );
}

#[test]
fn a_resubmitted_bot_replays_its_own_games_only() {
    let scene = three_scripts();
    scene.run(&flags(&["--states", "2"])).well();
    scene.script("ann", &format!("{FIRST_LEGAL}# second version\n"));
    let ended = scene.run(&flags(&["--states", "2"])).well();
    assert!(
        ended.stdout.contains("12 games, 4 of them already played"),
        "{ended:?}"
    );
    assert_eq!(scene.rows("games.csv").len(), 12);
}

#[test]
fn one_worker_or_several_give_the_same_files_but_for_the_times() {
    let alone = three_scripts();
    alone.run(&flags(&["--states", "3", "--jobs", "1"])).well();
    let many = three_scripts();
    many.run(&flags(&["--states", "3", "--jobs", "3", "--no-pin"]))
        .well();
    for file in ["games.csv", "standings.csv", "cats_vs_catchers.csv"] {
        assert_eq!(alone.timeless(file), many.timeless(file), "{file}");
    }
}

#[test]
fn bots_that_live_for_a_game_or_a_match_play_the_same_games() {
    let three_scripts = || {
        let scene = three_scripts();
        scene.example("catch-the-cat", "corner-blocker");
        scene
    };
    let per_turn = three_scripts();
    per_turn.run(&flags(&["--states", "2"])).well();
    for lifetime in ["game", "match"] {
        let other = three_scripts();
        other.take_programs(&per_turn);
        other
            .run(&flags(&["--states", "2", "--lifetime", lifetime]))
            .well();
        let games = |scene: &Scene| {
            let rows = scene.timeless("games.csv").into_iter();
            // The first columns are the number and the fixture's hash, which covers the lifetime.
            rows.map(|row| row[2..].to_vec()).collect::<Vec<_>>()
        };
        assert_eq!(games(&per_turn), games(&other), "{lifetime}");
    }
}

#[test]
fn killing_the_coordinator_again_and_again_loses_nothing_and_blames_nobody() {
    let whole = three_scripts();
    whole.run(&flags(&["--states", "4"])).well();
    let killed = three_scripts();
    for lines in [1, 5, 9, 16] {
        let mut run = killed
            .command(&flags(&["--states", "4"]))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts");
        killed.wait_for_lines(lines);
        run.kill().expect("ours");
        run.wait().expect("ours");
    }
    killed.run(&flags(&["--states", "4"])).well();
    assert_eq!(killed.timeless("games.csv"), whole.timeless("games.csv"));
    assert_eq!(
        killed.timeless("standings.csv"),
        whole.timeless("standings.csv")
    );
}

#[test]
fn killing_workers_in_mid_game_loses_nothing_and_blames_nobody() {
    let whole = three_scripts();
    whole.run(&flags(&["--states", "40"])).well();
    let killed = three_scripts();
    let run = killed
        .command(&flags(&["--states", "40", "--jobs", "2"]))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    for lines in [1, 12, 40, 80, 120] {
        killed.wait_for_lines(lines);
        if let Some(&worker) = children_of(run.id()).first() {
            signal(worker, Signal::SIGKILL);
        }
    }
    let ended = Ended::of(run.wait_with_output().expect("it ends")).well();
    assert!(
        ended.stderr.contains("will be played again: a worker died"),
        "{ended:?}"
    );
    assert_eq!(killed.timeless("games.csv"), whole.timeless("games.csv"));
}

#[test]
fn an_interrupt_lets_games_end_and_prints_the_command_that_resumes() {
    let scene = three_scripts();
    let mut run = scene
        .command(&flags(&["--states", "40", "--jobs", "1"]))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    scene.wait_for_lines(2);
    signal(run.id().cast_signed(), Signal::SIGINT);
    let ended = Ended::of(run.wait_with_output().expect("it ends"));
    assert_eq!(ended.code, Some(130), "{ended:?}");
    assert!(ended.stdout.contains("; to continue:"), "{ended:?}");
    assert!(ended.stdout.contains("--states 40 --jobs 1"), "{ended:?}");
    let games = scene.rows("games.csv");
    assert!(games.len() >= 2 && games.iter().all(|game| game.get("end") == "rules"));
    run = scene
        .command(&flags(&["--states", "1"]))
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let again = Ended::of(run.wait_with_output().expect("it ends"));
    again.well();
}

#[test]
fn a_second_interrupt_gives_the_games_in_play_up() {
    let scene = Scene::new();
    scene.script("silent", SILENT).first_legal("honest");
    let slow = ["--states", "1", "--lifetime", "game", "--backstop", "90"];
    let mut run = scene
        .command(&flags(&slow))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let pid = run.id().cast_signed();
    worker_with_bot(run.id(), "sleep");
    signal(pid, Signal::SIGINT);
    let lines = BufReader::new(run.stderr.as_mut().expect("piped")).lines();
    let mut lines = lines.map_while(Result::ok);
    let waiting = "interrupted: finishing the games in play (press Ctrl-C again to abandon them)";
    assert!(lines.any(|line| line.contains(waiting)));
    signal(pid, Signal::SIGINT);
    let again = "interrupted again: stopped at once; finished games are kept; rerun the same command to continue";
    assert!(lines.any(|line| line == again));
    let catch_up = lines.next().expect("what to do about the tables");
    let view = format!(" view {}", scene.out().display());
    assert!(catch_up.ends_with(&view), "{catch_up}");
    let ended = Ended::of(run.wait_with_output().expect("it ends"));
    assert_eq!(ended.code, Some(130), "{ended:?}");
    let left = || processes::with(&scene.folder().display().to_string()).is_empty();
    eventually("nobody plays any more", left);
    assert!(!scene.out().join("standings.csv").exists());
    let mut view = judge();
    let view = view.arg("view").arg(scene.out()).output();
    let view = Ended::of(view.expect("the program starts")).well();
    view.says(&["wrote the tables; they and the page have ", " of 2 games"]);
    assert_eq!(scene.rows("standings.csv").len(), 2);
}

#[test]
fn a_closed_terminal_is_an_interrupt_but_not_under_nohup() {
    let scene = three_scripts();
    let run = scene.command(&flags(&["--states", "40", "--jobs", "1"]));
    let start = |before: &str| {
        let mut shell = Command::new("/bin/sh");
        shell
            .args(["-c", &format!("{before} exec \"$0\" \"$@\"")])
            .arg(run.get_program())
            .args(run.get_args());
        let mut shell = hearing_hangups(&shell);
        shell.stdout(Stdio::piped()).stderr(Stdio::piped());
        shell.spawn().expect("it starts")
    };
    let closed = start("");
    scene.wait_for_lines(2);
    let hang_up = Signal::SIGHUP;
    signal(closed.id().cast_signed(), hang_up);
    let ended = Ended::of(closed.wait_with_output().expect("it ends"));
    assert_eq!(ended.code, Some(130), "{ended:?}");
    ended.says(&["; to continue:"]);
    let before = scene.rows("games.csv").len();
    let kept = start("trap '' HUP;");
    scene.wait_for_lines(before + 1);
    signal(kept.id().cast_signed(), hang_up);
    Ended::of(kept.wait_with_output().expect("it ends")).well();
}

#[test]
fn a_torn_last_line_and_a_line_of_zeros_cost_only_their_games() {
    let scene = three_scripts();
    scene.run(&flags(&["--states", "2"])).well();
    let before = scene.timeless("games.csv");
    let path = scene.out().join("journal.jsonl");
    let mut lines: Vec<Vec<u8>> = fs::read(&path)
        .expect("ours")
        .split(|b| *b == b'\n')
        .map(<[u8]>::to_vec)
        .collect();
    lines.pop();
    lines[3] = vec![0; 700];
    let last = lines.len() - 1;
    lines[last].truncate(100);
    fs::write(&path, lines.join(&b'\n')).expect("ours");
    let ended = scene.run(&flags(&["--states", "2"])).well();
    assert!(
        ended
            .stdout
            .contains("line 4 of the journal: it has no MAC signature at its end"),
        "{ended:?}"
    );
    assert!(
        ended.stdout.contains("12 games, 10 of them already played"),
        "{ended:?}"
    );
    assert_eq!(scene.timeless("games.csv"), before);
    assert_eq!(
        fs::read(scene.out().join("journal.damaged")).expect("kept"),
        [
            &b"line 4: it has no MAC signature at its end\n"[..],
            &[0; 700],
            b"\n"
        ]
        .concat()
    );
}

#[test]
fn two_runs_on_one_folder_do_not_mix() {
    let scene = three_scripts();
    let mut first = scene
        .command(&flags(&["--states", "1000"]))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    scene.wait_for_lines(1);
    scene
        .run(&flags(&["--states", "1000"]))
        .refused(&["another judge is working on", "--out"]);
    first.kill().expect("ours");
    first.wait().expect("ours");
}

#[test]
fn nobody_else_can_open_the_lock_of_a_run() {
    let scene = three_scripts();
    scene.run(&flags(&["--states", "1"])).well();
    let lock = scene.out().join("lock");
    let mode = || {
        fs::metadata(&lock)
            .expect("it is kept")
            .permissions()
            .mode()
            & 0o777
    };
    assert_eq!(mode(), 0o600);
    // An earlier version made it readable, and somebody who opened it then has it still.
    fs::set_permissions(&lock, fs::Permissions::from_mode(0o644)).expect("ours");
    let held = fs::File::open(&lock).expect("there");
    held.lock_shared().expect("free");
    scene
        .run(&flags(&["--states", "2"]))
        .refused(&["which other users could open until now", "fuser"]);
    assert_eq!(mode(), 0o600);
}

#[test]
fn wrong_input_is_named_with_the_reason_and_the_next_step() {
    let scene = Scene::new();
    let mut session = Session::default();
    session.run(&mut scene.command(&[]));
    scene.first_legal("ann");
    session.run(&mut scene.command(&[]));
    session.run(&mut scene.command(&["--game", "chess"]));
    session.run(&mut scene.command(&flags(&[])));
    scene.first_legal("bob");
    session.run(&mut scene.command(&["--game", "catch-the-cat", "--side", "20"]));
    for wrong in [
        ["--states", "0"],
        ["--set", "blocks"],
        ["--set", "colour=red"],
        ["--turn-time", "0"],
    ] {
        session.run(&mut scene.command(&flags(&wrong)));
    }
    session.run(judge().args(["run", "--submissions", "/does/not/exist"]));
    session.compare("run__wrong_input");

    scene.run(&flags(&["--states", "1"])).well();
    let mut session = Session::default();
    session.run(&mut scene.command(&flags(&["--states", "1", "--seed", "2"])));
    let no_seed = ["--game", "catch-the-cat", "--k", "0", "--side", "5"];
    session.run(&mut scene.command_by_secret(&no_seed));
    let other_side = ["--game", "catch-the-cat", "--side", "9", "--states", "1"];
    let refused = session.run(&mut scene.command(&other_side));
    assert!(!refused.stderr.contains('{'), "{refused:?}");
    let other_game = ["--game", "monkey-metal-man", "--states", "1"];
    session.run(&mut scene.command(&other_game));
    fs::write(scene.out().join("run.json"), "{}").expect("ours");
    session.run(&mut scene.command(&flags(&["--states", "1"])));
    session.compare("run__another_run");
}

#[test]
fn a_class_is_named_without_a_flag_and_so_are_single_bots() {
    let scene = three_scripts();
    let run = |places: &[&std::path::Path]| {
        let mut command = judge();
        command
            .arg("run")
            .args(places)
            .arg("--out")
            .arg(scene.out());
        command.args(flags(&["--states", "1", "--seed", "1"]));
        command
    };
    let class = scene.submissions();
    let mut session = Session::default();
    session.run(&mut run(&[&class]));
    let (one, other) = (class.join("ann"), class.join("bob"));
    session.run(&mut run(&[&one, &other]));
    session.run(&mut scene.command(&flags(&["--states", "1"])));
    session.compare("run__places");

    let wrapped = |name: &str| {
        let folder = scene.folder().join(name);
        fs::create_dir(&folder).expect("ours");
        let own = folder.join("sources");
        fs::create_dir(&own).expect("ours");
        fs::copy(one.join("bot"), own.join("bot")).expect("ours");
        folder
    };
    let (one, other) = (wrapped("one"), wrapped("other"));
    let moodles = scene.folder().join("Ann Lee_12345_assignsubmission_file");
    fs::create_dir(&moodles).expect("ours");
    fs::copy(class.join("ann/bot"), moodles.join("bot")).expect("ours");
    let mut session = Session::default();
    session.run(&mut run(&[&one, &other]));
    session.run(run(&[&class.join("ann"), &class.join("bob")]).arg("--watch"));
    session.run(&mut run(&[&class.join("bob"), &moodles]));
    session.compare("run__places_that_are_refused");
}

#[test]
fn what_was_meant_by_a_misspelt_place_is_said() {
    let scene = three_scripts();
    scene.run(&flags(&["--states", "1"])).well();
    fs::write(scene.folder().join("rules.toml"), "").expect("ours");
    let mut session = Session::default();
    for words in [
        &["run", "submissions", "--competition", "rules.tml"][..],
        &["grades", "."],
        &["play", "humna", "--game", "reversi"],
        &["perft", "submission", "--depth", "1"],
    ] {
        session.run(judge().current_dir(scene.folder()).args(words));
    }
    session.compare("run__misspelt_places");
}

#[test]
fn a_roster_outside_the_submissions_is_reported_and_not_used() {
    let scene = three_scripts();
    let around = scene.submissions().with_file_name("roster.csv");
    fs::write(&around, "submission,id\nann,1\n").expect("ours");
    let mut session = Session::default();
    session.run(&mut scene.command(&flags(&["--states", "1"])));
    let named = ["--states", "1", "--roster", around.to_str().expect("UTF-8")];
    session.run(&mut scene.command(&flags(&named)));
    session.compare("run__roster_around");
}

#[test]
fn what_a_beginner_gets_wrong_is_said_in_words() {
    let scene = Scene::new();
    scene.first_legal("ann").first_legal("bob");
    let agent = "#include \"IAgent.h\"\n#include <vector>\n";
    scene.sources("lower-case", &[("cat.h", agent), ("Catcher.h", agent)]);
    scene.sources(
        "sub-folder",
        &[
            ("src/Cat.h", agent),
            ("src/Catcher.h", agent),
            ("notes.md", ""),
        ],
    );
    scene.sources("notes-only", &[("readme.txt", "hello")]);
    scene.sources("not-executable", &[("my bot.py", "#!/usr/bin/python3\n")]);
    fs::create_dir(scene.submissions().join("not-executable/tools")).expect("ours");
    scene.file("not-executable/tools/pack", "#!/bin/sh\n", 0o755);
    scene.sources(
        "below",
        &[("src/bot.py", "#!/usr/bin/python3\n"), ("notes.md", "")],
    );
    scene.sources(
        "rust",
        &[("src/main.rs", "fn main() {}"), ("Cargo.toml", "")],
    );
    scene.sources("lost-modes", &[("bot", FIRST_LEGAL), ("notes.md", "")]);
    scene.sources("utf-16", &[("Catcher.h", agent)]);
    let units: Vec<u16> = format!("\u{feff}{agent}").encode_utf16().collect();
    let units: Vec<u8> = units.into_iter().flat_map(u16::to_le_bytes).collect();
    scene.file("utf-16/Cat.h", units, 0o644);
    scene.sources("empty", &[("Cat.h", "\n"), ("Catcher.h", agent)]);
    scene.sources("no-program", &[("bot.ipynb", "{}")]);
    scene.sources("two-zips", &[("v1.zip", "PK"), ("v2.zip", "PK")]);
    let twice = [("a/ReversiAI.hs", ""), ("b/ReversiAI.hs", "")];
    scene.sources("section", &twice);
    let mut session = Session::default();
    session.run(&mut scene.command(&flags(&["--states", "1"])));
    session.compare("run__what_beginners_get_wrong");
    let rows = scene.rows("submissions.csv");
    let plays = rows.iter().filter(|row| row.get("plays") == "yes");
    let names: Vec<&str> = plays.map(|row| row.get("entrant")).collect();
    assert_eq!(names, ["ann", "bob", "lost-modes"]);
    assert_eq!(rows.len(), 14);
}

#[test]
fn what_is_left_out_or_replaced_is_said_with_the_reason() {
    let scene = Scene::new();
    scene
        .first_legal("ann")
        .example("catch-the-cat", "corner-blocker");
    scene.sources(
        "corner-blocker",
        &[
            ("docs/plan.md", "# Plan"),
            ("data.json", "{}"),
            ("IAgent.h", "#pragma once\nstruct IAgent { int mine; };\n"),
            ("main.cpp", "int main() { return 1; }\n"),
            ("Test.h", "#pragma once\n// int main() was here\n"),
        ],
    );
    let mut session = Session::default();
    session.run(&mut scene.command(&flags(&["--states", "1"])));
    assert_eq!(scene.rows("games.csv").len(), 2, "it plays all the same");
    scene.sources(
        "corner-blocker",
        &[("run.cpp", "int main() { return 1; }\n")],
    );
    session.run(&mut scene.command(&flags(&["--states", "1"])));
    session.compare("run__left_out_or_replaced");
}

#[test]
fn what_the_machine_cannot_execute_is_found_before_it_plays() {
    let scene = Scene::new();
    scene.first_legal("ann").first_legal("bob");
    scene.script("no-interpreter", "#!/usr/bin/python99\nprint(1)\n");
    scene.script("windows", "#!/bin/sh\r\nread -r line\r\n");
    scene.script("no-first-line", "import json, sys\n");
    scene.script("empty", "");
    scene.script("other-machine", "\u{7f}ELF\u{1}\u{1}\u{1}");
    let mut session = Session::default();
    session.run(&mut scene.command(&flags(&["--states", "1"])));
    session.compare("run__not_executable");
    assert_eq!(scene.rows("games.csv").len(), 2);
}

#[test]
fn names_of_built_in_bots_cannot_be_taken() {
    let mut session = Session::default();
    for name in ["builtin:random", "filler (builtin:hunter)"] {
        let scene = Scene::new();
        scene
            .first_legal("ann")
            .first_legal("bob")
            .first_legal(name);
        let ended = session.run(&mut scene.command(&flags(&["--states", "1"])));
        assert_eq!(scene.ranked().len(), 2, "{ended:?}");
    }
    session.compare("run__names_of_builtins");
}

#[test]
fn the_submissions_folder_is_no_place_for_results() {
    let scene = Scene::new();
    scene.first_legal("ann").first_legal("bob");
    let mut command = judge();
    command
        .args(["run", "--submissions"])
        .arg(scene.submissions())
        .args(EXACT);
    let mut session = Session::default();
    session.run(command.arg("--out").arg(scene.submissions()));
    session.compare("run__results_among_submissions");
}

#[test]
fn a_reader_that_goes_away_stops_nothing() {
    let scene = three_scripts();
    let mut run = scene
        .command(&flags(&["--states", "1"]))
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    drop(run.stdout.take());
    assert!(run.wait().expect("it ends").success());
    assert_eq!(scene.rows("games.csv").len(), 6);
}

#[test]
fn a_run_of_an_earlier_version_is_left_alone() {
    let scene = three_scripts();
    scene.run(&flags(&["--states", "1"])).well();
    let path = scene.out().join("run.json");
    let text = scene.read("run.json");
    let older = text.replacen("\"v\": 2", "\"v\": 1", 1);
    assert_ne!(older, text);
    fs::write(&path, &older).expect("ours");
    let journal = scene.read("journal.jsonl");
    let mut session = Session::default();
    session.run(&mut scene.command(&flags(&["--states", "1"])));
    fs::remove_dir_all(scene.out().join("staff")).expect("ours");
    session.run(&mut scene.command(&flags(&["--states", "1"])));
    session.redact(r"\(\d+\.\d+\.\d+ \(.*?\), format", "([build], format");
    session.compare("run__of_an_earlier_version");
    assert_eq!(scene.read("journal.jsonl"), journal);
}

#[test]
fn a_changed_run_json_is_damaged_and_not_of_another_competition() {
    let scene = three_scripts();
    scene.run(&flags(&["--states", "1"])).well();
    let text = scene.read("run.json");
    for (was, is) in [
        ("\"turn_us\": 2000000", "\"turn_us\": 2000020"),
        ("\"seed\": 1", "\"seed\": 2"),
        ("\"rules\": ", "\"rules\": 1"),
    ] {
        let changed = text.replacen(was, is, 1);
        assert_ne!(changed, text, "{was}");
        fs::write(scene.out().join("run.json"), changed).expect("ours");
        let ended = scene.run(&flags(&["--states", "1"]));
        ended.refused(&["run.json is damaged (it was changed after", "restore it"]);
    }
}

#[test]
fn an_inconsistent_journal_line_is_a_damaged_one() {
    let scene = three_scripts();
    scene.run(&flags(&["--states", "1"])).well();
    let path = scene.out().join("journal.jsonl");
    let text = fs::read_to_string(&path).expect("ours");
    fs::write(&path, text.replacen("\"turns\":[[0,", "\"turns\":[[5,", 1)).expect("ours");
    let ended = scene.run(&flags(&["--states", "1"])).well();
    assert!(
        ended.stdout.contains("6 games, 5 of them already played"),
        "{ended:?}"
    );
}

#[test]
fn a_terminal_is_not_needed_and_the_first_words_come_at_once() {
    let scene = three_scripts();
    let mut run = scene
        .command(&flags(&["--states", "1"]))
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut stdout = BufReader::new(run.stdout.take().expect("piped"));
    let mut first = String::new();
    stdout.read_line(&mut first).expect("text");
    assert!(
        first.starts_with("Catch the Cat: 3 submissions in"),
        "{first}"
    );
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).expect("text");
    assert!(!rest.contains('\u{1b}'), "no escapes in a pipe");
    assert!(run.wait().expect("it ends").success());
}
