//! `judge report` from end to end: the contents of each view, and the secrets that it must not
//! have.

use crate::html::data;
use crate::support::snapshot::Session;
use crate::support::{
    Ended, FIRST_LEGAL, Has, PATIENCE, QUICK, Row, Run, Scene, Words, eventually, game_lines,
    names_in, read_csv, text_below,
};
use model::record::MatchRecord;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Instant;

const ROSTER: &str = "submission,id,name,email,section\n\
    xanthippe,s4711,Xanthippe Zollinger,x.zollinger@uni.example,A\n\
    yolanda,s4712,Yolanda Quast,y.quast@uni.example,B\n";

/// A bot that writes its author's name wherever it can, and then crashes.
const SHOUTER: &str = include_str!("../bots/shouter.sh");

/// Plays two students and a built-in bot; one student is anonymous, the other uses its name.
fn played() -> Scene {
    let scene = Scene::of(["xanthippe"]);
    scene.script("yolanda", SHOUTER);
    scene.sources("yolanda", &[("anonymous", "")]);
    scene.put("roster.csv", ROSTER);
    let flags =
        "--game catch-the-cat --set side=5 --states 2 --lifetime game --with builtin:random";
    scene.run_by_secret(&flags).well();
    scene
}

fn report(scene: &Scene, view: &str, name: &str) -> Ended {
    let words = format!("report out --view {view} --out {name}");
    scene.here(&words).ended()
}

fn rows(scene: &Scene, file: &str) -> Vec<Row> {
    read_csv(&scene.text(file))
}

fn seen(scene: &Scene, folder: &str) -> String {
    text_below(&scene.folder().join(folder))
}

#[test]
fn roster_names_are_shown_unless_anonymous() {
    let scene = Scene::of(["xanthippe", "walter"]);
    scene.script("yolanda", SHOUTER);
    scene.sources("yolanda", &[("anonymous", "")]);
    let broken = "build = \"echo words for staff; false\"\nrun = \"./bot\"\n";
    scene.sources("zacharias", &[("judge.toml", broken)]);
    let fourth = "zacharias,s4713,Zacharias Quill,z.quill@uni.example,B\n";
    scene.put("roster.csv", format!("{ROSTER}{fourth}"));
    let file = "game = \"catch-the-cat\"\n[config]\nside = 5\n[names]\npublic = \"roster\"\n";
    scene.put("competition.toml", file);
    scene.run_as_is().well();
    let ended = report(&scene, "public", "www").well();
    ended.says(&["without a name on the roster, so shown under a pseudonym: walter; rerun"]);
    let all = seen(&scene, "www");
    all.has(&["Xanthippe Zollinger"]);
    all.lacks(&["yolanda", "Yolanda", "walter", "s4711"]);
    // Who does not play is shown without the reason.
    let rows = rows(&scene, "www/standings.csv");
    let last = rows.last().expect("four");
    let cells = last.cells("entrant,rank,games,grade,not_playing");
    assert_eq!(cells, "Zacharias Quill,,,,does not play");
    all.lacks(&["words for staff"]);
    scene.judge("verify www");
}

#[test]
fn hidden_names_under_public_seed_need_staff_confirmation() {
    let compete = |scene: &Scene, lines: &str| {
        let file = format!("game = \"catch-the-cat\"\nstates = 1\n[config]\nside = 5\n{lines}");
        scene.put("competition.toml", file);
    };
    let enter = || {
        let scene = Scene::of(["xanthippe", "yolanda"]);
        scene.sources("yolanda", &[("anonymous", "")]);
        compete(&scene, "");
        scene
    };
    let scene = enter();
    let words =
        "the seed is public, so nicknames and pseudonyms hide nobody: with a list of the class";
    assert!(scene.run("").well().stdout.contains(words));
    for view in ["public", "student"] {
        let refused = report(&scene, view, view);
        refused.refused(&["the seed is public", "guessable = true under [names]"]);
        assert!(!scene.folder().join(view).exists());
    }
    report(&scene, "staff", "staff").well();
    compete(&scene, "[names]\nguessable = true\n");
    assert!(!scene.run("").well().stdout.contains(words));
    for view in ["public", "student"] {
        report(&scene, view, view).well();
    }
    // A secret draw gives nothing away.
    let secret = enter();
    assert!(!secret.run_as_is().well().stdout.contains(words));
    report(&secret, "public", "public").well();
}

#[test]
fn names_are_inert_in_spreadsheets_and_terminals() {
    let scene = Scene::of(["=1"]);
    let own_name = FIRST_LEGAL.replace(
        r#"echo '{"ready":{"legal_moves":true}}'"#,
        r#"printf '%s\n' '{"ready":{"legal_moves":true,"name":"\u001b[31mred\n\u202e"}}'"#,
    );
    scene.script("@x", &own_name);
    scene.run_by_secret(QUICK).well();
    let shown = r"\\u{1b}[31mred\\u{a}\\u{202e}";
    scene.read("journal.jsonl").has(&[shown]);
    for file in ["journal.jsonl", "report.html", "submissions.csv"] {
        scene.read(file).lacks(&["\u{1b}", "\u{202e}"]);
    }
    let kept = || scene.read("staff/pseudonyms.csv");
    report(&scene, "public", "www").well();
    let before = kept();
    let names = before.lines().skip(1).map(|row| row.split(',').next());
    assert_eq!(names.collect::<Vec<_>>(), [Some("'=1"), Some("'@x")]);
    report(&scene, "public", "www").well();
    assert_eq!(kept(), before);
}

fn the_public_sees_tables_and_nobody_behind_them(scene: &Scene) {
    report(scene, "public", "www").well();
    let all = seen(scene, "www").to_lowercase();
    all.lacks(&[
        "yolanda",
        "quast",
        "zollinger",
        "uni.example",
        "s4711",
        "s4712",
        "moves now",
    ]);
    for row in scene.rows("submissions.csv") {
        assert!(row.get("artifact").is_empty() || !all.contains(row.get("artifact")));
    }
    let public = rows(scene, "www/standings.csv");
    let staff = scene.rows("standings.csv");
    assert_eq!(public.len(), 3);
    for (public, staff) in public.iter().zip(&staff) {
        for column in ["rank", "total", "wins", "rank_best", "first_probability"] {
            assert_eq!(public.get(column), staff.get(column));
        }
    }
    let pseudonym = public.iter().zip(&staff);
    let mut pseudonym = pseudonym.filter(|(_, staff)| staff.get("entrant") == "yolanda");
    let pseudonym = pseudonym.next().expect("it is there").0.get("entrant");
    assert_eq!(pseudonym.split(' ').count(), 2, "{pseudonym}");
    let files = names_in(&scene.folder().join("www"));
    let expected = [
        "SHA256SUMS",
        "cats_vs_catchers.csv",
        "faults.csv",
        "games.csv",
        "journal.jsonl",
        "report.html",
        "run.json",
        "standings.csv",
        "view.txt",
    ];
    assert_eq!(files, expected, "no submissions or identities");
    let games = rows(scene, "www/games.csv");
    assert_eq!(games.len(), scene.rows("games.csv").len());
    assert!(games.iter().any(|game| game.get("charged") == pseudonym));
    let faults = rows(scene, "www/faults.csv");
    assert_eq!(faults.len(), scene.rows("faults.csv").len());
    for fault in &faults {
        let own = format!("{pseudonym},malformed");
        assert_eq!(fault.cells("entrant,cause"), own);
        let game = fault.get("game");
        assert!(games.iter().any(|one| one.get("game") == game), "{fault:?}");
    }

    // The pseudonym stays when the run continues, and the folder is made anew.
    scene.first_legal("walter");
    scene
        .run_by_secret(
            "--game catch-the-cat --set side=5 --states 2 --lifetime game --on-shown-draw",
        )
        .well();
    report(scene, "public", "www").well();
    let again = rows(scene, "www/standings.csv");
    assert!(again.iter().any(|row| row.get("entrant") == pseudonym));
    assert!(again.iter().any(|row| row.get("entrant") == "walter"));
}

#[test]
fn every_view_has_page_limited_to_its_readers() {
    let scene = played();
    for (view, name) in [
        ("public", "www"),
        ("student", "students"),
        ("staff", "staff"),
    ] {
        scene.judge(&format!("report out --view {view} --full --out {name}"));
    }
    let all = seen(&scene, "www").to_lowercase();
    all.lacks(&[
        "yolanda",
        "quast",
        "moves now",
        "s4712",
        &scene.name().to_lowercase(),
    ]);
    let public = scene.text("www/report.html");
    assert!(public.contains("malformed") && data(&public)["run"].is_null());
    let games = data(&public)["games"].as_array().map(Vec::len);
    assert_eq!(games, Some(rows(&scene, "www/games.csv").len()));
    assert!(scene.folder().join("www/games/12.html").exists());

    let own = scene.text("students/yolanda/report.html");
    own.has(&["Yolanda Quast moves now"]);
    let games = data(&own)["games"].as_array().expect("a list").len();
    assert_eq!(games, rows(&scene, "students/yolanda/games.csv").len());
    let files = names_in(&scene.folder().join("students/yolanda/games"));
    assert_eq!(files.len(), games + 1, "its games and the mark");
    let other = seen(&scene, "students/xanthippe").to_lowercase();
    other.lacks(&["yolanda", "quast", "moves now"]);

    let staff = scene.text("staff/report.html");
    staff.has(&["yolanda", "Yolanda Quast moves now"]);
    scene.judge("view out --full");
    let mut staff = data(&staff);
    for game in staff["games"].as_array_mut().expect("a list") {
        game.as_object_mut().expect("a game").remove("wrote");
    }
    let own = data(&scene.read("report.html"));
    assert_eq!(staff, own, "the run's own, with what bots wrote");
    startup_time_is_for_staff(&scene);
    students_see_what_is_their_own(&scene);
    staff_see_who_is_who(&scene);
    the_public_sees_tables_and_nobody_behind_them(&scene);
    a_view_is_never_put_over_another_one(&scene);
    killed_report_leaves_old_or_new_view_whole(&scene);
    verb_needing_run_reports_that_folder_is_view(&scene);
}

fn startup_time_is_for_staff(scene: &Scene) {
    for (file, may_see) in [
        ("out/games.csv", true),
        ("www/games.csv", false),
        ("students/yolanda/games.csv", false),
    ] {
        let text = scene.text(file);
        let header = text.lines().next().expect("a header");
        assert_eq!(header.contains("uncharged_us"), may_see, "{file}");
    }
    for line in game_lines(&scene.text("www/journal.jsonl")) {
        let game: MatchRecord = serde_json::from_str(line).expect("a game");
        for (index, seat) in game.seats.iter().enumerate() {
            if !game.faults.iter().any(|fault| fault.seat.index() == index) {
                let startup = (seat.uncharged_us, seat.startup_wall_us);
                assert_eq!(startup, (0, 0), "{seat:?}");
            }
        }
    }
}

fn students_see_what_is_their_own(scene: &Scene) {
    let folder = scene.folder().join("students");
    let mode = fs::metadata(&folder).expect("there").permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
    let own = seen(scene, "students/yolanda");
    own.has(&["I am Yolanda Quast", "Yolanda Quast moves now"]);
    let faults = rows(scene, "students/yolanda/faults.csv");
    assert_eq!(faults.len(), 2 * 2 * 2, "one in each game");
    let games = rows(scene, "students/yolanda/games.csv");
    let log = scene.text("students/yolanda/stderr.txt");
    for head in log.lines().filter_map(|line| line.strip_prefix("== game ")) {
        assert!(games.iter().any(|game| game.get("game") == head), "{head}");
    }
}

fn staff_see_who_is_who(scene: &Scene) {
    let names = rows(scene, "staff/names.csv");
    let row = names.iter().find(|row| row.get("entrant") == "yolanda");
    let row = row.expect("it is there");
    assert_eq!(row.cells("anonymous,nickname"), "yes,Yolanda Quast");
    assert_ne!(row.get("public_name"), "yolanda");
    seen(scene, "staff").has(&["x.zollinger@uni.example"]);
}

fn a_view_is_never_put_over_another_one(scene: &Scene) {
    report(scene, "staff", "there").well();
    let mut session = Session::default();
    for (view, name) in [("public", "there"), ("teacher", "new")] {
        let out = scene.folder().join(name).display().to_string();
        session.run(&mut scene.verb("report", &["--view", view, "--out", &out]));
    }
    session.compare("report__refused");
    for name in names_in(scene.folder()) {
        assert!(!name.starts_with('.'), "{name} is left");
    }
}

fn killed_report_leaves_old_or_new_view_whole(scene: &Scene) {
    report(scene, "public", "www").well();
    let www = scene.folder().join("www");
    let begun = || -> Option<PathBuf> {
        let mut names = names_in(scene.folder()).into_iter();
        let name = names.find(|name| name.contains(".new-"))?;
        Some(scene.folder().join(name))
    };
    let mut killed = 0;
    let files = [
        "",
        "journal.jsonl",
        "report.html",
        "games/3.html",
        "SHA256SUMS",
    ];
    // The test kills it once the new view has this file, unless it has ended before. On a busy
    // machine it may always end before, and the test repeats until it has killed some.
    let first = Instant::now();
    for (tried, reached) in files.iter().cycle().enumerate() {
        if tried >= files.len() && (killed > 0 || first.elapsed() > PATIENCE) {
            break;
        }
        let mut command = scene.here("report out --view public --full --out www");
        let mut writing = command.stdout(Stdio::null()).spawn().expect("it starts");
        eventually(reached, || {
            let is_reached = begun().is_some_and(|new| new.join(reached).exists());
            is_reached || writing.try_wait().expect("a running child").is_some()
        });
        let _ = writing.kill();
        let ended = writing.wait().expect("a running child");
        killed += usize::from(ended.signal() == Some(9));
        scene.judge("verify www");
    }
    assert_ne!(killed, 0, "none was killed while it wrote");
    report(scene, "public", "www").well();
    assert_eq!(begun(), None, "what was begun is gone");

    let mark = scene.text("www/view.txt");
    let (_, run) = mark.trim_end().rsplit_once(' ').expect("it names the run");
    let other = mark.replace(run, &"5f".repeat(32));
    fs::write(www.join("view.txt"), other).expect("writable");
    report(scene, "public", "www").refused(&["the view of another run", "--out"]);
    fs::write(www.join("view.txt"), mark).expect("writable");
}

fn verb_needing_run_reports_that_folder_is_view(scene: &Scene) {
    let mut session = Session::default();
    let mut ask = |words: &[&str]| session.run(&mut scene.here(words));
    for (view, name) in [("public", "www"), ("student", "own"), ("staff", "ours")] {
        report(scene, view, name).well();
    }
    for words in [
        &["view", "www"] as &[&str],
        &["view", "www", "1", "--terminal"],
        &["explain", "www", "Beige Fox"],
        &["report", "www", "--view", "public", "--out", "again"],
        &["grades", "www", "--format", "csv"],
        &["repro", "www", "1"],
        &["regrade", "www", "walter"],
        &["merge", "www", "part"],
        &["reveal", "www"],
    ] {
        ask(words);
    }
    ask(&["view", "own"]);
    ask(&["view", "own/xanthippe"]);
    ask(&["view", "ours"]);
    let players = "--with builtin:random --with builtin:shortest-path";
    let run = "run --game catch-the-cat --out www";
    ask(&format!("{run} {players}").words());
    let keys = scene.out().join("staff/keys.json");
    fs::remove_file(&keys).expect("writable");
    let run = scene.out();
    let run = run.to_str().expect("UTF-8");
    let ended = ask(&["view", run]);
    assert!(!ended.stderr.contains("--out"), "{}", ended.stderr);
    session.compare("report__a_view_is_no_run");
}
