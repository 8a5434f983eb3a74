//! Notes and marks that bots send with their moves, and their standard error. Both are in the
//! author's log and next to the turns, for the bot's author and staff, and nowhere else. They change
//! nothing, and cause no fault.

use crate::html::data;
use crate::support::browser;
use crate::support::{Has, Scene, game_lines, record, text_below};
use serde_json::Value;

/// A bot that says something with each move, and writes its ply before its answer and after it. Its
/// words are hostile.
const TALKER: &str = include_str!("../bots/talker.py");

/// Marks of the talker's lines that say something, and of those that write something.
const SAYS: &str = "answer[\"";
const WRITES: &str = "sys.stderr";

/// Returns the talker without the lines that have these marks.
fn talker_without(marks: &[&str]) -> String {
    let lines = TALKER.split_inclusive('\n');
    lines
        .filter(|line| marks.iter().all(|mark| !line.contains(mark)))
        .collect()
}

fn silent() -> String {
    talker_without(&[SAYS, WRITES])
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
fn notes_are_logged_and_leave_journal_unchanged() {
    let [said, unsaid] = [talker_without(&[WRITES]), silent()].map(|talker| {
        let scene = Scene::new();
        scene.script("talker", &talker).script("zoe", &silent());
        scene.run("--game reversi --states 1 --seed 5").well();
        scene
    });
    let games = |scene: &Scene| {
        let journal = scene.read("journal.jsonl");
        journal.lacks(&["thought"]);
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
    said.judge("verify out");

    let log = said.read("logs/stderr/talker.txt");
    let note = "\n-- note thought at 0 <script>document.title='owned'</script>\\u{1b}[31m\\u{202e} -- turn 99\n-- marks [[";
    let cut = "-- cut 1 of 3 marks (mark 3: at: no cell of this board is 99)\n";
    log.has(&[
        &format!("\n-- turn 1{note}"),
        ",null,\"<i>\"],[0,0,50,\"\"]]\n",
        cut,
    ]);
    log.lacks(&["\u{1b}", "\u{202e}"]);
    for name in ["talker", "zoe"] {
        let log = unsaid.out().join(format!("logs/stderr/{name}.txt"));
        assert!(!log.exists(), "nobody wrote anything");
    }
    let shown = said.judge("view out 1 --terminal");
    shown.says(&[
        "talker says: thought at ",
        "talker had this cut: 1 of 3 marks",
    ]);
}

/// Shows the first game: each turn of the talker has its own output next to it, and no other step
/// has any.
fn shows_output_next_to_its_turn(scene: &Scene, lives_for_a_turn: bool) {
    scene.does("view", "1");
    let page = data(&scene.read("game-1.html"));
    let game = &page["games"][0];
    let steps = game["steps"].as_array().expect("a list").len() - 1;
    let wrote = game["wrote"].as_array().expect("a list");
    let mut turns = 0;
    for one in wrote {
        let step = one[0].as_u64().expect("a number");
        assert_eq!(one[1], wrote[0][1], "the other one is silent: {one}");
        let text = one[2].as_str().expect("text");
        assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text:?}");
        assert_eq!(text.contains("up <script>"), lives_for_a_turn || step == 0);
        if step > 0 {
            turns += 1;
            assert!(text.contains(&format!("asked at {}\\", step - 1)), "{one}");
            assert_eq!(text.matches("asked at").count(), 1, "{one}");
            assert!(text.contains(" -- turn 999"), "its own words: {one}");
        }
    }
    let halves = [steps / 2, steps.div_ceil(2)];
    assert!(halves.contains(&turns), "{turns} of {steps}");
    let log = scene.read("logs/stderr/talker.txt");
    let mut heads = ["\n-- turn 1\n", "\n-- turn 2\n"].into_iter();
    assert!(heads.any(|head| log.contains(head)), "{log}");
    log.has(&["\n == game forged\n"]);
    let own = data(&scene.read("report.html"));
    assert!(own["games"][0].get("wrote").is_none(), "{own}");
}

#[test]
fn process_per_turn_has_output_next_to_turn() {
    let scene = Scene::new();
    scene.script("talker", &talker_without(&[SAYS]));
    scene.script("zoe", &silent());
    let flags = "--game catch-the-cat --states 1 --set side=5";
    scene.run_by_secret(flags).well();
    shows_output_next_to_its_turn(&scene, true);
}

#[test]
fn author_and_staff_see_notes_and_output_alone() {
    let scene = Scene::new();
    scene.script("talker", TALKER).script("zoe", &silent());
    scene.run_by_secret("--game reversi --states 1").well();
    shows_output_next_to_its_turn(&scene, false);
    for view in ["public", "student", "staff"] {
        scene.judge(&format!("report out --view {view} --full --out {view}"));
    }
    for (reader, may_see) in [
        ("public", false),
        ("student/zoe", false),
        ("student/talker", true),
        ("staff", true),
    ] {
        let all = text_below(&scene.folder().join(reader));
        for words in ["thought at", "asked at"] {
            assert_eq!(all.contains(words), may_see, "{reader}: {words}");
        }
        if !may_see {
            continue;
        }
        for name in ["report.html", "games/1.html"] {
            let page = scene.text(&format!("{reader}/{name}"));
            let game = &data(&page)["games"][0];
            let said = game["said"].as_array().expect("a list");
            let turns = game["steps"].as_array().expect("a list").len() - 1;
            assert!(said.len() == turns / 2 || said.len() == turns.div_ceil(2));
            let step = said[0][0].as_u64().expect("a number");
            let note = said[0][2].as_str().expect("text");
            let begin = format!("thought at {} <", step - 1);
            assert!(note.starts_with(&begin), "{note}");
            assert_eq!(said[0][3].as_array().map(Vec::len), Some(2), "{said:?}");
        }
    }
    let own = data(&scene.read("report.html"));
    assert!(own["games"][0].get("said").is_none(), "{own}");
    scene.judge("explain out zoe").stdout.lacks(&["thought"]);
    let page = scene.out().join("game-1.html");
    let checks = ["said", "wrote"].map(|check| (check, vec![page.clone()]));
    browser::check("check.mjs", &checks);
}

#[test]
fn no_fault_quotes_a_note() {
    let scene = Scene::new();
    let illegal =
        talker_without(&[WRITES]).replace("answer = {\"move\": move}", "answer = {\"move\": 64}");
    scene.script("zoe", &silent()).script("illegal", &illegal);
    scene.run("--game reversi --states 1").well();
    let faults = scene.cells("faults.csv", "entrant,cause,line");
    assert_eq!(faults, ["illegal,illegal-move,{\"move\":64}"; 2]);
    let log = scene.read("logs/stderr/illegal.txt");
    log.has(&["-- note thought at 0"]);
    scene.read("journal.jsonl").lacks(&["thought"]);
}
