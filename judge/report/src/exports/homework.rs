//! Points for the homework: the marks of a class, weighted by the competition.

use super::{Outcome, Test};
use crate::sheet::text;
use crate::submission_result::SubmissionResult;
use model::competition::HomeworkPart;
use model::numbers::so_many_points;
use model::points::Points;
use model::table::Table;
use model::text::unescape_cell;
use std::collections::BTreeMap;

/// The marks of a class, as `judge check CLASS` writes them.
#[derive(Debug)]
pub struct Marks {
    parts: Vec<HomeworkPart>,
    /// By entrant: the mark for each part, if there is one.
    by_entrant: BTreeMap<String, Vec<Option<f64>>>,
}

/// A part of the homework, with the mark of one submission.
#[derive(Clone, Debug)]
pub struct MarkedPart {
    pub part: HomeworkPart,
    /// The mark, from 0 to 1; `None` if the judge did not get there.
    pub mark: Option<f64>,
}

impl Marks {
    /// Reads the table of a class. It may have other columns and other parts, too.
    pub fn read(bytes: &[u8], parts: &[HomeworkPart]) -> Result<Self, String> {
        let cells = Table::read_file(bytes)?;
        let header = cells.row(0);
        let column = |name: &str| {
            header
                .iter()
                .position(|heading| heading.trim() == name)
                .ok_or_else(|| format!("has no column {name}; write it with judge check CLASS"))
        };
        let entrant = column("entrant")?;
        let columns: Result<Vec<usize>, String> =
            parts.iter().map(|part| column(&part.name)).collect();
        let columns = columns?;
        let mut by_entrant = BTreeMap::new();
        for row in 1..cells.len() {
            let name = unescape_cell(cells.cell(row, entrant).trim());
            let marks = columns
                .iter()
                .map(|&column| {
                    mark(cells.cell(row, column).trim()).map_err(|reason| {
                        let (name, part) = (text(name), header[column].trim());
                        format!("has a wrong mark for {name} in {part}: {reason}")
                    })
                })
                .collect::<Result<Vec<_>, String>>()?;
            if by_entrant.insert(name.to_owned(), marks).is_some() {
                return Err(format!("has {} twice; delete one row", text(name)));
            }
        }
        Ok(Self {
            parts: parts.to_vec(),
            by_entrant,
        })
    }

    /// Returns the marks of a submission with this result; none without a submission in time.
    pub(super) fn of(&self, submission: &str, result: &SubmissionResult<'_>) -> Vec<MarkedPart> {
        if matches!(
            result,
            SubmissionResult::TooLate(_) | SubmissionResult::Missing
        ) {
            return Vec::new();
        }
        let marks = self.by_entrant.get(submission);
        let part = |(index, part): (usize, &HomeworkPart)| MarkedPart {
            part: part.clone(),
            mark: marks.and_then(|marks| marks[index]),
        };
        self.parts.iter().enumerate().map(part).collect()
    }

    pub(super) fn has(&self, entrant: &str) -> bool {
        self.by_entrant.contains_key(entrant)
    }

    pub(super) fn entrants(&self) -> impl Iterator<Item = &String> {
        self.by_entrant.keys()
    }
}

fn mark(cell: &str) -> Result<Option<f64>, String> {
    if cell.is_empty() {
        return Ok(None);
    }
    // Spreadsheets of some languages write a comma.
    let mark: Option<f64> = cell.replace(',', ".").parse().ok();
    mark.filter(|mark| (0.0..=1.0).contains(mark))
        .map(Some)
        .ok_or_else(|| format!("{cell:?}: must be 0 to 1"))
}

impl MarkedPart {
    pub(super) fn points(&self) -> Option<Points> {
        let part = self.part.points.as_f64();
        self.mark.map(|mark| nearest(part * mark))
    }

    pub(super) fn test(&self) -> Test {
        let outcome = match self.mark {
            None => Outcome::NotLookedAt,
            Some(1.0) => Outcome::Passed,
            Some(0.0) => Outcome::Failed("homework".to_owned()),
            Some(_) => Outcome::Warned,
        };
        let gained = self.points().map(|points| {
            let all = so_many_points(self.part.points);
            format!("{} of {all}", number(points))
        });
        Test::new(&self.part.name, outcome, &gained.unwrap_or_default())
    }
}

/// Adds up the points; `None` without homework, or if a mark is missing.
pub(super) fn points(homework: &[MarkedPart]) -> Option<Points> {
    let mut sum = (!homework.is_empty()).then(Points::default)?;
    for part in homework {
        sum += part.points()?;
    }
    Some(sum)
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

    fn parts() -> Vec<HomeworkPart> {
        let part = |(name, points): (&str, i64)| HomeworkPart {
            name: name.to_owned(),
            points: Points::whole(points),
        };
        [("has_won", 2), ("make_move", 3)].map(part).to_vec()
    }

    fn read(table: &str) -> Result<Marks, String> {
        Marks::read(table.as_bytes(), &parts())
    }

    #[test]
    fn marks_are_weighted_and_missing_mark_is_absent() {
        let table = "entrant,findings,is_valid_move,has_won,make_move\nann,,1,1,0.3333333333333333\n\
            bob,\"a, b\",1,,0\ncyd,,,,\n";
        let marks = read(table).expect("well-formed");
        let of = |name: &str| {
            let homework = marks.of(name, &SubmissionResult::Unranked(None));
            let each: Vec<Option<Points>> = homework.iter().map(MarkedPart::points).collect();
            (each, points(&homework))
        };
        let whole = |number| Some(Points::whole(number));
        assert_eq!(of("ann"), (vec![whole(2), whole(1)], whole(3)));
        assert_eq!(of("bob"), (vec![None, whole(0)], None));
        assert_eq!(of("cyd"), (vec![None, None], None));
        assert_eq!(of("zoe"), (vec![None, None], None));
        let names = "entrant,has_won,make_move\n'=1,1,0\n@x,1,0\n";
        let marks = read(names).expect("well-formed");
        for name in ["=1", "@x"] {
            let homework = marks.of(name, &SubmissionResult::Unranked(None));
            assert_eq!(points(&homework), whole(2), "{name}");
        }
        let marks = read(table).expect("well-formed");
        let late = SubmissionResult::TooLate(String::new());
        assert!(marks.of("ann", &late).is_empty());
    }

    #[test]
    fn homework_table_is_read_in_spreadsheet_format() {
        let marks = read("\u{feff}entrant;make_move;has_won\r\nann;0,5;1\r\n");
        let homework = marks
            .expect("well-formed")
            .of("ann", &SubmissionResult::Unranked(None));
        assert_eq!(points(&homework), Some(nearest(3.5)));
    }

    const HEAD: &str = "entrant,has_won,make_move";

    #[test]
    fn a_table_without_the_marks_is_refused() {
        let no_mark = "has a wrong mark for ann in";
        for (head, rows, words) in [
            (
                "name,has_won,make_move",
                "",
                "has no column entrant; write it".to_owned(),
            ),
            (
                "entrant,has_won",
                "ann,1",
                "has no column make_move; write it".to_owned(),
            ),
            (
                HEAD,
                "ann,1,1.01",
                format!("{no_mark} make_move: \"1.01\": must be 0 to 1"),
            ),
            (HEAD, "ann,NaN,1", format!("{no_mark} has_won: \"NaN\"")),
            (HEAD, "ann,1,1\nann,0,0", "has ann twice".to_owned()),
        ] {
            let reason = read(&format!("{head}\n{rows}\n")).expect_err("refused");
            assert!(reason.starts_with(&words), "{reason}");
        }
    }

    #[test]
    fn numbers_are_plain() {
        assert_eq!(number(Points::whole(1_234_560)), "1234560");
        assert_eq!(number(Points::share(-5, 2)), "-2.5");
        assert_eq!(number(Points::share(1, 3)), "0.333333");
        assert_eq!(number(Points::whole(0)), "0");
    }
}
