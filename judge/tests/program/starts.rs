//! A file of start positions, and clocks of single entrants, from the competition's file to the views.

use crate::support::{FIRST_LEGAL, Has, Run, Scene, copy_folder, judge};
use std::fs;

const COMPETITION: &str = "game = \"connect-four\"\nstates = \"starts.jsonl\"\n\
    [scoring]\npoints_per_cpu_second = 0\n[names]\npublic = \"nickname\"\n";

/// Two positions after one move each.
const STARTS: [&str; 2] = [
    r#"{"board":["R.....","......","......","......","......","......","......"]}"#,
    r#"{"board":["......","......","......","R.....","......","......","......"]}"#,
];

fn class(starts: &[&str], more: &str) -> Scene {
    let scene = Scene::new();
    // Moves of this game are single numbers.
    let bot = FIRST_LEGAL.replace(
        "{\\\"move\\\":${legal%%]*}]}",
        "{\\\"move\\\":${legal%%[],]*}}",
    );
    scene.script("ann", &bot).script("zoe", &bot);
    scene.put("competition.toml", format!("{COMPETITION}{more}"));
    scene.put("starts.jsonl", starts.join("\n"));
    scene
}

#[test]
fn start_positions_file_is_played_verified_and_published() {
    let scene = class(&STARTS, "");
    scene.run_as_is().well();
    assert_eq!(scene.rows("games.csv").len(), 4);
    let journal = scene.read("journal.jsonl");
    for start in STARTS {
        assert_eq!(journal.matches(start).count(), 2, "{journal}");
    }
    scene.does("verify", "").says(&["nothing differs"]);
    // A line more is a state more; what was played stays.
    let empty = STARTS[0].replace('R', ".");
    scene.put("starts.jsonl", [STARTS[0], STARTS[1], &empty].join("\n"));
    scene.run_as_is().well();
    assert!(scene.read("journal.jsonl").starts_with(&journal));
    assert_eq!(scene.rows("games.csv").len(), 6);
    let public = scene.view("public", "public");
    judge().arg("verify").arg(&public).ended().well();
    scene.put("starts.jsonl", [STARTS[0], &empty].join("\n"));
    let refused = scene.run_as_is();
    refused.refused(&[
        "initial state 1 was {\"board\":",
        "Choose another folder with --out",
    ]);
}

#[test]
fn a_pool_is_played_against_and_not_ranked() {
    let scene = class(&STARTS, "");
    let [ann, class] = ["ann", ""].map(|name| scene.submissions().join(name));
    let against = |pools: &[&str]| {
        let mut command = judge();
        command.arg("run").arg(&ann).arg("--out").arg(scene.out());
        for pool in pools {
            command.args(["--against", pool]);
        }
        command.args(["--game", "connect-four", "--states", "8", "--seed", "1"]);
        command.ended()
    };
    let class = class.to_str().expect("UTF-8");
    let ended = against(&[class, "builtin:random"]).well();
    ended.says(&[
        "ann plays against the pool, so the ann in it is left out",
        "against         games  won  drawn  lost  points",
        "zoe                16",
        "builtin:random     16",
        "  Elo",
    ]);
    let ranked = scene.ranked();
    assert_eq!(ranked.len(), 1, "{ranked:?}");
    assert_eq!(
        (ranked[0].get("entrant"), ranked[0].get("games")),
        ("ann", "32")
    );
    scene.does("verify", "");
    scene
        .does("explain", "")
        .says(&["against         games  won  drawn  lost  points"]);
    against(&["threats"]).refused(&[
        "--against threats: there is no such folder; the built-in bot is builtin:threats",
    ]);
    let alone = ann.to_str().expect("UTF-8");
    against(&[alone]).refused(&["appears twice; remove one"]);
    let copy = scene.folder().join("copy");
    copy_folder(&ann, &copy.join("ann"));
    against(&[copy.to_str().expect("UTF-8")])
        .refused(&["--against names only bots that play against the pool"]);
    // The competition is the class's.
    fs::write(copy.join("competition.toml"), "game = \"reversi\"\n").expect("writable");
    let mut command = judge();
    command.args(["run", class, "--against"]).arg(&copy);
    (command.ended()).refused(&["--against names only bots that play against the pool"]);
}

#[test]
fn a_referee_refuses_a_file_of_start_positions() {
    let scene = class(&STARTS, "");
    let file = scene.submissions().join("competition.toml");
    let mut command = judge();
    command.args(["referee", "--competition"]).arg(file);
    (command.ended()).refused(&["its starts are in a file", "send each start as `setup`"]);
}

#[test]
fn clocks_are_published_under_public_entrant_names() {
    let clock = "[clock.entrants.zoe]\nturn_s = 2.5\n";
    let scene = class(&STARTS[..1], clock);
    scene.run_as_is().well();
    let run: serde_json::Value = serde_json::from_str(&scene.read("run.json")).expect("JSON");
    let clocks = &run["competition"]["conditions"]["clocks"];
    assert_eq!(clocks, &serde_json::json!({"zoe": {"turn_us": 2_500_000}}));
    scene.does("verify", "");
    let public = scene.view("public", "public");
    judge().arg("verify").arg(&public).ended().well();
    let text = fs::read_to_string(public.join("run.json")).expect("there");
    text.has(&["2500000"]);
    assert!(!text.contains("zoe"), "{text}");
    scene.put(
        "competition.toml",
        format!("{COMPETITION}{}", clock.replace("2.5", "3")),
    );
    let other = scene.run_as_is();
    other.refused(&["clock.entrants.zoe.turn_s was 2.5 and is now 3"]);

    let typo = class(&STARTS[..1], &clock.replace("zoe", "zoo")).run_as_is();
    typo.refused(&["[clock.entrants.zoo]: no entrant has this name (did you mean zoe?)"]);
    let by_flag = class(&STARTS[..1], "").run("--set clock.entrants.zoe.turn=2");
    by_flag.refused(&["--set clock.entrants.zoe.turn=2: unknown key `turn`"]);
}
