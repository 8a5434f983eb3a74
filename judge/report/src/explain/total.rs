//! The calculation of a total, and the turn times.

use super::own_games::Case;
use model::competition::{PointsRule, Scoring};
use model::numbers::{counted, percent, points, so_many_points, time};
use model::tally::Tally;

pub(super) fn lines(case: &Case<'_>) -> Vec<String> {
    let standing = &case.row.standing;
    let rate = case.competition.scoring.points_per_cpu_second;
    let mut lines = vec![rule(case)];
    for (role, tally) in case
        .roles
        .iter()
        .zip(&standing.by_role)
        .filter(|(_, tally)| tally.games > 0)
    {
        lines.push(format!("as {role}: {}", sum(tally, rate)));
    }
    if standing.by_role.iter().filter(|t| t.games > 0).count() > 1 {
        lines.push(format!("together: {}", sum(&standing.total, rate)));
    }
    lines
}

/// Describes the points for a game.
fn rule(case: &Case<'_>) -> String {
    let scoring = &case.competition.scoring;
    let brings = match scoring.points {
        PointsRule::Game => "each game earns the points of the game's own formula",
        PointsRule::Win => "each win earns a point, shared equally among joint winners",
        PointsRule::WinDraw => {
            "each win earns a point, shared equally among joint winners, and each draw half a point"
        }
    };
    match scoring.points_per_cpu_second {
        0.0 => format!("{brings}; CPU time is free"),
        rate => format!(
            "{brings}, minus {rate} for each second of CPU time{}",
            cpu_step(scoring)
        ),
    }
}

/// Describes how CPU time is rounded; empty if it is not.
pub(crate) fn cpu_step(scoring: &Scoring) -> String {
    match scoring.cpu_step_ms {
        0 => String::new(),
        step => format!(", in each game rounded to {step} ms"),
    }
}

/// Formats a sum: `88 games, 47 won, 0 drawn, 41 lost: 9,871 points, minus 1.23 for 1.23 s of CPU
/// time at 1 a second: 9,869.77 points`.
fn sum(tally: &Tally, rate: f64) -> String {
    let games = format!(
        "{}, {} won, {} drawn, {} lost",
        counted(tally.games, "game"),
        tally.wins,
        tally.draws,
        tally.losses
    );
    let base = so_many_points(tally.base());
    if rate == 0.0 {
        return format!("{games}: {base}");
    }
    format!(
        "{games}: {base}, minus {} for {} of CPU time at {rate} a second: {}",
        points(tally.cpu_cost),
        time(tally.cpu_us),
        so_many_points(tally.points)
    )
}

/// Describes the turn times.
pub(super) fn times(case: &Case<'_>) -> Vec<String> {
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
