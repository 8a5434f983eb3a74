//! Progress of a run: a picture on a terminal, plain lines elsewhere, and events for programs.

mod live;
mod standings;
mod table;

pub(crate) use live::{Event, Live, StandingEvent, VERSION};
pub use standings::final_table;
pub(crate) use standings::{pool_table, signed};

use crate::terminal::{
    Paint, Style, can_redraw, columns, cut, fitted, joined, line, paint_of_stderr,
};
use console::Term;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use live::Emit;
use model::fault::quote;
use model::numbers::about;
use model::record::MatchRecord;
use run::commands::program;
use run::{RunEvent, Sink};
use std::io::{Write as _, stderr};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Time between two computations of the ranks; longer where that is slow.
const RANKS_INTERVAL: Duration = Duration::from_secs(2);
/// Least time between two rounds of a piece of work, as a multiple of its duration.
const REST: u32 = 20;
const PROGRESS_INTERVAL: Duration = Duration::from_secs(1);
const STANDINGS_INTERVAL: Duration = Duration::from_secs(10);
const LINES_AROUND: usize = 6;

pub(crate) struct Progress {
    live: Live,
    bar: ProgressBar,
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

    fn has_waited(&self, time: Duration) -> bool {
        self.last.is_none_or(|last| last.elapsed() >= time)
    }

    /// Returns whether enough time has passed and more games were played; the waiting then restarts.
    fn is_now(&mut self, played: usize) -> bool {
        let is_now = self.has_waited(self.every) && self.played != played;
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
        bar.set_position(live.played as u64);
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
        self.bar.inc(1);
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
        self.bar.suspend(|| print(line));
    }

    pub(crate) fn tick(&mut self) {
        let played = self.live.played;
        if let Some(emit) = self.emit {
            if self.counting.is_now(played) {
                self.emit_progress(emit);
            }
            if self.standings.is_now(played) && self.since_resume > 0 {
                self.live.update_uncertainty();
                self.live.emit(emit);
            }
        }
        if !self.bar.is_hidden() {
            if self.ranks.is_now(played) {
                self.ranks
                    .with_rest(RANKS_INTERVAL, || self.live.update_uncertainty());
            }
            // The elapsed time changes even while no game ends.
            if self.drawing.is_now(played) || self.drawing.has_waited(PROGRESS_INTERVAL) {
                self.drawing.last = Some(Instant::now());
                self.draw();
            }
        } else if self.cadence.is_due(self.began.elapsed(), played) {
            self.live.update_uncertainty();
            print(&self.line());
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
        lines.extend(
            self.live
                .top(rows)
                .into_iter()
                .zip(0..)
                .map(|(line, index)| (line, if index == 0 { Style::Dim } else { Style::Plain })),
        );
        lines.extend(self.live.faults().map(|line| (line, Style::Bad)));
        lines.extend(self.live.slow().map(|line| (line, Style::Bold)));
        let head = BAR_COLUMNS + 1;
        let text: Vec<String> = lines
            .into_iter()
            .zip(0..)
            .map(|((text, style), index)| {
                let mut drawn = line(text, style);
                let taken = if index == 0 { head } else { 0 };
                cut(&mut drawn, width.saturating_sub(taken + 1));
                self.paint.line(&drawn)
            })
            .collect();
        self.drawing.with_rest(DRAW_INTERVAL, || {
            self.bar.set_message(text.join("\n"));
            self.bar.tick();
        });
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
        self.bar.finish_and_clear();
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
    bar: ProgressBar,
    due: Due,
}

impl Versus {
    pub(crate) fn begin() -> Self {
        let bar = bar(Some(STEPS), &format!("{{bar:{BAR_COLUMNS}}} {{wide_msg}}"));
        let mut due = Due::every(DRAW_INTERVAL);
        if bar.is_hidden() {
            // The first plain line waits as long as the others.
            due.is_now(0);
            due.every = LINE_INTERVAL;
        }
        Self { bar, due }
    }

    /// `counted` pairs count, and `share` of the test is done, from 0 to 1.
    pub(crate) fn tick(&mut self, counted: usize, share: f64, line: impl FnOnce() -> String) {
        if !self.due.is_now(counted) {
            return;
        }
        if self.bar.is_hidden() {
            return print(&line());
        }
        self.bar.set_message(line());
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "a step of a bar"
        )]
        self.bar
            .set_position((share.clamp(0.0, 1.0) * STEPS as f64) as u64);
    }

    pub(crate) fn say(&self, line: &str) {
        self.bar.suspend(|| print(line));
    }

    pub(crate) fn close(&self) {
        self.bar.finish_and_clear();
    }
}

/// Time between two redraws of a picture; longer where drawing is slow.
const DRAW_INTERVAL: Duration = Duration::from_millis(150);
const BAR_COLUMNS: usize = 20;

/// Writes a line on standard error; a missing reader stops nothing.
pub(crate) fn print(line: &str) {
    let line = columns(&Term::stderr()).map_or_else(
        || line.to_owned(),
        |columns| fitted(line, columns, &program()),
    );
    let _ = writeln!(stderr(), "{line}");
}

/// When plain lines come: at every tenth, but at most once a second and at least once a minute.
struct Cadence {
    total: usize,
    /// Time of the last line, since the beginning.
    reported: Duration,
    tenths: usize,
}

impl Cadence {
    const PAUSE_MIN: Duration = Duration::from_secs(1);
    const PAUSE_MAX: Duration = Duration::from_secs(60);

    fn new(played: usize, total: usize) -> Self {
        Self {
            total,
            reported: Duration::ZERO,
            tenths: played * 10 / total.max(1),
        }
    }

    fn is_due(&mut self, elapsed: Duration, played: usize) -> bool {
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
    fn has_reported(&self) -> bool {
        self.reported > Duration::ZERO
    }
}

/// The stages of a run. As a sink, it shows only them.
#[derive(Default)]
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
struct Stage {
    what: &'static str,
    total: usize,
    done: usize,
    begun: Vec<String>,
    bar: ProgressBar,
    began: Instant,
    cadence: Cadence,
}

impl Drop for Stage {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
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
        let bar = match of {
            Some(0) => ProgressBar::hidden(),
            of => bar(of.map(|of| of as u64), &template),
        };
        if !bar.is_hidden() {
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
        self.bar.inc(1);
        self.done += 1;
        let is_due = if self.done == self.total {
            self.cadence.has_reported()
        } else {
            self.cadence.is_due(self.began.elapsed(), self.done)
        };
        if is_due && self.bar.is_hidden() {
            print(&format!("{} of {} {}", self.done, self.total, self.what));
        }
    }

    fn name_begun(&self) {
        self.bar.set_message(going_on(&self.begun));
    }
}

fn going_on(begun: &[String]) -> String {
    if begun.is_empty() {
        return String::new();
    }
    let names = begun.iter().map(|name| quote(name.as_bytes()));
    format!("; now {}", joined(names, ", "))
}

/// Makes a bar, which is hidden where nothing can be redrawn.
fn bar(total: Option<u64>, template: &str) -> ProgressBar {
    if !can_redraw(&stderr()) {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template(template).expect("a valid template");
    ProgressBar::with_draw_target(total, ProgressDrawTarget::stderr())
        .with_style(style.progress_chars("━╸─"))
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
