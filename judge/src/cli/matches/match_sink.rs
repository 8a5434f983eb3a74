//! A sink that counts and shows a match, and ends it at its verdict.

use super::comparison::Comparison;
use crate::cli::out::is_verbose;
use crate::cli::run_tell;
use crate::progress::{Stages, Versus};
use run::{RunEvent, Sink};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Counts and shows a match; its verdict sets `stop`.
pub(super) struct MatchSink<'a> {
    stages: Stages,
    shown: Mutex<Shown>,
    stop: &'a AtomicBool,
}

struct Shown {
    comparison: Comparison,
    /// `None` before the first game.
    progress: Option<Versus>,
}

impl<'a> MatchSink<'a> {
    pub(super) fn new(comparison: Comparison, stop: &'a AtomicBool) -> Self {
        Self {
            stages: Stages::default(),
            shown: Mutex::new(Shown {
                comparison,
                progress: None,
            }),
            stop,
        }
    }

    /// Prints the games played before. Returns whether they were enough.
    pub(super) fn begin(&self) -> bool {
        let mut shown = self.shown();
        if shown.comparison.games > 0 {
            say!("already played: {}", shown.comparison.line());
        }
        let is_over = shown.comparison.is_over();
        shown.progress = (!is_over).then(Versus::begin);
        is_over
    }

    /// Returns whether there is a verdict.
    pub(super) fn is_over(&self) -> bool {
        self.shown().comparison.is_over()
    }

    /// Returns the number of initial states that count.
    pub(super) fn counted(&self) -> u32 {
        self.shown().comparison.counted()
    }

    pub(super) fn into_comparison(self) -> Comparison {
        self.shown
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
            .comparison
    }

    fn shown(&self) -> MutexGuard<'_, Shown> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Sink for MatchSink<'_> {
    fn take(&self, event: RunEvent<'_>) {
        let mut shown = self.shown();
        let is_over = shown.comparison.is_over();
        match event {
            RunEvent::StageBegins { .. } | RunEvent::StageEnds => self.stages.take(event),
            // Games after the verdict do not count.
            RunEvent::Restored(_, result) if !is_over => shown.comparison.add(result),
            RunEvent::Finished(_, record) => shown.comparison.add(&record.result()),
            RunEvent::FirstFault(folder, first) => {
                let lines = run_tell::first_fault(folder, first, is_verbose());
                shown.say(&format!("fault of {}", lines.join("\n")));
            }
            RunEvent::Again(reason) => {
                shown.say(&format!("a game will be played again: {reason}"));
            }
            RunEvent::Note(words) => shown.say(words),
            // After the verdict the games in play no longer matter.
            RunEvent::Interrupted if !is_over => shown.say(run_tell::INTERRUPTED),
            RunEvent::Tick => {
                if is_over {
                    self.stop.store(true, Ordering::Relaxed);
                }
                shown.tick();
            }
            RunEvent::Ends => shown.progress.iter().for_each(Versus::close),
            _ => {}
        }
    }
}

impl Shown {
    fn say(&self, line: &str) {
        self.progress.iter().for_each(|progress| progress.say(line));
    }

    fn tick(&mut self) {
        let Self {
            comparison,
            progress: Some(progress),
        } = self
        else {
            return;
        };
        let counted = comparison.counted() as usize;
        progress.tick(counted, comparison.progress(), || comparison.line());
    }
}
