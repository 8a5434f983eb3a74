//! `judge explain` and `judge plan`, as users see them.

use crate::support::snapshot::Session;
use crate::support::{Ended, FIRST_LEGAL, Scene, judge};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{DirEntryExt as _, MetadataExt as _};
use std::path::Path;
use std::process::Command;

const SMALL: [&str; 6] = [
    "--game",
    "catch-the-cat",
    "--states",
    "3",
    "--set",
    "side=5",
];

fn explain_command(scene: &Scene, entrant: &str) -> Command {
    let mut command = judge();
    command.arg("explain").arg(scene.out()).arg(entrant);
    command
}

fn explain(scene: &Scene, entrant: &str) -> Ended {
    let output = explain_command(scene, entrant).output();
    Ended::of(output.expect("the program starts"))
}

fn plan_command(scene: &Scene, flags: &[&str]) -> Command {
    let mut command = judge();
    command
        .arg("plan")
        .arg("--submissions")
        .arg(scene.submissions());
    command.arg("--out").arg(scene.out()).args(["--seed", "1"]);
    command.args(flags);
    command
}

fn plan(scene: &Scene, flags: &[&str]) -> Ended {
    let output = plan_command(scene, flags).output();
    Ended::of(output.expect("the program starts"))
}

#[test]
fn every_number_of_a_row_is_explained_from_the_runs_folder() {
    let scene = Scene::new();
    scene.first_legal("honest");
    scene.script("crasher", "#!/bin/sh\nread -r line\nkill -SEGV $$\n");
    scene.script("broken", "not a program");
    fs::write(scene.submissions().join("broken/bot"), "").expect("ours");
    let flags = ["--with", "builtin:random", "--points-per-cpu-second", "0"];
    scene.run(&[&SMALL[..], &flags].concat()).well();
    let mut session = Session::default();
    let told = session.run(&mut explain_command(&scene, "crasher")).stdout;
    let rows = scene.rows("standings.csv");
    let crasher = rows.iter().find(|row| row.get("entrant") == "crasher");
    let crasher = crasher.expect("ranked");
    let rank = format!("rank {} of 2, ", crasher.get("rank"));
    assert!(told.contains(&rank), "{rank:?} is not in {told}");
    let total: f64 = crasher.get("total").parse().expect("a number");
    let shown = told
        .lines()
        .find(|line| line.contains("together: "))
        .expect("a sum");
    let shown = shown
        .rsplit(": ")
        .next()
        .and_then(|sum| sum.split(' ').next());
    let shown: f64 = shown.and_then(|sum| sum.parse().ok()).expect("a number");
    assert!((shown - total).abs() < 0.01, "{shown} {total}");

    for entrant in ["honest", "broken", "builtin:random"] {
        session.run(&mut explain_command(&scene, entrant));
    }
    session.compare("explain__every_kind_of_entrant");

    fs::write(scene.out().join("journal.jsonl"), "").expect("ours");
    let mut session = Session::default();
    for entrant in ["honest", "crashr"] {
        session.run(&mut explain_command(&scene, entrant));
    }
    session.compare("explain__without_games");
}

#[test]
fn what_was_not_tried_is_not_said_to_change_nothing() {
    let scene = Scene::new();
    scene.first_legal("one").first_legal("two");
    scene.run(&SMALL).well();
    let told = explain(&scene, "one").well().stdout;
    for words in [
        "each game earns the points of the game's own formula, minus 1 for each second of CPU time",
        "What a small change would alter",
    ] {
        assert!(told.contains(words), "{words:?} is not in {told}");
    }
    assert!(!told.contains("any one opponent left out"), "{told}");
    assert!(!told.contains("0.000000"), "{told}");
}

#[test]
fn in_games_for_four_it_is_told_who_was_placed_before_whom() {
    let scene = Scene::new();
    scene
        .first_legal("one")
        .first_legal("two")
        .first_legal("three");
    let flags = ["--game", "monkey-metal-man", "--states", "2"];
    scene
        .run(&[&flags[..], &["--with", "builtin:random"]].concat())
        .well();
    let mut session = Session::default();
    session.run(&mut explain_command(&scene, "one"));
    session.compare("explain__games_for_four");
}

#[test]
fn every_command_that_is_printed_runs() {
    let scene = Scene::new();
    scene
        .first_legal("one")
        .script("two", "#!/bin/sh\nexit 3\n");
    scene
        .run(&[&SMALL[..], &["--set", "schedule.self_play=true"]].concat())
        .well();
    for entrant in ["one", "two"] {
        let told = explain(&scene, entrant).well().stdout;
        let starts = ["to play it again: ", "to watch it: ", "to watch a game: "];
        let command = |line| {
            starts
                .iter()
                .find_map(|start| str::strip_prefix(line, start))
        };
        let commands: Vec<&str> = told
            .lines()
            .filter_map(|line| command(line.trim()))
            .collect();
        assert!(commands.len() > 1, "{told}");
        for command in commands {
            let mut shell = Command::new("/bin/sh");
            let output = shell.args(["-c", command]).output();
            let ended = Ended::of(output.expect("a shell"));
            assert_eq!(ended.code, Some(0), "{command}: {ended:?}");
        }
    }
}

#[test]
fn a_name_that_looks_like_a_flag_is_none_in_the_commands_that_are_named() {
    let scene = Scene::new();
    scene.first_legal("-2+3").first_legal("-2+4");
    let printed = |told: &str, before: &str| {
        let mut lines = told.lines();
        let command = lines.find_map(|line| line.split_once(before));
        command
            .unwrap_or_else(|| panic!("{before:?} is not in {told}"))
            .1
            .to_owned()
    };
    let runs = |command: &str| {
        let mut shell = Command::new("sh");
        shell.current_dir(scene.submissions()).args(["-c", command]);
        Ended::of(shell.output().expect("a shell")).well().stdout
    };
    let told = scene.run(&SMALL).well().stdout;
    let command = printed(&told, " has rank 1: ");
    assert!(command.contains(" explain -- "), "{command}");
    runs(&command);

    let mut command = judge();
    command
        .current_dir(scene.submissions())
        .args(["check", "--game", "catch-the-cat", "--set", "side=5"])
        .args(["--states", "1", "--", "-2+3"]);
    let told = Ended::of(command.output().expect("the program starts")).well();
    let command = printed(&told.stdout, "To ");
    let command = command.split_once(": ").expect("a command").1;
    assert!(!command.contains(" -- "), "{command}");
}

#[test]
fn no_line_that_begins_with_a_name_is_a_command_to_githubs_runner() {
    let scene = Scene::new();
    scene.first_legal("::error::eve").first_legal("ann");
    let is_command = |line: &str| line.trim_start().starts_with("::");
    let told = [
        scene.run(&SMALL).well().stdout,
        explain(&scene, "\\u{3a}:error::eve").well().stdout,
        {
            let mut command = judge();
            command
                .current_dir(scene.submissions())
                .args(["check", "--game", "catch-the-cat", "--set", "side=5"])
                .args(["--states", "1", "::error::eve"]);
            Ended::of(command.output().expect("the program starts"))
                .well()
                .stdout
        },
    ];
    for told in told {
        assert!(told.contains("\\u{3a}:error::eve"), "{told}");
        assert!(!told.lines().any(is_command), "{told}");
    }
}

#[test]
fn a_folder_without_a_run_is_refused_with_the_reason() {
    let scene = Scene::new();
    let mut session = Session::default();
    session.run(&mut explain_command(&scene, "alice"));
    fs::create_dir(scene.out()).expect("ours");
    session.run(&mut explain_command(&scene, "alice"));
    session.compare("explain__no_run");
}

/// Lists the programs that a plan has left, with the inode of each, which shows whether it is made
/// again. Checks that nothing else is in the folder.
fn programs(scene: &Scene) -> BTreeMap<String, u64> {
    let names = |folder: &Path| {
        let entries = fs::read_dir(folder).expect("there").flatten();
        entries.map(|entry| (entry.file_name().into_string().expect("text"), entry.ino()))
    };
    let all: Vec<(String, u64)> = names(&scene.out()).collect();
    assert_eq!(all.len(), 1, "{all:?}");
    let programs = names(&scene.out().join("artifacts"));
    programs.filter(|(name, _)| !name.contains('.')).collect()
}

#[test]
fn a_plan_keeps_no_game_and_says_what_a_run_takes() {
    let scene = Scene::new();
    scene.first_legal("one").first_legal("two");
    let flags = [&SMALL[..], &["--jobs", "1"]].concat();
    let mut session = Session::default();
    session.run(&mut plan_command(&scene, &flags));
    let built = programs(&scene);
    assert_eq!(built.len(), 1, "both are the same program");
    plan(&scene, &flags).well();
    assert_eq!(programs(&scene), built, "it is taken again");
    let (own, aside) = (scene.submissions().join("two"), scene.folder().join("two"));
    fs::rename(&own, &aside).expect("ours");
    session.run(&mut scene.command(&flags));
    assert_eq!(programs(&scene), built, "a refused run leaves it alone");
    fs::rename(&aside, &own).expect("ours");

    scene.run(&flags).well();
    for (program, inode) in built {
        let now = fs::metadata(scene.out().join("artifacts").join(&program));
        assert_eq!(
            now.expect("it is there").ino(),
            inode,
            "{program} was built again"
        );
    }
    let more = ["--set", "side=5", "--states", "4", "--jobs", "1"];
    let more = [&SMALL[..2], &more].concat();
    session.run(&mut plan_command(&scene, &more));
    session.run(&mut plan_command(&scene, &flags));
    // Both play the same games, which leaves it to chance who is slower.
    session.redact(
        r"\b(one|two), about \[time\] a game",
        "[entrant], about [time] a game",
    );
    session.compare("plan");
}

#[test]
fn a_plan_of_another_competition_is_refused_in_the_folder_of_a_run() {
    let scene = Scene::new();
    scene.first_legal("one");
    let run = |verb: &str, flags: &[&str]| {
        let mut command = judge();
        command.current_dir(scene.folder()).arg(verb);
        command.args([&SMALL[..], &["submissions", "--with", "random"], flags].concat());
        Ended::of(command.output().expect("it starts"))
    };
    run("run", &["--seed", "1"]).well();
    run("plan", &["--seed", "2"]).refused(&[
        "results/catch-the-cat-submissions holds a run of another competition: seed was 1",
        "--out",
    ]);
}

#[test]
fn a_plan_counts_the_wall_time_of_games_that_no_clock_of_a_bot_shows() {
    // It stays when its input ends, and costs a wait of 100 ms in every game.
    let stays = format!("{FIRST_LEGAL}\nwhile :; do :; done\n");
    let scene = Scene::new();
    scene.script("one", &stays).script("two", &stays);
    let flags = [&SMALL[..], &["--jobs", "1", "--lifetime", "game"]].concat();
    let told = plan(&scene, &flags).well().stdout;
    let time = told.split("\ntime            about ").nth(1);
    let mut words = time.expect("it is estimated").split(' ');
    let (number, unit) = (words.next().expect("told"), words.next().expect("told"));
    let seconds = match unit {
        "s" => number.parse().expect("a number"),
        "ms" => 0.0,
        _ => f64::INFINITY,
    };
    // 6 games with two bots each.
    assert!(seconds >= 6.0 * 2.0 * 0.1, "{told}");
}

#[test]
fn a_plan_warns_where_games_would_only_be_repeated() {
    let scene = Scene::new();
    scene.first_legal("one");
    let flags = ["--game", "reversi", "--with", "builtin:random"];
    let states = ["--states", "2"];
    let told = plan(&scene, &[&flags[..], &states].concat()).well().stdout;
    assert!(told.contains("all 2 initial states are the same"), "{told}");
}

/// Becomes ready and never answers again.
const SLEEPER: &str = r#"#!/bin/sh
while read -r line; do
  case $line in '{"hello"'*) echo '{"ready":{}}' ;; esac
done
"#;

#[test]
fn a_trial_that_brings_no_game_to_its_end_is_ended_and_says_what_the_clocks_allow() {
    let scene = Scene::new();
    scene.script("one", SLEEPER).script("two", SLEEPER);
    let flags = [
        "--game",
        "reversi",
        "--bank-s",
        "90",
        "--set",
        "clock.backstop_s=600",
    ];
    let flags = [&flags[..], &["--seconds", "1", "--jobs", "1"]].concat();
    let told = plan(&scene, &flags).well().stdout;
    // Two games, two clocks of 90 s each.
    for words in [
        "played 0 trial games",
        "no game ended within 1.00 s",
        "the clocks allow up to 6 min",
    ] {
        assert!(told.contains(words), "{words:?} is not in {told}");
    }
    assert_eq!(programs(&scene).len(), 1, "they are the same program");
}

#[test]
fn a_trial_that_is_cut_says_that_slow_games_are_missing_and_how_to_play() {
    let scene = Scene::new();
    scene
        .first_legal("one")
        .first_legal("two")
        .script("slow", SLEEPER);
    let flags = [
        &SMALL[..],
        &[
            "--set",
            "clock.backstop_s=600",
            "--jobs",
            "1",
            "--seconds=2",
        ],
    ]
    .concat();
    let told = plan(&scene, &flags).well().stdout;
    let cut = [
        "the trial stopped with games in play",
        "time            at least ",
    ];
    let none = ["no game ended within 2.00 s"];
    let has = |words: &[&str]| words.iter().all(|words| told.contains(words));
    assert!(has(&cut) || has(&none), "{told}");
    let command = told.lines().find(|line| line.starts_with("to play: "));
    assert!(command.is_none_or(|line| line.contains(" run ") && !line.contains("--seconds")));
}
