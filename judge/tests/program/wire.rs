//! Every message form of the judge's own, under arbitrary and nearly right bytes: nothing panics,
//! and everything gets an answer. `engines` tests the games' own forms.

use model::note::{NOTE_BYTES_MAX, NOTES_BYTES_MAX, Note, one_line};
use model::protocol::{self, FromBot};
use proptest::collection::vec;
use proptest::prelude::*;

const ANSWERS: [&str; 6] = [
    r#"{"ready":{}}"#,
    r#"{"ready":{"name":"Tom","legal_moves":true}}"#,
    r#"{"move":[0,-1]}"#,
    r#"{"move":{"Spotter":{"direction":[0,1],"moves":[]}}}"#,
    r#"{"move":19,"note":"a\u001b\ud800b","marks":[{"at":19,"label":"7","strength":0.5}]}"#,
    r#"{"marks":[7,{"at":"d3"},{"at":[1,2],"label":-1}],"note":["x"],"move":19}"#,
];

const REQUESTS: [&str; 5] = [
    r#"{"about":{}}"#,
    r#"{"position":{"seed":7,"moves":[19]}}"#,
    r#"{"new":{"seed":1,"want":["legal","view","outcome","frame"]}}"#,
    r#"{"play":{"session":1,"moves":[19]}}"#,
    r#"{"close":{"session":1}}"#,
];

/// Returns one of these texts with a few of its bytes replaced, removed or inserted.
fn nearly(texts: &'static [&'static str]) -> impl Strategy<Value = Vec<u8>> {
    let edit = (any::<prop::sample::Index>(), any::<u8>(), 0..3_u8);
    (prop::sample::select(texts), vec(edit, 0..4)).prop_map(|(text, edits)| {
        let mut bytes = text.as_bytes().to_vec();
        for (place, byte, kind) in edits {
            let place = place.index(bytes.len());
            match kind {
                0 => bytes[place] = byte,
                1 => bytes.insert(place, byte),
                _ if bytes.len() > 1 => drop(bytes.remove(place)),
                _ => {}
            }
        }
        bytes
    })
}

fn serve(input: &[u8]) -> String {
    let rules = rulebook::rules::find("reversi").expect("registered");
    let mut output = Vec::new();
    let service = referee::service::Service::new(rules, None);
    referee::service::serve(service, input, &mut output).expect("memory does not fail");
    String::from_utf8(output).expect("answers are UTF-8")
}

proptest! {
    #[test]
    fn no_answer_of_a_bot_panics(bytes in prop_oneof![vec(any::<u8>(), 0..200), nearly(&ANSWERS)]) {
        if let Ok(FromBot::Move(answer)) = protocol::read(&bytes) {
            prop_assert!(!answer.mv.get().is_empty());
            let cell = |at: &str| at.len().checked_sub(3).map(|column| (column, 0));
            if let Some(note) = Note::read(answer.said, 1, NOTES_BYTES_MAX, &cell) {
                prop_assert!(note.bytes() - note.cut.len() <= NOTE_BYTES_MAX);
                prop_assert_eq!(one_line(&note.text), note.text);
            }
        }
    }

    #[test]
    fn read_move_is_exactly_sent_text(x in any::<i64>(), y in any::<i64>()) {
        let line = format!("{{\"move\":[{x},{y}]}}");
        let Ok(FromBot::Move(answer)) = protocol::read(line.as_bytes()) else {
            return Err(TestCaseError::fail(line));
        };
        prop_assert_eq!(answer.mv.get(), format!("[{x},{y}]"));
    }

    #[test]
    fn every_request_line_gets_one_json_line(
        lines in vec(prop_oneof![vec(any::<u8>(), 1..200), nearly(&REQUESTS)], 1..8),
    ) {
        let mut input = lines.join(&b'\n');
        input.push(b'\n');
        let output = serve(&input);
        for line in output.lines() {
            prop_assert!(serde_json::from_str::<serde_json::Value>(line).is_ok(), "{}", line);
        }
        let lines = input.split(|&byte| byte == b'\n').count() - 1;
        prop_assert_eq!(output.lines().count(), lines);
        // After any nonsense the service still knows the rules.
        input.extend_from_slice(b"{\"position\":{\"seed\":0}}\n");
        let last = serve(&input);
        let last = last.lines().last().unwrap_or_default();
        prop_assert!(last.contains("\"legal\":[19,26,37,44]"), "{}", last);
    }
}
