//! The source of a run's draw, the people who can know it, and the consequences.

use crate::support::snapshot::{self, Session};
use crate::support::{
    Ended, FIRST_LEGAL, Has, LAST_LEGAL, QUICK, Run, Scene, Wait, Words, copy_folder, game_lines,
    judge, record,
};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};

fn two() -> Scene {
    let scene = Scene::new();
    scene.first_legal("ann").script("zoe", LAST_LEGAL);
    scene
}

fn run_command(scene: &Scene, flags: &str) -> Command {
    scene.command_by_secret(&format!("{QUICK} {flags}"))
}

fn run(scene: &Scene, flags: &str) -> Ended {
    run_command(scene, flags).ended()
}

fn verb_command(verb: &str, run: &Path, flags: &(impl Words + ?Sized)) -> Command {
    let mut command = judge();
    command.arg(verb).arg(run).args(flags.words());
    command
}

fn verb(verb: &str, run: &Path, flags: &(impl Words + ?Sized)) -> Ended {
    verb_command(verb, run, flags).ended()
}

fn report_command(scene: &Scene, view: &str) -> Command {
    let out = scene.folder().join(view);
    let out = out.to_str().expect("UTF-8");
    verb_command("report", &scene.out(), &["--view", view, "--out", out])
}

fn report(scene: &Scene, view: &str) -> Ended {
    report_command(scene, view).ended()
}

fn drawn(scene: &Scene) -> BTreeSet<(String, Vec<u32>)> {
    let journal = scene.read("journal.jsonl");
    let records = game_lines(&journal).map(record);
    let drawn = records.map(|record| {
        let seeds = record.seats.iter().map(|seat| seat.seed);
        (record.setup.get().to_owned(), seeds.collect())
    });
    drawn.collect()
}

#[test]
fn a_secret_is_committed_to_used_and_revealed() {
    let scene = two();
    let mut session = Session::default();
    let mut commit = verb_command("commit", &scene.out(), &[]);
    let committed = session.run(&mut commit).stdout;
    let commitment = committed.lines().next().expect("the commitment").to_owned();
    assert_eq!(commitment.len(), 64, "{committed}");
    let again = session.run(&mut commit).stdout;
    assert_eq!(again, committed, "it is found again");
    let reported = run(&scene, "--verbose").well().stdout;
    let words = format!("drawn from a secret with the SHA-256 {commitment}, made before the run");
    assert!(reported.contains(&words), "{reported}");
    assert!(scene.read("report.html").contains(&commitment));
    let keys: Value = serde_json::from_str(&scene.read("staff/keys.json")).expect("JSON");
    let secret = keys["draw"].as_str().expect("a secret").to_owned();
    assert!(!scene.read("run.json").contains(&secret));
    let mut reveal = verb_command("reveal", &scene.out(), &[]);
    let revealed = session.run(&mut reveal).stdout;
    session.run(&mut commit);
    session.compare("draw__commit_and_reveal");
    assert_eq!(revealed.lines().next(), Some(&*secret));
    assert!(revealed.contains(&commitment), "{revealed}");
    let mut sum = Command::new("sh");
    sum.args(["-c", &format!("printf %s {secret} | sha256sum")]);
    let sum = String::from_utf8(sum.output().expect("coreutils").stdout).expect("digits");
    assert!(sum.starts_with(&commitment), "{sum}");
    report(&scene, "public").well();
    let page = fs::read_to_string(scene.folder().join("public/report.html")).expect("there");
    assert!(page.contains(&secret));
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
    snapshot::compare(
        "draw__seed_after_a_secret",
        &mut run_command(&one, "--seed 1"),
    );
}

#[test]
fn another_seed_draws_another_publicly_seeded_tournament() {
    let (one, other) = (two(), two());
    let flags = "--game reversi --with builtin:random";
    let reported = one
        .run(&format!("{flags} --seed 1 --verbose"))
        .well()
        .stdout;
    reported.has(&["drawn from the seed 1, which is public"]);
    other.run(&format!("{flags} --seed 2")).well();
    let ids = |scene: &Scene| -> BTreeSet<String> {
        let rows = scene.rows("games.csv").into_iter();
        rows.map(|row| row.get("fixture").to_owned()).collect()
    };
    assert!(ids(&one).is_disjoint(&ids(&other)));
    let mut session = Session::default();
    for verb in ["reveal", "commit"] {
        session.run(&mut verb_command(verb, &one.out(), &[]));
    }
    session.compare("draw__no_secret");
}

#[test]
fn submission_after_shown_draw_needs_confirmation_and_mark() {
    let scene = two();
    run(&scene, "").well();
    let mut session = Session::default();
    let shown = session.run(&mut report_command(&scene, "public")).stdout;
    shown.has(&["everybody can know this draw from now on"]);
    let again = session.run(&mut report_command(&scene, "public")).stdout;
    assert!(!again.contains("from now on"), "{again}");
    // Everybody may still play the same versions.
    run(&scene, "").well();
    let rows = scene.rows("standings.csv");
    assert!(rows.iter().all(|row| row.get("knew_draw").is_empty()));
    scene.script("ann", &format!("{FIRST_LEGAL}# more\n"));
    let before = scene.read("standings.csv");
    session.run(&mut run_command(&scene, ""));
    session.compare("draw__shown");
    assert_eq!(scene.read("standings.csv"), before);
    let reported = run(&scene, "--on-shown-draw").well().stdout;
    reported.has(&["ann: submitted after games on these initial states"]);
    let rows = scene.rows("standings.csv");
    let marked = rows.iter().filter(|row| row.get("knew_draw") == "yes");
    let marked: Vec<&str> = marked.map(|row| row.get("entrant")).collect();
    assert_eq!(marked, ["ann"]);
    assert!(scene.read("report.html").contains("knew the draw"));
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
    let play = |out: &Path| {
        let mut command = judge();
        command
            .arg("run")
            .arg("--submissions")
            .arg(scene.submissions());
        command.arg("--out").arg(out).ended()
    };
    let folder = scene.folder().join("final");
    let view = scene.folder().join("view");
    let show = |run: &Path| {
        let view = view.to_str().expect("UTF-8");
        verb_command("report", run, &["--view", "student", "--out", view])
    };
    let mut session = Session::default();
    file("2100-01-01T00:00:00+01:00", "final");
    let not_final = "not final: submissions are open until 2099-12-31T23:00:00Z\n";
    play(&folder).well().says(&[not_final]);
    verb("explain", &folder, &[]).well().says(&[not_final]);
    let reported = verb("grades", &folder, &[]).well().stderr;
    assert!(reported.contains(not_final), "{reported}");
    session.run(&mut show(&folder));
    assert!(!view.exists());
    session.run(&mut verb_command("reveal", &folder, &[]));
    // Staff may see it.
    let staff = scene.folder().join("staff");
    verb(
        "report",
        &folder,
        &["--view", "staff", "--out", staff.to_str().expect("UTF-8")],
    )
    .well();
    let practice = scene.folder().join("practice");
    file("2100-01-01T00:00:00+01:00", "practice/1");
    play(&practice).well();
    session.run(&mut show(&practice));
    // The final round has the same secret.
    session.run(&mut verb_command("reveal", &practice, &[]));
    file("2020-01-01T00:00:00Z", "final");
    let roster = "submission,id,extension\nann,1,2100-01-01T00:00:00Z\nzoe,2,\n";
    scene.put("roster.csv", roster);
    play(&folder).well();
    session.run(&mut verb_command("reveal", &folder, &[]));
    fs::write(
        scene.submissions().join("roster.csv"),
        "submission,id\nann,1\nzoe,2\n",
    )
    .expect("writable");
    let reported = play(&folder).well().stdout;
    assert!(!reported.contains("not final"), "{reported}");
    session.run(&mut verb_command("reveal", &folder, &[]));
    session.compare("draw__before_the_deadline");
}

#[test]
fn submission_after_revealed_secret_is_marked() {
    let scene = two();
    let play = |round: &str, flags: &str| {
        let text = format!("game = \"catch-the-cat\"\nround = \"{round}\"\n[config]\nside = 5\n");
        scene.put("competition.toml", text);
        let mut command = judge();
        command
            .arg("run")
            .arg("--submissions")
            .arg(scene.submissions());
        command.arg("--out").arg(scene.out()).args(flags.words());
        command.ended()
    };
    let practice = play("practice/1", "").well();
    practice.says(&["Catch the Cat, practice round 1: 2 submissions"]);
    verb("explain", &scene.out(), &[])
        .well()
        .says(&["Catch the Cat, practice round 1: "]);
    let grades = verb("grades", &scene.out(), &[]).well().stderr;
    assert!(grades.contains("these are grades of practice round 1"));
    verb("reveal", &scene.out(), &[]).well();
    let last = play("final", "").well();
    last.says(&[
        "Catch the Cat: 2 submissions",
        "round was practice/1 and is now final",
    ]);
    scene.script("ann", &format!("{FIRST_LEGAL}# more\n"));
    play("final", "").refused(&["ann", "--on-shown-draw"]);
}

#[test]
fn another_setting_costs_no_game_and_is_refused() {
    let scene = two();
    run(&scene, "").well();
    let journal = scene.read("journal.jsonl");
    let mut session = Session::default();
    for flags in ["--memory-mib 300", "--turn-s 1"] {
        session.run(&mut run_command(&scene, flags));
        assert_eq!(scene.read("journal.jsonl"), journal);
    }
    session.compare("run__another_setting");
    assert!(!scene.out().join("journal.damaged").exists());
}

#[test]
fn a_damaged_journal_is_reported_and_not_published() {
    let scene = two();
    run(&scene, "").well();
    let path = scene.out().join("journal.jsonl");
    let mut journal = fs::read(&path).expect("there");
    journal[300] ^= 1;
    fs::write(&path, &journal).expect("writable");
    let mut session = Session::default();
    session.run(&mut report_command(&scene, "public"));
    session.run(&mut verb_command(
        "grades",
        &scene.out(),
        &["--format", "csv"],
    ));
    session.compare("report__damaged_journal");
    let reported = verb("explain", &scene.out(), &["ann"]).well().stdout;
    let words = "line 1 of the journal: its MAC signature does not match";
    assert!(reported.contains(words), "{reported}");
    verb("reveal", &scene.out(), &[]).well();
    assert_eq!(
        fs::read(&path).expect("there"),
        journal,
        "nothing is repaired in silence"
    );
    run(&scene, "").well();
    report(&scene, "public").well();
}

#[test]
fn keys_that_are_lost_are_not_made_anew() {
    let scene = two();
    run(&scene, "").well();
    let staff = scene.out().join("staff");
    let kept = scene.folder().join("kept");
    fs::rename(&staff, &kept).expect("writable");
    let mut session = Session::default();
    session.run(&mut verb_command("commit", &scene.out(), &[]));
    // The same holds before the first game.
    fs::write(scene.out().join("journal.jsonl"), "").expect("writable");
    session.run(&mut run_command(&scene, ""));
    session.compare("run__lost_keys");
    // Files that were restored first stay, whatever the command refuses.
    let other = scene.folder().join("other");
    fs::create_dir(&other).expect("writable");
    copy_folder(&kept, &other.join("staff"));
    let mut command = judge();
    command
        .arg("run")
        .arg("--submissions")
        .arg(scene.folder().join("nowhere"));
    command.arg("--out").arg(&other).ended().exits(2);
    assert!(other.join("staff/keys.json").exists());
}

#[test]
fn two_commitments_at_once_are_the_same() {
    let scene = two();
    let start = || {
        let mut command = judge();
        command
            .arg("commit")
            .arg(scene.out())
            .stdout(Stdio::piped());
        command.stderr(Stdio::piped()).spawn().expect("it starts")
    };
    let both: Vec<Child> = (0..4).map(|_| start()).collect();
    let ended = both.into_iter().map(Wait::ended);
    // A command that comes while another one writes must wait.
    let lines = ended.filter(|one| one.code == Some(0));
    let lines: BTreeSet<String> = lines
        .filter_map(|one| one.stdout.lines().next().map(str::to_owned))
        .collect();
    assert_eq!(lines.len(), 1, "{lines:?}");
}

#[test]
fn the_order_of_play_tells_nothing_of_names() {
    let scene = Scene::new();
    let names: Vec<String> = ('a'..='g').map(|name| name.to_string()).collect();
    for name in &names {
        scene.first_legal(name);
    }
    scene.run(&format!("{QUICK} --jobs 1")).well();
    let journal = scene.read("journal.jsonl");
    let mut met: Vec<String> = Vec::new();
    for record in game_lines(&journal).map(record) {
        let seats = [0, 1].map(|seat| record.seats[seat].entrant.clone());
        if let [cat, catcher] = seats
            && cat == "a"
        {
            met.push(catcher);
        }
    }
    // Of 720 orders, six are the order of the names, with any start; the seed draws another.
    let mut in_order = names[1..].to_vec();
    for _ in 0..in_order.len() {
        assert_ne!(met, in_order);
        in_order.rotate_left(1);
    }
    let numbered = scene.rows("games.csv").into_iter();
    let numbered = numbered.filter(|row| row.get("cat") == "a");
    let numbered: Vec<String> = numbered.map(|row| row.get("catcher").to_owned()).collect();
    assert_eq!(numbered, names[1..], "staff's numbers follow the names");
}
