//! Lines on standard error: the times of plain ones, and the sizes of those on a terminal.

use crate::terminal::{columns, fitted};
use console::Term;
use run::commands::program;
use std::io::Write as _;
use std::time::Duration;

/// Time between two redraws of a picture; longer where drawing is slow.
pub(super) const DRAW_INTERVAL: Duration = Duration::from_millis(150);
/// Width of a bar, in columns.
pub(super) const BAR_COLUMNS: usize = 20;

/// Writes a line on standard error; a missing reader stops nothing.
pub(super) fn tell(line: &str) {
    let line = columns(&Term::stderr()).map_or_else(
        || line.to_owned(),
        |columns| fitted(line, columns, &program()),
    );
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// The times of plain lines: at every tenth of the games, but at most once a second, and at least
/// once a minute.
#[derive(Debug)]
pub(super) struct Cadence {
    total: usize,
    /// Time of the last line, since the beginning.
    told: Duration,
    tenths: usize,
}

impl Cadence {
    const PAUSE_MIN: Duration = Duration::from_secs(1);
    const PAUSE_MAX: Duration = Duration::from_secs(60);

    pub(super) fn new(played: usize, total: usize) -> Self {
        Self {
            total,
            told: Duration::ZERO,
            tenths: played * 10 / total.max(1),
        }
    }

    pub(super) fn is_due(&mut self, elapsed: Duration, played: usize) -> bool {
        let paused = elapsed.saturating_sub(self.told);
        let tenths = played * 10 / self.total.max(1);
        let is_due =
            paused >= Self::PAUSE_MAX || (paused >= Self::PAUSE_MIN && tenths > self.tenths);
        if is_due {
            self.told = elapsed;
            self.tenths = tenths;
        }
        is_due
    }

    /// Returns whether a line was due before. The end is then reported too: a reader would take the
    /// last line for the result.
    pub(super) fn has_told(&self) -> bool {
        self.told > Duration::ZERO
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_lines_come_with_every_tenth_and_every_minute_but_not_all_at_once() {
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
        assert!(!cadence.has_told());
        for (seconds, played, due) in rows {
            let elapsed = Duration::from_secs_f64(seconds);
            assert_eq!(cadence.is_due(elapsed, played), due, "{seconds} s");
        }
        assert!(cadence.has_told());
    }
}
