//! Snapshots of text that people read, in `judge/tests/snapshots/`. `scripts/accept-snapshots`
//! writes them anew.

use super::{Ended, program, root, text_below};
use crate::support::Run;
use insta::Settings;
use std::borrow::Cow;
use std::fmt::Write as _;
use std::fs;
use std::process::Command;

/// Patterns that differ between runs and machines, with substitutes, in the order of application.
const DIFFERENT: &[(&str, &str)] = &[
    // The temporary folder of a test.
    (r#"(/[^\s"'`=()/]+)*/\.tmp[A-Za-z0-9]{6}\b"#, "[folder]"),
    // Reports of progress depend on the machine's speed.
    (
        r"(?m)^\d+ of \d+ (games, .* elapsed.*|builds finished)\n",
        "",
    ),
    (r"(?m)^\d+ (initial states?|pairs?) \(\d+ games\): .*\n", ""),
    (r"(?m)^a game will be played again: .* overloaded\n", ""),
    // Faults are reported as games end. The end of the run lists them in order.
    (r"(?m)^fault of .*\n(    .*\n)*", ""),
    (r"(?m)^-- standard error\n(-- |$)", "${1}"),
    // The isolation depends on who runs the tests, and where.
    (
        r"(?m)^how programs are run here:\n(  .*\n)+",
        "how programs are run here: [isolation]\n",
    ),
    (
        r"(?m)^  isolation: .*\n(  (no )?namespaces .*\n)?",
        "  isolation: [isolation]\n",
    ),
    (
        r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+(Z|[+-]\d\d:\d\d)",
        "[date]",
    ),
    // Dates that tests choose are in other years.
    (r"\b20(2[1-9]|[3-8]\d)-\d\d-\d\dT\d\d:\d\d:\d\dZ", "[date]"),
    // A limit is no measurement: the letter keeps the next patterns away from it.
    (r"\b(limit (?:of a turn is )?|within )(\d)", "${1}ʘ${2}"),
    (r"\b(\d+\.\d+ s after the )", "ʘ${1}"),
    // In a column the blanks before a time depend on its digits.
    (r" {2,}\d+(\.\d+)? (µs|ms)\b", "  [time]"),
    (r" {2,}\d+\.\d+ (s|min)\b", "  [time]"),
    (r"\b\d+(\.\d+)? (µs|ms)\b", "[time]"),
    (r"\b\d+\.\d+ (s|min)\b", "[time]"),
    (r"(by the judge's clock, )\d+\.\d h\b", "${1}[time]"),
    (r"\b(in|about) \d+ (s|min)\b", "${1} [time]"),
    (r"\b(turn took )\d+\.\d %", "${1}[share] %"),
    ("ʘ", ""),
    (r"\bpeak memory \d+ MiB\b", "peak memory [size]"),
    (r"\b\d+ MiB after one turn\b", "[size] after one turn"),
    (
        r"\bat most \d+ % of the clock",
        "at most [share] % of the clock",
    ),
    // The column of CPU time in a table of results.
    (
        r"(?m)^( *\d*  \S.* )\d+\.\d\d((?: {2,}\S+)*)$",
        "${1}[cpu]${2}",
    ),
    (r"\b[0-9a-f]{32,64}\b", "[hash]"),
    (r"\bid [0-9a-f]{12}\b", "id [id]"),
    (r"\(process \d+\)", "(process [number])"),
];

/// Commands and all that they print, as somebody sees them at a terminal.
#[derive(Default)]
pub(crate) struct Session {
    text: String,
    /// Patterns that differ in this session only, after those that differ in all.
    different: Vec<(&'static str, &'static str)>,
}

impl Session {
    pub(crate) fn run(&mut self, command: &mut Command) -> Ended {
        let ended = command.ended();
        self.note(command, &ended);
        ended
    }

    /// Notes a command that has ended, with its exit code if it is not 0.
    pub(crate) fn note(&mut self, command: &Command, ended: &Ended) {
        let text = &mut self.text;
        writeln!(text, "$ {}", typed(command)).expect("in memory");
        text.push_str(&ended.stdout);
        if !ended.stderr.is_empty() {
            writeln!(text, "-- standard error\n{}", ended.stderr.trim_end()).expect("in memory");
        }
        match ended.code {
            Some(0) => {}
            Some(code) => writeln!(text, "-- exit code {code}").expect("in memory"),
            None => text.push_str("-- ended by a signal\n"),
        }
        text.push('\n');
    }

    pub(crate) fn show(&mut self, name: &str, text: &str) {
        let text = text.trim_end();
        writeln!(self.text, "$ cat {name}\n{text}\n").expect("in memory");
    }

    pub(crate) fn redact(&mut self, pattern: &'static str, substitute: &'static str) {
        self.different.push((pattern, substitute));
    }

    /// Replaces a name that depends on the machine.
    pub(crate) fn rename(&mut self, name: &str, other: &str) {
        self.text = self.text.replace(name, other);
    }

    /// Hides results that depend on a secret of the run.
    pub(crate) fn hide_results(&mut self) {
        self.redact(r"(?m)^rank  entrant .*\n( .*\n)+", "[table]\n");
        self.redact(r"(?m)^close to a boundary .*\n", "");
        self.redact(r"(?m)^  note: all \d+ initial states are the same.*\n", "");
    }

    /// Compares the session with the snapshot of this name: `verb__case`.
    #[track_caller]
    pub(crate) fn compare(&self, name: &str) {
        let mut settings = Settings::clone_current();
        settings.set_snapshot_path(root().join("judge/tests/snapshots"));
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        for (pattern, substitute) in DIFFERENT.iter().chain(&self.different) {
            settings.add_filter(pattern, *substitute);
        }
        let text = self.text.replace(&program().display().to_string(), "judge");
        let text = text.replace(&root().display().to_string(), "[repository]");
        let _hint = Hint;
        settings.bind(|| insta::assert_snapshot!(name, text));
    }
}

#[track_caller]
pub(crate) fn compare(name: &str, command: &mut Command) -> Ended {
    let mut session = Session::default();
    let ended = session.run(command);
    session.compare(name);
    ended
}

struct Hint;

impl Drop for Hint {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("to accept the new text: scripts/accept-snapshots");
        }
    }
}

/// Returns a command as a user would type it.
fn typed(command: &Command) -> String {
    let words = [command.get_program()]
        .into_iter()
        .chain(command.get_args());
    let words = words.map(|word| {
        let word = word.to_string_lossy();
        let is_plain = |c: char| c.is_alphanumeric() || "-_./:=@,+%".contains(c);
        if !word.is_empty() && word.chars().all(is_plain) {
            word
        } else {
            Cow::Owned(format!("'{}'", word.replace('\'', r"'\''")))
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

#[test]
fn every_snapshot_belongs_to_a_test() {
    let sources = text_below(&root().join("judge/tests/program"));
    for entry in fs::read_dir(root().join("judge/tests/snapshots")).expect("a folder") {
        let name = entry.expect("readable").file_name();
        let name = name.to_str().expect("UTF-8");
        // The help of each verb is named after the verb.
        let named = name.strip_suffix(".snap").is_some_and(|name| {
            name.starts_with("help__") || sources.contains(&format!("\"{name}\""))
        });
        assert!(named, "no test compares judge/tests/snapshots/{name}");
    }
}
