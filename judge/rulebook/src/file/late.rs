//! The keys `timezone`, `late`, `too_late` and `received`: when a submission is late, and the consequences.

use super::values::{ExtraPoints, UpTo};
use super::wrong::Wrong;
use model::competition::Scoring;
use model::lateness::{LateStep, TooLate};
use model::points::Points;
use serde::Deserialize;
use std::ops::Range;
use toml::Spanned;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LateRow {
    /// At most a year.
    within_h: UpTo<8760>,
    penalty: ExtraPoints,
}

/// The values of `received`.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum ReceivedBy {
    /// The time at which the judge first sees a submission counts.
    Judge,
}

/// The keys that say when a submission is late, and with which consequences.
pub(super) struct LatenessKeys {
    pub(super) deadline: Option<Range<usize>>,
    pub(super) timezone: Option<Range<usize>>,
    pub(super) late: Option<Spanned<Vec<Spanned<LateRow>>>>,
    pub(super) too_late: Option<Spanned<TooLate>>,
    pub(super) received: Option<Spanned<ReceivedBy>>,
}

impl LatenessKeys {
    /// Checks that the keys fit together. After all steps of `late` a submission is ungraded,
    /// unless `too_late` says otherwise.
    pub(super) fn checked(self, scoring: &Scoring) -> Result<(Vec<LateStep>, TooLate), Wrong> {
        let keys = [
            ("timezone", self.timezone.clone()),
            ("late", self.late.as_ref().map(Spanned::span)),
            ("too_late", self.too_late.as_ref().map(Spanned::span)),
            ("received", self.received.as_ref().map(Spanned::span)),
        ];
        for (key, span) in keys {
            if let Some(span) = span.filter(|_| self.deadline.is_none()) {
                let reason = format!(
                    "{key} needs a deadline, for example deadline = 2026-12-24T18:00:00+01:00"
                );
                return Err((span, reason));
            }
        }
        let after = match (&self.late, self.deadline) {
            (None, Some(span)) if self.too_late.is_none() => {
                return Err((span, NOTHING_FOLLOWS.to_owned()));
            }
            (None, _) => TooLate::Graded,
            (Some(_), _) => TooLate::Ungraded,
        };
        let steps = match self.late {
            Some(steps) => checked(steps, scoring)?,
            None => Vec::new(),
        };
        Ok((steps, self.too_late.map_or(after, Spanned::into_inner)))
    }
}

/// Why a deadline alone is refused.
const NOTHING_FOLLOWS: &str = "a deadline alone has no effect: say what happens to later submissions. Add the line \
                               too_late = \"ungraded\" (they play without rank, prize and grade), \"not-played\" or \
                               \"graded\" (they count as any other), or add late with what they cost";

fn checked(
    steps: Spanned<Vec<Spanned<LateRow>>>,
    scoring: &Scoring,
) -> Result<Vec<LateStep>, Wrong> {
    let span = steps.span();
    let mut checked: Vec<LateStep> = Vec::new();
    for step in steps.into_inner() {
        let span = step.span();
        let row = step.into_inner();
        let step = LateStep {
            within_h: row.within_h.0,
            penalty: row.penalty.0,
        };
        let before = checked.last();
        let reason = if before.is_some_and(|before| before.within_h >= step.within_h) {
            Some("list the steps of late in order: within_h must increase".to_owned())
        } else if before.is_some_and(|before| before.penalty > step.penalty) {
            Some("later submissions cannot lose less: penalty must not decrease".to_owned())
        } else {
            misfit(step.penalty, scoring)
        };
        if let Some(reason) = reason {
            return Err((span, reason));
        }
        checked.push(step);
    }
    if checked.is_empty() {
        let reason = "late: name at least one step, as late = [{ within_h = 24, penalty = 1 }]";
        return Err((span, reason.to_owned()));
    }
    Ok(checked)
}

/// Returns why a penalty cannot be taken off this competition's grades or prizes, if so.
fn misfit(penalty: Points, scoring: &Scoring) -> Option<String> {
    if penalty == Points::default() {
        return None;
    }
    if let Some(grades) = &scoring.grades {
        let word = grades
            .steps
            .iter()
            .map(|step| &step.grade)
            .chain([&grades.otherwise])
            .find(|grade| !is_number(grade))?;
        return Some(format!(
            "the penalty is taken off the grade, but the grade {word:?} is not a number; use too_late instead of a penalty"
        ));
    }
    if scoring.prizes.is_empty() {
        return Some(
            "the penalty is taken off the grade or else the prize, but this competition has neither; add \
             [scoring.grades] or [[scoring.prizes]]"
                .to_owned(),
        );
    }
    (i64::from(penalty) % 1_000_000 != 0).then(|| {
        "the penalty is taken off the prize, which is a whole number: penalty must be one too"
            .to_owned()
    })
}

fn is_number(grade: &str) -> bool {
    grade.trim().parse().is_ok_and(f64::is_finite)
}
