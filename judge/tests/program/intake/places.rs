//! Places with submissions, and files next to them.

use crate::support::snapshot::{self, Session};
use crate::support::zips::{Raw, raw_zip};
use crate::support::{FIRST_LEGAL, LAST_LEGAL, QUICK, Run, Scene, executable, run_into};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

#[test]
fn several_places_merge_unless_names_collide() {
    let scene = Scene::of(["ann", "bob"]);
    let other = scene.folder().join("evening");
    let bot = other.join("cid.sh");
    executable(&bot, LAST_LEGAL);
    let named = scene.write("evening/roster.csv", "submission,id\ncid,s3\nann,s1\n");
    let place = other.display().to_string();
    let mut session = Session::default();
    let mut both = |more: &str| {
        let flags = format!("{QUICK} --submissions {place} {more}");
        session.run(&mut scene.command(&flags))
    };
    both("");
    assert_eq!(scene.ranked().len(), 3);
    both(&format!("--submissions {place}"));
    scene.put("roster.csv", "submission,id\n");
    both("");
    both(&format!("--roster {named}"));
    fs::remove_file(scene.submissions().join("roster.csv")).expect("writable");
    fs::copy(&bot, other.join("bob.sh")).expect("with its mode");
    both("");
    session.compare("run__several_places");
}

#[test]
fn several_places_share_at_most_one_competition() {
    let scene = Scene::of(["ann"]);
    executable(&scene.folder().join("evening/bob"), LAST_LEGAL);
    let text = "game = \"catch-the-cat\"\ntitle = \"Both\"\nstates = 1\n[config]\nside = 5\n";
    scene.put("competition.toml", text);
    let mut run = scene.here("run --submissions submissions --submissions evening --seed 1");
    let mut session = Session::default();
    session.run(&mut run);
    let results = "results/catch-the-cat-submissions-evening/standings.csv";
    assert!(scene.folder().join(results).is_file());
    scene.write("evening/competition.toml", text);
    session.run(&mut run);
    let text = text.replace("= 1", "= 2");
    scene.write("evening/competition.toml", text);
    session.run(&mut run);
    session.compare("run__several_places_with_competitions");
}

#[test]
fn linked_piped_or_writable_places_are_refused() {
    let scene = Scene::of(["ann", "bob"]);
    let place = scene.submissions().join("competition.toml");
    symlink("/etc/passwd", &place).expect("new");
    scene.run("").refused(&["competition.toml", "regular file"]);
    fs::remove_file(&place).expect("writable");
    nix::unistd::mkfifo(&place, nix::sys::stat::Mode::S_IRWXU).expect("new");
    scene.run("").refused(&["competition.toml", "regular file"]);
    fs::remove_file(&place).expect("writable");
    scene.put("competition.toml", "game = \"catch-the-cat\"\n");
    scene.put("roster.csv", "submission,id\n");
    scene.put("submissions.txt", "eve ../eve\n");
    fs::create_dir(scene.out()).expect("new");
    let own = ["submissions.txt", "roster.csv", "competition.toml"];
    let own = own.map(|name| scene.submissions().join(name));
    for path in own.iter().chain([&scene.out()]) {
        let before = fs::metadata(path).expect("there").permissions();
        let open = fs::Permissions::from_mode(before.mode() | 0o002);
        fs::set_permissions(path, open).expect("writable");
        let mends = format!("chmod o-w {}", path.display());
        scene.run_as_is().refused(&[&mends]);
        fs::set_permissions(path, before).expect("writable");
        if path.ends_with("submissions.txt") {
            fs::remove_file(path).expect("writable");
        }
    }
}

#[test]
fn what_a_run_has_made_is_no_submission() {
    let scene = Scene::of(["ann", "bob"]);
    let inside = scene.submissions().join("results/reversi");
    let flags = format!("{QUICK} --seed 1");
    let run = || run_into(&scene.submissions(), &inside, &flags);
    run().ended().well();
    // A run may also be inside a submission.
    let copy = scene.submissions().join("ann/run");
    fs::create_dir(&copy).expect("new");
    for name in ["run.json", "journal.jsonl"] {
        fs::copy(inside.join(name), copy.join(name)).expect("there");
    }
    snapshot::compare("run__results_are_no_submission", &mut run());
}

#[test]
fn unfit_submissions_and_files_are_named_with_reason() {
    let scene = Scene::of(["ann", "bob", "joe"]);
    scene.file("joe.sh", FIRST_LEGAL, 0o755);
    scene.sources("eve", &[("run.json", "{}"), ("journal.jsonl", "")]);
    let with_mode = |mode, file| Raw { mode, ..file };
    let entries = [
        Raw::file(b"bot", FIRST_LEGAL.as_bytes()),
        with_mode(0o100_644, Raw::file(b"BOT", b"x")),
        with_mode(0o120_777, Raw::file(b"link", b"/etc/passwd")),
        Raw::file(b"new\nline", b"x"),
        Raw::file("x\u{202e}gpj.sh".as_bytes(), b"x"),
        Raw::file(b"\xff\xfe", b"x"),
        Raw::file(b".hidden", b"x"),
    ];
    scene.put("odd.zip", raw_zip(&entries));
    snapshot::compare("run__unfit_submissions", &mut scene.command(QUICK));
    scene.row("submissions.csv", "eve");
    assert_eq!(scene.ranked().len(), 3, "the odd one plays all the same");
}

#[test]
fn outside_path_answer_never_reveals_existence() {
    let scene = Scene::of(["ann", "bob"]);
    let there = scene.folder().join("there");
    fs::copy("/bin/sh", &there).expect("writable");
    let there = there.display().to_string();
    let detour = format!("/usr/bin/../..{there}");
    for (name, path) in [("there", &*there), ("gone", "/no/such"), ("up", &detour)] {
        scene.script(&format!("script-{name}"), &format!("#!{path}\n"));
        let run = format!("run = \"{path}\"\n");
        scene.sources(&format!("run-{name}"), &[("judge.toml", &run)]);
        let build = format!("build = [\"{path}\"]\nrun = \"./bot\"\n");
        scene.sources(&format!("build-{name}"), &[("judge.toml", &build)]);
    }
    let shell = "run = [\"/bin/sh\", \"plain.txt\"]\n";
    let files = [("plain.txt", FIRST_LEGAL), ("judge.toml", shell)];
    scene.sources("shell", &files);
    snapshot::compare("run__paths_elsewhere", &mut scene.command(QUICK));
}
