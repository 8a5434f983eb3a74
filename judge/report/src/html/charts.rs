//! The drawings of the page: turn times and results by initial state.

#![expect(clippy::cast_precision_loss, reason = "a picture")]

use super::gather::{Histogram, State, position};
use super::phrases;
use super::source::Page;
use maud::{Markup, html};
use std::collections::BTreeMap;
use std::fmt::Write;

const STATES_MAX: usize = 1000;
const AXIS_NUMBERS: usize = 20;
const STATE_HEIGHT: f64 = 60.0;
const TICKS_US: [u64; 8] = [
    10,
    100,
    1_000,
    10_000,
    100_000,
    1_000_000,
    10_000_000,
    100_000_000,
];

#[derive(Clone, Copy, Debug)]
pub(super) struct Size {
    width: usize,
    height: usize,
    bins: usize,
    is_named: bool,
}

pub(super) const SMALL: Size = Size {
    width: 240,
    height: 26,
    bins: 60,
    is_named: false,
};
pub(super) const LARGE: Size = Size {
    width: 640,
    height: 96,
    bins: 80,
    is_named: true,
};
const NAMES_HEIGHT: usize = 16;

/// Draws the distribution of turn times on a logarithmic axis from 1 µs, with the limit.
pub(super) fn distribution(page: &Page<'_>, turns: &Histogram, size: Size) -> Markup {
    let Page {
        end_us, limit_us, ..
    } = *page;
    let Size { width, height, .. } = size;
    let at = |us: u64| position(us, end_us) * width as f64;
    let median = at(turns.percentile(50));
    let ticks = TICKS_US.iter().filter(|us| **us < end_us);
    let names = if size.is_named { NAMES_HEIGHT } else { 0 };
    html! {
        svg.dist viewBox=(format!("0 0 {width} {}", height + names)) width=(width) height=(height + names) aria-hidden="true" {
            @for us in ticks.clone() { path.tick d=(format!("M{:.1} 0V{height}", at(*us))) {} }
            path.bars d=(bars(turns, end_us, size)) {}
            path.median d=(format!("M{median:.1} 0V{height}")) {}
            @if let Some(limit) = limit_us {
                path.limit d=(format!("M{:.1} 0V{height}", at(limit).min(width as f64 - 1.0))) {}
            }
            @if size.is_named {
                path.axis d=(format!("M0 {height}H{width}")) {}
                @for us in ticks { text x=(format!("{:.1}", at(*us))) y=(height + 13) { (phrases::round_time(*us)) } }
            }
        }
    }
}

fn bars(turns: &Histogram, end_us: u64, size: Size) -> String {
    let shape = turns.shape(end_us, size.bins);
    let top = shape.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    let step = size.width as f64 / size.bins as f64;
    let mut bars = String::new();
    for (bin, share) in shape.iter().enumerate().filter(|(_, share)| **share > 0.0) {
        // A rare turn must be visible, too.
        let height = (share / top * (size.height as f64 - 2.0)).max(1.5);
        let x = bin as f64 * step;
        write!(
            bars,
            "M{x:.0} {}v-{height:.1}h{step:.0}v{height:.1}z",
            size.height
        )
        .expect("memory");
    }
    bars
}

pub(super) fn seat_class(seat: usize) -> String {
    format!("seat s{seat}")
}

/// Draws a column for each initial state; `what` and `title` are the words for one of them and for all.
pub(super) fn states(
    states: &BTreeMap<u32, State>,
    roles: &[&str],
    (what, title): (&str, &str),
) -> Markup {
    let shown = states.iter().take(STATES_MAX);
    let count = states.len().min(STATES_MAX);
    let width = (960.0 / count.max(1) as f64).clamp(5.0, 28.0).floor();
    let gap = if width > 8.0 { 2.0 } else { 1.0 };
    let whole = width * count as f64;
    let numbers: Vec<u32> = states.keys().copied().collect();
    html! {
        div.wide role="region" aria-label=(title) {
            svg.states viewBox=(format!("-34 -6 {:.0} {:.0}", whole + 36.0, STATE_HEIGHT + 24.0)) width=(format!("{:.0}", whole + 36.0)) height=(STATE_HEIGHT + 24.0) {
                @for percent in [0, 50, 100] {
                    text x="-18" y=(format!("{:.0}", STATE_HEIGHT * (1.0 - f64::from(percent) / 100.0) + 4.0)) { (percent) " %" }
                }
                @for at in (0..count).step_by(count.div_ceil(AXIS_NUMBERS)) {
                    text x=(format!("{:.1}", (at as f64 + 0.5) * width)) y=(STATE_HEIGHT + 15.0) { (numbers[at]) }
                }
                @for (at, (number, state)) in shown.enumerate() {
                    @let reported = reported(what, *number, state, roles);
                    a href=(format!("#g={}", state.game)) tabindex=(if at == 0 { "0" } else { "-1" })
                        aria-label=(reported) {
                        title { (reported) }
                        rect.ground x=(format!("{:.0}", at as f64 * width)) y="0" width=(format!("{:.0}", width - gap)) height=(STATE_HEIGHT) {}
                        @for (class, y, height) in parts(state) {
                            rect class=(class) x=(format!("{:.0}", at as f64 * width)) y=(format!("{y:.1}"))
                                width=(format!("{:.0}", width - gap)) height=(format!("{height:.1}")) {}
                        }
                    }
                }
            }
        }
        @if states.len() > STATES_MAX {
            p.note { "The first " (STATES_MAX) " of " (states.len()) " are shown." }
        }
    }
}

/// Stacks the results of a state's games: (class, upper end, height).
fn parts(state: &State) -> Vec<(String, f64, f64)> {
    let all = state.won.iter().sum::<u64>() + state.drawn;
    let mut y = 0.0;
    state
        .won
        .iter()
        .enumerate()
        .map(|(seat, &won)| (seat_class(seat), won))
        .chain([("drawn".to_owned(), state.drawn)])
        .map(|(class, games)| {
            let height = STATE_HEIGHT * games as f64 / all.max(1) as f64;
            y += height;
            (class, y - height, height)
        })
        .filter(|(_, _, height)| *height > 0.0)
        .collect()
}

fn reported(what: &str, number: u32, state: &State, roles: &[&str]) -> String {
    let wins: Vec<String> = roles
        .iter()
        .zip(&state.won)
        .map(|(role, won)| format!("{role} won {won}"))
        .collect();
    let turns = state.turns / state.games.max(1);
    format!(
        "{what} {number}: {}, {}, drawn {}; {turns} turns on average",
        phrases::counted(state.games, "game"),
        wins.join(", "),
        state.drawn
    )
}
