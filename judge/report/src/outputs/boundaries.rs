//! `boundaries.csv`: small changes that would have affected somebody.

use super::output::{Made, Output, OutputSource, Scored};
use crate::sheet::{Reader, Rows, Sheet, SheetColumns, or_empty, text, text_or_empty};
use rulebook::scoring::{Alarm, Change, Stake};

pub(super) const OUTPUT: Output = Output {
    name: |_| Some("boundaries.csv".to_owned()),
    reader: Reader::Staff,
    made: Made::AtEnd { own: None, csv },
};

/// The rows of `boundaries.csv`.
enum Boundaries {}

impl Rows for Boundaries {
    type Row<'a> = Alarm;
}

/// Returns a row for each small change that would have affected somebody.
fn csv(_: &OutputSource<'_>, scored: &Scored<'_>) -> Vec<u8> {
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
    for alarm in &scored.table.alarms {
        sheet.row(alarm);
    }
    sheet.finish()
}

/// Returns the name of a change, and the state or opponent left out.
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
