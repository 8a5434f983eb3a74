//! Progress of a match: on a terminal, one line that redraws itself and shows how near the test is
//! to its end. Elsewhere, occasional plain lines.

use super::Due;
use super::lines::{BAR_COLUMNS, DRAW_INTERVAL, tell};
use crate::terminal::can_redraw;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::time::Duration;

/// Time between two plain lines, if something has changed.
const LINE_INTERVAL: Duration = Duration::from_secs(10);
/// Number of steps of the bar.
const STEPS: u64 = 1000;

/// Progress of a match.
pub struct Versus {
    bar: Option<ProgressBar>,
    due: Due,
}

impl Versus {
    /// Starts the display.
    pub fn begin() -> Self {
        let bar = can_redraw(&std::io::stderr()).then(|| {
            let bar = ProgressBar::with_draw_target(Some(STEPS), ProgressDrawTarget::stderr());
            let template = format!("{{bar:{BAR_COLUMNS}}} {{wide_msg}}");
            let style = ProgressStyle::with_template(&template).expect("a valid template");
            bar.set_style(style.progress_chars("━╸─"));
            bar
        });
        let every = if bar.is_some() {
            DRAW_INTERVAL
        } else {
            LINE_INTERVAL
        };
        let mut due = Due::every(every);
        if bar.is_none() {
            // The first plain line waits as long as the others.
            due.is_now(0);
        }
        Self { bar, due }
    }

    /// Shows the progress, if it is due: `counted` pairs count, and `share` of the test is done,
    /// from 0 to 1.
    pub fn tick(&mut self, counted: usize, share: f64, line: impl FnOnce() -> String) {
        if !self.due.is_now(counted) {
            return;
        }
        let Some(bar) = &self.bar else {
            return tell(&line());
        };
        bar.set_message(line());
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "a step of a bar"
        )]
        bar.set_position((share.clamp(0.0, 1.0) * STEPS as f64) as u64);
    }

    /// Prints a line besides the progress.
    pub fn say(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| tell(line)),
            None => tell(line),
        }
    }

    /// Removes the line.
    pub fn close(&self) {
        self.bar.iter().for_each(ProgressBar::finish_and_clear);
    }
}
