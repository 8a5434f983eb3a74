//! Lines on standard error: plain ones, and those on a terminal for work other than games.

use crate::terminal::{can_redraw, columns, fitted};
use console::Term;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use model::fault::quote;
use run::commands::program;
use run::{RunEvent, Sink};
use std::io::Write as _;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Time between two redraws of a picture; longer where drawing is slow.
pub(super) const DRAW_INTERVAL: Duration = Duration::from_millis(150);
pub(super) const BAR_COLUMNS: usize = 20;

/// Writes a line on standard error; a missing reader stops nothing.
pub(crate) fn print(line: &str) {
    let line = columns(&Term::stderr()).map_or_else(
        || line.to_owned(),
        |columns| fitted(line, columns, &program()),
    );
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// When plain lines come: at every tenth, but at most once a second and at least once a minute.
#[derive(Debug)]
pub(super) struct Cadence {
    total: usize,
    /// Time of the last line, since the beginning.
    reported: Duration,
    tenths: usize,
}

impl Cadence {
    const PAUSE_MIN: Duration = Duration::from_secs(1);
    const PAUSE_MAX: Duration = Duration::from_secs(60);

    pub(super) fn new(played: usize, total: usize) -> Self {
        Self {
            total,
            reported: Duration::ZERO,
            tenths: played * 10 / total.max(1),
        }
    }

    pub(super) fn is_due(&mut self, elapsed: Duration, played: usize) -> bool {
        let paused = elapsed.saturating_sub(self.reported);
        let tenths = played * 10 / self.total.max(1);
        let is_due =
            paused >= Self::PAUSE_MAX || (paused >= Self::PAUSE_MIN && tenths > self.tenths);
        if is_due {
            self.reported = elapsed;
            self.tenths = tenths;
        }
        is_due
    }

    /// If a line was due before, the end is reported too: readers would take the last line for the result.
    pub(super) fn has_reported(&self) -> bool {
        self.reported > Duration::ZERO
    }
}

/// The stages of a run. As a sink, it shows only them.
#[derive(Debug, Default)]
pub(crate) struct Stages(Mutex<Option<Stage>>);

impl Sink for Stages {
    fn take(&self, event: RunEvent<'_>) {
        let mut stage = self.0.lock().expect("nobody panics here");
        match (event, &mut *stage) {
            (RunEvent::StageBegins { what, of }, stage) => *stage = Some(Stage::begin(what, of)),
            (RunEvent::StageEnds, stage) => *stage = None,
            (RunEvent::Step, Some(stage)) => stage.step(),
            (RunEvent::BuildBegins(name), Some(stage)) => {
                stage.begun.push(name.to_owned());
                stage.name_begun();
            }
            (RunEvent::BuildEnds(name), Some(stage)) => {
                stage.begun.retain(|one| one != name);
                stage.name_begun();
                stage.step();
            }
            _ => {}
        }
    }
}

/// Work that may take a while. Its line on a terminal vanishes when it is dropped.
#[derive(Debug)]
struct Stage {
    what: &'static str,
    total: usize,
    done: usize,
    begun: Vec<String>,
    bar: Option<ProgressBar>,
    began: Instant,
    cadence: Cadence,
}

impl Drop for Stage {
    fn drop(&mut self) {
        self.bar.iter().for_each(ProgressBar::finish_and_clear);
    }
}

impl Stage {
    fn begin(what: &'static str, of: Option<usize>) -> Self {
        let template = match of {
            None => format!("{what}, {{elapsed}}"),
            Some(_) => {
                format!("{{bar:{BAR_COLUMNS}}} {{pos}} of {{len}} {what}, {{elapsed}}{{wide_msg}}")
            }
        };
        let total = of.map(|of| of as u64);
        let bar = (total != Some(0)).then(|| bar(total, &template)).flatten();
        if let Some(bar) = &bar {
            bar.enable_steady_tick(DRAW_INTERVAL);
        }
        let total = of.unwrap_or_default();
        Self {
            what,
            total,
            done: 0,
            begun: Vec::new(),
            bar,
            began: Instant::now(),
            cadence: Cadence::new(0, total),
        }
    }

    fn step(&mut self) {
        if let Some(bar) = &self.bar {
            bar.inc(1);
            return;
        }
        self.done += 1;
        let is_due = if self.done == self.total {
            self.cadence.has_reported()
        } else {
            self.cadence.is_due(self.began.elapsed(), self.done)
        };
        if is_due {
            print(&format!("{} of {} {}", self.done, self.total, self.what));
        }
    }

    fn name_begun(&self) {
        if let Some(bar) = &self.bar {
            bar.set_message(going_on(&self.begun));
        }
    }
}

fn going_on(begun: &[String]) -> String {
    if begun.is_empty() {
        return String::new();
    }
    let names = begun.iter().map(|name| quote(name.as_bytes()));
    format!("; now {}", names.collect::<Vec<_>>().join(", "))
}

pub(super) fn bar(total: Option<u64>, template: &str) -> Option<ProgressBar> {
    can_redraw(&std::io::stderr()).then(|| {
        let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::stderr());
        let style = ProgressStyle::with_template(template).expect("a valid template");
        bar.set_style(style.progress_chars("━╸─"));
        bar
    })
}

pub(super) fn print_above(bar: Option<&ProgressBar>, line: &str) {
    match bar {
        Some(bar) => bar.suspend(|| print(line)),
        None => print(line),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_lines_come_per_tenth_and_per_minute() {
        let mut cadence = Cadence::new(0, 1000);
        // (seconds, games played, due)
        let rows = [
            (0.5, 300, false),
            (1.5, 301, true),
            (2.6, 350, false),
            (3.0, 400, true),
            (62.9, 401, false),
            (63.0, 402, true),
            (64.5, 999, true),
            (64.6, 1000, false),
        ];
        assert!(!cadence.has_reported());
        for (seconds, played, due) in rows {
            let elapsed = Duration::from_secs_f64(seconds);
            assert_eq!(cadence.is_due(elapsed, played), due, "{seconds} s");
        }
        assert!(cadence.has_reported());
    }

    #[test]
    fn running_builds_are_named_with_escapes_neutralised() {
        assert_eq!(going_on(&[]), "");
        let begun = ["ann".to_owned(), "b\u{1b}[31m\n".to_owned()];
        assert_eq!(going_on(&begun), "; now ann, b\\u{1b}[31m\\u{a}");
    }
}
