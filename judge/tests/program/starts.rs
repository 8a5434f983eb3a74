//! A file of start positions, and clocks of single entrants, up to the views.

use crate::support::{FIRST_LEGAL, Has, Run, Scene, copy_folder, text_below};

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
    scene.script("walter", &bot).script("zoe", &bot);
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
    scene.view("public", "public");
    scene.judge("verify public");
    scene.put("starts.jsonl", [STARTS[0], &empty].join("\n"));
    let refusal = [
        "initial state 1 was {\"board\":",
        "Choose another folder with --out",
    ];
    scene.run_as_is().refused(&refusal);
    let referee = "referee --competition submissions/competition.toml";
    let refusal = ["its starts are in a file", "send each start as `setup`"];
    scene.here(referee).ended().refused(&refusal);
}

#[test]
fn a_pool_is_played_against_and_not_ranked() {
    let scene = class(&STARTS, "");
    let against = |pools: &str| {
        let flags = "--game connect-four --states 8 --seed 1";
        let words = format!("run submissions/walter --out out {pools} {flags}");
        scene.here(&words).ended()
    };
    let ended = against("--against submissions --against builtin:random").well();
    ended.says(&[
        "walter plays against the pool, so the walter in it is left out",
        "against         games  won  drawn  lost  points",
        "zoe                16",
        "builtin:random     16",
        "  Elo",
    ]);
    let ranked = scene.ranked();
    assert_eq!(ranked.len(), 1, "{ranked:?}");
    assert_eq!(ranked[0].cells("entrant,games"), "walter,32");
    scene.does("verify", "");
    let head = "against         games  won  drawn  lost  points";
    scene.does("explain", "").says(&[head]);
    against("--against threats").refused(&[
        "--against threats: there is no such folder; the built-in bot is builtin:threats",
    ]);
    against("--against submissions/walter").refused(&["appears twice; remove one"]);
    let [walter, copy] =
        ["submissions/walter", "copy/walter"].map(|name| scene.folder().join(name));
    copy_folder(&walter, &copy);
    let refusal = ["--against names only bots that play against the pool"];
    against("--against copy").refused(&refusal);
    // The competition is the class's.
    scene.write("copy/competition.toml", "game = \"reversi\"\n");
    let class = scene.here("run submissions --against copy").ended();
    class.refused(&refusal);
}

#[test]
fn clocks_are_published_under_nicknames_without_own_names() {
    let clock = "[clock.entrants.zoe]\nturn_s = 2.5\n";
    let scene = class(&STARTS[..1], clock);
    let about = "nickname = \"Deep Thought\"\nrun = \"./bot\"\n";
    scene.sources("zoe", &[("judge.toml", about)]);
    scene.run_as_is().well();
    let run = scene.json("run.json");
    let clocks = &run["competition"]["conditions"]["clocks"];
    assert_eq!(clocks, &serde_json::json!({"zoe": {"turn_us": 2_500_000}}));
    scene.does("verify", "");
    let all = text_below(&scene.view("public", "public"));
    all.has(&["Deep Thought"]);
    all.lacks(&["zoe", "walter"]);
    scene.judge("verify public");
    scene.text("public/run.json").has(&["2500000"]);
    let longer = clock.replace("2.5", "3");
    scene.put("competition.toml", format!("{COMPETITION}{longer}"));
    let other = scene.run_as_is();
    other.refused(&["clock.entrants.zoe.turn_s was 2.5 and is now 3"]);

    let typo = class(&STARTS[..1], &clock.replace("zoe", "zoo")).run_as_is();
    typo.refused(&["[clock.entrants.zoo]: no entrant has this name (did you mean zoe?)"]);
    let by_flag = class(&STARTS[..1], "").run("--set clock.entrants.zoe.turn=2");
    by_flag.refused(&["--set clock.entrants.zoe.turn=2: unknown key `turn`"]);
}
