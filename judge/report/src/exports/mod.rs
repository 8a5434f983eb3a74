//! Formats of platforms, graders and test viewers: each is an [`Export`] and a line in [`EXPORTS`].

mod autograders;
mod junit;
mod platform;
mod row;
mod tables;

use self::row::GradeRow;
use crate::run_data::PlayedRun;
use crate::sheet::text;
pub use crate::submission_result::SubmissionResult;
use model::competition::HomeworkPart;
use model::entrants_folder::EntrantsFolder;
use model::numbers::so_many_points;
use model::points::Points;
use model::table::Table;
use model::text::{readable, unescape_cell};
pub use platform::Filled;
pub use row::{GradeValue, grade_rows, mark_notes, people_of_run};
use rulebook::Result;
use rulebook::scoring::grades::{number, rounded};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;
pub use tables::sections;

/// All formats, in the order of the help.
pub const EXPORTS: [&Export; 6] = [
    &tables::CSV,
    &tables::CANVAS,
    &platform::MOODLE,
    &autograders::GRADESCOPE,
    &autograders::AUTOLAB,
    &junit::JUNIT,
];

/// A format.
pub struct Export {
    /// The name for flags.
    pub name: &'static str,
    /// The files of a run, for the help.
    pub about: &'static str,
    /// The name in the run's folder.
    pub file_name: &'static str,
    /// Writes the grades of a run, or says why it needs a file to fill.
    pub write: Result<Write, &'static str>,
    /// Fills files that the platform has exported. The text says why one cannot be filled.
    pub fill: Option<Fill>,
    /// Reports the checks of one submission.
    pub report: Option<GraderReport>,
}

type Write = fn(&ExportSource<'_>) -> Result<Exported>;

type Fill = fn(&ExportSource<'_>, &[u8]) -> Result<Filled, String>;

/// How a grader's report on one submission is written.
pub struct GraderReport {
    /// The report, for the help.
    pub about: &'static str,
    /// Formats the report; `title` is the name of the problem, `words` the report for people.
    pub text: fn(&Graded, title: &str, words: &str) -> String,
}

/// The grades of a run, and the request of staff.
pub struct ExportSource<'a> {
    /// The run.
    pub run: &'a PlayedRun<'a>,
    /// The rows of all people.
    pub rows: &'a [GradeRow<'a>],
    /// The value that the rows have.
    pub value: GradeValue,
    /// Whether the values have points for homework.
    pub has_marks: bool,
    /// The name of the assignment or problem.
    pub title: &'a str,
    /// The heading of the column to fill.
    pub column: Option<&'a str>,
    /// The full points, if they are not those of the competition or of the file.
    pub points_possible: Option<f64>,
}

/// Files to write: paths relative to the place, with their contents.
#[derive(Default)]
pub struct Exported {
    /// The files; a path may occur twice, with equal contents.
    pub files: Vec<(PathBuf, Vec<u8>)>,
    /// One note a line.
    pub notes: Vec<String>,
}

impl From<Vec<u8>> for Exported {
    /// Makes the place itself a file.
    fn from(bytes: Vec<u8>) -> Self {
        Self {
            files: vec![(PathBuf::new(), bytes)],
            notes: Vec::new(),
        }
    }
}

impl ExportSource<'_> {
    fn is_entrant(&self, row: &GradeRow<'_>) -> bool {
        self.has_entrant(&row.who.submission)
    }

    fn has_entrant(&self, name: &str) -> bool {
        self.run
            .manifest
            .entrants
            .iter()
            .any(|line| line.name == name)
    }

    /// Returns the name of a person's file: that of the submission, or of the id if there is none.
    fn file_of(&self, row: &GradeRow<'_>, ending: &str) -> String {
        let id = &row.who.id;
        let folder = EntrantsFolder::Grades;
        if self.is_entrant(row) {
            folder.file_of(&row.who.submission, ending)
        } else if self.has_entrant(id) {
            folder.apart(id, ending)
        } else {
            folder.file_of(id, ending)
        }
    }
}

/// One submission, or a person without one.
#[derive(Clone, Debug, Default)]
pub struct Graded {
    /// The submission's name.
    pub name: String,
    /// The class of its tests.
    pub class: String,
    /// Facts about the submission, by name.
    pub properties: Vec<(&'static str, String)>,
    /// Points; `None` leaves the submission without a score.
    pub score: Option<f64>,
    /// Text above the tests.
    pub output: String,
    /// When the author sees it.
    pub visibility: Visibility,
    /// Its tests, in order.
    pub tests: Vec<Test>,
    /// Its place on the leaderboard; `None` without a rank.
    pub scoreboard: Option<Scoreboard>,
}

/// A test and its result.
#[derive(Clone, Debug)]
pub struct Test {
    /// Name, unique in the suite.
    pub name: String,
    /// Number in the author's report.
    pub number: Option<usize>,
    /// The result.
    pub outcome: Outcome,
    /// The outcome in one sentence; may be empty.
    pub message: String,
    /// More lines about the outcome.
    pub detail: Vec<String>,
    /// CPU time of the test.
    pub cpu: Option<Duration>,
    /// When the author sees it; `None` = together with the whole result.
    pub visibility: Option<Visibility>,
}

/// The result of a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing is wrong.
    Passed,
    /// Not a failure, but the author should look at it.
    Warned,
    /// Something is wrong. The text is the kind of failure, which is the same for all authors.
    Failed(String),
    /// The test was skipped.
    NotLookedAt,
}

/// The place of a submission next to the others.
#[derive(Clone, Copy, Debug)]
pub struct Scoreboard {
    rank: usize,
    total: f64,
    wins: u64,
}

/// When an author sees something; the words are Gradescope's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Visibility {
    /// At once.
    #[default]
    Visible,
    /// Never.
    Hidden,
    /// When the assignment's due date has passed.
    AfterDueDate,
    /// When the grades are published.
    AfterPublished,
}

const NOT_LOOKED_AT: &str = "not checked";

impl Test {
    /// Creates a test with an outcome and a message only.
    pub fn new(name: &str, outcome: Outcome, message: &str) -> Self {
        Self {
            name: name.to_owned(),
            number: None,
            outcome,
            message: message.to_owned(),
            detail: Vec::new(),
            cpu: None,
            visibility: None,
        }
    }

    fn text(&self) -> String {
        readable(
            &[std::slice::from_ref(&self.message), &self.detail]
                .concat()
                .join("\n"),
        )
    }
}

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
    part: HomeworkPart,
    /// The mark, from 0 to 1; `None` if the judge did not get there.
    mark: Option<f64>,
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
        let columns: Vec<usize> = parts
            .iter()
            .map(|part| column(&part.name))
            .collect::<Result<_, _>>()?;
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
    fn of(&self, submission: &str, result: &SubmissionResult<'_>) -> Vec<MarkedPart> {
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
}

fn mark(cell: &str) -> Result<Option<f64>, String> {
    if cell.is_empty() {
        return Ok(None);
    }
    // Spreadsheets of some languages write a comma.
    platform::decimal(cell)
        .filter(|mark| (0.0..=1.0).contains(mark))
        .map(Some)
        .ok_or_else(|| format!("{cell:?}: must be 0 to 1"))
}

impl MarkedPart {
    fn points(&self) -> Option<Points> {
        let part = self.part.points.as_f64();
        self.mark.map(|mark| rounded(part * mark))
    }

    fn test(&self) -> Test {
        let outcome = match self.mark {
            None => Outcome::NotLookedAt,
            Some(1.0) => Outcome::Passed,
            Some(0.0) => Outcome::Failed("homework".to_owned()),
            Some(_) => Outcome::Warned,
        };
        let all = so_many_points(self.part.points);
        let gained = self
            .points()
            .map(|points| format!("{} of {all}", number(points)));
        Test::new(&self.part.name, outcome, &gained.unwrap_or_default())
    }
}

/// Adds up the points; `None` without homework, or if a mark is missing.
fn homework_points(homework: &[MarkedPart]) -> Option<Points> {
    let mut sum = (!homework.is_empty()).then(Points::default)?;
    for part in homework {
        sum += part.points()?;
    }
    Some(sum)
}

#[cfg(test)]
mod sample {
    use super::{Graded, Outcome, Test, Visibility};
    use std::time::Duration;

    /// Returns a submission with one test of each outcome, and with hostile text.
    pub(super) fn graded() -> Graded {
        let failed = Test {
            number: Some(3),
            detail: vec![
                "first\u{1b}[31m".to_owned(),
                "]]>\u{ffff}\tsecond".to_owned(),
            ],
            visibility: Some(Visibility::AfterPublished),
            ..Test::new(
                "has_won",
                Outcome::Failed("homework".to_owned()),
                "100% <b>wrong</b>\u{202e} & \"no\"",
            )
        };
        let passed = Test {
            cpu: Some(Duration::from_micros(1234)),
            ..Test::new("files", Outcome::Passed, "")
        };
        let warned = Test {
            number: Some(2),
            detail: vec!["Cat.h:4:8: note".to_owned()],
            ..Test::new("build", Outcome::Warned, "an unused variable")
        };
        let tests = vec![
            passed,
            warned,
            failed,
            Test::new("quiet", Outcome::NotLookedAt, "it has faults"),
            Test::new("memory", Outcome::NotLookedAt, ""),
        ];
        Graded {
            name: "ann & \u{0}bob".to_owned(),
            class: "judge".to_owned(),
            properties: vec![("grade", "<1>".to_owned())],
            tests,
            ..Graded::default()
        }
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
            (each, homework_points(&homework))
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
            assert_eq!(homework_points(&homework), whole(2), "{name}");
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
        assert_eq!(homework_points(&homework), Some(rounded(3.5)));
    }

    /// In a row, ` | ` ends the head and `⏎` a line.
    #[test]
    fn a_table_without_the_marks_is_refused() {
        for row in include_str!("wrong_marks.txt").lines() {
            let (table, words) = row.split_once(" => ").expect("a row");
            let table = table.replace(" | ", "\n").replace('⏎', "\n");
            let reason = read(&format!("{table}\n")).expect_err("refused");
            assert!(reason.starts_with(words), "{reason}");
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
