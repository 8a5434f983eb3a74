//! `judge referee`, the real program from end to end.

use crate::support::failing_rules::FailingRules;
use crate::support::page::texts;
use crate::support::{Ended, PATIENCE, judge};
use engines::erased::AnyGame;
use engines::{Entry, Forfeit, GAMES};
use rulebook::rules::Rules;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Output, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};
use std::thread;

fn referee(game: &str) -> Command {
    let mut command = judge();
    command.args(["referee", game]);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Writes all of `input` while another thread reads the answers, because a pipe holds little.
fn output_of(mut command: Command, input: Vec<u8>) -> Output {
    let mut child = command.spawn().expect("the program starts");
    let mut stdin = child.stdin.take().expect("piped");
    let writer = thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().expect("it ends");
    writer.join().expect("no panic").expect("all was read");
    output
}

/// Asks everything at once and returns the answers.
fn ask(game: &str, input: impl Into<Vec<u8>>) -> Vec<String> {
    let ended = Ended::of(output_of(referee(game), input.into())).well();
    assert_eq!(ended.stderr, "");
    assert!(ended.stdout.is_empty() || ended.stdout.ends_with('\n'));
    ended.stdout.lines().map(str::to_owned).collect()
}

#[test]
fn the_requests_in_the_help_are_answered() {
    let help = Ended::of(judge().args(["referee", "-h"]).output().expect("it starts")).well();
    let requests = help.stdout.lines().filter_map(|line| {
        let request = line.trim().split("  ").next();
        request.filter(|request| request.starts_with('{'))
    });
    let requests: Vec<&str> = requests.collect();
    let answers = ask("reversi", requests.join("\n") + "\n");
    assert_eq!((requests.len(), answers.len()), (4, 4));
    for answer in answers {
        assert!(answer.starts_with("{\"position\":{"), "{answer}");
    }
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// A dialogue: one request, one answer.
struct Dialogue {
    child: Child,
    stdin: Option<ChildStdin>,
    answers: Receiver<String>,
}

impl Dialogue {
    fn with(game: &str) -> Self {
        let mut child = referee(game).spawn().expect("the program starts");
        let stdin = child.stdin.take();
        let stdout = BufReader::new(child.stdout.take().expect("piped"));
        let (sender, answers) = mpsc::channel();
        thread::spawn(move || {
            for line in stdout.lines() {
                if sender.send(line.expect("UTF-8")).is_err() {
                    return;
                }
            }
        });
        Self {
            child,
            stdin,
            answers,
        }
    }

    fn ask(&mut self, request: &str) -> Value {
        let stdin = self.stdin.as_mut().expect("open");
        writeln!(stdin, "{request}").expect("it reads");
        let answer = self.answers.recv_timeout(PATIENCE);
        parsed(&answer.expect("an answer, though standard input is open"))
    }

    /// Closes the input and waits for the end.
    fn close(mut self) {
        drop(self.stdin.take());
        let status = self.child.wait().expect("it ends");
        assert_eq!(status.code(), Some(0));
        assert!(self.answers.recv_timeout(PATIENCE).is_err(), "nothing more");
    }
}

#[test]
fn the_requests_on_the_page_have_the_answers_on_the_page() {
    let mut examples = 0;
    for entry in GAMES {
        let slug = entry.info.slug;
        let blocks = texts(&format!("json referee {slug}"));
        let pairs: Vec<(&str, &str)> = blocks
            .iter()
            .map(|block| {
                let lines: Vec<&str> = block.lines().collect();
                let [request, answer] = lines[..] else {
                    panic!("a request and its answer: {block}");
                };
                (request, answer)
            })
            .collect();
        let requests: Vec<&str> = pairs.iter().map(|&(request, _)| request).collect();
        let answers = ask(slug, requests.join("\n"));
        assert_eq!(answers.len(), pairs.len());
        for (answer, (request, shown)) in answers.iter().zip(&pairs) {
            assert_eq!(answer, shown, "{request}");
        }
        examples += pairs.len();
    }
    assert!(examples > 15, "the page has examples");
}

/// A random game by the engine itself, with the expected answers.
struct Played {
    setup: Box<RawValue>,
    /// The fields of each turn in a request.
    turns: Vec<String>,
    /// The expected answer before the first turn and after each turn.
    positions: Vec<Value>,
}

const FORFEITS: [(Forfeit, &str); 4] = [
    (Forfeit::Illegal, "illegal"),
    (Forfeit::Malformed, "malformed"),
    (Forfeit::Time, "time"),
    (Forfeit::Gone, "gone"),
];

/// Plays random legal moves to the end; every `forfeits`th turn is a forfeit.
fn play(entry: &'static Entry, seed: u64, forfeits: usize) -> Played {
    let config = entry.configure("{}").expect("the defaults are allowed");
    let setup = entry.draw(&config, seed).expect("allowed");
    let mut game = entry.start(&setup).expect("valid");
    let mut played = Played {
        setup,
        turns: Vec::new(),
        positions: vec![described(game.as_ref(), 0)],
    };
    let mut dice = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    while let Some(seat) = game.to_move().first() {
        // xorshift64 is enough for a test.
        dice ^= dice << 13;
        dice ^= dice >> 7;
        dice ^= dice << 17;
        let turn = played.turns.len() + 1;
        if turn.is_multiple_of(forfeits) {
            let (why, name) = FORFEITS[usize::try_from(dice % 4).expect("below 4")];
            game.forfeit(seat, why);
            let seat = seat.index();
            played
                .turns
                .push(format!("\"seat\":{seat},\"forfeit\":\"{name}\""));
        } else {
            let legal = game.legal_moves(seat);
            let mv = &legal[usize::try_from(dice >> 32).expect("64 bits") % legal.len()];
            game.play(seat, mv).expect("listed");
            played.turns.push(format!("\"move\":{mv}"));
        }
        played.positions.push(described(game.as_ref(), turn));
    }
    played
}

/// Returns the expected answer for a position when all fields are requested.
fn described(game: &dyn AnyGame, ply: usize) -> Value {
    let written = |write: &dyn Fn(&mut Vec<u8>)| {
        let mut out = Vec::new();
        write(&mut out);
        serde_json::from_slice::<Value>(&out).expect("JSON")
    };
    let view = |seat| written(&|out| game.write_view(seat, out));
    let to_move: Vec<Value> = game
        .to_move()
        .iter()
        .map(|seat| {
            let legal = written(&|out| game.write_legal_moves(seat, out));
            json!({"seat": seat, "legal": legal, "view": view(seat)})
        })
        .collect();
    let views: Vec<Value> = (0..game.seats())
        .map(|seat| view(engines::Seat::new(seat)))
        .collect();
    let mut position =
        json!({"ply": ply, "to_move": to_move, "views": views, "frame": game.frame()});
    if let Some(outcome) = game.outcome() {
        position["outcome"] = json!(outcome);
    }
    position
}

const EVERYTHING: &str = "\"want\":[\"legal\",\"view\",\"views\",\"outcome\",\"frame\"]";

/// Returns requests for a whole game in a session, and for three of its positions.
fn requests_of(played: &Played, seed: u64) -> Vec<(String, Value)> {
    let Played {
        setup,
        turns,
        positions,
    } = played;
    let in_session = |ply: usize| {
        let mut position = positions[ply].clone();
        position["session"] = json!(seed);
        position
    };
    let mut first = in_session(0);
    first["setup"] = parsed(setup.get());
    let new = format!("{{\"new\":{{\"seed\":{seed},{EVERYTHING}}}}}");
    let mut requests = vec![(new, first)];
    for (ply, turn) in turns.iter().enumerate() {
        let play = format!("{{\"play\":{{\"session\":{seed},{turn},{EVERYTHING}}}}}");
        requests.push((play, in_session(ply + 1)));
    }
    for ply in [0, turns.len() / 2, turns.len()] {
        let objects = turns[..ply].iter().map(|turn| format!("{{{turn}}}"));
        let list = objects.collect::<Vec<_>>().join(",");
        let position =
            format!("{{\"position\":{{\"setup\":{setup},\"turns\":[{list}],{EVERYTHING}}}}}");
        requests.push((position, positions[ply].clone()));
    }
    requests
}

#[test]
fn in_every_game_random_play_through_the_service_agrees_with_the_engine() {
    for entry in GAMES {
        let games = [(1, usize::MAX), (2, usize::MAX), (3, 7)];
        let requests =
            games.map(|(seed, forfeits)| requests_of(&play(entry, seed, forfeits), seed));
        let (requests, expected): (Vec<String>, Vec<Value>) =
            requests.into_iter().flatten().unzip();
        let answers = ask(entry.info.slug, requests.join("\n"));
        assert_eq!(answers.len(), expected.len(), "{entry:?}");
        for (answer, expected) in answers.iter().zip(expected) {
            assert_eq!(parsed(answer), json!({ "position": expected }), "{entry:?}");
        }
    }
}

#[test]
fn each_request_of_a_dialogue_is_answered_while_the_input_stays_open() {
    let mut dialogue = Dialogue::with("catch-the-cat");
    let new = dialogue.ask("{\"new\":{\"seed\":5,\"config\":{\"side\":5}}}");
    let mut position = new["position"].clone();
    let mut plies = 0;
    while let Some(first) = position["to_move"][0]["legal"].get(0) {
        plies += 1;
        let request = json!({"play": {"session": 1, "move": first}});
        position = dialogue.ask(&request.to_string())["position"].clone();
        assert_eq!(position["ply"], plies);
    }
    assert_eq!(position["to_move"], json!([]));
    assert_eq!(
        position["outcome"]["seats"].as_array().map(Vec::len),
        Some(2)
    );
    let after = dialogue.ask("{\"play\":{\"session\":1,\"move\":[0,0]}}");
    assert_eq!(after["error"]["kind"], "over");
    dialogue.close();
}

#[test]
fn a_line_that_is_no_request_is_answered_by_its_reason_and_the_service_goes_on() {
    let deep = "[".repeat(100_000);
    let lines: Vec<Vec<u8>> = vec![
        b"".to_vec(),
        b"   ".to_vec(),
        b"hello".to_vec(),
        b"null".to_vec(),
        b"[]".to_vec(),
        b"{}".to_vec(),
        b"{\"positoin\":{}}".to_vec(),
        b"{\"about\":{},\"about\":{}}".to_vec(),
        b"{\"about\":{}} {}".to_vec(),
        b"{\"about\":null}".to_vec(),
        b"{\"about\":{\"x\":1}}".to_vec(),
        b"{\"position\":{\"seed\":1,\"moves\":19}}".to_vec(),
        b"{\"position\":{\"seed\":1e99}}".to_vec(),
        b"{\"play\":{\"session\":-1,\"move\":19}}".to_vec(),
        b"{\"position\":{\"seed\":1".to_vec(),
        b"\xff\xfe\x00\x1b[31m".to_vec(),
        b"{\"position\":{\"setup\":\"\xc3\"}}".to_vec(),
        vec![0; 5000],
        (0..=255).filter(|&byte| byte != b'\n').collect(),
        format!("{{\"position\":{{\"setup\":{deep}}}}}").into_bytes(),
    ];
    let mut input = Vec::new();
    for line in &lines {
        input.extend_from_slice(line);
        input.extend_from_slice(b"\n{\"position\":{\"seed\":1,\"want\":[]}}\r\n");
    }
    let answers = ask("reversi", input);
    assert_eq!(answers.len(), 2 * lines.len());
    for (pair, line) in answers.chunks(2).zip(&lines) {
        let line = String::from_utf8_lossy(line);
        let error = &parsed(&pair[0])["error"];
        assert_eq!(error["kind"], "malformed", "{line}: {error}");
        assert_ne!(error["message"], "", "{line}");
        let quoted = error["line"].as_str().expect("a quotation");
        assert!(quoted.chars().count() <= 2000 && !quoted.contains('\u{1b}'));
        let start: String = line
            .chars()
            .take(5)
            .take_while(char::is_ascii_graphic)
            .collect();
        assert!(quoted.starts_with(&start), "{quoted} begins with {start}");
        assert_eq!(parsed(&pair[1])["position"]["ply"], 0, "after {line}");
    }
}

#[test]
fn a_request_that_the_rules_refuse_names_the_rule_the_seat_and_the_place() {
    let refused = |game: &str, request: &str, expected: &Value| {
        let error = parsed(&ask(game, request)[0])["error"].clone();
        for (field, value) in expected.as_object().expect("an object") {
            assert_eq!(&error[field], value, "{game}: {request}: {error}");
        }
    };
    refused(
        "catch-the-cat",
        "{\"position\":{\"seed\":1,\"moves\":[[1,0],[1,0]]}}",
        &json!({"kind": "illegal-move", "index": 1, "seat": 1, "rule": "cat-cell",
            "message": "the catcher cannot block (1,0): the cat is there"}),
    );
    refused(
        "crazy-camel",
        "{\"position\":{\"seed\":1,\"turns\":[{\"move\":{\"step\":\"up\"}}]}}",
        &json!({"kind": "illegal-move", "index": 0, "seat": 0, "rule": "off-board"}),
    );
    refused(
        "crazy-camel",
        "{\"position\":{\"seed\":1,\"turns\":[{\"seat\":1,\"move\":{\"step\":\"up\"}}]}}",
        &json!({"kind": "wrong-seat", "index": 0, "seat": 1}),
    );
    refused(
        "reversi",
        "{\"position\":{\"seed\":1,\"turns\":[{\"seat\":2,\"forfeit\":\"gone\"}]}}",
        &json!({"kind": "wrong-seat", "index": 0, "message": "there is no seat 2: the seats are 0 to 1"}),
    );
    for (game, setup) in [
        ("catch-the-cat", "{\"side\":6,\"world\":\"\"}"),
        ("reversi", "{}"),
        ("crazy-camel", "[]"),
    ] {
        let request = format!("{{\"new\":{{\"setup\":{setup}}}}}");
        refused(game, &request, &json!({"kind": "setup"}));
    }
    refused(
        "catch-the-cat",
        "{\"new\":{\"seed\":1,\"config\":{\"sied\":5}}}",
        &json!({"kind": "config"}),
    );
}

#[test]
fn an_overlong_line_is_passed_over_up_to_its_newline() {
    let mut input = b"{\"about\":{}}\n".to_vec();
    input.resize(input.len() + (8 << 20), b'x');
    input.extend_from_slice(b"\n{\"about\":{}}\n");
    let answers = ask("reversi", input);
    assert_eq!(answers.len(), 3);
    assert_eq!(answers[0], answers[2]);
    let error = &parsed(&answers[1])["error"];
    assert_eq!(error["kind"], "malformed");
    assert_eq!(error["message"], "the line has more than 1048576 bytes");
    assert!(
        error["line"]
            .as_str()
            .is_some_and(|line| line.starts_with("xxxx"))
    );
}

#[test]
fn an_input_that_ends_within_a_line_has_that_line_answered() {
    let answers = ask("reversi", "{\"about\":{}}\n{\"about\":{}}");
    assert_eq!(answers.len(), 2);
    assert_eq!(answers[0], answers[1]);
    let answers = ask("reversi", "{\"about\":{}}\n{\"abo");
    assert_eq!(parsed(&answers[1])["error"]["line"], "{\"abo");
    let mut endless = "{\"about\":{}}\n".to_owned();
    endless.push_str(&"x".repeat(2 << 20));
    assert_eq!(ask("reversi", endless).len(), 2);
    assert!(ask("reversi", "").is_empty());
}

#[test]
fn a_reader_that_goes_away_ends_the_service_quietly() {
    let mut child = referee("reversi").spawn().expect("the program starts");
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().expect("piped");
    writeln!(stdin, "{{\"about\":{{}}}}").expect("it reads");
    // The input stays open: only the closed output can end the program.
    let stderr = child.stderr.take().expect("piped");
    let told = std::io::read_to_string(stderr).expect("UTF-8");
    let status = child.wait().expect("it ends");
    assert_eq!((status.code(), told.as_str()), (Some(0), ""));
    drop(stdin);
}

#[test]
fn an_output_that_takes_nothing_is_an_error_of_the_machine() {
    let mut command = referee("reversi");
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full");
    command.stdout(full.expect("every Linux has it"));
    let ended = Ended::of(output_of(command, b"{\"about\":{}}\n".to_vec()));
    assert_eq!(ended.code, Some(1));
    assert!(
        ended.stderr.contains("cannot write to standard output"),
        "{ended:?}"
    );
}

#[test]
fn an_unknown_game_is_refused_with_a_list_of_those_there_are() {
    let ended = Ended::of(output_of(referee("chess"), Vec::new()));
    ended.refused(&["unknown game \"chess\"", "reversi", "catch-the-cat"]);
}

#[test]
fn the_answers_before_a_failure_of_the_rules_are_given() {
    let rules = rulebook::rules::find("reversi").expect("registered");
    let request = "{\"position\":{\"seed\":1,\"want\":[\"legal\"]}}\n";
    let requests = request.repeat(3);
    let served = |rules: Arc<dyn Rules>| {
        let mut answers = Vec::new();
        let ended = referee::service::serve(rules, requests.as_bytes(), &mut answers);
        (ended, String::from_utf8(answers).expect("JSON"))
    };
    let (ended, whole) = served(Arc::clone(&rules));
    assert!(ended.is_ok() && whole.lines().count() == 3, "{whole}");
    let mut given = BTreeSet::new();
    for calls in 0.. {
        let (ended, answers) = served(Arc::new(FailingRules::new(&rules, calls)));
        assert!(whole.starts_with(&answers), "{calls} calls: {answers}");
        given.insert(answers.lines().count());
        if ended.is_ok() {
            break;
        }
    }
    assert_eq!(given, BTreeSet::from([0, 1, 2, 3]));
}
