//! Snapshots of text that people read, in `judge/tests/snapshots/`. `scripts/accept-snapshots`
//! writes them anew.

use super::{Ended, Scene, program, root};
use insta::Settings;
use std::fmt::Write as _;
use std::process::Command;

/// Patterns that differ from run to run and from machine to machine, with their substitutes. The
/// patterns are applied in this order.
const DIFFERENT: &[(&str, &str)] = &[
    // Reports of progress depend on the machine's speed.
    (
        r"(?m)^\d+ of \d+ (games, .* elapsed.*|submissions built)\n",
        "",
    ),
    // The isolation depends on who runs the tests, and where.
    (
        r"(?m)^how programs are run here:\n(  .*\n)+",
        "how programs are run here: [isolation]\n",
    ),
    (
        r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)",
        "[date]",
    ),
    (r"\b\d+(\.\d+)? (µs|ms)", "[time]"),
    (r"\b\d+\.\d+ (s|min|h)\b", "[time]"),
    (r"\b[0-9a-f]{32,64}\b", "[hash]"),
    (r"\(process \d+\)", "(process [number])"),
];

/// Compares a text with the snapshot of this name: `verb__case`.
///
/// # Panics
/// Where they differ; the difference is shown.
#[track_caller]
pub(crate) fn compare(name: &str, text: &str) {
    let mut settings = Settings::clone_current();
    settings.set_snapshot_path(root().join("judge/tests/snapshots"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    for (pattern, substitute) in DIFFERENT {
        settings.add_filter(pattern, *substitute);
    }
    let text = text.replace(&program().display().to_string(), "judge");
    let text = text.replace(&root().display().to_string(), "[repository]");
    settings.bind(|| insta::assert_snapshot!(name, text));
}

/// Commands and all that they print, as somebody sees them at a terminal.
#[derive(Default)]
pub(crate) struct Session {
    text: String,
}

impl Session {
    /// Runs a command to its end and notes what it prints. `title` is what a reader would type.
    pub(crate) fn add(&mut self, title: &str, command: &mut Command) -> Ended {
        let ended = Ended::of(command.output().expect("it starts"));
        self.note(title, &ended);
        ended
    }

    /// Notes a command that has ended: standard output, then standard error, then the exit code
    /// where it is not 0.
    pub(crate) fn note(&mut self, title: &str, ended: &Ended) {
        let text = &mut self.text;
        writeln!(text, "$ {title}").expect("in memory");
        text.push_str(&ended.stdout);
        if !ended.stderr.is_empty() {
            writeln!(text, "-- standard error\n{}", ended.stderr.trim_end()).expect("in memory");
        }
        if let Some(code) = ended.code.filter(|code| *code != 0) {
            writeln!(text, "-- exit code {code}").expect("in memory");
        }
        text.push('\n');
    }

    /// Compares all of it with the snapshot of this name.
    #[track_caller]
    pub(crate) fn compare(&self, name: &str) {
        compare(name, &self.text);
    }

    /// The same for commands on a scene, whose folder is hidden.
    #[track_caller]
    pub(crate) fn compare_in(&self, scene: &Scene, name: &str) {
        let folder = scene.folder().display().to_string();
        compare(name, &self.text.replace(&folder, "[folder]"));
    }
}
