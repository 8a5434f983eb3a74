//! `judge referee`, the real program from end to end.

use crate::support::page::texts;
use crate::support::{Ended, PATIENCE, Run, judge};
use engines::GAMES;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Seek, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;

fn referee(game: &str) -> Command {
    let mut command = judge();
    command.args(["referee", game]).stdin(Stdio::piped());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// The input is a file, because a pipe holds little.
fn answered(command: &mut Command, input: impl AsRef<[u8]>) -> Ended {
    let mut file = tempfile::tempfile().expect("a temporary file");
    file.write_all(input.as_ref()).expect("writable");
    file.rewind().expect("a file");
    command.stdin(file).ended()
}

fn ask(game: &str, input: impl AsRef<[u8]>) -> Vec<String> {
    let ended = answered(&mut referee(game), input).well();
    let has_note = game == "connect-four";
    assert_eq!(ended.stderr, if has_note { OTHER_STARTS } else { "" });
    assert!(ended.stdout.is_empty() || ended.stdout.ends_with('\n'));
    ended.stdout.lines().map(str::to_owned).collect()
}

/// The note on a game whose tournaments have other starts than its defaults.
const OTHER_STARTS: &str = "note: tournaments draw other starts (opening_plies=6); for those: judge referee --competition connect-four\n";

#[test]
fn a_competition_draws_the_starts_of_its_games() {
    let request = r#"{"position":{"seed":1,"want":[]}}"#;
    let set = r#"{"position":{"seed":1,"want":[],"config":{"opening_plies":6}}}"#;
    let requests = format!("{request}\n{set}\n");
    let mut command = referee("--competition");
    let ended = answered(command.arg("connect-four"), &requests).well();
    assert_eq!(ended.stderr, "");
    let of_competition: Vec<&str> = ended.stdout.lines().collect();
    let of_game = ask("connect-four", &requests);
    assert_eq!(of_competition[0], of_competition[1]);
    assert_eq!(of_competition[1], of_game[1]);
    assert_ne!(of_game[0], of_game[1]);
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|e| panic!("{text}: {e}"))
}

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

    fn close(mut self) {
        drop(self.stdin.take());
        let status = self.child.wait().expect("it ends");
        assert_eq!(status.code(), Some(0));
        assert!(self.answers.recv_timeout(PATIENCE).is_err(), "nothing more");
    }
}

#[test]
fn documented_requests_get_documented_answers() {
    let mut examples = 0;
    for entry in GAMES {
        let slug = entry.info.slug;
        let blocks = texts(&format!("json referee {slug}"));
        let pairs = blocks.iter().map(|block| {
            let pair = block.trim_end().split_once('\n');
            pair.expect("a request and its answer")
        });
        let pairs: Vec<(&str, &str)> = pairs.collect();
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

#[test]
fn each_dialogue_request_is_answered_while_input_open() {
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
    let seats = position["outcome"]["seats"].as_array();
    assert_eq!(seats.map(Vec::len), Some(2));
    let after = dialogue.ask("{\"play\":{\"session\":1,\"move\":[0,0]}}");
    assert_eq!(after["error"]["kind"], "over");
    dialogue.close();
}

#[test]
fn reader_closing_pipe_ends_service_quietly() {
    let mut child = referee("reversi").spawn().expect("the program starts");
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().expect("piped");
    writeln!(stdin, "{{\"about\":{{}}}}").expect("it reads");
    // The input stays open: only the closed output can end the program.
    let stderr = child.stderr.take().expect("piped");
    let reported = std::io::read_to_string(stderr).expect("UTF-8");
    let status = child.wait().expect("it ends");
    assert_eq!((status.code(), reported.as_str()), (Some(0), ""));
    drop(stdin);
}

#[test]
fn unknown_game_is_refused_with_known_ones() {
    let ended = answered(&mut referee("chess"), "");
    ended.refused(&["unknown game \"chess\"", "reversi", "catch-the-cat"]);
}
