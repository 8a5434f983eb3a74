//! Progress of `judge check` on a terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::time::Duration;

/// Time between two updates of the elapsed seconds.
const TICK: Duration = Duration::from_millis(500);

/// One line that overwrites itself.
pub(super) struct CheckProgress(ProgressBar);

impl CheckProgress {
    /// Starts the line. It stays hidden without a terminal, or if `is_quiet` is set, as for JSON.
    pub(super) fn new(is_quiet: bool) -> Self {
        let shown = !is_quiet && std::io::stderr().is_terminal();
        let target = if shown {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        };
        let style = ProgressStyle::with_template("{prefix}{msg} … {elapsed}");
        let bar = ProgressBar::with_draw_target(None, target);
        bar.set_style(style.expect("it is well formed"));
        if shown {
            bar.enable_steady_tick(TICK);
        }
        Self(bar)
    }

    /// Shows the number of the current submission.
    pub(super) fn at(&self, number: usize, of: usize) {
        self.0.set_prefix(format!("{number} of {of}: "));
    }

    /// Shows the current step for a submission.
    pub(super) fn tell(&self, name: &str, what: &str) {
        self.0.set_message(format!("checking {name}: {what}"));
    }

    /// Prints a line above the progress.
    pub(super) fn above(&self, line: impl FnOnce()) {
        self.0.suspend(line);
    }

    /// Removes the line.
    pub(super) fn end(&self) {
        self.0.finish_and_clear();
    }
}
