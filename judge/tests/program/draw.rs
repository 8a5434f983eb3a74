//! The source of a run's draw, the people who can know it, and the consequences.

use crate::support::snapshot::{self, Session};
use crate::support::{
    Ended, FIRST_LEGAL, Has, LAST_LEGAL, QUICK, Run, Scene, Wait, copy_folder, judge_at,
};
use std::collections::BTreeSet;
use std::fs;
use std::process::{Child, Command};

fn two() -> Scene {
    let scene = Scene::of(["ann"]);
    scene.script("zoe", LAST_LEGAL);
    scene
}

fn run_command(scene: &Scene, flags: &str) -> Command {
    scene.command_by_secret(&format!("{QUICK} {flags}"))
}

fn run(scene: &Scene, flags: &str) -> Ended {
    run_command(scene, flags).ended()
}

fn report_command(scene: &Scene, view: &str) -> Command {
    let out = scene.folder().join(view).display().to_string();
    scene.verb("report", &["--view", view, "--out", &out])
}

fn drawn(scene: &Scene) -> BTreeSet<(String, Vec<u32>)> {
    let drawn = scene.records().into_iter().map(|record| {
        let seeds = record.seats.iter().map(|seat| seat.seed);
        (record.setup.get().to_owned(), seeds.collect())
    });
    drawn.collect()
}

#[test]
fn a_secret_is_committed_to_used_and_revealed() {
    let scene = two();
    let mut session = Session::default();
    let mut commit = scene.verb("commit", "");
    let committed = session.run(&mut commit).stdout;
    let commitment = committed.lines().next().expect("the commitment").to_owned();
    assert_eq!(commitment.len(), 64, "{committed}");
    let again = session.run(&mut commit).stdout;
    assert_eq!(again, committed, "it is found again");
    let reported = run(&scene, "--verbose").well().stdout;
    let words = format!("drawn from a secret with the SHA-256 {commitment}, made before the run");
    reported.has(&[&words]);
    scene.read("report.html").has(&[&commitment]);
    let keys = scene.json("staff/keys.json");
    let secret = keys["draw"].as_str().expect("a secret").to_owned();
    assert!(!scene.read("run.json").contains(&secret));
    let revealed = session.run(&mut scene.verb("reveal", "")).stdout;
    session.run(&mut commit);
    session.compare("draw__commit_and_reveal");
    assert_eq!(revealed.lines().next(), Some(&*secret));
    revealed.has(&[&commitment]);
    let mut sum = Command::new("sh");
    sum.args(["-c", &format!("printf %s {secret} | sha256sum")]);
    let sum = sum.ended().well().stdout;
    assert!(sum.starts_with(&commitment), "{sum}");
    scene.view("public", "public");
    scene.text("public/report.html").has(&[&secret]);
    let played = scene.read("journal.jsonl");
    run(&scene, "").well();
    assert_eq!(
        scene.read("journal.jsonl"),
        played,
        "nothing is played again"
    );
}

#[test]
fn uncommitted_run_states_that_staff_could_choose() {
    let (one, other) = (two(), two());
    let reported = run(&one, "--verbose").well().stdout;
    reported.has(&["made by the run itself, so staff could have chosen it"]);
    run(&other, "").well();
    assert!(
        drawn(&one).is_disjoint(&drawn(&other)),
        "each has a secret of its own"
    );
    let mut seeded = run_command(&one, "--seed 1");
    snapshot::compare("draw__seed_after_a_secret", &mut seeded);
}

#[test]
fn submission_after_shown_draw_needs_confirmation_and_mark() {
    let scene = two();
    run(&scene, "").well();
    let mut session = Session::default();
    let shown = session.run(&mut report_command(&scene, "public")).stdout;
    shown.has(&["everybody can know this draw from now on"]);
    let again = session.run(&mut report_command(&scene, "public"));
    again.stdout.lacks(&["from now on"]);
    // Everybody may still play the same versions.
    run(&scene, "").well();
    assert_eq!(scene.cells("standings.csv", "knew_draw"), [""; 2]);
    scene.script("ann", &format!("{FIRST_LEGAL}# more\n"));
    let before = scene.read("standings.csv");
    session.run(&mut run_command(&scene, ""));
    session.compare("draw__shown");
    assert_eq!(scene.read("standings.csv"), before);
    let reported = run(&scene, "--on-shown-draw").well().stdout;
    reported.has(&["ann: submitted after games on these initial states"]);
    for (entrant, knew) in [("ann", "yes"), ("zoe", "")] {
        assert_eq!(scene.row("standings.csv", entrant).get("knew_draw"), knew);
    }
    scene.read("report.html").has(&["knew the draw"]);
}

#[test]
fn nothing_of_final_round_is_shown_before_deadline() {
    let scene = two();
    let file = |deadline: &str, round: &str| {
        let text = format!(
            "game = \"catch-the-cat\"\nstates = 1\ndeadline = {deadline}\ntoo_late = \"graded\"\nreceived = \"judge\"\nround = \"{round}\"\n[config]\nside = 5\n"
        );
        scene.put("competition.toml", text);
    };
    let play = |out: &str| scene.judge(&format!("run --submissions submissions --out {out}"));
    let verb =
        |verb: &str, run: &str, flags: &str| judge_at(verb, &[&scene.folder().join(run)], flags);
    let view = scene.folder().join("view");
    let show = format!("--view student --out {}", view.display());
    let mut session = Session::default();
    file("2100-01-01T00:00:00+01:00", "final");
    let not_final = "not final: submissions are open until 2099-12-31T23:00:00Z\n";
    play("final").says(&[not_final]);
    scene.judge("explain final").says(&[not_final]);
    scene.judge("grades final").warns(&[not_final]);
    session.run(&mut verb("report", "final", &show));
    assert!(!view.exists());
    session.run(&mut verb("reveal", "final", ""));
    scene.judge("report final --view staff --out staff");
    file("2100-01-01T00:00:00+01:00", "practice/1");
    play("practice");
    session.run(&mut verb("report", "practice", &show));
    // The final round has the same secret.
    session.run(&mut verb("reveal", "practice", ""));
    file("2020-01-01T00:00:00Z", "final");
    let roster = "submission,id,extension\nann,1,2100-01-01T00:00:00Z\nzoe,2,\n";
    scene.put("roster.csv", roster);
    play("final");
    session.run(&mut verb("reveal", "final", ""));
    scene.put("roster.csv", "submission,id\nann,1\nzoe,2\n");
    play("final").stdout.lacks(&["not final"]);
    session.run(&mut verb("reveal", "final", ""));
    session.compare("draw__before_the_deadline");
}

#[test]
fn submission_after_revealed_secret_is_marked() {
    let scene = two();
    let play = |round: &str, flags: &str| {
        let text = format!("game = \"catch-the-cat\"\nround = \"{round}\"\n[config]\nside = 5\n");
        scene.put("competition.toml", text);
        scene.run_by_secret(flags)
    };
    let practice = play("practice/1", "").well();
    practice.says(&["Catch the Cat, practice round 1: 2 submissions"]);
    let explained = scene.does("explain", "");
    explained.says(&["Catch the Cat, practice round 1: "]);
    let grades = scene.does("grades", "");
    grades.warns(&["these are grades of practice round 1"]);
    scene.does("reveal", "");
    let last = play("final", "").well();
    last.says(&[
        "Catch the Cat: 2 submissions",
        "round was practice/1 and is now final",
    ]);
    scene.script("ann", &format!("{FIRST_LEGAL}# more\n"));
    play("final", "").refused(&["ann", "--on-shown-draw"]);
}

#[test]
fn changes_to_a_run_are_reported() {
    let scene = two();
    run(&scene, "").well();
    another_setting_costs_no_game_and_is_refused(&scene);
    a_damaged_journal_is_reported_and_not_published(&scene);
    keys_that_are_lost_are_not_made_anew(&scene);
}

fn another_setting_costs_no_game_and_is_refused(scene: &Scene) {
    let journal = scene.read("journal.jsonl");
    let mut session = Session::default();
    for flags in ["--memory-mib 300", "--turn-s 1"] {
        session.run(&mut run_command(scene, flags));
        assert_eq!(scene.read("journal.jsonl"), journal);
    }
    session.compare("run__another_setting");
    assert!(!scene.out().join("journal.damaged").exists());
}

fn a_damaged_journal_is_reported_and_not_published(scene: &Scene) {
    let path = scene.out().join("journal.jsonl");
    let mut journal = fs::read(&path).expect("there");
    journal[300] ^= 1;
    fs::write(&path, &journal).expect("writable");
    let mut session = Session::default();
    session.run(&mut report_command(scene, "public"));
    session.run(&mut scene.verb("grades", "--format csv"));
    session.compare("report__damaged_journal");
    let words = "line 1 of the journal: its MAC signature does not match";
    scene.does("explain", "ann").says(&[words]);
    scene.does("reveal", "");
    let now = fs::read(&path).expect("there");
    assert_eq!(now, journal, "nothing is repaired in silence");
    run(scene, "").well();
    scene.view("public", "public");
}

fn keys_that_are_lost_are_not_made_anew(scene: &Scene) {
    let staff = scene.out().join("staff");
    let kept = scene.folder().join("kept");
    fs::rename(&staff, &kept).expect("writable");
    let mut session = Session::default();
    session.run(&mut scene.verb("commit", ""));
    // The same holds before the first game.
    fs::write(scene.out().join("journal.jsonl"), "").expect("writable");
    session.run(&mut run_command(scene, ""));
    session.compare("run__lost_keys");
    // Files that were restored first stay, whatever the command refuses.
    copy_folder(&kept, &scene.folder().join("other/staff"));
    let mut nowhere = scene.here("run --submissions nowhere --out other");
    nowhere.ended().exits(2);
    assert!(scene.folder().join("other/staff/keys.json").exists());
}

#[test]
fn two_commitments_at_once_are_the_same() {
    let scene = two();
    let both: Vec<Child> = (0..4).map(|_| scene.verb("commit", "").piped()).collect();
    let ended = both.into_iter().map(Wait::ended);
    // A command that comes while another one writes must wait.
    let lines = ended.filter(|one| one.code == Some(0));
    let lines = lines.filter_map(|one| one.stdout.lines().next().map(str::to_owned));
    let lines: BTreeSet<String> = lines.collect();
    assert_eq!(lines.len(), 1, "{lines:?}");
}

#[test]
fn the_order_of_play_tells_nothing_of_names() {
    let scene = Scene::new();
    let names: Vec<String> = ('a'..='g').map(|name| name.to_string()).collect();
    for name in &names {
        scene.first_legal(name);
    }
    let reported = scene.run(&format!("{QUICK} --jobs 1 --verbose")).well();
    reported.says(&["drawn from the seed 1, which is public"]);
    let mut session = Session::default();
    for verb in ["reveal", "commit"] {
        session.run(&mut scene.verb(verb, ""));
    }
    session.compare("draw__no_secret");
    let games = scene.records().into_iter();
    let games = games.filter(|game| game.seats[0].entrant == "a");
    let met: Vec<String> = games.map(|game| game.seats[1].entrant.clone()).collect();
    // Of 720 orders, six are the order of the names, with any start; the seed draws another.
    let mut in_order = names[1..].to_vec();
    for _ in 0..in_order.len() {
        assert_ne!(met, in_order);
        in_order.rotate_left(1);
    }
    let numbered = scene.cells("games.csv", "cat,catcher").into_iter();
    let numbered = numbered.filter_map(|row| row.strip_prefix("a,").map(str::to_owned));
    let numbered: Vec<String> = numbered.collect();
    assert_eq!(numbered, names[1..], "staff's numbers follow the names");
    let ids = || BTreeSet::from_iter(scene.cells("games.csv", "fixture"));
    let first = ids();
    fs::remove_dir_all(scene.out()).expect("writable");
    scene.run(&format!("{QUICK} --seed 2")).well();
    assert!(first.is_disjoint(&ids()));
}
