//! `judge match` from end to end.

use crate::support::processes::signal;
use crate::support::{Ended, FIRST_LEGAL, LAST_LEGAL, SILENT, Scene, git, judge};
use nix::sys::signal::Signal;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

/// The command `judge match` on two bots of a scene.
fn command(scene: &Scene, sides: [&str; 2], flags: &[&str]) -> Command {
    let mut command = judge();
    command.current_dir(scene.submissions());
    command
        .arg("match")
        .args(sides)
        .arg("--out")
        .arg(scene.out());
    command.args(flags);
    command
}

fn versus(scene: &Scene, sides: [&str; 2], flags: &[&str]) -> Ended {
    Ended::of(command(scene, sides, flags).output().expect("it starts"))
}

const REVERSI: &[&str] = &["--game", "reversi", "--set", "opening_plies=6"];

#[test]
fn a_much_better_bot_is_told_after_few_pairs_and_the_same_command_plays_no_more() {
    let scene = Scene::new();
    let sides = ["builtin:mobility", "builtin:random"];
    let ended = versus(&scene, sides, REVERSI).well();
    ended.says(&[
        "LLR +",
        "LOS 100.0 %",
        "builtin:mobility is better than builtin:random\n",
        "every move",
    ]);
    let journal = scene.read("journal.jsonl");
    let games = scene.rows("games.csv");
    assert!(games.len() < 400, "{}", games.len());
    // Both games of each pair are there, on the same board, and the states that count.
    for pair in games.chunks(2) {
        let [one, other] = pair else {
            panic!("a pair is two games")
        };
        assert_eq!(one.get("state"), other.get("state"));
        assert_eq!(one.get("black"), other.get("white"));
        assert_eq!(one.get("white"), other.get("black"));
    }
    let again = versus(&scene, sides, REVERSI).well();
    again.says(&[
        "already played: ",
        "builtin:mobility is better than builtin:random\n",
    ]);
    assert_eq!(scene.read("journal.jsonl"), journal);
    assert_eq!(scene.rows("games.csv").len(), games.len());
    let verified = judge().arg("verify").arg(scene.out()).output();
    Ended::of(verified.expect("it starts")).well();
}

#[test]
fn a_worse_bot_is_no_better_and_probably_worse() {
    let scene = Scene::new();
    let sides = ["builtin:random", "builtin:mobility"];
    versus(&scene, sides, REVERSI).well().says(&[
        "no sign that builtin:random is better than builtin:mobility by 30 Elo or more; it is probably worse\n",
    ]);
}

#[test]
fn a_match_that_stays_undecided_says_so_and_goes_on_where_it_ended() {
    let scene = Scene::new();
    let sides = ["builtin:random", "builtin:mobility"];
    let flags = |more: &'static str| {
        [
            REVERSI,
            &["--elo0", "-700", "--elo1", "-1", "--pairs", more],
        ]
        .concat()
    };
    let ended = versus(&scene, sides, &flags("3")).well();
    ended.says(&[
        "3 pairs (6 games)",
        "undecided after 3 pairs",
        "with more pairs, for example --pairs ",
    ]);
    assert_eq!(scene.rows("games.csv").len(), 6);
    let ended = versus(&scene, sides, &flags("5")).well();
    ended.says(&["already played: 3 pairs (6 games)", "5 pairs (10 games)"]);
    assert!(!ended.stdout.contains("asked before"), "{ended:?}");
    // The question lies beside the games, and other bounds for the same games are told.
    let asked = scene.read("match.json");
    let bounds = "--elo0 -700 --elo1 -1 --alpha 0.05 --beta 0.05";
    assert!(asked.contains(bounds), "{asked}");
    assert!(asked.contains("\"states\": 5"), "{asked}");
    let others = ["--elo0", "-690", "--elo1", "-2", "--pairs", "5"];
    let ended = versus(&scene, sides, &[REVERSI, &others].concat()).well();
    ended.says(&[
        &format!("of these games it was asked before: {bounds} ("),
        "another --seed and another --out",
    ]);
    let verified = judge().arg("verify").arg(scene.out()).output();
    Ended::of(verified.expect("it starts")).well();
}

#[test]
fn the_verdict_does_not_depend_on_how_many_games_are_played_at_once() {
    let verdict = |jobs: &str| {
        let scene = Scene::new();
        let flags = ["--game", "connect-four", "--elo1", "200", "--jobs", jobs];
        let ended = versus(&scene, ["builtin:threats", "builtin:random"], &flags).well();
        let (_, end) = ended.stdout.split_once("\n\n").expect("what came of it");
        let lines = end.lines().filter(|line| !line.starts_with("tables"));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(verdict("1"), verdict("5"));
}

#[test]
fn an_interrupted_match_tells_where_it_stands_and_the_same_command_continues_it() {
    let scene = Scene::new();
    scene.first_legal("ann").first_legal("bob");
    // Both are the same, so that it would take very long to tell them apart.
    let flags = [
        "--game",
        "catch-the-cat",
        "--side",
        "5",
        "--elo1",
        "0.5",
        "--jobs",
        "1",
    ];
    let start = || {
        let mut command = command(&scene, ["ann", "bob"], &flags);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().expect("it starts")
    };
    let interrupted = |lines: usize| {
        let played = start();
        scene.wait_for_lines(lines);
        signal(played.id().cast_signed(), Signal::SIGINT);
        let ended = Ended::of(played.wait_with_output().expect("it ends"));
        assert_eq!(ended.code, Some(130), "{ended:?}");
        ended
    };
    interrupted(4).says(&[
        "undecided after ",
        "to go on, rerun the command: ",
        "--elo1 0.5",
    ]);
    let games = scene.rows("games.csv").len();
    assert!(
        games >= 2 && games.is_multiple_of(2),
        "whole pairs: {games}"
    );
    let lines = scene.read("journal.jsonl").lines().count();
    interrupted(lines + 4).says(&["already played: "]);
    assert!(scene.rows("games.csv").len() > games);
}

#[test]
fn commits_and_the_working_copy_of_a_repository_are_versions() {
    let scene = Scene::new();
    let home = scene.submissions().join("bots");
    fs::create_dir_all(home.join("hw1")).expect("new");
    git(&home, &["init", "--quiet"]);
    let commit = |text: &str| {
        let bot = home.join("hw1/bot");
        fs::write(&bot, text).expect("ours");
        fs::set_permissions(&bot, fs::Permissions::from_mode(0o755)).expect("ours");
        git(&home, &["add", "."]);
        git(&home, &["commit", "--quiet", "-m", "a version"]);
        git(&home, &["rev-parse", "HEAD"])
    };
    let first = commit(FIRST_LEGAL);
    git(&home, &["tag", "v1"]);
    commit(LAST_LEGAL);
    commit(FIRST_LEGAL);
    let flags = ["--game", "catch-the-cat", "--side", "5", "--pairs", "2"];
    let at = |new: &str, old: &str| {
        let mut command = command(&scene, [new, old], &flags);
        command.current_dir(home.join("hw1"));
        Ended::of(command.output().expect("it starts"))
    };
    at(".@HEAD", ".@v1").well().says(&["hw1@HEAD", "hw1@v1"]);
    let run = scene.read("run.json");
    assert!(run.contains(&first) && run.contains(" hw1\""), "{run}");
    at(".", ".@HEAD~1").well().says(&["hw1 ", "hw1@HEAD~1"]);
    git(&home, &["branch", "feature/fast", "v1"]);
    at(".@feature/fast", ".@main")
        .well()
        .says(&["hw1@feature/fast"]);
    at(".", ".@nowhere").refused(&[".@nowhere: ", "FOLDER@REFERENCE"]);
    at(".", ".@--all").refused(&[".@--all: "]);
    at(".", "./nowhere@v1").refused(&["cannot read the submission ./nowhere@v1"]);
    let outside = ["--game", "catch-the-cat"];
    let ended = versus(&scene, [".@HEAD", "bots/hw1"], &outside);
    ended.refused(&[".@HEAD: ", "not a git repository"]);
}

#[test]
fn two_of_one_name_are_called_after_the_folders_that_they_are_in() {
    let scene = Scene::new();
    for (place, text) in [("a/bot", FIRST_LEGAL), ("b/bot", LAST_LEGAL)] {
        scene.script(place, text);
    }
    let flags = ["--game", "catch-the-cat", "--side", "5", "--pairs", "2"];
    let sides = ["a/bot", "b/bot"];
    let ended = versus(&scene, sides, &flags).well();
    ended.says(&["a ", "b"]);
    assert!(!ended.stdout.contains("met these boards"), "{ended:?}");
    scene.script("a/bot", LAST_LEGAL);
    let ended = versus(&scene, sides, &flags).well();
    ended.says(&[
        "1 other version of a met these boards before",
        "a and b are the same program",
    ]);
    for (place, text) in [("1/a/bot", FIRST_LEGAL), ("2/a/bot", LAST_LEGAL)] {
        scene.script(place, text);
    }
    let ended = versus(&scene, ["1/a/bot", "2/a/bot"], &flags).well();
    ended.says(&["new ", "old"]);
}

#[test]
fn flags_that_other_programs_have_are_refused_with_the_right_tip() {
    let scene = Scene::new();
    let ends = |flags: &[&str]| versus(&scene, ["builtin:random", "builtin:random"], flags);
    ends(&["--games", "100"]).refused(&["unexpected argument '--games", "'--pairs'"]);
    for sprt in [&["--sprt"][..], &["--sprt", "elo0=0"]] {
        ends(sprt).refused(&["unexpected argument '--sprt", "--elo0 and --elo1"]);
    }
}

#[test]
fn games_for_four_are_played_against_the_same_opponents_and_points_can_be_compared() {
    let scene = Scene::new();
    let flags = [
        "--game",
        "monkey-metal-man",
        "--with",
        "builtin:random",
        "--pairs",
        "2",
        "--points1",
        "0.5",
    ];
    let sides = ["builtin:hunter", "builtin:random"];
    versus(&scene, sides, &flags)
        .refused(&["builtin:random is compared and cannot be an opponent too"]);
    scene.script("idle", SILENT);
    let flags = [
        "--game",
        "monkey-metal-man",
        "--pairs",
        "2",
        "--points1",
        "0.5",
        "--backstop",
        "0.2",
    ];
    let ended = versus(&scene, ["builtin:random", "idle"], &flags).well();
    ended.says(&[
        "games of 4: both play builtin:hunter in the other seats",
        "2 initial states (16 games)",
        "points a game",
    ]);
    let games = scene.rows("games.csv");
    assert_eq!(games.len(), 16);
    let verified = judge().arg("verify").arg(scene.out()).output();
    Ended::of(verified.expect("it starts")).well();
}

#[test]
fn opponents_are_played_by_both_and_faults_are_told() {
    let scene = Scene::new();
    scene.script("silent", SILENT);
    let class = scene.folder().join("class");
    fs::create_dir(&class).expect("new");
    let bot = class.join("ann");
    fs::write(&bot, FIRST_LEGAL).expect("ours");
    fs::set_permissions(&bot, fs::Permissions::from_mode(0o755)).expect("ours");
    scene.file("../class/silent", SILENT, 0o755);
    let class = class.display().to_string();
    let flags = [
        "--game",
        "catch-the-cat",
        "--side",
        "5",
        "--pairs",
        "2",
        "--backstop",
        "0.2",
        "--opponents",
        &class,
        "--with",
        "shortest-path",
    ];
    let ended = versus(&scene, ["silent", "builtin:random"], &flags).well();
    ended.says(&[
        "silent is compared, and left out of the opponents",
        "2 initial states (16 games)",
        "silent scored 0.0 %",
        "the first fault of each bot:",
        "faults of silent ended 8 of its 8 games",
        "mend silent first: ",
    ]);
    fs::remove_file(scene.folder().join("class/ann")).expect("ours");
    let alone = ["--game", "catch-the-cat", "--opponents", &class];
    versus(&scene, ["silent", "builtin:random"], &alone)
        .refused(&["--opponents has nobody but who is compared (silent)"]);
}

#[test]
fn what_cannot_be_a_match_is_refused_before_anything_is_played() {
    let scene = Scene::new();
    scene.first_legal("ann").script("old/ann", FIRST_LEGAL);
    scene.sources("broken", &[("ReversiAI.hs", "module ReversiAI where\n")]);
    let game = ["--game", "catch-the-cat"];
    for (flags, words) in [
        (
            &["--elo0", "10", "--elo1", "5"] as &[&str],
            "--elo0 10 and --elo1 5 are the wrong way round",
        ),
        (&["--elo1", "0"], "--elo0 0 and --elo1 0 are equal"),
        (&["--elo1", "NaN"], "--elo1 NaN: must be"),
        (
            &["--points0", "2", "--points1", "1"],
            "--points0 2 and --points1 1 are the wrong way round",
        ),
        (
            &["--points1", "900"],
            "--points1 900: two are at most 662 points apart in a game",
        ),
        (&["--alpha", "0.5"], "--alpha 0.5: must be 0.0001 to 0.4"),
        (&["--beta", "0"], "--beta 0: must be"),
        (&["--lifetime", "match"], "choose --lifetime game"),
    ] {
        let flags = [&game, flags].concat();
        versus(&scene, ["ann", "old/ann"], &flags).refused(&[words]);
    }
    let twice = ["builtin:random", "builtin:random"];
    versus(&scene, twice, &game).refused(&["cannot be compared with itself"]);
    versus(&scene, ["ann", "broken"], &game).refused(&["broken cannot play: "]);
    assert!(!Path::new(&scene.out()).join("journal.jsonl").exists());
}
