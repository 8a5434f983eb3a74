//! The lines that kits read. A kit reads JSON with any spacing and order of keys. It refuses a line
//! that it does not know.

use crate::support::{Has, Run};
use model::artifact::Artifact;
use serde::Deserialize;
use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

/// Messages of a game that no default answers, and a line that is none.
#[derive(Deserialize)]
struct Talk {
    game: String,
    messages: Vec<Value>,
    last: String,
    /// A message with a value that the game does not have, and the kit's words about it.
    wrong: Value,
    words: String,
}

/// Writes JSON as Python does by default, with the keys of each object the other way round.
fn as_python_writes(value: &Value) -> String {
    match value {
        Value::Array(items) => {
            let items = items.iter().map(as_python_writes).collect::<Vec<_>>();
            format!("[{}]", items.join(", "))
        }
        Value::Object(fields) => {
            let fields = fields.iter().rev().map(|(key, value)| {
                let value = as_python_writes(value);
                format!("\"{key}\": {value}")
            });
            format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
        }
        plain => plain.to_string(),
    }
}

fn started(program: &Artifact) -> Child {
    Command::new(&program.program)
        .args(&program.args)
        .current_dir(&program.directory)
        .stdin(Stdio::piped())
        .piped()
}

fn given(program: &Artifact, lines: &[String]) -> Output {
    let mut started = started(program);
    let mut questions = started.stdin.take().expect("piped");
    // The kit may have ended at an earlier line.
    let _ = questions.write_all(lines.join("").as_bytes());
    drop(questions);
    started.wait_with_output().expect("it ends")
}

/// The signals of timers: `SIGALRM`, `SIGVTALRM` and `SIGPROF`, as bits of a mask.
const TIMER_SIGNALS: u64 = 1 << 13 | 1 << 25 | 1 << 26;

fn waits_alone(program: &Artifact, hello: &Value) {
    let mut waiting = started(program);
    let mut questions = waiting.stdin.take().expect("piped");
    let mut answers = BufReader::new(waiting.stdout.take().expect("piped"));
    writeln!(questions, "{hello}").expect("it reads");
    let mut ready = String::new();
    answers.read_line(&mut ready).expect("it answers");
    let about = Path::new("/proc").join(waiting.id().to_string());
    let threads = fs::read_dir(about.join("task")).expect("it runs").count();
    let status = fs::read_to_string(about.join("status")).expect("it runs");
    waiting.kill().expect("a running child");
    waiting.wait().expect("a running child");
    assert!(ready.starts_with("{\"ready\":"), "{program:?}: {ready}");
    assert_eq!(threads, 1, "{program:?}");
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    let caught = caught.expect("the kernel shows them").trim();
    let caught = u64::from_str_radix(caught, 16).expect("a mask");
    assert_eq!(caught & TIMER_SIGNALS, 0, "{program:?}: {caught:x}");
}

/// Talks with a solved starter, as its kit has built it.
pub(super) fn kit_reads_any_json_layout(game: &str, program: &Artifact) {
    let talks = include_str!("../../languages/talks.json");
    let talks: Vec<Talk> = serde_json::from_str(talks).expect("JSON");
    let mut talks = talks.into_iter();
    let talk = talks.find(|talk| talk.game == game).expect("it has one");
    waits_alone(program, &talk.messages[0]);
    let compact = |message: &Value| format!("{message}\n");
    let spaced = |message: &Value| format!(" {} \r\n", as_python_writes(message));
    let said = |written: &dyn Fn(&Value) -> String| {
        let lines: Vec<String> = talk.messages.iter().map(written).collect();
        let ended = given(program, &lines);
        assert!(ended.status.success(), "{game}: {ended:?}");
        String::from_utf8(ended.stdout).expect("text")
    };
    let answers = said(&compact);
    let count = answers.lines().count();
    assert_eq!(count, talk.messages.len(), "{game}: {answers}");
    let last = answers.trim_end();
    assert!(last.ends_with(&talk.last), "{game}: {answers}");
    assert_eq!(said(&spaced), answers, "{game}");
    for (line, words) in [
        (spaced(&talk.wrong), &*talk.words),
        ("{\"start\": {\"ro\n".to_owned(), "{\"start\": {\"ro"),
    ] {
        let mut lines: Vec<String> = talk.messages.iter().map(compact).collect();
        lines.push(line.clone());
        let ended = given(program, &lines);
        let reported = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(ended.status.code(), Some(2), "{game}: {ended:?}");
        let known = "the kit cannot read this line";
        reported.has(&[known, words, line.trim()]);
        assert_eq!(String::from_utf8_lossy(&ended.stdout), answers, "{game}");
    }
}
