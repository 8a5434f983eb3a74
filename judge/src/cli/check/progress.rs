//! What is being looked at, on a terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::time::Duration;

/// How often the seconds are counted on.
const TICK: Duration = Duration::from_millis(500);

/// One line that is written over.
pub(super) struct CheckProgress(ProgressBar);

impl CheckProgress {
    /// Begins; shows nothing where nobody looks, or where all that is wanted is JSON.
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

    /// Says which of all submissions comes.
    pub(super) fn at(&self, number: usize, of: usize) {
        self.0.set_prefix(format!("{number} of {of}: "));
    }

    /// Says what is done with a submission.
    pub(super) fn tell(&self, name: &str, what: &str) {
        self.0.set_message(format!("checking {name}: {what}"));
    }

    /// Writes a line above it.
    pub(super) fn above(&self, line: impl FnOnce()) {
        self.0.suspend(line);
    }

    /// Takes the line away.
    pub(super) fn end(&self) {
        self.0.finish_and_clear();
    }
}
