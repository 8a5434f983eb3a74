//! What might as well have been otherwise: what the interval of a rank means, `chances.csv`
//! and `boundaries.csv`.

use super::sheet::{Sheet, strings, text};
use crate::competition::Competition;
use crate::schedule;
use crate::scoring::{Change, Stake, Table};

/// Returns whether several initial states are one and the same, so that they only number rounds
/// of games.
pub(crate) fn has_one_start(competition: &Competition) -> bool {
    competition.states > 1 && !schedule::states_differ(competition).unwrap_or(true)
}

/// Says what the interval of a rank means.
pub(super) fn interval_meaning(competition: &Competition) -> String {
    let drawn = if schedule::states_differ(competition).unwrap_or(true) {
        "if the initial states were drawn again"
    } else {
        "if the rounds of games, all from the same state, were drawn again"
    };
    format!("confidence interval of the rank, {drawn}")
}

/// Makes one row for each two entrants of the table: how often one would win against the
/// other. Without rows where games were only repeated.
pub(super) fn chances_sheet(table: &Table) -> Sheet {
    let mut sheet = Sheet::new(&strings(&["entrant", "opponent", "chance"]));
    let Some(strengths) = &table.strengths else {
        return sheet;
    };
    let names = || table.rows.iter().map(|row| row.standing.entrant.as_str());
    for one in names() {
        for other in names().filter(|other| *other != one) {
            if let Some(chance) = strengths.chance(one, other) {
                sheet.row(&[text(one), text(other), format!("{chance:.3}")]);
            }
        }
    }
    sheet
}

/// Makes one row for each small change that would have made a difference to somebody.
pub(super) fn boundaries_sheet(table: &Table) -> Sheet {
    let mut sheet = Sheet::new(&strings(&[
        "entrant",
        "change",
        "without",
        "rank",
        "rank_then",
        "prize",
        "prize_then",
        "grade",
        "grade_then",
    ]));
    for alarm in &table.alarms {
        let (change, without) = change(&alarm.change);
        let prize = |stake: &Stake| stake.prize.map(|prize| prize.to_string());
        let grade = |stake: &Stake| stake.grade.as_deref().map(text);
        let (now, then) = (&alarm.now, &alarm.then);
        sheet.row(&[
            text(&alarm.entrant),
            change.to_owned(),
            without,
            now.rank.to_string(),
            then.rank.to_string(),
            prize(now).unwrap_or_default(),
            prize(then).unwrap_or_default(),
            grade(now).unwrap_or_default(),
            grade(then).unwrap_or_default(),
        ]);
    }
    sheet
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
    }
}
