//! What goes on besides games: a line on a terminal that goes when it is over, and where things
//! are counted now and then a plain line elsewhere.

use super::lines::{BAR_COLUMNS, Cadence, DRAW_INTERVAL, tell};
use crate::terminal::can_redraw;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::sync::Mutex;
use std::time::Instant;
use words::fault::quote;

/// Does something that may take a while, and says so on a terminal meanwhile. Nothing else is to
/// be said in it.
pub fn stage<T>(what: &'static str, work: impl FnOnce() -> T) -> T {
    let template = format!("{what}, {{elapsed}}");
    let bar = bar(None, &template);
    let done = work();
    bar.iter().for_each(ProgressBar::finish_and_clear);
    done
}

/// Does the same with so many things, each of which is counted when it is done, on any thread.
pub fn counted_stage<T>(what: &'static str, total: usize, work: impl FnOnce(&Counted) -> T) -> T {
    let template =
        format!("{{bar:{BAR_COLUMNS}}} {{pos}} of {{len}} {what}, {{elapsed}}{{wide_msg}}");
    let counted = Counted {
        what,
        total,
        bar: bar(Some(total as u64), &template),
        began: Instant::now(),
        steps: Mutex::new((0, Cadence::new(0, total))),
        begun: Mutex::default(),
    };
    let done = work(&counted);
    counted.bar.iter().for_each(ProgressBar::finish_and_clear);
    done
}

/// Things that are counted, and those that are going on by name, for a line on a terminal.
#[derive(Debug)]
pub struct Counted {
    what: &'static str,
    total: usize,
    bar: Option<ProgressBar>,
    began: Instant,
    steps: Mutex<(usize, Cadence)>,
    begun: Mutex<Vec<String>>,
}

impl Counted {
    /// Counts one.
    pub fn step(&self) {
        if let Some(bar) = &self.bar {
            bar.inc(1);
            return;
        }
        let mut steps = self.steps.lock().expect("nobody panics here");
        let (done, cadence) = &mut *steps;
        *done += 1;
        if *done < self.total && cadence.is_due(self.began.elapsed(), *done) {
            tell(&format!("{done} of {} {}", self.total, self.what));
        }
    }

    /// Names one that begins.
    pub fn begin(&self, name: &str) {
        self.name(|begun| begun.push(name.to_owned()));
    }

    /// Counts one that was named.
    pub fn end(&self, name: &str) {
        self.name(|begun| begun.retain(|one| one != name));
        self.step();
    }

    fn name(&self, change: impl FnOnce(&mut Vec<String>)) {
        let mut begun = self.begun.lock().expect("nobody panics here");
        change(&mut begun);
        if let Some(bar) = &self.bar {
            bar.set_message(going_on(&begun));
        }
    }
}

/// Lists the names of what goes on.
fn going_on(begun: &[String]) -> String {
    if begun.is_empty() {
        return String::new();
    }
    let names = begun.iter().map(|name| quote(name.as_bytes()));
    format!("; now {}", names.collect::<Vec<_>>().join(", "))
}

/// Begins a line on a terminal, which draws itself anew; none elsewhere.
fn bar(total: Option<u64>, template: &str) -> Option<ProgressBar> {
    let is_seen = can_redraw(&std::io::stderr()) && total != Some(0);
    is_seen.then(|| {
        let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::stderr());
        let style = ProgressStyle::with_template(template).expect("a valid template");
        bar.set_style(style.progress_chars("━╸─"));
        bar.enable_steady_tick(DRAW_INTERVAL);
        bar
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_on_is_named_and_hostile_names_do_nothing() {
        assert_eq!(going_on(&[]), "");
        let begun = ["ann".to_owned(), "b\u{1b}[31m\n".to_owned()];
        assert_eq!(going_on(&begun), "; now ann, b\\u{1b}[31m\\u{a}");
    }
}
