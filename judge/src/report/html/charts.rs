//! The drawings of the overview: how long turns took, and how initial states were won.

use super::gather::State;
use super::histogram::{Histogram, position};
use super::words;
use maud::{Markup, html};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The size of the drawing of a distribution, in its own units.
const WIDTH: usize = 240;
const HEIGHT: usize = 24;
/// The parts of a distribution's axis.
const BINS: usize = 60;
/// The initial states that are drawn.
const STATES_MAX: usize = 1000;
/// The height of a state's column.
const STATE_HEIGHT: f64 = 60.0;

/// Draws how long turns took, on a logarithmic axis from 1 µs to `end_us`, with the limit.
#[expect(clippy::cast_precision_loss, reason = "a picture")]
pub(super) fn distribution(turns: &Histogram, end_us: u64, limit_us: Option<u64>) -> Markup {
    let shape = turns.shape(end_us, BINS);
    let top = shape.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    let step = WIDTH as f64 / BINS as f64;
    let mut bars = String::new();
    for (bin, share) in shape.iter().enumerate().filter(|(_, share)| **share > 0.0) {
        // A rare turn shows, too.
        let height = (share / top * (HEIGHT as f64 - 2.0)).max(1.5);
        let x = bin as f64 * step;
        write!(bars, "M{x:.0} {HEIGHT}v-{height:.1}h{step:.0}v{height:.1}z").expect("memory");
    }
    let at = |us: u64| position(us, end_us) * WIDTH as f64;
    let median = at(turns.percentile(50));
    html! {
        svg.dist viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) preserveAspectRatio="none" aria-hidden="true" {
            path.bars d=(bars) {}
            path.median d=(format!("M{median:.1} 0V{HEIGHT}")) {}
            @if let Some(limit) = limit_us {
                path.limit d=(format!("M{:.1} 0V{HEIGHT}", at(limit).min(WIDTH as f64 - 1.0))) {}
            }
        }
    }
}

/// Draws a column for each initial state: which seats won on it.
#[expect(clippy::cast_precision_loss, reason = "a picture")]
pub(super) fn states(states: &BTreeMap<u32, State>, roles: &[&str]) -> Markup {
    let shown = states.iter().take(STATES_MAX);
    let count = states.len().min(STATES_MAX);
    let width = (720.0 / count.max(1) as f64).clamp(6.0, 40.0);
    let gap = if width > 8.0 { 1.5 } else { 0.5 };
    let whole = width * count as f64;
    html! {
        div.wide tabindex="0" role="region" aria-label="Initial states" {
            svg.states viewBox=(format!("0 0 {whole:.0} {STATE_HEIGHT}")) width=(format!("{whole:.0}")) height=(STATE_HEIGHT) role="img"
                aria-label=(format!("How {count} initial states were won, by role")) {
                @for (at, (number, state)) in shown.enumerate() {
                    a href=(format!("#g={}", state.game)) tabindex="-1" {
                        title { (told(*number, state, roles)) }
                        @for (class, y, height) in parts(state) {
                            rect class=(class) x=(format!("{:.1}", at as f64 * width)) y=(format!("{y:.1}"))
                                width=(format!("{:.1}", width - gap)) height=(format!("{height:.1}")) {}
                        }
                    }
                }
            }
        }
    }
}

/// Stacks what became of a state's games: (class, upper end, height).
#[expect(clippy::cast_precision_loss, reason = "a picture")]
fn parts(state: &State) -> Vec<(String, f64, f64)> {
    let all = state.won.iter().sum::<u64>() + state.drawn;
    let mut y = 0.0;
    let wins = state.won.iter().enumerate();
    let wins = wins.map(|(seat, &won)| (format!("s{seat}"), won));
    let parts = wins
        .chain([("drawn".to_owned(), state.drawn)])
        .map(|(class, games)| {
            let height = STATE_HEIGHT * games as f64 / all.max(1) as f64;
            y += height;
            (class, y - height, height)
        });
    parts.filter(|(_, _, height)| *height > 0.0).collect()
}

fn told(number: u32, state: &State, roles: &[&str]) -> String {
    let wins = roles.iter().zip(&state.won);
    let wins: Vec<String> = wins
        .map(|(role, won)| format!("{role} won {won}"))
        .collect();
    let turns = state.turns / state.games.max(1);
    format!(
        "state {number}: {} games, {}, drawn {}; {turns} turns on average",
        state.games,
        wins.join(", "),
        state.drawn
    )
}

/// Names the marks on the logarithmic axis of times.
pub(super) fn axis(end_us: u64) -> String {
    format!("1 µs to {}, logarithmic", words::time(end_us))
}
