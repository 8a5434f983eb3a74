//! How sure a rank is, and what hangs on little.

use super::Case;
use crate::schedule;
use crate::scoring::{Alarm, Change, Difference, RESAMPLES};

pub(super) fn lines(case: &Case<'_>) -> Vec<String> {
    if let Some(reason) = &case.table.silent {
        return vec![format!("nothing can be said: {reason}")];
    }
    let mut lines = Vec::new();
    if let Some(sure) = &case.row.uncertainty {
        let ranks = if sure.rank_best == sure.rank_worst {
            format!("be {}", sure.rank_best)
        } else {
            format!("lie from {} to {}", sure.rank_best, sure.rank_worst)
        };
        let (otherwise, blocks) = if schedule::states_differ(case.competition).unwrap_or(true) {
            ("on other initial states", "states")
        } else {
            ("in other games from the same start", "rounds of games")
        };
        lines.push(format!(
            "{otherwise} the rank might be another: in 95 of 100 of {RESAMPLES} tournaments \
             drawn from the {blocks} that were played, it would {ranks}"
        ));
        let first = sure.placing.first().copied().unwrap_or_default();
        lines.push(format!("first in {:.1} % of them", first * 100.0));
    }
    let rows = &case.table.rows;
    let own = &case.row.standing.entrant;
    for two in rows.windows(2) {
        let (better, worse) = (&two[0].standing.entrant, &two[1].standing.entrant);
        if let Some(ahead) = two[0].ahead.filter(|_| better == own || worse == own) {
            lines.push(difference(better, worse, ahead));
        }
    }
    lines
}

fn difference(better: &str, worse: &str, ahead: Difference) -> String {
    let Difference { mean, low, high } = ahead;
    let verdict = if low > 0.0 {
        "more than luck"
    } else {
        "the order of the two may be luck"
    };
    let digits = if mean.abs() < 0.01 { 6 } else { 3 };
    format!(
        "{better} is ahead of {worse} by {mean:.digits$} points a game (95 %: {low:.digits$} to {high:.digits$}): {verdict}"
    )
}

/// How many boundaries are listed.
const ALARMS_MAX: usize = 8;

/// Lists the small changes that would have made a difference.
pub(super) fn boundaries(case: &Case<'_>) -> Vec<String> {
    let own = &case.row.standing.entrant;
    let alarms = case.table.alarms.iter();
    let alarms: Vec<&Alarm> = alarms.filter(|alarm| alarm.entrant == *own).collect();
    if alarms.is_empty() {
        return vec![format!("nothing: {}", tried(case))];
    }
    let shown = alarms.iter().take(ALARMS_MAX);
    let mut lines: Vec<String> = shown.map(|alarm| told(alarm)).collect();
    if let Some(more @ 1..) = alarms.len().checked_sub(ALARMS_MAX) {
        lines.push(format!("and {more} more: see boundaries.csv"));
    }
    lines
}

fn told(alarm: &Alarm) -> String {
    let (now, then) = (&alarm.now, &alarm.then);
    let mut changes = Vec::new();
    if now.rank != then.rank {
        changes.push(format!("rank {} instead of {}", then.rank, now.rank));
    }
    if now.prize != then.prize {
        let prize = |prize: Option<u32>| prize.unwrap_or_default();
        let (then, now) = (prize(then.prize), prize(now.prize));
        changes.push(format!("{then} prize points instead of {now}"));
    }
    if now.grade != then.grade {
        let grade = |grade: &Option<String>| grade.clone().unwrap_or_default();
        let (then, now) = (grade(&then.grade), grade(&now.grade));
        changes.push(format!("grade {then} instead of {now}"));
    }
    // What is left out is scaled up, so that it is not the number of games that decides.
    let scaled = match alarm.change {
        Change::WithoutState(_) | Change::WithoutOpponent(_) if now.grade != then.grade => {
            " (points scaled up to all games)"
        }
        _ => "",
    };
    format!("{}: {}{scaled}", alarm.change, changes.join(", "))
}

/// Says what was tried.
fn tried(case: &Case<'_>) -> String {
    let scoring = &case.competition.scoring;
    let mut tried = Vec::new();
    if scoring.points_per_cpu_second > 0.0 {
        tried.push("CPU time at half or twice the price");
        tried.push("10 % more or less of it");
    }
    if case.competition.states > 1 {
        tried.push("any one initial state left out");
    }
    tried.push("any one opponent left out");
    let mut at_stake = vec!["whether the rank is the first"];
    if !scoring.prizes.is_empty() {
        at_stake.push("the prize");
    }
    if scoring.grades.is_some() {
        at_stake.push("the grade");
    }
    format!(
        "{} would not change {}",
        tried.join(", "),
        at_stake.join(" or ")
    )
}
