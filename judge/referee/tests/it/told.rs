//! Tests of the text of a difference.

use crate::games::{Scene, refereed};
use crate::players::{Crime, Misdeed};
use model::fault::Phase;
use model::record::MatchRecord;

/// A change in a record's text, and the differences that it causes.
const ROWS: [(&str, &str, &[&str]); 14] = [
    (r#""v":5"#, r#""v":2"#, &["v: expected 5, found 2"]),
    (
        r#""game":"catch-the-cat""#,
        r#""game":"reversi""#,
        &[r#"game: expected "catch-the-cat", found "reversi""#],
    ),
    (
        r#""side":5"#,
        r#""side":6"#,
        &[
            r#"setup: expected one that the rules allow, found {"side":6,"world":"1000000000000000000000000"}: side 6 is not allowed: a side is 5, 9, 13, … (4k+1), at most 101"#,
        ],
    ),
    (
        r#""side":5,"#,
        r#""side": 5,"#,
        &[
            r#"setup: expected {"side":5,"world":"1000000000000000000000000"}, found {"side": 5,"world":"1000000000000000000000000"}"#,
        ],
    ),
    (
        "[[0,[0,-1],",
        "[[0,[0, -1],",
        &["turn 0 of seat 0, move: expected [0,-1], found [0, -1]"],
    ),
    (
        "[[0,[0,-1],",
        "[[0,[0,-2],",
        &[
            "turn 0 of seat 0, move: expected a legal move, found [0,-2] (the cat cannot go from \
             (0,0) to (0,-2): the cell is not one of its six \
             neighbours)",
        ],
    ),
    (
        "[[0,[0,-1],",
        "[[1,[0,-1],",
        &[
            "turn 0 of seat 1, seat: expected 0, found 1",
            "seat 0, cpu_us: expected 110, found 210",
            "seat 0, wall_us: expected 171, found 341",
            "seat 1, cpu_us: expected 312, found 212",
            "seat 1, wall_us: expected 511, found 341",
        ],
    ),
    (
        "[[0,[0,-1],100,",
        "[[0,[0,-1],200001,",
        &[
            "turn 0 of seat 0, cpu_us: expected at most 200000, or a fault, found 200001",
            "seat 0, cpu_us: expected 200111, found 210",
        ],
    ),
    (
        ",[1,null,111,171]]",
        "]",
        &[
            "turns: expected turn 3 of seat 1, found the end of the record",
            "seat 1, cpu_us: expected 101, found 212",
            "seat 1, wall_us: expected 170, found 341",
        ],
    ),
    (
        r#""ply":3"#,
        r#""ply":2"#,
        &["fault 0 of seat 1, ply: expected 3, found 2"],
    ),
    (
        r#""cause":"crash","detail""#,
        r#""cause":"exit","detail""#,
        &[
            r#"fault 0 of seat 1, exit: expected one that fits the cause exit, found {"signal":11}"#,
            r#"end: expected {"fault":{"cause":"exit","seat":1}}, found {"fault":{"cause":"crash","seat":1}}"#,
        ],
    ),
    (
        r#""end":{"fault":{"cause":"crash","seat":1}}"#,
        r#""end":"rules""#,
        &[r#"end: expected {"fault":{"cause":"crash","seat":1}}, found "rules""#],
    ),
    (
        r#""points":10"#,
        r#""points":11"#,
        &["outcome of seat 0, points: expected 10, found 11"],
    ),
    (
        r#""off_turn_us":1"#,
        r#""off_turn_us":211"#,
        &["seat 0, off_turn_us: expected at most 210, found 211"],
    ),
];

#[test]
fn a_difference_names_its_place_and_what_was_expected_and_found() {
    let scene = Scene::of(0).with(Crime {
        seat: 1,
        phase: Phase::Turn,
        number: 1,
        misdeed: Misdeed::Crashes,
    });
    let text = serde_json::to_string(&scene.play()).expect("plain data");
    for (old, new, said) in ROWS {
        let changed = text.replacen(old, new, 1);
        assert_ne!(changed, text, "{old}");
        let record: MatchRecord = serde_json::from_str(&changed).expect("a record");
        let differences = refereed(&scene.conditions(), &record);
        let told: Vec<String> = differences.iter().map(ToString::to_string).collect();
        assert_eq!(told, said, "{new}");
    }
}
