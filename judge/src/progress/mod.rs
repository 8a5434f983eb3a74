//! Progress of a run: a picture on a terminal, plain lines elsewhere, and events for programs.

mod final_table;
mod lines;
mod live;
mod pool_table;

pub use final_table::final_table;
pub(crate) use final_table::signed;
pub(crate) use lines::{Stages, print};
pub(crate) use live::Live;
pub(crate) use pool_table::pool_table;

use self::lines::{BAR_COLUMNS, Cadence, DRAW_INTERVAL, bar, print_above};
use crate::events::Event;
use crate::terminal::{Paint, Style, cut, paint_of_stderr, span};
use console::Term;
use indicatif::ProgressBar;
use model::numbers::about;
use model::record::MatchRecord;
use std::time::{Duration, Instant};

/// Time between two computations of the ranks; longer where that is slow.
const RANKS_INTERVAL: Duration = Duration::from_secs(2);
/// Least time between two rounds of a piece of work, as a multiple of its duration.
const REST: u32 = 20;
const PROGRESS_INTERVAL: Duration = Duration::from_secs(1);
const STANDINGS_INTERVAL: Duration = Duration::from_secs(10);
const LINES_AROUND: usize = 6;

pub(crate) type Emit = fn(&Event<'_>);

pub(crate) struct Progress {
    live: Live,
    bar: Option<ProgressBar>,
    paint: Paint,
    emit: Option<Emit>,
    cadence: Cadence,
    since_resume: usize,
    began: Instant,
    drawing: Due,
    ranks: Due,
    counting: Due,
    standings: Due,
}

struct Due {
    every: Duration,
    last: Option<Instant>,
    /// Games played at the last time.
    played: usize,
}

impl Due {
    const fn every(every: Duration) -> Self {
        Self {
            every,
            last: None,
            played: usize::MAX,
        }
    }

    /// Returns whether enough time has passed and more games were played; the waiting then restarts.
    fn is_now(&mut self, played: usize) -> bool {
        let waited = self.last.is_none_or(|last| last.elapsed() >= self.every);
        let is_now = waited && self.played != played;
        if is_now {
            self.last = Some(Instant::now());
            self.played = played;
        }
        is_now
    }

    /// Does the work; the time until the next round is in proportion to its duration.
    fn with_rest(&mut self, at_least: Duration, work: impl FnOnce()) {
        let began = Instant::now();
        work();
        self.every = at_least.max(began.elapsed() * REST);
    }
}

impl Progress {
    pub(crate) fn new(live: Live, emit: Option<Emit>) -> Self {
        let template = format!("{{bar:{BAR_COLUMNS}}} {{msg}}");
        let bar = bar(Some(live.total as u64), &template);
        if let Some(bar) = &bar {
            bar.set_position(live.played as u64);
        }
        Self {
            cadence: Cadence::new(live.played, live.total),
            live,
            bar,
            paint: paint_of_stderr(),
            emit,
            since_resume: 0,
            began: Instant::now(),
            drawing: Due::every(DRAW_INTERVAL),
            ranks: Due::every(RANKS_INTERVAL),
            counting: Due::every(PROGRESS_INTERVAL),
            standings: Due::every(STANDINGS_INTERVAL),
        }
    }

    pub(crate) fn finished(&mut self, game: usize, record: &MatchRecord) {
        let result = record.result();
        self.live.add(game, &result);
        self.live.note_slow(game, record);
        self.since_resume += 1;
        if let Some(bar) = &self.bar {
            bar.inc(1);
        }
        if let Some(emit) = self.emit {
            Event::faults(game, &result).for_each(|fault| emit(&fault));
            emit(&Event::game(game, &result));
        }
    }

    pub(crate) fn again(&mut self, reason: &str) {
        self.say(&format!("a game will be played again: {reason}"));
        if let Some(emit) = self.emit {
            emit(&Event::Again { reason });
        }
    }

    pub(crate) fn say(&self, line: &str) {
        print_above(self.bar.as_ref(), line);
    }

    pub(crate) fn tick(&mut self) {
        let played = self.live.played;
        if let Some(emit) = self.emit {
            self.emit_due(emit);
        }
        if self.bar.is_some() {
            if self.ranks.is_now(played) {
                self.ranks
                    .with_rest(RANKS_INTERVAL, || self.live.update_uncertainty());
            }
            // The elapsed time changes even while no game ends.
            if self.drawing.is_now(played) || self.is_stale() {
                self.draw();
            }
        } else if self.cadence.is_due(self.began.elapsed(), played) {
            self.live.update_uncertainty();
            print(&self.line());
        }
    }

    fn is_stale(&mut self) -> bool {
        let stale = self
            .drawing
            .last
            .is_none_or(|last| last.elapsed() >= PROGRESS_INTERVAL);
        if stale {
            self.drawing.last = Some(Instant::now());
        }
        stale
    }

    fn emit_due(&mut self, emit: Emit) {
        if self.counting.is_now(self.live.played) {
            self.emit_progress(emit);
        }
        if self.standings.is_now(self.live.played) && self.since_resume > 0 {
            self.live.update_uncertainty();
            self.live.emit(emit);
        }
    }

    fn emit_progress(&self, emit: Emit) {
        emit(&Event::Progress {
            played: self.live.played,
            games: self.live.total,
            elapsed_s: to_milliseconds(self.began.elapsed()),
            left_s: self.left().map(to_milliseconds),
        });
    }

    fn draw(&mut self) {
        let (height, width) = Term::stderr().size();
        let (height, width) = (usize::from(height), usize::from(width));
        let rows = height.saturating_sub(LINES_AROUND);
        let mut lines = vec![(self.counts(), Style::Plain)];
        let table = self.live.top(rows).into_iter().zip(0..);
        lines.extend(
            table.map(|(line, index)| (line, if index == 0 { Style::Dim } else { Style::Plain })),
        );
        lines.extend(self.live.faults().map(|line| (line, Style::Bad)));
        lines.extend(self.live.slow().map(|line| (line, Style::Bold)));
        let head = BAR_COLUMNS + 1;
        let text: Vec<String> = lines
            .into_iter()
            .zip(0..)
            .map(|((text, style), index)| {
                let mut line = vec![span(text, style)];
                let taken = if index == 0 { head } else { 0 };
                cut(&mut line, width.saturating_sub(taken + 1));
                self.paint.line(&line)
            })
            .collect();
        if let Some(bar) = &self.bar {
            self.drawing.with_rest(DRAW_INTERVAL, || {
                bar.set_message(text.join("\n"));
                bar.tick();
            });
        }
    }

    fn counts(&self) -> String {
        let gone = about(self.began.elapsed().as_secs_f64());
        let (played, total) = (self.live.played, self.live.total);
        format!(
            "{played} of {total} games, {gone} elapsed{}",
            to_go(self.left())
        )
    }

    fn line(&self) -> String {
        let mut parts = vec![self.counts(), self.live.leaders()];
        parts.extend(self.live.faults());
        parts.extend(self.live.slow());
        parts.join("; ")
    }

    fn left(&self) -> Option<Duration> {
        let played = u32::try_from(self.since_resume).ok().filter(|&n| n > 0)?;
        let left = u32::try_from(self.live.total - self.live.played).ok()?;
        Some(self.began.elapsed() / played * left)
    }

    pub(crate) fn close(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        if let Some(emit) = self.emit {
            self.emit_progress(emit);
        }
    }
}

fn to_go(left: Option<Duration>) -> String {
    match left {
        None | Some(Duration::ZERO) => String::new(),
        Some(left) if left < Duration::from_secs(60) => {
            let seconds = left.as_secs_f64().max(1.0);
            format!(", about {seconds:.0} s left")
        }
        Some(left) => format!(", about {} left", about(left.as_secs_f64())),
    }
}

fn to_milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e3).round() / 1e3
}

/// Time between two plain lines, if something has changed.
const LINE_INTERVAL: Duration = Duration::from_secs(10);
const STEPS: u64 = 1000;

pub(crate) struct Versus {
    bar: Option<ProgressBar>,
    due: Due,
}

impl Versus {
    pub(crate) fn begin() -> Self {
        let template = format!("{{bar:{BAR_COLUMNS}}} {{wide_msg}}");
        let bar = bar(Some(STEPS), &template);
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

    /// `counted` pairs count, and `share` of the test is done, from 0 to 1.
    pub(crate) fn tick(&mut self, counted: usize, share: f64, line: impl FnOnce() -> String) {
        if !self.due.is_now(counted) {
            return;
        }
        let Some(bar) = &self.bar else {
            return print(&line());
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

    pub(crate) fn say(&self, line: &str) {
        print_above(self.bar.as_ref(), line);
    }

    pub(crate) fn close(&self) {
        self.bar.iter().for_each(ProgressBar::finish_and_clear);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_shown_to_meaningful_precision() {
        let reported =
            [None, Some(0), Some(91), Some(3_210)].map(|ms| to_go(ms.map(Duration::from_millis)));
        assert_eq!(reported, ["", "", ", about 1 s left", ", about 3 s left"]);
        let seconds = to_milliseconds(Duration::from_nanos(12_640_637)).to_string();
        assert_eq!(seconds, "0.013");
    }
}
