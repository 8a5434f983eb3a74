use super::fill::Filled;
use super::graded::Graded;
use super::row::{GradeRow, GradeValue};
use crate::played::PlayedRun;
use model::entrants_folder::EntrantsFolder;
use rulebook::JudgeError;
use std::path::PathBuf;

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
    pub fill: Option<Put>,
    /// Reports the checks of one submission.
    pub report: Option<GraderReport>,
}

type Write = fn(&ExportSource<'_>) -> Result<Exported, JudgeError>;

type Put = fn(&ExportSource<'_>, &[u8]) -> Result<Filled, String>;

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
    pub(super) fn is_entrant(&self, row: &GradeRow<'_>) -> bool {
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
    pub(super) fn file_of(&self, row: &GradeRow<'_>, ending: &str) -> String {
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

pub(super) fn csv<const N: usize>(rows: Vec<[String; N]>) -> Vec<u8> {
    let mut sheet = ::csv::Writer::from_writer(Vec::new());
    for row in rows {
        sheet.write_record(row).expect("rows in memory");
    }
    sheet.into_inner().expect("rows in memory")
}
