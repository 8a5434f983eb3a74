//! `judge report` from end to end: the contents of each view, and the secrets that it must not
//! have.

use crate::html::data;
use crate::support::snapshot::Session;
use crate::support::{
    Ended, FIRST_LEGAL, PATIENCE, Row, Run, Scene, Words, eventually, game_lines, judge, read_csv,
    text_below,
};
use model::record::MatchRecord;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Instant;

const ROSTER: &str = "submission,id,name,email,section\n\
    xanthippe,s4711,Xanthippe Zollinger,x.zollinger@uni.example,A\n\
    yolanda,s4712,Yolanda Quast,y.quast@uni.example,B\n";

/// A bot that writes its author's name wherever it can, and then crashes.
const SHOUTER: &str = include_str!("../bots/shouter.sh");

/// Plays two students and a built-in bot; one student is anonymous, the other uses its name.
fn played() -> Scene {
    let scene = Scene::new();
    scene.first_legal("xanthippe").script("yolanda", SHOUTER);
    scene.sources("yolanda", &[("anonymous", "")]);
    scene.put("roster.csv", ROSTER);
    let flags = "--game catch-the-cat --set side=5 --states 2 --with builtin:random";
    scene.run_by_secret(&flags).well();
    scene
}

fn report_command(scene: &Scene, view: &str, name: &str) -> Command {
    let mut command = judge();
    command
        .arg("report")
        .arg(scene.out())
        .args(["--view", view]);
    command.arg("--out").arg(scene.folder().join(name));
    command
}

fn report(scene: &Scene, view: &str, name: &str) -> Ended {
    report_command(scene, view, name).ended()
}

fn rows(scene: &Scene, file: &str) -> Vec<Row> {
    let path = scene.folder().join(file);
    read_csv(&fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display())))
}

#[test]
fn roster_names_are_shown_unless_anonymous() {
    let scene = Scene::new();
    scene.first_legal("xanthippe").script("yolanda", SHOUTER);
    scene.sources("yolanda", &[("anonymous", "")]);
    scene.first_legal("walter");
    scene.put("roster.csv", ROSTER);
    let file = "game = \"catch-the-cat\"\n[config]\nside = 5\n[names]\npublic = \"roster\"\n";
    scene.put("competition.toml", file);
    scene.run_as_is().well();
    let ended = report(&scene, "public", "www").well();
    ended.says(&["without a name on the roster, so shown under a pseudonym: walter; rerun"]);
    let all = text_below(&scene.folder().join("www"));
    assert!(all.contains("Xanthippe Zollinger"));
    for secret in ["yolanda", "Yolanda", "walter", "s4711"] {
        assert!(!all.contains(secret), "{secret:?} is public");
    }
    let mut verify = judge();
    verify.arg("verify").arg(scene.folder().join("www"));
    verify.ended().well();
}

#[test]
fn public_sees_who_does_not_play_without_reason() {
    let scene = Scene::new();
    scene.first_legal("xanthippe").first_legal("walter");
    let broken = "build = \"echo 4711 secret; false\"\nrun = \"./bot\"\n";
    scene.sources("yolanda", &[("judge.toml", broken)]);
    scene
        .run("--game catch-the-cat --set side=5 --states 1")
        .well();
    report(&scene, "public", "www").well();
    let all = rows(&scene, "www/standings.csv");
    let last = all.last().expect("three");
    let cells = ["entrant", "rank", "games", "grade", "not_playing"].map(|name| last.get(name));
    assert_eq!(cells, ["yolanda", "", "", "", "does not play"]);
    let public = text_below(&scene.folder().join("www"));
    assert!(!public.contains("4711"), "the reason is public");
    judge()
        .arg("verify")
        .arg(scene.folder().join("www"))
        .ended()
        .well();
}

#[test]
fn hidden_names_under_public_seed_need_staff_confirmation() {
    let compete = |scene: &Scene, lines: &str| {
        let file = format!("game = \"catch-the-cat\"\nstates = 1\n[config]\nside = 5\n{lines}");
        scene.put("competition.toml", file);
    };
    let enter = || {
        let scene = Scene::new();
        scene.first_legal("xanthippe").first_legal("yolanda");
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
fn staff_files_names_are_inert_in_spreadsheets() {
    let scene = Scene::new();
    scene.first_legal("=1").first_legal("@x");
    scene.run_by_secret(crate::support::QUICK).well();
    let kept = || scene.read("staff/pseudonyms.csv");
    report(&scene, "public", "www").well();
    let before = kept();
    let names = before.lines().skip(1).map(|row| row.split(',').next());
    assert_eq!(names.collect::<Vec<_>>(), [Some("'=1"), Some("'@x")]);
    report(&scene, "public", "www").well();
    assert_eq!(kept(), before);
}

#[test]
fn public_nicknames_leave_no_other_own_name() {
    let scene = Scene::new();
    let about = "nickname = \"Deep Thought\"\nrun = \"sh bot.sh\"\n";
    scene.sources(
        "xanthippe",
        &[("judge.toml", about), ("bot.sh", FIRST_LEGAL)],
    );
    scene.first_legal("walter");
    let file = "game = \"catch-the-cat\"\nstates = 1\n[config]\nside = 5\n[names]\npublic = \"nickname\"\n";
    scene.put("competition.toml", file);
    scene.run_as_is().well();
    report(&scene, "public", "www").well();
    let all = text_below(&scene.folder().join("www"));
    assert!(all.contains("Deep Thought"));
    for secret in ["xanthippe", "walter"] {
        assert!(!all.contains(secret), "{secret:?} is public");
    }
}

#[test]
fn the_public_sees_tables_and_nobody_behind_them() {
    let scene = played();
    report(&scene, "public", "www").well();
    let all = text_below(&scene.folder().join("www")).to_lowercase();
    let secrets = [
        "yolanda",
        "quast",
        "zollinger",
        "uni.example",
        "s4711",
        "s4712",
        "moves now",
    ];
    for secret in secrets {
        assert!(!all.contains(secret), "{secret:?} is public");
    }
    for row in scene.rows("submissions.csv") {
        assert!(row.get("artifact").is_empty() || !all.contains(row.get("artifact")));
    }
    let public = rows(&scene, "www/standings.csv");
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
    let mut files: Vec<String> = fs::read_dir(scene.folder().join("www"))
        .expect("a folder")
        .map(|entry| {
            entry
                .expect("readable")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    files.sort();
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
    let games = rows(&scene, "www/games.csv");
    assert_eq!(games.len(), scene.rows("games.csv").len());
    assert!(games.iter().any(|game| game.get("charged") == pseudonym));
    let faults = rows(&scene, "www/faults.csv");
    assert_eq!(faults.len(), scene.rows("faults.csv").len());
    for fault in &faults {
        assert_eq!(
            (fault.get("entrant"), fault.get("cause")),
            (pseudonym, "malformed")
        );
        assert!(
            games
                .iter()
                .any(|game| game.get("game") == fault.get("game"))
        );
    }

    // The pseudonym stays when the run continues, and the folder is made anew.
    scene.first_legal("walter");
    scene
        .run_by_secret("--game catch-the-cat --set side=5 --states 2 --on-shown-draw")
        .well();
    report(&scene, "public", "www").well();
    let again = rows(&scene, "www/standings.csv");
    assert!(again.iter().any(|row| row.get("entrant") == pseudonym));
    assert!(again.iter().any(|row| row.get("entrant") == "walter"));
}

#[test]
fn startup_time_is_visible_to_staff_only() {
    let scene = played();
    report(&scene, "public", "www").well();
    report(&scene, "student", "students").well();
    let has_uncharged = |file: &str| {
        let table = fs::read_to_string(scene.folder().join(file)).expect("written");
        table
            .lines()
            .next()
            .is_some_and(|head| head.contains("uncharged_us"))
    };
    let own = scene.out().join("games.csv");
    assert!(has_uncharged(own.to_str().expect("UTF-8")));
    assert!(!has_uncharged("www/games.csv"));
    assert!(!has_uncharged("students/yolanda/games.csv"));
    let journal = fs::read_to_string(scene.folder().join("www/journal.jsonl")).expect("written");
    for line in game_lines(&journal) {
        let game: MatchRecord = serde_json::from_str(line).expect("a game");
        for (index, seat) in game.seats.iter().enumerate() {
            if !game.faults.iter().any(|fault| fault.seat.index() == index) {
                assert_eq!(
                    (seat.uncharged_us, seat.startup_wall_us),
                    (0, 0),
                    "{seat:?}"
                );
            }
        }
    }
}

#[test]
fn each_student_sees_what_is_its_own() {
    let scene = played();
    report(&scene, "student", "students").well();
    let folder = scene.folder().join("students");
    let mode = fs::metadata(&folder)
        .expect("it is there")
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o700);
    let own = text_below(&folder.join("yolanda"));
    assert!(own.contains("I am Yolanda Quast") && own.contains("Yolanda Quast moves now"));
    let faults = rows(&scene, "students/yolanda/faults.csv");
    assert_eq!(faults.len(), 2 * 2 * 2, "one in each game");
    let numbers: Vec<String> = rows(&scene, "students/yolanda/games.csv")
        .iter()
        .map(|game| game.get("game").to_owned())
        .collect();
    let log = fs::read_to_string(folder.join("yolanda/stderr.txt")).expect("it wrote");
    let heads = log.lines().filter_map(|line| line.strip_prefix("== game "));
    for head in heads {
        assert!(numbers.iter().any(|number| number == head), "{head}");
    }
    let other = text_below(&folder.join("xanthippe")).to_lowercase();
    for secret in ["yolanda", "quast", "moves now"] {
        assert!(!other.contains(secret), "{secret:?} is told to another");
    }
}

#[test]
fn every_view_has_page_limited_to_its_readers() {
    let scene = played();
    let read = |name: &str| {
        let path = scene.folder().join(name);
        fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    };
    for (view, out) in [
        ("public", "www"),
        ("student", "students"),
        ("staff", "staff"),
    ] {
        let mut command = judge();
        command
            .arg("report")
            .arg(scene.out())
            .args(["--view", view, "--full"]);
        command.arg("--out").arg(scene.folder().join(out));
        command.ended().well();
    }
    let all = text_below(&scene.folder().join("www")).to_lowercase();
    for secret in [
        "yolanda",
        "quast",
        "moves now",
        "s4712",
        &scene.name().to_lowercase(),
    ] {
        assert!(!all.contains(secret), "{secret:?} is in a public page");
    }
    let public = read("www/report.html");
    assert!(public.contains("malformed") && data(&public)["run"].is_null());
    let games = data(&public)["games"].as_array().map(Vec::len);
    assert_eq!(games, Some(rows(&scene, "www/games.csv").len()));
    assert!(scene.folder().join("www/games/12.html").exists());

    let own = read("students/yolanda/report.html");
    assert!(
        own.contains("Yolanda Quast moves now"),
        "its own fault is told in full"
    );
    let games = data(&own)["games"].as_array().expect("a list").len();
    assert_eq!(games, rows(&scene, "students/yolanda/games.csv").len());
    let files = fs::read_dir(scene.folder().join("students/yolanda/games")).expect("there");
    assert_eq!(files.count(), games + 1, "its games and the mark");
    let other = text_below(&scene.folder().join("students/xanthippe")).to_lowercase();
    for secret in ["yolanda", "quast", "moves now"] {
        assert!(!other.contains(secret), "{secret:?} is told to another");
    }

    let staff = read("staff/report.html");
    assert!(staff.contains("yolanda") && staff.contains("Yolanda Quast moves now"));
    let mut command = judge();
    command.arg("view").arg(scene.out()).arg("--full");
    command.ended().well();
    let mut staff = data(&staff);
    for game in staff["games"].as_array_mut().expect("a list") {
        game.as_object_mut().expect("a game").remove("wrote");
    }
    let own = data(&scene.read("report.html"));
    assert_eq!(staff, own, "the run's own, with what bots wrote");
}

#[test]
fn staff_see_who_is_who() {
    let scene = played();
    report(&scene, "staff", "staff").well();
    let names = rows(&scene, "staff/names.csv");
    let row = names.iter().find(|row| row.get("entrant") == "yolanda");
    let row = row.expect("it is there");
    assert_eq!(row.get("anonymous"), "yes");
    assert_eq!(row.get("nickname"), "Yolanda Quast");
    assert_ne!(row.get("public_name"), "yolanda");
    assert!(text_below(&scene.folder().join("staff")).contains("x.zollinger@uni.example"));
}

#[test]
fn a_view_is_never_put_over_another_one() {
    let scene = played();
    report(&scene, "staff", "there").well();
    let mut session = Session::default();
    session.run(&mut report_command(&scene, "public", "there"));
    session.run(&mut report_command(&scene, "teacher", "new"));
    session.compare("report__refused");
    let left = fs::read_dir(scene.folder()).expect("readable");
    for entry in left {
        let name = entry.expect("readable").file_name();
        assert!(!name.to_string_lossy().starts_with('.'), "{name:?} is left");
    }
}

#[test]
fn bots_own_name_is_shown_without_effect() {
    let scene = Scene::new();
    let loud = FIRST_LEGAL.replace(
        r#"echo '{"ready":{"legal_moves":true}}'"#,
        r#"printf '%s\n' '{"ready":{"legal_moves":true,"name":"\u001b[31mred\n\u202e"}}'"#,
    );
    scene.script("loud", &loud).first_legal("ann");
    scene.run(crate::support::QUICK).well();
    let shown = r"\\u{1b}[31mred\\u{a}\\u{202e}";
    let journal = scene.read("journal.jsonl");
    assert!(journal.contains(shown), "{journal}");
    for file in ["journal.jsonl", "report.html", "submissions.csv"] {
        let text = scene.read(file);
        let unseen = ['\u{1b}', '\u{202e}'].map(|c| text.contains(c));
        assert_eq!(unseen, [false; 2], "{file}");
    }
}

#[test]
fn killed_report_leaves_old_or_new_view_whole() {
    let scene = played();
    report(&scene, "public", "www").well();
    let www = scene.folder().join("www");
    let begun = || -> Option<PathBuf> {
        let entries = fs::read_dir(scene.folder()).expect("readable");
        let mut paths = entries.map(|entry| entry.expect("readable").path());
        paths.find(|path| path.to_string_lossy().contains(".new-"))
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
        let mut command = judge();
        command.arg("report").arg(scene.out());
        command
            .args(["--view", "public", "--full", "--out"])
            .arg(&www);
        let mut writing = command.stdout(Stdio::null()).spawn().expect("it starts");
        eventually(reached, || {
            let is_reached = begun().is_some_and(|new| new.join(reached).exists());
            is_reached || writing.try_wait().expect("a running child").is_some()
        });
        let _ = writing.kill();
        let ended = writing.wait().expect("a running child");
        killed += usize::from(ended.signal() == Some(9));
        judge().arg("verify").arg(&www).ended().well();
    }
    assert_ne!(killed, 0, "none was killed while it wrote");
    report(&scene, "public", "www").well();
    assert_eq!(begun(), None, "what was begun is gone");

    let mark = fs::read_to_string(www.join("view.txt")).expect("it is there");
    let (_, run) = mark.trim_end().rsplit_once(' ').expect("it names the run");
    let other = mark.replace(run, &"5f".repeat(32));
    fs::write(www.join("view.txt"), other).expect("writable");
    report(&scene, "public", "www").refused(&["the view of another run", "--out"]);
}

#[test]
fn verb_needing_run_reports_that_folder_is_view() {
    let scene = played();
    let mut session = Session::default();
    let mut ask = |words: &[&str]| {
        let mut command = judge();
        session.run(command.current_dir(scene.folder()).args(words))
    };
    for (view, name) in [("public", "www"), ("student", "own"), ("staff", "ours")] {
        report(&scene, view, name).well();
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
