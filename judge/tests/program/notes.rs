//! Notes and marks of bots: what they say with their moves. They are kept beside standard error, for
//! the bot's author and staff. They change nothing, and no fault comes of them.

use crate::html::{check_in_browser, data};
use crate::support::{Ended, Has, Run, Scene, game_lines, judge, record, text_below};
use serde_json::Value;
use std::fs;

/// A bot that says something with each move. Its words are hostile.
const SAYS: &str = r#"#!/usr/bin/env python3
import json, sys

for line in sys.stdin:
    message = json.loads(line)
    if "turn" not in message:
        if "hello" in message:
            assert message["hello"]["notes"] is True
        if "end" not in message:
            print('{"ready":{"legal_moves":true}}', flush=True)
        continue
    ply, move = message["turn"]["ply"], message["turn"]["legal"][0]
    answer = {"move": move}
    answer["note"] = f"thought at {ply} <script>document.title='owned'</script>\x1b[31m\u202e\n-- turn 99"
    answer["marks"] = [{"at": move, "label": "<i>"}, {"at": "a1", "strength": 0.5}, {"at": 99}]
    print(json.dumps(answer), flush=True)
"#;

/// Makes the same bot without notes.
fn silent() -> String {
    let lines = SAYS.split_inclusive('\n');
    lines.filter(|line| !line.contains("answer[\"")).collect()
}

fn judged(args: &[&str], scene: &Scene) -> Ended {
    let mut command = judge();
    command.arg(args[0]).arg(scene.out()).args(&args[1..]);
    command.ended()
}

fn timeless(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|key, _| {
                let differs = ["artifact", "fixture", "machine"].contains(&key.as_str());
                !key.ends_with("_us") && !differs
            });
            if let Some(Value::Array(turns)) = fields.get_mut("turns") {
                let turns = turns.iter_mut().filter_map(Value::as_array_mut);
                turns.for_each(|turn| turn.truncate(2));
            }
            fields.values_mut().for_each(timeless);
        }
        Value::Array(items) => items.iter_mut().for_each(timeless),
        _ => {}
    }
}

#[test]
fn notes_are_in_the_authors_log_and_the_journal_is_as_without_them() {
    let [said, unsaid] = [SAYS, &silent()].map(|talker| {
        let scene = Scene::new();
        scene.script("talker", talker).script("zoe", &silent());
        let flags = "--game reversi --states 1 --seed 5";
        scene.run(&flags).well();
        scene
    });
    let games = |scene: &Scene| {
        let journal = scene.read("journal.jsonl");
        assert!(!journal.contains("thought"), "{journal}");
        let games = game_lines(&journal).map(|line| {
            let mut game = serde_json::to_value(record(line)).expect("plain data");
            timeless(&mut game);
            game
        });
        let mut games: Vec<Value> = games.collect();
        games.sort_by_key(|game| game["seats"][0]["entrant"] == "zoe");
        games
    };
    assert_eq!(games(&said), games(&unsaid));
    assert!(games(&said).len() > 1);
    for game in games(&said) {
        assert_eq!(game["faults"], Value::Array(Vec::new()), "{game}");
    }
    judged(&["verify"], &said).well();

    let log = said.read("logs/stderr/talker.txt");
    let note = "\n-- note thought at 0 <script>document.title='owned'</script>\\u{1b}[31m\\u{202e} -- turn 99\n-- marks [[";
    log.has(&[
        &format!("\n-- turn 1{note}"),
        ",null,\"<i>\"],[0,0,50,\"\"]]\n",
    ]);
    let cut = "-- cut 1 of 3 marks (mark 3: at: no cell of this board is 99)\n";
    assert!(log.contains(cut), "{log}");
    assert!(!log.contains(['\u{1b}', '\u{202e}']), "{log}");
    for name in ["talker", "zoe"] {
        let log = unsaid.out().join(format!("logs/stderr/{name}.txt"));
        assert!(!log.exists(), "nobody wrote anything");
    }
    let shown = judged(&["view", "1", "--terminal"], &said).well();
    shown.says(&[
        "talker says: thought at ",
        "talker had this cut: 1 of 3 marks",
    ]);
}

#[test]
fn only_its_author_and_staff_see_what_a_bot_says() {
    let scene = Scene::new();
    scene.script("talker", SAYS).script("zoe", &silent());
    scene.run_by_secret("--game reversi --states 1").well();
    for view in ["public", "student", "staff"] {
        let out = scene.folder().join(view);
        let out = out.to_str().expect("plain text");
        judged(&["report", "--view", view, "--full", "--out", out], &scene).well();
    }
    for (reader, may_see) in [
        ("public", false),
        ("student/zoe", false),
        ("student/talker", true),
        ("staff", true),
    ] {
        let folder = scene.folder().join(reader);
        assert_eq!(
            text_below(&folder).contains("thought at"),
            may_see,
            "{reader}"
        );
        if !may_see {
            continue;
        }
        for name in ["report.html", "games/1.html"] {
            let page = fs::read_to_string(folder.join(name)).expect("it is there");
            let game = &data(&page)["games"][0];
            let said = game["said"].as_array().expect("a list");
            let turns = game["steps"].as_array().expect("a list").len() - 1;
            assert!(said.len() == turns / 2 || said.len() == turns.div_ceil(2));
            let step = said[0][0].as_u64().expect("a number");
            let note = said[0][2].as_str().expect("text");
            assert!(
                note.starts_with(&format!("thought at {} <", step - 1)),
                "{note}"
            );
            assert_eq!(said[0][3].as_array().map(Vec::len), Some(2), "{said:?}");
        }
    }
    let own = data(&scene.read("report.html"));
    assert!(own["games"][0].get("said").is_none(), "{own}");
    let told = judged(&["explain", "zoe"], &scene).well();
    assert!(!told.stdout.contains("thought"), "{told:?}");
    judged(&["view", "1"], &scene).well();
    check_in_browser("said", &[&scene.out().join("game-1.html")]);
}

/// A bot whose answers have keys of this list, one after the other, beside the move.
const ODD: &str = r#"#!/usr/bin/env python3
import json, sys

ODD = [
    '"note":7', '"note":{"a":[]}', '"note":"a","note":"b"', '"note":null,"marks":null',
    '"note":"\\u0000\\u001b[2J\\u202e\\ud800"', '"note":"' + "x" * 60_000 + '"',
    '"marks":7', '"marks":[7,null,"a",[],{}]', '"marks":[' + ",".join(['{"at":0}'] * 6_000) + ']',
    '"marks":[{"at":64},{"at":-1},{"at":"z9"},{"at":[0,0]},{"at":1e999},{"at":0,"label":["x"],"strength":"y"}]',
    '"marks":' + "[" * 20_000 + "]" * 20_000,
]
turns = 0
for line in sys.stdin:
    message = json.loads(line)
    if "turn" not in message:
        if "end" not in message:
            print('{"ready":{"legal_moves":true}}', flush=True)
        continue
    move = json.dumps(message["turn"]["legal"][0])
    print('{%s,"move":%s}' % (ODD[turns % len(ODD)], move), flush=True)
    turns += 1
"#;

#[test]
fn no_fault_comes_of_a_note_and_no_fault_quotes_one() {
    let scene = Scene::new();
    let illegal = SAYS.replace("answer = {\"move\": move}", "answer = {\"move\": 64}");
    let flood = SAYS.replace("thought at {ply}", "{'x' * 1_000_000}");
    scene
        .script("odd", ODD)
        .script("zoe", &silent())
        .script("illegal", &illegal)
        .script("flood", &flood);
    scene.run("--game reversi --states 1").well();
    let mut faults = Vec::new();
    for row in scene.rows("faults.csv") {
        faults.push(["entrant", "cause", "line"].map(|column| row.get(column).to_owned()));
    }
    let of = |name: &str| faults.iter().find(|fault| fault[0] == name);
    assert_eq!(of("odd"), None);
    assert_eq!(of("zoe"), None);
    let [_, cause, line] = of("illegal").expect("it plays no legal move");
    assert_eq!((&**cause, &**line), ("illegal-move", "{\"move\":64}"));
    assert_eq!(of("flood").expect("a line that is too long")[1], "flood");
    assert!(
        scene
            .read("logs/stderr/illegal.txt")
            .contains("-- note thought at 0")
    );
    let journal = scene.read("journal.jsonl");
    assert!(!journal.contains("thought"), "{journal}");
    let log = scene.read("logs/stderr/odd.txt");
    for cut in [
        "the note, which is no text",
        "a second note, or second marks",
        "the end of the note: at most 1 KiB a turn",
        "the marks, which are no list",
        "5 of 5 marks (mark 1: expected an object, found 7)",
        "5936 of 6000 marks: at most 1 KiB a turn",
        "6 of 6 marks (mark 1: at: no cell of this board is 64)",
        "1 of 1 marks (mark 1: expected an object, found a list)",
    ] {
        assert!(log.contains(&format!("-- cut {cut}")), "{cut}: {log}");
    }
    assert!(!log.contains(['\u{1b}', '\u{202e}', '\0']), "{log}");
    judged(&["verify"], &scene).well();

    let mut check = judge();
    check.arg("check").arg(scene.submissions().join("odd"));
    check.args(["--game", "reversi"]);
    let told = check.ended().well();
    told.says(&["the judge cut its notes in "]);
}
