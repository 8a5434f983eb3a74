//! The result of each person and the value for platforms: the rows behind every format.

#![expect(
    clippy::disallowed_methods,
    reason = "only the judge writes into a run's folder"
)]

use super::{Graded, MarkedPart, Marks, Scoreboard, homework_points};
use crate::sheet::text;
use crate::submission_result::SubmissionResult;
use crate::words::joined;
use model::builtin;
use model::competition::Scoring;
use model::entrant::{Blame, Person};
use model::lateness::Timing;
use model::points::Points;
use model::text::unescape_cell;
use rulebook::scoring::StandingsTable;
use rulebook::scoring::grades::{number, numeric, rounded};
use rulebook::{IoContext, JudgeError, Result};
use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::Path;
use store::manifest::EntrantLine;
use system::files::if_there;
use system::run_folder::STAFF;

/// One person, or one submission without a known person, and its result.
#[derive(Clone, Debug)]
pub struct GradeRow<'a> {
    /// The person behind the submission; has only the submission's name if nobody is known.
    pub who: Person,
    pub result: SubmissionResult<'a>,
    pub timing: Option<Timing>,
    pub grade: Option<String>,
    /// The parts of the homework with the submission's marks; empty without a table of marks.
    pub homework: Vec<MarkedPart>,
    /// The value for the platform, if any.
    pub value: Option<String>,
    /// Whether it has no value because the judge did not get to all of its homework.
    pub is_unmarked: bool,
}

impl GradeRow<'_> {
    pub fn shown(&self) -> String {
        self.who.shown()
    }

    pub(super) fn graded(&self) -> Graded {
        let name = match self.result {
            SubmissionResult::Missing => self.shown(),
            _ => self.who.submission.clone(),
        };
        let row = self.result.standing();
        let homework = homework_points(&self.homework);
        let properties = [
            ("rank", row.map(|row| row.rank.to_string())),
            ("total", row.map(|row| number(row.total.points))),
            (
                "prize",
                row.and_then(|row| row.prize).map(|prize| prize.to_string()),
            ),
            ("grade", self.grade.clone()),
            ("homework", homework.map(number)),
        ];
        Graded {
            class: name.clone(),
            name,
            properties: properties
                .into_iter()
                .filter_map(|(name, value)| Some((name, value?)))
                .collect(),
            tests: self.homework.iter().map(MarkedPart::test).collect(),
            scoreboard: row.map(|row| Scoreboard {
                rank: row.rank,
                total: row.total.points.as_f64(),
                wins: row.total.wins,
            }),
            ..Graded::default()
        }
    }

    /// Replaces the result by that of the public's table, which has other numbers of games.
    pub(super) fn in_public<'b>(&'b self, name: &str, table: &'b StandingsTable) -> GradeRow<'b> {
        let result = SubmissionResult::in_table(table, name);
        GradeRow {
            result: result.unwrap_or_else(|| self.result.clone()),
            ..self.clone()
        }
    }
}

/// Combines people and table. There is a row for each person, and for each entrant without a known
/// person that is in the table or does not play. Built-in bots get no grades.
pub fn grade_rows<'a>(
    scoring: &Scoring,
    entrants: &'a [EntrantLine],
    table: &'a StandingsTable,
    mut people: Vec<Person>,
    choice: GradeValue,
    marks: Option<&Marks>,
) -> Vec<GradeRow<'a>> {
    let ranked = table.rows.iter().map(|row| &row.entrant);
    let removed = table.removed.iter().map(|removed| &removed.entrant);
    // A withdrawn entrant often still takes part under another name.
    let broken = entrants
        .iter()
        .filter(|line| line.broken.is_some() || line.is_too_late())
        .filter(|line| line.blame != Some(Blame::Withdrawn));
    for name in ranked
        .chain(removed)
        .chain(broken.map(|line| &line.name))
        .filter(|name| !builtin::is_builtin(name))
    {
        if people.iter().all(|who| who.submission != *name) {
            people.push(Person {
                submission: name.clone(),
                ..Person::default()
            });
        }
    }
    let row = |who: Person| {
        let line = entrants.iter().find(|line| line.name == who.submission);
        let result = SubmissionResult::of(table, line);
        let grade = result.grade(scoring).map(str::to_owned);
        // These may well not be among the files of the class.
        let may_be_absent = matches!(result, SubmissionResult::Unranked(_))
            || line.is_some_and(|line| line.blame == Some(Blame::Withdrawn));
        let marks =
            marks.filter(|marks| !may_be_absent || marks.by_entrant.contains_key(&who.submission));
        let homework = marks
            .map(|marks| marks.of(&who.submission, &result))
            .unwrap_or_default();
        let points = homework_points(&homework);
        let value = |points| choice.with_homework(&result, grade.as_deref(), points);
        // Points may not be added to every value.
        let is_unmarked = !homework.is_empty()
            && points.is_none()
            && value(Some(Points::default())).is_some_and(|value| numeric(&value).is_some());
        GradeRow {
            timing: line.and_then(|line| line.timing),
            value: value(points).filter(|_| !is_unmarked),
            is_unmarked,
            grade,
            homework,
            result,
            who,
        }
    };
    people.into_iter().map(row).collect()
}

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
        let given = [Self::Grade, Self::Prize]
            .into_iter()
            .find(|value| value.is_in(scoring));
        given.unwrap_or(Self::Total)
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

    /// Returns the greatest possible value: the best numeric grade or the greatest prize, with all points for
    /// homework if there are marks. `None` for totals, which have no bound.
    pub fn most(self, scoring: &Scoring, has_marks: bool) -> Option<f64> {
        let homework: f64 = scoring
            .homework
            .iter()
            .filter(|_| has_marks)
            .map(|part| part.points.as_f64())
            .sum();
        let played = match self {
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
                    .map(|step| &step.grade)
                    .chain([&grades.otherwise])
                    .filter_map(|grade| numeric(grade))
                    .reduce(f64::max)
            }
        };
        played.map(|most| most + homework)
    }

    /// Returns the value with points for homework, which are added to numbers only. A submission without a
    /// total has the points alone, unless the judge could not play it.
    pub(super) fn with_homework(
        self,
        result: &SubmissionResult<'_>,
        grade: Option<&str>,
        homework: Option<Points>,
    ) -> Option<String> {
        let played = self.of(result, grade);
        let Some(homework) = homework else {
            return played;
        };
        let Some(played) = played else {
            let is_zero =
                self == Self::Total && !matches!(result, SubmissionResult::JudgeFailure(_));
            return is_zero.then(|| number(homework));
        };
        Some(numeric(&played).map_or(played, |played| number(rounded(played + homework.as_f64()))))
    }

    fn of(self, result: &SubmissionResult<'_>, grade: Option<&str>) -> Option<String> {
        match (self, result) {
            (Self::Grade, _) => grade.map(str::to_owned),
            (Self::Total, SubmissionResult::Ranked(row)) => Some(number(row.total.points)),
            (Self::Prize, SubmissionResult::Ranked(row)) => {
                Some(row.prize.unwrap_or(0).to_string())
            }
            (Self::Prize, SubmissionResult::JudgeFailure(_) | SubmissionResult::Unranked(_))
            | (Self::Total, _) => None,
            (Self::Prize, _) => Some("0".to_owned()),
        }
    }
}

/// Reads the people behind a run's submissions; empty if the run keeps no such file.
pub fn people_of_run(run: &Path) -> Result<Vec<Person>> {
    let path = run.join(STAFF).join("identities.csv");
    let text = if_there(fs::read_to_string(&path))
        .or_io("read", &path)?
        .unwrap_or_default();
    let rows: Vec<HashMap<String, String>> = ::csv::Reader::from_reader(text.as_bytes())
        .deserialize()
        .collect::<Result<_, _>>()
        .map_err(|error| {
            JudgeError::input(format!(
                "cannot read {} ({error}); pass a roster with --roster",
                path.display()
            ))
        })?;
    let person = |mut row: HashMap<String, String>| {
        let mut take =
            |column: &str| unescape_cell(&row.remove(column).unwrap_or_default()).to_owned();
        Person {
            submission: take("submission"),
            id: take("id"),
            name: take("name"),
            email: take("email"),
            section: take("section"),
            extension: take("extension").parse().ok(),
            ..Person::default()
        }
    };
    Ok(rows
        .into_iter()
        .map(person)
        .filter(|who| !who.id.is_empty())
        .collect())
}

/// Names strangers among the marks, people without a value for want of marks, and a value that is no number.
pub fn mark_notes(marks: &Marks, entrants: &[EntrantLine], grades: &[GradeRow<'_>]) -> Vec<String> {
    let is_known = |name: &String| entrants.iter().any(|line| line.name == *name);
    let unknown_entrants = marks
        .by_entrant
        .keys()
        .filter(|name| !is_known(name))
        .map(|name| format!("{}: has marks, but is no entrant of this run", text(name)));
    let listed: BTreeSet<&String> = marks.by_entrant.keys().collect();
    let unmarked_note = grades
        .iter()
        .filter(|row| row.is_unmarked)
        .map(|row| unmarked_note(row, listed.contains(&row.who.submission)));
    unknown_entrants
        .chain(unmarked_note)
        .chain(grades.iter().find_map(non_numeric_note))
        .collect()
}

fn unmarked_note(row: &GradeRow<'_>, is_listed: bool) -> String {
    if !is_listed {
        return format!(
            "{}: no value, because the table of marks has no row for {}; check the class again, and export again",
            row.shown(),
            text(&row.who.submission)
        );
    }
    let unmarked = row.homework.iter().filter(|part| part.mark.is_none());
    format!(
        "{}: no value, because judge check did not get to {}",
        row.shown(),
        joined(unmarked.map(|part| &part.part.name), ", ")
    )
}

fn non_numeric_note(row: &GradeRow<'_>) -> Option<String> {
    let value = row.value.as_deref()?;
    let is_worded = numeric(value).is_none() && homework_points(&row.homework).is_some();
    is_worded.then(|| {
        format!(
            "note: points for homework are added to numbers only, and not to a value such as {value:?}"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::competition::{GradeStep, Grades, HomeworkPart, Prize};

    #[test]
    fn maximum_is_best_grade_or_prize_with_homework() {
        let step = |at_least, grade: &str| GradeStep {
            at_least: Points::whole(at_least),
            grade: grade.to_owned(),
        };
        let mut scoring = Scoring::plain();
        scoring.prizes = [(1, 20), (2, 15)]
            .map(|(to_rank, points)| Prize { to_rank, points })
            .to_vec();
        let grades = r#"{"steps":[],"otherwise":"3","disqualified":"9"}"#;
        scoring.grades = Some(Grades {
            steps: vec![step(15, "5"), step(12, "4.5"), step(10, "pass")],
            ..serde_json::from_str(grades).expect("grades")
        });
        let most = |value: GradeValue| value.most(&scoring, true);
        assert_eq!(most(GradeValue::Grade), Some(5.0));
        assert_eq!(most(GradeValue::Prize), Some(20.0));
        assert_eq!(most(GradeValue::Total), None);
        scoring.homework = vec![HomeworkPart {
            name: "has_won".to_owned(),
            points: rounded(1.5),
        }];
        let most = |value: GradeValue| value.most(&scoring, true);
        assert_eq!(most(GradeValue::Grade), Some(6.5));
        assert_eq!(most(GradeValue::Prize), Some(21.5));
        assert_eq!(most(GradeValue::Total), None);
    }

    #[test]
    fn homework_adds_to_numbers_or_replaces_missing_total() {
        let value = |value: GradeValue, result: &SubmissionResult<'_>, grade| {
            value.with_homework(result, grade, Some(rounded(1.5)))
        };
        let broken = SubmissionResult::NotPlaying("why");
        let grade = |grade| value(GradeValue::Grade, &broken, grade);
        assert_eq!(grade(Some("2")).as_deref(), Some("3.5"));
        assert_eq!(grade(Some(" 0.5")).as_deref(), Some("2"));
        assert_eq!(grade(Some("pass")).as_deref(), Some("pass"));
        assert_eq!(grade(Some("inf")).as_deref(), Some("inf"));
        assert_eq!(grade(None), None);
        let prize = value(GradeValue::Prize, &broken, None);
        assert_eq!(prize.as_deref(), Some("1.5"));
        let total = |result| value(GradeValue::Total, &result, None);
        assert_eq!(total(broken.clone()).as_deref(), Some("1.5"));
        assert_eq!(total(SubmissionResult::JudgeFailure("why")), None);
    }
}
