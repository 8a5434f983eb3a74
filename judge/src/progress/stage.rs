//! What goes on besides games: a line on a terminal that goes when it is over, and where things
//! are counted now and then a plain line elsewhere.

use super::lines::{BAR_COLUMNS, Cadence, DRAW_INTERVAL, tell};
use crate::terminal::can_redraw;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::sync::Mutex;
use std::time::Instant;

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
pub fn counted_stage<T>(
    what: &'static str,
    total: usize,
    work: impl FnOnce(&(dyn Fn() + Sync)) -> T,
) -> T {
    let template = format!("{{bar:{BAR_COLUMNS}}} {{pos}} of {{len}} {what}, {{elapsed}}");
    let bar = bar(Some(total as u64), &template);
    let began = Instant::now();
    let counted = Mutex::new((0, Cadence::new(0, total)));
    let done = work(&|| {
        if let Some(bar) = &bar {
            bar.inc(1);
            return;
        }
        let mut counted = counted.lock().expect("nobody panics here");
        let (done, cadence) = &mut *counted;
        *done += 1;
        if *done < total && cadence.is_due(began.elapsed(), *done) {
            tell(&format!("{done} of {total} {what}"));
        }
    });
    bar.iter().for_each(ProgressBar::finish_and_clear);
    done
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
