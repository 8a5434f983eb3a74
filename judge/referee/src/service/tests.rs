//! Tests of the loop and its limits, without a process.

use super::wire::{TurnAction, TurnRequest};
use super::*;
use engines::Seat;
use rulebook::rules::Rules;
use serde_json::Value;
use serde_json::value::RawValue;
use std::cell::RefCell;
use std::convert::Infallible;
use std::io::Read;
use std::rc::Rc;
use std::sync::Arc;

fn reversi() -> Arc<dyn Rules> {
    rulebook::rules::find("reversi").expect("registered")
}

/// The calls that the loop made on its input and output, in order.
#[derive(Clone, Default)]
struct IoLog(Rc<RefCell<Vec<String>>>);

impl IoLog {
    fn add(&self, event: String) {
        self.0.borrow_mut().push(event);
    }
}

/// An input that hands out one chunk at a time, as a pipe does.
struct Chunks {
    left: Vec<&'static [u8]>,
    log: IoLog,
}

impl BufRead for Chunks {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.log.add("wait".to_owned());
        Ok(self.left.first().copied().unwrap_or_default())
    }

    fn consume(&mut self, count: usize) {
        if let Some(first) = self.left.first_mut() {
            *first = &first[count..];
            if first.is_empty() {
                self.left.remove(0);
            }
        }
    }
}

impl Read for Chunks {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        panic!("the loop reads through the buffer")
    }
}

/// An output that logs its writes and flushes.
struct Writes(IoLog);

impl Write for Writes {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(bytes);
        self.0.add(format!("{} answers", text.lines().count()));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.add("flush".to_owned());
        Ok(())
    }
}

fn served(input: &[u8]) -> Vec<Value> {
    let mut output = Vec::new();
    serve(Service::new(reversi(), None), input, &mut output).expect("memory");
    let text = String::from_utf8(output).expect("UTF-8");
    assert!(text.is_empty() || text.ends_with('\n'));
    let lines = text.lines();
    lines
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

fn answer_of(service: &mut Service, line: &str) -> Value {
    let mut out = Vec::new();
    let answered = service.answer(line.as_bytes(), &mut out);
    answered.expect("built-in rules do not fail");
    serde_json::from_slice(&out).expect("JSON")
}

#[test]
fn answers_are_flushed_before_wait_not_per_line() {
    let log = IoLog::default();
    let input = Chunks {
        left: vec![
            b"{\"about\":{}}\n{\"about\":{}}\n{\"about\":{}}\n{\"abo",
            b"ut\":{}}\n",
            b"{\"about\"",
        ],
        log: log.clone(),
    };
    serve(Service::new(reversi(), None), input, Writes(log.clone())).expect("memory");
    assert_eq!(
        log.0.take().join(", "),
        "wait, 3 answers, flush, wait, 1 answers, flush, wait, flush, wait, 1 answers, flush"
    );
}

#[test]
fn buffered_answers_exceed_limit_by_one_at_most() {
    struct Largest(usize);
    impl Write for Largest {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 = self.0.max(bytes.len());
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let request = b"{\"position\":{\"seed\":1,\"want\":[\"frame\"]}}\n";
    let mut one = Vec::new();
    serve(Service::new(reversi(), None), &request[..], &mut one).expect("memory");
    let mut largest = Largest(0);
    let many = request.repeat(10_000);
    serve(Service::new(reversi(), None), &many[..], &mut largest).expect("memory");
    assert!(largest.0 < ANSWERS_BYTES + one.len(), "{}", largest.0);
}

#[test]
fn line_at_limit_is_read_longer_line_refused() {
    let padded = |bytes: usize| {
        let mut line = b"{\"about\":{}}".to_vec();
        line.resize(bytes, b' ');
        line.extend_from_slice(b"\n{\"about\":{}}\n");
        line
    };
    let answers = served(&padded(LINE_BYTES_MAX));
    assert!(answers.iter().all(|answer| answer.get("about").is_some()));
    let answers = served(&padded(LINE_BYTES_MAX + 1));
    assert_eq!(answers.len(), 2);
    let error = &answers[0]["error"];
    assert_eq!(error["message"], "the line has more than 1048576 bytes");
    let quoted = error["line"].as_str().expect("a text");
    assert!(quoted.starts_with("{\"about\":{}}") && quoted.len() < 1000);
    assert!(answers[1].get("about").is_some());
}

#[test]
fn sessions_are_bounded_and_numbers_never_reused() {
    let mut service = Service::new(reversi(), None);
    let mut ask = |line: &str| answer_of(&mut service, line);
    let new = "{\"new\":{\"seed\":1,\"want\":[]}}";
    for number in 1..=SESSIONS_MAX {
        assert_eq!(ask(new)["position"]["session"], number);
    }
    for refused in [new, "{\"copy\":{\"session\":1}}"] {
        let error = &ask(refused)["error"];
        assert_eq!(error["kind"], "session");
        let words = "4096 sessions are open, which is the maximum; close one";
        assert_eq!(error["message"], words);
    }
    assert_eq!(ask("{\"close\":{\"session\":7}}")["closed"]["session"], 7);
    for gone in ["close", "show", "copy"] {
        let error = &ask(&format!("{{\"{gone}\":{{\"session\":7}}}}"))["error"];
        assert_eq!(error["message"], "no session 7 is open");
    }
    assert_eq!(ask(new)["position"]["session"], SESSIONS_MAX + 1);
}

#[test]
fn a_copy_goes_its_own_way() {
    let answers = served(
        b"{\"new\":{\"seed\":1}}\n{\"copy\":{\"session\":1}}\n\
          {\"play\":{\"session\":2,\"move\":19}}\n{\"show\":{\"session\":1}}\n",
    );
    let position = |answer: usize| &answers[answer]["position"];
    assert_eq!(position(2)["ply"], 1);
    assert_eq!(position(3)["ply"], 0);
    assert_eq!(position(3)["to_move"], position(0)["to_move"]);
}

#[test]
fn refused_turn_leaves_session_unchanged() {
    let refused = include_str!("refused_turns.txt").lines();
    let refused = refused.map(|row| row.split_once(" => ").expect("a row"));
    let pairs = refused.clone().map(|(_, turn)| {
        format!("\n{{\"play\":{{\"session\":1,{turn}}}}}\n{{\"show\":{{\"session\":1}}}}")
    });
    let input = "{\"new\":{\"seed\":1}}".to_owned() + &pairs.collect::<String>();
    let answers = served(input.as_bytes());
    let first = &answers[0]["position"]["to_move"];
    assert_eq!(answers.len(), 1 + 2 * refused.clone().count());
    for (pair, (kind, turn)) in answers[1..].chunks(2).zip(refused) {
        assert_eq!(pair[0]["error"]["kind"], kind, "{turn}: {}", pair[0]);
        assert_eq!(&pair[1]["position"]["to_move"], first, "{turn}");
        assert_eq!(pair[1]["position"]["ply"], 0, "{turn}");
    }
}

/// Each row has a request, the kind of its refusal, and the message, or a part of it before "…".
#[test]
fn wrong_requests_are_refused_in_words() {
    for row in include_str!("refused.jsonl").lines() {
        let (line, kind, words): (String, String, String) = serde_json::from_str(row).expect("row");
        let error = &served(line.as_bytes())[0]["error"];
        assert_eq!(error["kind"], kind, "{line}");
        let message = error["message"].as_str().expect("a text");
        match words.strip_suffix('…') {
            Some(part) => assert!(message.contains(part), "{line}: {message}"),
            None => assert_eq!(message, words, "{line}"),
        }
    }
}

#[test]
fn long_name_in_request_makes_short_answer() {
    let name = "\u{1b}`, expected x".repeat(1 << 15);
    let quoted = serde_json::json!(name).to_string();
    for line in [
        format!("{{{quoted}:1}}"),
        format!("{{\"about\":{{{quoted}:1}}}}"),
        format!("{{\"position\":{{\"seed\":{quoted}}}}}"),
        format!("{{\"position\":{{\"seed\":1,\"want\":[{quoted}]}}}}"),
        format!("{{\"position\":{{\"seed\":1,\"config\":{{{quoted}:1}}}}}}"),
        format!("{{\"position\":{{\"seed\":1,\"moves\":[{quoted}]}}}}"),
        format!("{{\"position\":{{\"seed\":1,\"moves\":[{{{quoted}:1}}]}}}}"),
        format!("{{\"position\":{{\"setup\":{{{quoted}:1}}}}}}"),
        format!("{{\"position\":{{\"setup\":{{\"board\":{quoted},\"to_move\":\"black\"}}}}}}"),
        format!("{{\"position\":{{\"setup\":{{\"board\":\"\",\"to_move\":{quoted}}}}}}}"),
        quoted.clone(),
        name.clone(),
    ] {
        assert!(line.len() < LINE_BYTES_MAX);
        let answer = &served(line.as_bytes())[0]["error"];
        let message = answer["message"].as_str().expect("a text");
        assert!(message.chars().count() < 400, "{message}");
        assert!(answer.to_string().len() < 4000, "{answer}");
        assert!(!message.contains('\u{1b}'), "{message}");
    }
}

#[test]
fn forfeit_of_lost_seat_takes_no_turn() {
    let rules = rulebook::rules::find("monkey-metal-man").expect("registered");
    let mut service = Service::new(Arc::clone(&rules), None);
    let mut ask = |line: &str| {
        let answer = answer_of(&mut service, line);
        answer["position"]["ply"].as_u64().expect("a position")
    };
    assert_eq!(ask("{\"new\":{\"seed\":1,\"want\":[]}}"), 0);
    for _ in 0..rules.info().plies_max {
        let gone = "{\"play\":{\"session\":1,\"seat\":1,\"forfeit\":\"gone\",\"want\":[]}}";
        assert_eq!(ask(gone), 0, "it is not to move");
    }
    let own = "{\"play\":{\"session\":1,\"seat\":0,\"forfeit\":\"time\",\"want\":[]}}";
    assert_eq!(ask(own), 1);
}

#[test]
fn null_field_counts_as_omitted() {
    let with = served(
        b"{\"position\":{\"setup\":null,\"seed\":1,\"config\":null,\"moves\":null,\"turns\":null,\"want\":null}}",
    );
    assert_eq!(with, served(b"{\"position\":{\"seed\":1}}"));
    let turn = "{\"seat\":null,\"move\":19,\"forfeit\":null}";
    let line = format!("{{\"position\":{{\"seed\":1,\"turns\":[{turn}]}}}}");
    let plain = served(b"{\"position\":{\"seed\":1,\"moves\":[19]}}");
    assert_eq!(served(line.as_bytes()), plain);
}

#[test]
fn waiting_seat_may_forfeit() {
    let answers =
        served(b"{\"position\":{\"seed\":1,\"turns\":[{\"seat\":1,\"forfeit\":\"gone\"}]}}");
    let position = &answers[0]["position"];
    assert_eq!(position["to_move"], serde_json::json!([]));
    assert_eq!(position["outcome"]["reason"], "white's program is gone");
}

#[test]
fn rule_breaking_move_is_applied_as_game_defines() {
    let illegal = "{\"move\":0,\"forfeit\":\"illegal\"}";
    let line = format!("{{\"position\":{{\"seed\":1,\"turns\":[{illegal}]}}}}");
    let outcome = &served(line.as_bytes())[0]["position"]["outcome"];
    assert_eq!(outcome["reason"], "black moved illegally");

    let monkey = rulebook::rules::find("monkey-metal-man").expect("registered");
    let config = monkey.configure("{}").expect("the defaults");
    let setup = monkey.draw(&config, 1).expect("allowed");
    let mut game = CountedPosition::start(&*monkey, &setup).expect("valid");
    let mv = r#"{"Spotter":{"direction":[7,7]},"Assasin":{"direction":[0,1],"moves":[[0,1]]}}"#;
    let mv: Box<RawValue> = serde_json::from_str(mv).expect("JSON");
    let turn = TurnRequest {
        seat: None,
        action: TurnAction::Broken(&mv),
    };
    game.play(turn).expect("half of it");
    let mut view = Vec::new();
    let written = game.game.write_view(Seat::new(0), &mut view);
    written.expect("built-in rules do not fail");
    let view: Value = serde_json::from_slice(&view).expect("JSON");
    assert_eq!(view["assasin location"], serde_json::json!([0, 2]));
    assert_eq!(view["spotter direction"], serde_json::json!([1, 0]));
}

#[test]
fn overlong_line_is_kept_only_to_detect_length() {
    let mut lines = Lines::default();
    let mut lengths = Vec::new();
    let mut each = |line: &[u8]| {
        lengths.push(line.len());
        Ok::<(), Infallible>(())
    };
    let chunk = vec![b'x'; 1 << 16];
    for _ in 0..64 {
        let Ok(()) = lines.feed(&chunk, &mut each);
        assert!(lines.begun.capacity() <= 2 * (LINE_BYTES_MAX + 1));
    }
    let Ok(()) = lines.feed(b"\nnext\n", &mut each);
    assert_eq!(lengths, [LINE_BYTES_MAX + 1, 4]);
}
