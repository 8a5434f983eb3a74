//! Tests of the text of a difference.

use crate::games::{Scene, refereed};
use crate::players::{Crime, Misdeed};
use model::fault::Phase;
use model::record::MatchRecord;

#[test]
fn difference_names_place_expected_and_found_values() {
    let scene = Scene::of(0).with(Crime {
        seat: 1,
        phase: Phase::Turn,
        number: 1,
        misdeed: Misdeed::Crashes,
    });
    let text = serde_json::to_string(&scene.play()).expect("plain data");
    // Changes in the record's text, and the differences that each causes.
    let rows: Vec<(String, String, Vec<String>)> =
        serde_json::from_str(include_str!("told.json")).expect("JSON");
    for (old, new, said) in rows {
        let changed = text.replacen(&old, &new, 1);
        assert_ne!(changed, text, "{old}");
        let record: MatchRecord = serde_json::from_str(&changed).expect("a record");
        assert_eq!(refereed(&scene.conditions(), &record), said, "{new}");
    }
}
