//! The turn times of one entrant.

use super::case::Case;
use model::numbers::{counted, percent, time};

pub(super) fn lines(case: &Case<'_>) -> Vec<String> {
    let conditions = &case.competition.conditions;
    let kind = conditions.mode.called();
    let mut turns = case.own.times.turns.clone();
    turns.sort_unstable();
    let Some(&longest) = turns.last() else {
        return Vec::new();
    };
    let at = |part: usize| time(turns[(turns.len() * part).div_ceil(100).max(1) - 1]);
    let mut lines = vec![format!(
        "{}, {kind}: median {}, 95 % up to {}, 99 % up to {}, longest {}",
        counted(turns.len() as u64, "turn"),
        at(50),
        at(95),
        at(99),
        time(longest)
    )];
    if let Some(limit) = conditions.time.turn_us {
        lines.push(format!(
            "the limit of a turn is {}; the longest turn took {} of it",
            time(limit),
            percent(longest, limit)
        ));
    }
    if let Some((used, allowed)) = case.own.times.game_max {
        lines.push(format!(
            "the game closest to its limit used {} of {} ({})",
            time(used),
            time(allowed),
            percent(used, allowed)
        ));
    }
    lines.extend(conditions.startup_words());
    lines
}
