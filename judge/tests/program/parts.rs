//! `judge split`, `part` and `merge`: a run in parts has the same tables as a run on one machine.

use crate::support::processes::signal;
use crate::support::snapshot::{self, Session};
use crate::support::{
    Ended, FIRST_LEGAL, Has, LAST_LEGAL, Run, SYSTEM_PATH, Scene, Words, copy_folder, eventually,
    game_lines, judge, names_in, program, root, without_namespaces,
};
use model::record::MatchRecord;
use nix::sys::signal::Signal;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use store::parts::Part;
use store::{Journal, Keys, MachineLine, PartLine, PartLines, Scope};

fn tables(scene: &Scene) -> Vec<(String, Vec<Vec<String>>)> {
    let mut names = names_in(&scene.out());
    names.retain(|name| Path::new(name).extension() == Some("csv".as_ref()));
    let tables = names.into_iter();
    tables
        .map(|name| (name.clone(), scene.timeless(&name)))
        .collect()
}

fn split(scene: &Scene, flags: &str) -> Ended {
    let split = format!("split --submissions submissions --out out --seed 1 {flags}");
    scene.here(&split).ended()
}

fn part_file(scene: &Scene, number: usize, of: usize) -> PathBuf {
    let name = format!("part-{number}-of-{of}.part");
    scene.out().join("parts").join(name)
}

fn part_command(file: &Path, out: &Path) -> Command {
    let mut command = judge();
    command.arg("part").arg(file).arg("--out").arg(out);
    command.args(["--no-pin", "--jobs", "1"]);
    command
}

fn play(file: &Path, out: &Path) -> Ended {
    part_command(file, out).ended()
}

fn merge_command(scene: &Scene, journals: &[PathBuf], flags: &(impl Words + ?Sized)) -> Command {
    let mut command = scene.verb("merge", "");
    command.args(journals).args(flags.words());
    command
}

fn merge(scene: &Scene, journals: &[PathBuf], flags: &(impl Words + ?Sized)) -> Ended {
    merge_command(scene, journals, flags).ended()
}

/// Plays a part, killed after its first game. Its last line is then torn.
fn play_killed(file: &Path, out: &Path) {
    let mut running = part_command(file, out).muted();
    eventually("the part has a game", || {
        let text = fs::read_to_string(out).unwrap_or_default();
        game_lines(&text).next().is_some()
    });
    signal(running.id().cast_signed(), Signal::SIGKILL);
    running.wait().expect("a running child");
    let text = fs::read(out).expect("there");
    let end = text.iter().rposition(|byte| *byte == b'\n');
    fs::write(out, &text[..end.expect("a line")]).expect("writable");
    let ended = play(file, out).well();
    ended.stdout.lacks(&[" 0 to play"]);
}

/// Two parts are played twice, and one is killed.
#[test]
fn cats_in_seven_parts_match_one_machine_tables() {
    let scene = Scene::of(["ann"]);
    scene.script("bob", LAST_LEGAL);
    let broken = "build = \"echo too bad; exit 1\"\nrun = \"./bot\"\n";
    scene.sources("eve", &[("judge.toml", broken)]);
    // One is compiled, and writes on standard error.
    for name in ["drifter", "script-last"] {
        scene.example("catch-the-cat", name);
    }
    let flags = "--game catch-the-cat --states 2 --set side=9 --points-per-cpu-second 0";
    let ended = split(&scene, &format!("{flags} --parts 7")).well();
    ended.says(&["split into 7 parts", " merge "]);
    let at = |name: &str| scene.folder().join(name);
    let mut journals = Vec::new();
    for number in [4, 1, 7, 3, 6, 2, 5] {
        let file = part_file(&scene, number, 7);
        let out = at(&format!("{number}.jsonl"));
        if number == 3 {
            play_killed(&file, &out);
        } else {
            play(&file, &out).well();
        }
        journals.push(out);
        if [1, 6].contains(&number) {
            let again = at(&format!("{number}-again.jsonl"));
            play(&file, &again).well();
            journals.push(again);
        }
    }
    // The parts needed nothing of the run, and changed nothing in it.
    let whole = Scene::new();
    copy_folder(&scene.submissions(), &whole.submissions());
    copy_folder(&scene.out(), &whole.out());
    whole.run(flags).well();
    let (first, rest) = journals.split_at(4);
    let ended = merge(&scene, rest, "").well();
    ended.says(&[
        "games still to be played: ",
        "; to continue, merge the other parts, ",
        " split ",
    ]);
    merge(&scene, &[first, &rest[..1]].concat(), &[]).well();
    assert_eq!(tables(&scene), tables(&whole));
    let heard = |scene: &Scene| names_in(&scene.out().join("logs/stderr"));
    assert_eq!(
        heard(&scene),
        heard(&whole),
        "what bots wrote has come back"
    );
    scene.judge("verify out");
}

const FOUR_GAMES: &str = "--game catch-the-cat --points-per-cpu-second 0 --set side=5 --states 2";

/// Makes a run of two bots on two states: four games, in two parts.
fn two_parts() -> Scene {
    let scene = Scene::new();
    scene.script("ann", FIRST_LEGAL).script("bob", LAST_LEGAL);
    split(&scene, &format!("{FOUR_GAMES} --parts 2")).well();
    scene
}

#[test]
fn begun_run_is_split_without_replaying_its_games() {
    let scene = two_parts();
    let journal = scene.folder().join("one.jsonl");
    play(&part_file(&scene, 1, 2), &journal).well();
    let mut session = Session::default();
    session.run(&mut merge_command(&scene, &[journal], ""));
    for flags in [
        "--parts 2 --states 9",
        "--parts 2 --mixed",
        "--parts 2 --jobs 2",
        "--parts 2 --points-per-cpu-second 1",
        "--parts 2 --set side=5",
        "--parts 7",
    ] {
        session.run(&mut scene.verb("split", flags));
    }
    assert!(
        !part_file(&scene, 1, 2).exists(),
        "the parts of before are gone"
    );
    let (file, journal) = (part_file(&scene, 1, 1), scene.folder().join("rest.jsonl"));
    session.run(&mut part_command(&file, &journal));
    let other = scene.folder().join("other.jsonl");
    let mut played = part_command(&file, &other);
    session.run(played.arg("--played").arg(&journal));
    session.run(&mut merge_command(&scene, &[journal], ""));
    session.hide_results();
    session.compare("merge__split_again");
    let ended = scene.run(FOUR_GAMES).well();
    ended.says(&["4 games, 4 of them already played"]);
}

#[test]
fn foreign_journal_is_reported_and_running_run_untouched() {
    let (scene, other) = (two_parts(), two_parts());
    let at = |name: &str| scene.folder().join(name);
    let (own, foreign) = (at("own.jsonl"), at("foreign.jsonl"));
    play(&part_file(&scene, 1, 2), &own).well();
    play(&part_file(&other, 1, 2), &foreign).well();
    let forged = scene.text("own.jsonl") + "{\"v\":5}\n{\"torn";
    scene.write("own.jsonl", forged);
    scene.write("notes.txt", "my notes\n");
    let mut session = Session::default();
    let with_notes = [own.clone(), at("notes.txt")];
    session.run(&mut merge_command(&scene, &with_notes, ""));
    let lock = store::lock(&scene.out()).expect("nobody has it");
    merge(&scene, std::slice::from_ref(&own), &[]).refused(&["another judge is working on"]);
    drop(lock);
    let both = [foreign.clone(), own.clone()];
    session.run(&mut merge_command(&scene, &both, ""));
    session.run(&mut merge_command(&scene, &[foreign], ""));
    // The command does not write into the journal of another part.
    session.run(&mut part_command(&part_file(&scene, 2, 2), &own));
    session.hide_results();
    session.compare("merge__foreign_and_forged");
}

fn changed_part_and_weak_machine_are_refused(scene: &Scene) {
    let (file, out) = (part_file(scene, 1, 2), scene.folder().join("one.jsonl"));
    let bare =
        |flags: &str| without_namespaces(part_command(&file, &out).args(flags.words())).ended();
    bare("").refused(&["only weakly", "--weak-isolation"]);
    bare("--weak-isolation").well();
    let mut bytes = fs::read(&file).expect("readable");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&file, bytes).expect("writable");
    snapshot::compare("part__changed", &mut part_command(&file, &out));
}

#[test]
fn files_that_are_not_there_are_named() {
    let scene = two_parts();
    let nowhere = scene.folder().join("nowhere");
    let one = scene.folder().join("one.jsonl");
    let mut session = Session::default();
    session.run(&mut part_command(&nowhere, &one));
    session.run(&mut merge_command(&scene, &[nowhere], ""));
    let (part, folder) = (part_file(&scene, 1, 2), scene.submissions());
    session.run(&mut part_command(&folder, &one));
    let below = [folder.join("nofolder/one.jsonl"), part.join("one.jsonl")];
    for out in [&folder, &below[0], &below[1]] {
        session.run(&mut part_command(&part, out));
    }
    session.run(&mut merge_command(&scene, &[folder], ""));
    session.run(judge().arg("commit").arg(&part));
    let notes = scene.write("notes.txt", "notes\n");
    session.run(part_command(&part, &one).arg("--played").arg(notes));
    assert!(!one.exists(), "a refused part leaves no file");
    scene.judge("part out/parts/part-1-of-2.part --no-pin --jobs 1");
    assert!(scene.folder().join("part-1-of-2.jsonl").exists());
    session.compare("merge__no_file");
    changed_part_and_weak_machine_are_refused(&scene);
}

#[test]
fn documented_cluster_shell_recipe_runs_as_written() {
    let page = fs::read_to_string(root().join("docs/clusters.md")).expect("it is there");
    let recipe = page.split("```sh\n").nth(1);
    let recipe = recipe.and_then(|rest| rest.split("```").next());
    let scene = Scene::new();
    scene.script("ann", FIRST_LEGAL).script("bob", LAST_LEGAL);
    let folder = scene.folder();
    symlink(program(), folder.join("judge")).expect("a new link");
    let mut shell = Command::new("/bin/sh");
    shell.args(["-e", "-c", recipe.expect("a block")]);
    shell
        .current_dir(folder)
        .env("PATH", format!("{}:{SYSTEM_PATH}", folder.display()));
    let results = "results: run/ (open run/report.html)";
    shell
        .ended()
        .well()
        .says(&["split into 2 parts", "part 2 of 2", results]);
}

#[test]
fn program_failing_only_with_part_is_judged_locally() {
    let scene = Scene::new();
    scene.script("ann", FIRST_LEGAL).script("bob", LAST_LEGAL);
    scene.script("cid", "#!/bin/sh\nexit 127\n");
    split(&scene, &format!("{FOUR_GAMES} --parts 1")).well();
    let journal = scene.folder().join("one.jsonl");
    let ended = play(&part_file(&scene, 1, 1), &journal);
    assert!(![Some(0), Some(130)].contains(&ended.code), "{ended:?}");
    ended.warns(&["the program of cid failed on this machine before its first move"]);
    let ended = merge(&scene, &[journal], "");
    ended.says(&["one.jsonl: 4 games taken", "games still to be played: 8"]);
    let ended = scene.run(FOUR_GAMES).well();
    ended.says(&["12 games, 4 of them already played"]);
    let faults = scene.rows("faults.csv");
    assert!(faults.iter().all(|row| row.get("entrant") == "cid") && !faults.is_empty());
}

fn read_part(part: &Part, journal: &Path) -> (Vec<MachineLine>, Vec<MatchRecord>) {
    let mut lines =
        PartLines::new(journal, part.key(), part.conditions(), Scope::Run).expect("registered");
    let (mut machines, mut records) = (Vec::new(), Vec::new());
    let read = lines.read_new(&mut |line| {
        match line {
            PartLine::Machine(machine) => machines.push(*machine),
            PartLine::Game { record, .. } => records.push(*record),
            PartLine::Rejected { .. } => panic!("ours"),
        }
        Ok(())
    });
    read.expect("readable");
    (machines, records)
}

/// Plays a part like a machine that takes 100 times as long: the same games, signed by it.
fn on_a_slower_machine(file: &Path, journal: &Path, out: &Path) {
    let part = Part::read(file).expect("readable");
    let (mut machines, records) = read_part(&part, journal);
    let mut slower = machines.pop().expect("described");
    "tortoise.example".clone_into(&mut slower.host);
    slower.boot = None;
    slower.calibration_us *= 100;
    let mut journal = Journal::open_part(out, part.key(), part.conditions()).expect("readable");
    journal.append_machine(&slower).expect("writable");
    for mut record in records {
        record.machine = Some(slower.digest());
        journal.append(&record).expect("writable");
    }
    journal.sync().expect("writable");
}

#[test]
fn games_of_unequal_machines_require_consent_and_notice() {
    let scene = two_parts();
    let at = |name: &str| scene.folder().join(name);
    let (file, here) = (part_file(&scene, 1, 2), at("here.jsonl"));
    play(&file, &here).well();
    let slow = at("slow.jsonl");
    on_a_slower_machine(&file, &here, &slow);
    let other = at("other.jsonl");
    play(&part_file(&scene, 2, 2), &other).well();
    let both = [slow, other];
    let refused = merge(&scene, &both, "");
    refused.refused(&["different speed", "tortoise.example", "--mixed"]);
    assert_eq!(game_lines(&scene.read("journal.jsonl")).count(), 0);
    let ended = merge(&scene, &both, "--mixed").well();
    ended.says(&["mixed machines: what takes ", "tortoise.example"]);
    assert_eq!(scene.rows("standings.csv")[0].get("machines"), "mixed");
    scene.read("report.html").has(&["tortoise.example"]);
    scene.judge("verify out");
    // The public view has the machines without their names, and not the machine of each game.
    scene.view("public", "public");
    let keys = Keys::of_run(&scene.out()).expect("kept").fingerprint();
    for (name, says) in [
        ("run.json", false),
        ("journal.jsonl", false),
        ("report.html", true),
        ("standings.csv", true),
        ("view.txt", false),
    ] {
        let text = scene.text(&format!("public/{name}"));
        text.lacks(&["tortoise", &keys]);
        let is_said = text.contains("Mixed machines") || text.contains("mixed");
        assert_eq!(is_said, says, "{name}");
    }
    scene.judge("verify public");
}
