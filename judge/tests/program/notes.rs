//! Notes and marks of bots: what they say with their moves. They are kept next to standard error, for
//! the bot's author and staff. They change nothing, and cause no fault.

use crate::html::{check_in_browser, data};
use crate::support::{Has, Scene, game_lines, record, text_below};
use serde_json::Value;

/// A bot that says something with each move. Its words are hostile.
const SAYS: &str = include_str!("../bots/says.py");

fn silent() -> String {
    let lines = SAYS.split_inclusive('\n');
    lines.filter(|line| !line.contains("answer[\"")).collect()
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
    let [said, unsaid] = [SAYS, &silent()].map(|talker| {
        let scene = Scene::new();
        scene.script("talker", talker).script("zoe", &silent());
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

#[test]
fn only_author_and_staff_see_notes_of_bot() {
    let scene = Scene::new();
    let writes = "    print(f\"wrote at {ply}\", file=sys.stderr)\n    print(json.dumps(answer)";
    let talker = SAYS.replace("    print(json.dumps(answer)", writes);
    scene.script("talker", &talker).script("zoe", &silent());
    scene.run_by_secret("--game reversi --states 1").well();
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
        for words in ["thought at", "wrote at"] {
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
    scene.judge("view out 1");
    check_in_browser("said", &[&scene.out().join("game-1.html")]);
}

#[test]
fn no_fault_quotes_a_note() {
    let scene = Scene::new();
    let illegal = SAYS.replace("answer = {\"move\": move}", "answer = {\"move\": 64}");
    scene.script("zoe", &silent()).script("illegal", &illegal);
    scene.run("--game reversi --states 1").well();
    let faults = scene.cells("faults.csv", "entrant,cause,line");
    assert_eq!(faults, ["illegal,illegal-move,{\"move\":64}"; 2]);
    let log = scene.read("logs/stderr/illegal.txt");
    log.has(&["-- note thought at 0"]);
    scene.read("journal.jsonl").lacks(&["thought"]);
}
