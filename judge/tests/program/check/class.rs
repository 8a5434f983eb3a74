//! `judge check` on a whole class: every submission, and one table.

use super::{LOOP, PYTHON, WRONG, check};
use crate::support::skip::{MISSING, has_tool, missing_program};
use crate::support::snapshot::Session;
use crate::support::zips::zip;
use crate::support::{FIRST_LEGAL, Has, Run, Scene};
use std::process::Command;

const TABLE: &str = "submissions-check.csv";

fn class_command(scene: &Scene, flags: &str) -> Command {
    let mut command = check(scene, "", flags);
    command.current_dir(scene.folder());
    command
}

/// Checks a class, and shows the table.
fn check_class(session: &mut Session, scene: &Scene, flags: &str) {
    session.run(&mut class_command(scene, flags));
    session.show(TABLE, &scene.text(TABLE));
}

#[test]
fn class_check_prints_one_table_of_everybody() {
    let scene = Scene::new();
    let sound = format!("{PYTHON}{LOOP}");
    let crashes = format!("{PYTHON}def choose(turn): return 1 / 0\n{LOOP}");
    scene.script("ann", &sound).script("bob", &crashes);
    scene.script("cyd", &sound);
    scene.sources("dan", &[("notes.txt", "later")]);
    let flags = "--game reversi --states 1";
    let mut session = Session::default();
    // Programs that speak the protocol have the mark 0: the course's own test asks other programs.
    check_class(&mut session, &scene, flags);
    session.compare("check__class");
}

/// A clock that is short for who computes, and none for who waits.
const PATIENT: &str = "game = \"crazy-camel\"\n[clock]\nbank_s = 0.3\nidle_s = 600\nstartup_s = 5\n\
    [scoring.homework]\nhas_won = 2\nmake_move = 3\n";

#[test]
fn homework_has_marks_except_for_unreached_parts() {
    if !has_tool("ocamlfind") {
        return;
    }
    let camel = engines::game("crazy-camel").expect("registered");
    let (_, text) = camel.info.kits[0].solved[0];
    // Two thousand right lists take seconds of CPU time; `cyd` gives them.
    let with = |more: &str| {
        let wrong = "let list_valid_moves _ _ = []";
        format!("{text}\n{wrong}\nlet make_move_state r t c m s =\n  {more}\n")
    };
    let leisurely = with("Unix.sleepf 3.0; make_move_state r t c m s");
    let loops = with("while true do () done; make_move_state r t c m s");
    let wrong = format!("{text}\nlet has_won _ _ = false\n");
    let never = format!("{text}\nlet () = exit 3\n");
    let scene = Scene::new();
    for (name, text) in [
        ("ann", &*leisurely),
        ("bob", &loops),
        ("cyd", &wrong),
        ("dan", "let x ="),
        ("eve", &never),
    ] {
        scene.sources(name, &[("assignment.ml", text)]);
    }
    scene.sources("judge", &[("judge.toml", "run = \"./bot\"\n")]);
    scene.put("competition.toml", PATIENT).first_legal("own");
    let rules = "--competition submissions/competition.toml";
    let flags = format!("{rules} --states 1 --seconds 20");
    let ended = class_command(&scene, &flags).ended().exits(WRONG);
    ended.says(&["1 submission with empty marks"]);
    let table = scene.text(TABLE);
    let rows: Vec<&str> = table.lines().collect();
    let names = "camels_intersect,is_valid_move,list_valid_moves,has_won,apply_move,make_move";
    assert_eq!(rows[0], format!("entrant,findings,{names}"));
    rows[1].has(&["not checked (make_move): not all sample games ended within 25 s"]);
    rows[3].has(&["WRONG (has_won): it gives false, right is true"]);
    let none = ",0,0,0,0,0,0";
    let some = [",1,1,0,1,1,", ",1,1,0,1,1,0", ",1,1,1,0,1,1"];
    assert_eq!(rows.len(), 1 + some.len() + 4, "{table}");
    for (row, marks) in rows[1..].iter().zip(some.into_iter().chain([none; 4])) {
        assert!(row.ends_with(marks), "{marks}: {table}");
    }
    // A grader gets no score.
    let graders = format!("check submissions/ann {flags} --format gradescope");
    let ended = scene.here(&graders).ended().exits(1);
    ended.stdout.lacks(&["\"score\""]);
    ended.says(&["not checked: not all sample games"]);
}

#[test]
fn zip_of_several_versions_is_no_single_submission() {
    const NOTE: &str = "so it was checked as a class";
    let scene = Scene::new();
    let flags = "--game catch-the-cat --states 1 --set side=5";
    let mut session = Session::default();
    let mut check_zip = |folders: [&str; 2]| {
        let paths = folders.map(|folder| format!("{folder}/bot"));
        let files = paths.each_ref().map(|path| (&**path, FIRST_LEGAL, 0o755));
        scene.put("two.zip", zip(&files));
        let mut command = check(&scene, "two.zip", flags);
        session
            .run(command.current_dir(scene.folder()))
            .well()
            .stdout
    };
    let several = check_zip(["v1", "v2"]);
    assert!(several.contains(NOTE), "{several}");
    let platform = "assignsubmission_file_";
    let class = check_zip([&format!("Ann_1_{platform}"), &format!("Bob_2_{platform}")]);
    assert!(!class.contains(NOTE), "{class}");
    session.compare("check__zips_of_two");
}

#[test]
fn warnings_pass_and_missing_compiler_blames_nobody() {
    let scene = Scene::new();
    let stays = format!("{PYTHON}def end(): time.sleep(0.01)\n{LOOP}");
    scene.first_legal("ann").script("bob", &stays);
    let flags = "--game catch-the-cat --states 1 --set side=5";
    let mut session = Session::default();
    check_class(&mut session, &scene, flags);

    let tool = missing_program();
    let manifest = format!("build = \"{tool} build\"\nrun = \"./bot\"\n");
    scene.sources("cyd", &[("judge.toml", &manifest), ("bot.d", "")]);
    check_class(&mut session, &scene, flags);
    // How long it computes depends on the machine's load, and so does the cell's quoting.
    session.redact("\"(warning [^\"]*), and keeps computing\"", "$1");
    session.redact(", and keeps computing", "");
    session.rename(tool, MISSING);
    session.compare("check__class_with_warnings");
}
