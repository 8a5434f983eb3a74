//! Names of submissions, and the people behind them.

use crate::support::snapshot::{self, Session};
use crate::support::zips::zip;
use crate::support::{FIRST_LEGAL, Has, LAST_LEGAL, QUICK, Scene, run_into};
use std::fs;
use std::os::unix::fs::PermissionsExt;

#[test]
fn a_roster_joins_identities_for_staff_only() {
    let scene = Scene::of(["ann", "bob", "ida"]);
    scene.file("eve.sh", FIRST_LEGAL, 0o755);
    let roster = "\u{feff}Submission,ID,Name,Email,Section\r\nann/,s1,Ann Lee,ann@example.org,A\r\n\
                  eve.sh,s5,Eve Moe,eve@example.org,A\r\nida,,Ida Doe,ida@example.org,A\r\n\
                  bob,s2,Bob Ray,bob@example.org,B\r\nbob,s3,Ben Ray,ben@example.org,B\r\n\
                  zoe,s4,Zoe Poe,zoe@example.org,A\r\n";
    scene.put("roster.csv", roster);
    let mut session = Session::default();
    session.run(&mut scene.command(QUICK));
    let joined = scene.cells("staff/identities.csv", "submission,id,email,submitted");
    let expected = [
        "ann,s1,ann@example.org,yes",
        "bob,s2,bob@example.org,yes",
        "bob,s3,ben@example.org,yes",
        "eve,s5,eve@example.org,yes",
        "ida,,,yes",
        "zoe,s4,zoe@example.org,no",
    ];
    assert_eq!(joined, expected);
    let staff = fs::metadata(scene.out().join("staff")).expect("there");
    assert_eq!(staff.permissions().mode() & 0o777, 0o700);
    let tables = ["standings.csv", "submissions.csv", "games.csv"];
    for file in tables.iter().chain(&["run.json", "journal.jsonl"]) {
        scene.read(file).lacks(&["example.org"]);
    }
    let path = scene.write("people.csv", "submission,id\nann,s1\n\nbob,s1\n");
    let other_roster = format!("{QUICK} --roster {path}");
    session.run(&mut scene.command(&other_roster));
    let ids = scene.rows("staff/identities.csv");
    assert!(ids.iter().all(|row| row.get("id").is_empty()), "{ids:?}");
    scene.write("people.csv", "name\nann\n");
    session.run(&mut scene.command(&other_roster));
    session.compare("run__rosters");
}

#[test]
fn roster_is_found_next_to_zip_of_everything() {
    let scene = Scene::new();
    let whole = zip(&[
        ("ann/bot", FIRST_LEGAL, 0o755),
        ("bob/bot", LAST_LEGAL, 0o755),
    ]);
    scene.put("all.zip", whole);
    scene.put("roster.csv", "submission,id\nann,s1\n");
    let class = scene.submissions().join("all.zip");
    let mut run = run_into(&class, &scene.out(), &format!("{QUICK} --seed 1"));
    snapshot::compare("run__roster_beside_a_zip", &mut run);
}

#[test]
fn lookalike_and_builtin_names_are_distinguished() {
    let scene = Scene::new();
    let alike = [
        "honest1",
        "һonest1",
        "honest1\u{a0}",
        "honest1\u{3164}",
        "h\u{e0068}onest1",
    ];
    for name in alike.iter().chain(&["Зоя", "buiItin꞉random"]) {
        scene.script(name, &format!("{FIRST_LEGAL}# {name}\n"));
    }
    snapshot::compare("run__names_that_look_alike", &mut scene.command(QUICK));
    let mut names = scene.cells("submissions.csv", "entrant");
    names.sort_unstable();
    let reported = [
        "\\u{4bb}onest1",
        "buiItin\\u{a789}random",
        "h\\u{e0068}onest1",
        "honest1",
        "honest1\\u{3164}",
        "honest1\\u{a0}",
        "Зоя",
    ];
    assert_eq!(names, reported);
}
