//! Commands that the book shows without running them: their verbs and flags must exist.

use super::{blocks, chapters};
use crate::support::{Run, judge};
use std::collections::BTreeMap;

fn help(verb: &str) -> String {
    let ended = judge().args(verb.split(' ')).arg("--help").ended();
    assert_eq!(ended.code, Some(0), "judge has no verb {verb}");
    ended.stdout
}

fn calls(script: &str) -> Vec<(String, Vec<String>)> {
    let script = script.replace("\\\n", " ");
    let mut calls = Vec::new();
    let is_comment = |line: &&str| line.trim_start().starts_with('#');
    for line in script.lines().filter(|line| !is_comment(line)) {
        let line = line.split(" # ").next().expect("split gives one at least");
        let words = line.replace("cargo run --release --", "judge");
        let words: Vec<&str> = words.split_whitespace().collect();
        for (at, pair) in words.windows(2).enumerate() {
            let is_program = matches!(pair[0], "judge" | "./judge" | "./judge-program");
            let is_verb = pair[1].chars().all(|c| c.is_ascii_lowercase());
            if !is_program || !is_verb {
                continue;
            }
            let mut rest = words[at..].iter();
            let end = rest.position(|w| matches!(*w, "|" | ";" | "&&" | ":::"));
            let end = end.map_or(words.len(), |end| at + end);
            let flags = words[at..end].iter().filter(|word| word.starts_with("--"));
            let flags = flags.map(|flag| flag.split('=').next().expect("one").to_owned());
            let verb = match words.get(at + 2) {
                Some(next) if pair[1] == "game" => format!("game {next}"),
                _ => pair[1].to_owned(),
            };
            calls.push((verb, flags.collect()));
        }
    }
    calls
}

#[test]
fn every_verb_and_flag_in_the_book_exists() {
    let mut helps: BTreeMap<String, String> = BTreeMap::new();
    let mut found = 0;
    for chapter in chapters() {
        for block in blocks(&chapter.text) {
            let language = block.info.split_whitespace().next();
            if !matches!(language, Some("sh" | "console" | "yaml")) {
                continue;
            }
            // The output of a command contains no commands.
            let lines = block.text.lines();
            let commands = lines.filter_map(|line| line.strip_prefix("$ "));
            let script = match language {
                Some("console") => commands.flat_map(|line| [line, "\n"]).collect(),
                _ => block.text,
            };
            for (verb, flags) in calls(&script) {
                let help = helps.entry(verb.clone()).or_insert_with(|| {
                    let own = help(&verb);
                    // Other verbs that take the flags of a run refer to its help.
                    let refers = own.contains("judge run --help");
                    if refers { own + &help("run") } else { own }
                });
                for flag in flags {
                    let there = help.split([' ', ',', ']', '\n']).any(|word| word == flag);
                    assert!(there, "{}: judge {verb} has no {flag}", chapter.name);
                }
                found += 1;
            }
        }
    }
    assert!(found > 20, "commands of judge");
}
