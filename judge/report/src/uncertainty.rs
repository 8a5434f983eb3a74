//! What might as well have been otherwise: what the interval of a rank means, `chances.csv`
//! and `boundaries.csv`.

use super::sheet::{Rows, Sheet, SheetColumns, or_empty, text, text_or_empty};
use competition::schedule;
use scoring::{Alarm, Change, Stake, StandingsTable};
use words::competition::Competition;

/// Returns whether several initial states are one and the same, so that they only number its
/// repetitions.
pub fn has_one_start(competition: &Competition) -> bool {
    competition.states > 1 && !schedule::states_differ(competition).unwrap_or(true)
}

/// Says what the interval of a rank means.
pub fn interval_meaning(competition: &Competition) -> String {
    let drawn = if schedule::states_differ(competition).unwrap_or(true) {
        "if the initial states were drawn again"
    } else {
        "if the repetitions of the same initial state were drawn again"
    };
    format!("confidence interval of the rank, {drawn}")
}

/// The rows of `chances.csv`.
enum Chances {}

impl Rows for Chances {
    /// One entrant, another one, and how often the first would win.
    type Row<'a> = (&'a str, &'a str, f64);
}

/// Makes one row for each two entrants of the table: how often one would win against the
/// other. Without rows where games were only repeated.
pub(super) fn chances_csv(table: &StandingsTable) -> Vec<u8> {
    let columns = SheetColumns::<Chances>::new()
        .with("entrant", |(one, _, _)| text(one))
        .with("opponent", |(_, other, _)| text(other))
        .with("chance", |(_, _, chance)| format!("{chance:.3}"));
    let mut sheet = Sheet::new(columns);
    let names = || {
        let ranked = table.rows.iter().map(|row| &row.standing.entrant);
        let beside = table.beside.iter().map(|beside| &beside.entrant);
        ranked.chain(beside).map(String::as_str)
    };
    if let Some(strengths) = &table.strengths {
        for one in names() {
            for other in names().filter(|other| *other != one) {
                if let Some(chance) = strengths.chance(one, other) {
                    sheet.row(&(one, other, chance));
                }
            }
        }
    }
    sheet.finish()
}

/// The rows of `boundaries.csv`.
enum Boundaries {}

impl Rows for Boundaries {
    type Row<'a> = Alarm;
}

/// Makes one row for each small change that would have made a difference to somebody.
pub(super) fn boundaries_csv(table: &StandingsTable) -> Vec<u8> {
    let prize = |stake: &Stake| or_empty(stake.prize);
    let grade = |stake: &Stake| text_or_empty(stake.grade.as_deref());
    let columns = SheetColumns::<Boundaries>::new()
        .with("entrant", |alarm| text(&alarm.entrant))
        .with("change", |alarm| change(&alarm.change).0.to_owned())
        .with("without", |alarm| change(&alarm.change).1)
        .with("rank", |alarm| alarm.now.rank.to_string())
        .with("rank_then", |alarm| alarm.then.rank.to_string())
        .with("prize", |alarm| prize(&alarm.now))
        .with("prize_then", |alarm| prize(&alarm.then))
        .with("grade", |alarm| grade(&alarm.now))
        .with("grade_then", |alarm| grade(&alarm.then));
    let mut sheet = Sheet::new(columns);
    for alarm in &table.alarms {
        sheet.row(alarm);
    }
    sheet.finish()
}

/// Names a change, and who or what is left out.
fn change(change: &Change) -> (&'static str, String) {
    match change {
        Change::HalfK => ("k-halved", String::new()),
        Change::DoubleK => ("k-doubled", String::new()),
        Change::LessCpu => ("cpu-less-10-percent", String::new()),
        Change::MoreCpu => ("cpu-more-10-percent", String::new()),
        Change::WithoutState(state) => ("without-state", state.to_string()),
        Change::WithoutOpponent(name) => ("without-opponent", text(name)),
        Change::WinsFirst => ("ranked-by-wins", String::new()),
        Change::PointsFirst => ("ranked-by-points", String::new()),
    }
}
