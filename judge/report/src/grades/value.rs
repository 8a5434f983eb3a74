//! The choice of a person's grade among the results, and its form for platforms.

use crate::submission_result::SubmissionResult;
use model::competition::Scoring;
use model::points::Points;

/// The value of a row that becomes the grade.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GradeValue {
    /// The sum of all points.
    Total,
    /// The grade of the competition's grade table.
    Grade,
    /// The prize for the rank; 0 without a prize.
    Prize,
}

impl GradeValue {
    /// Returns the usual value of a competition: grades if it has them, else prizes, else totals.
    pub fn usual(scoring: &Scoring) -> Self {
        if scoring.grades.is_some() {
            Self::Grade
        } else if scoring.prizes.is_empty() {
            Self::Total
        } else {
            Self::Prize
        }
    }

    /// Returns whether a competition gives this value.
    pub fn is_in(self, scoring: &Scoring) -> bool {
        match self {
            Self::Total => true,
            Self::Grade => scoring.grades.is_some(),
            Self::Prize => !scoring.prizes.is_empty(),
        }
    }

    /// Returns the name that flags and columns use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Total => "total",
            Self::Grade => "grade",
            Self::Prize => "prize",
        }
    }

    /// Returns the greatest possible value: the best numeric grade of the steps or the greatest
    /// prize, with all points for homework if there are marks. `None` for totals, which have no
    /// bound.
    pub fn most(self, scoring: &Scoring, has_marks: bool) -> Option<f64> {
        let homework: f64 = scoring
            .homework
            .iter()
            .filter(|_| has_marks)
            .map(|part| part.points.as_f64())
            .sum();
        self.most_played(scoring).map(|most| most + homework)
    }

    fn most_played(self, scoring: &Scoring) -> Option<f64> {
        match self {
            Self::Total => None,
            Self::Prize => scoring
                .prizes
                .iter()
                .map(|prize| prize.points)
                .max()
                .map(f64::from),
            Self::Grade => {
                let grades = scoring.grades.as_ref()?;
                grades
                    .steps
                    .iter()
                    .map(|step| step.grade.as_str())
                    .chain([grades.otherwise.as_str()])
                    .filter_map(numeric)
                    .reduce(f64::max)
            }
        }
    }

    /// Returns the value for a submission with this result, grade and points for homework. A value
    /// that is not a number stays unchanged. A submission without a total has the points alone,
    /// unless the judge could not play it.
    pub(super) fn with_homework(
        self,
        came_to: &SubmissionResult,
        grade: Option<&str>,
        homework: Option<Points>,
    ) -> Option<String> {
        let played = self.of(came_to, grade);
        let Some(homework) = homework else {
            return played;
        };
        let Some(played) = played else {
            let is_zero = self == Self::Total && !matches!(came_to, SubmissionResult::Ours(_));
            return is_zero.then(|| number(homework));
        };
        Some(numeric(&played).map_or(played, |played| number(nearest(played + homework.as_f64()))))
    }

    /// Returns the value for a submission with this result and grade. A result without a prize has
    /// the prize 0; a result without a total has no value.
    fn of(self, came_to: &SubmissionResult, grade: Option<&str>) -> Option<String> {
        match (self, came_to) {
            (Self::Grade, _) => grade.map(str::to_owned),
            (Self::Total, SubmissionResult::Ranked(row)) => Some(number(row.total.points)),
            (Self::Prize, SubmissionResult::Ranked(row)) => {
                Some(row.prize.unwrap_or(0).to_string())
            }
            (
                Self::Prize,
                SubmissionResult::Removed(_)
                | SubmissionResult::TooLate(_)
                | SubmissionResult::NotPlaying(_)
                | SubmissionResult::Missing,
            ) => Some("0".to_owned()),
            (Self::Prize, SubmissionResult::Ours(_) | SubmissionResult::Unranked)
            | (
                Self::Total,
                SubmissionResult::Removed(_)
                | SubmissionResult::TooLate(_)
                | SubmissionResult::NotPlaying(_)
                | SubmissionResult::Ours(_)
                | SubmissionResult::Unranked
                | SubmissionResult::Missing,
            ) => None,
        }
    }
}

/// Parses a value or a grade; `None` if it is not a number.
pub(super) fn numeric(value: &str) -> Option<f64> {
    let number = value.trim().parse::<f64>().ok();
    number.filter(|number| number.is_finite())
}

/// Rounds to a millionth of a point.
#[expect(clippy::cast_possible_truncation, reason = "far below 2^63")]
pub(super) fn nearest(points: f64) -> Points {
    Points::from((points * 1e6).round() as i64)
}

/// Formats points without thousands separators, with a decimal point, and without trailing zeros.
pub(super) fn number(points: Points) -> String {
    let text = points.to_string();
    if text.contains('.') {
        text.trim_end_matches('0').to_owned()
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::competition::{GradeStep, Grades, HomeworkPart, Prize};

    #[test]
    fn numbers_are_plain() {
        assert_eq!(number(Points::whole(1_234_560)), "1234560");
        assert_eq!(number(Points::share(-5, 2)), "-2.5");
        assert_eq!(number(Points::share(1, 3)), "0.333333");
        assert_eq!(number(Points::whole(0)), "0");
    }
    #[test]
    fn the_most_is_the_best_grade_or_prize_with_all_homework_and_totals_have_none() {
        let step = |at_least, grade: &str| GradeStep {
            at_least: Points::whole(at_least),
            grade: grade.to_owned(),
        };
        let mut scoring = Scoring::plain();
        scoring.prizes = [(1, 20), (2, 15)]
            .map(|(to_rank, points)| Prize { to_rank, points })
            .to_vec();
        scoring.grades = Some(Grades {
            games: None,
            steps: vec![step(15, "5"), step(12, "4.5"), step(10, "pass")],
            otherwise: "3".to_owned(),
            disqualified: "9".to_owned(),
            not_playing: None,
            missing: None,
        });
        let most = |value: GradeValue| value.most(&scoring, true);
        assert_eq!(most(GradeValue::Grade), Some(5.0));
        assert_eq!(most(GradeValue::Prize), Some(20.0));
        assert_eq!(most(GradeValue::Total), None);
        scoring.homework = vec![HomeworkPart {
            name: "has_won".to_owned(),
            points: nearest(1.5),
        }];
        let most = |value: GradeValue| value.most(&scoring, true);
        assert_eq!(most(GradeValue::Grade), Some(6.5));
        assert_eq!(most(GradeValue::Prize), Some(21.5));
        assert_eq!(most(GradeValue::Total), None);
    }

    #[test]
    fn points_for_homework_are_added_to_numbers_and_replace_the_total_of_who_does_not_play() {
        let value = |value: GradeValue, came_to: &SubmissionResult, grade| {
            value.with_homework(came_to, grade, Some(nearest(1.5)))
        };
        let words = || "why".to_owned();
        let broken = SubmissionResult::NotPlaying(words());
        let grade = |grade| value(GradeValue::Grade, &broken, grade);
        assert_eq!(grade(Some("2")).as_deref(), Some("3.5"));
        assert_eq!(grade(Some(" 0.5")).as_deref(), Some("2"));
        assert_eq!(grade(Some("pass")).as_deref(), Some("pass"));
        assert_eq!(grade(Some("inf")).as_deref(), Some("inf"));
        assert_eq!(grade(None), None);
        let prize = value(GradeValue::Prize, &broken, None);
        assert_eq!(prize.as_deref(), Some("1.5"));
        let total = |came_to| value(GradeValue::Total, &came_to, None);
        assert_eq!(total(broken.clone()).as_deref(), Some("1.5"));
        assert_eq!(total(SubmissionResult::Ours(words())), None);
    }
}
