//! `judge grades`: exports a run's grades for a learning platform.

#![expect(clippy::disallowed_methods, reason = "staff name the file")]

use super::exit::Done;
use super::out::number;
use super::{out, run_tell};
use crate::progress::Stages;
use clap::{Args, ValueEnum};
use intake::{people, unreadable_words};
use jiff::Timestamp;
use model::competition::{Competition, Scoring};
use model::entrant::Person;
use model::entrants_folder::{EntrantsFolder, OwnName};
use model::numbers::counted;
use report::graders::{Suite, junit};
use report::grades::{
    Filled, GradeRow, GradeValue, Marks, SubmissionResult, add_game, autolab, canvas, fill_canvas,
    fill_moodle, grade_rows, gradescope, is_gradebook, mark_notes, people_of_run, plain, suite,
};
use report::{PlayedRun, practice_round};
use rulebook::JudgeError;
use run::PastRun;
use run::commands::{program, shown};
use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use system::files::{make_folder, make_private_folder, write_whole};
use system::run_folder::STAFF;

/// Time for `judge check` where the usual one was too short, in seconds.
const SECONDS: u32 = 240;

#[derive(Args)]
pub(super) struct GradesArgs {
    /// The run folder
    run: PathBuf,
    /// The platform that the file is for: canvas, moodle … [default: a plain table, or the
    /// filled file's]
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Who submitted what [default: the roster of the run]
    #[arg(long, value_name = "FILE")]
    roster: Option<PathBuf>,
    /// The table of `judge check CLASS`, for points of homework
    ///
    /// Adds the points of `[scoring.homework]`.
    #[arg(long, value_name = "FILE")]
    marks: Option<PathBuf>,
    /// A file exported from Canvas or Moodle, to fill one column
    #[arg(long, value_name = "FILE")]
    fill: Option<PathBuf>,
    /// Heading of the column to fill
    ///
    /// [default: the title, else the only assignment (Canvas); the grade column (Moodle)]
    #[arg(long, value_name = "HEADING", requires = "fill")]
    column: Option<String>,
    /// Change the filled file itself
    ///
    /// Otherwise a new one is written.
    #[arg(long, requires = "fill", conflicts_with = "out")]
    in_place: bool,
    /// Name of the assignment or problem [default: the competition's title]
    #[arg(long, hide_short_help = true)]
    title: Option<String>,
    /// Full points of a new Canvas column [default: the best grade or prize; for totals the
    /// highest], or Moodle's maximum if the worksheet has another one
    #[arg(long, hide_short_help = true, value_name = "POINTS", value_parser = number)]
    points_possible: Option<f64>,
    /// The value to write: grade, prize or total
    ///
    /// The competition's file says in `[scoring.grades]` what grades are for; `judge competition GAME`
    /// prints an example. [default: the grade if the competition has grades, else the prize, else the
    /// total]
    #[arg(long, value_name = "WHAT", value_parser = value)]
    value: Option<GradeValue>,
    /// A new file, or for gradescope and autolab a folder
    ///
    /// [default: in the run's staff folder, or beside the filled file]
    #[arg(long, value_name = "PATH")]
    out: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A plain table
    Csv,
    /// A table for Canvas
    Canvas,
    /// Moodle's grading worksheet; needs --fill
    Moodle,
    /// A folder of results for Gradescope
    Gradescope,
    /// A folder of results for Autolab
    Autolab,
    /// A file for test viewers
    Junit,
}

/// Files to write: paths relative to the place, with their contents.
type Files = Vec<(PathBuf, Vec<u8>)>;

impl GradesArgs {
    pub(super) fn execute(&self) -> Result<Done, JudgeError> {
        let past = PastRun::open(&self.run)?;
        let games = past.whole_games(&Stages::default())?;
        let ids = games.listed();
        let run = past.as_played(&games);
        // Refusals come before any note.
        let format = self.format()?;
        let place = self.place(format, &run)?;
        let (folder, manifest) = (&past.folder, &past.manifest);
        let choice = self.choice(&run)?;
        if let Some(round) = practice_round(&manifest.competition) {
            out::aside(format_args!("note: these are grades of {round}"));
        }
        if let Some(note) = run_tell::not_final(manifest, Timestamp::now()) {
            out::aside(format_args!("note: {note}"));
        }
        let played = ids.iter().filter(|id| games.contains(**id)).count();
        if played < ids.len() {
            say!(
                "note: the run is not finished: {played} of {} games played",
                ids.len()
            );
        }
        let marks = self.marks(&manifest.competition)?;
        let people = match &self.roster {
            Some(path) => {
                let entrants = manifest.entrants.iter();
                let names = entrants.map(|entrant| entrant.name.as_str());
                let deadline = manifest.competition.deadline;
                let (people, claims) = people::read_whole(path, deadline, names)?;
                for doubt in claims.doubts {
                    say!("roster: {doubt}");
                }
                people
            }
            None => people_of_run(folder)?,
        };
        let scoring = &manifest.competition.scoring;
        tell_strangers(&run, &people);
        let timings = manifest.entrants.iter().filter_map(|line| line.timing);
        if let Some(note) = run_tell::late(timings) {
            say!("{note}");
        }
        let (entrants, table) = (&manifest.entrants, run.table()?);
        let grades = grade_rows(scoring, entrants, &table, people, choice, marks.as_ref());
        for note in marks
            .iter()
            .flat_map(|marks| mark_notes(marks, entrants, &grades))
        {
            say!("{note}");
        }
        for grade in &grades {
            if let SubmissionResult::Ours(reason) = &grade.came_to {
                let who = grade.shown();
                say!(
                    "{who}: no value, because the judge could not play the submission, through no fault of its own: {reason}"
                );
            }
        }
        let files = self.make(format, &run, &grades, choice)?;
        // Several people may share a submission.
        let mut written = HashSet::new();
        for (name, bytes) in files {
            if !written.insert(name.clone()) {
                continue;
            }
            let path = if name == Path::new("") {
                place.clone()
            } else {
                place.join(name)
            };
            if let Some(parent) = path.parent().filter(|parent| *parent != Path::new("")) {
                make_folder(parent)?;
            }
            write_whole(&path, &bytes)?;
            say!("wrote {}", shown(&path));
        }
        let unmarked = grades.iter().filter(|grade| grade.is_unmarked).count();
        if unmarked > 0 {
            return Err(JudgeError::input(format!(
                "{} missing, because judge check did not get to all homework; check the class with more time, and export \
                 again: {} check CLASS --seconds {SECONDS}",
                counted(unmarked as u64, "value"),
                program()
            )));
        }
        Ok(Done::Success)
    }

    /// Returns the format. Without a name, it is that of the file to fill, else a plain table.
    fn format(&self) -> Result<Format, JudgeError> {
        match (self.format, &self.fill) {
            (None, None) => Ok(Format::Csv),
            (None, Some(file)) if is_gradebook(&read(file)?) => Ok(Format::Canvas),
            (None, Some(_)) => Ok(Format::Moodle),
            (Some(Format::Moodle), None) => Err(JudgeError::input(
                "Moodle accepts grades only in its own worksheet: download it (Submissions, \"Download grading worksheet\") and pass it with --fill",
            )),
            (Some(format @ (Format::Canvas | Format::Moodle)), Some(_)) | (Some(format), None) => {
                Ok(format)
            }
            (Some(_), Some(_)) => Err(JudgeError::input(
                "--fill works only with --format canvas or moodle",
            )),
        }
    }

    fn choice(&self, run: &PlayedRun<'_>) -> Result<GradeValue, JudgeError> {
        let scoring = &run.manifest.competition.scoring;
        let choice = self.value.unwrap_or_else(|| GradeValue::usual(scoring));
        if choice.is_in(scoring) {
            return Ok(choice);
        }
        Err(JudgeError::input(format!(
            "--value {0}: the competition has no {0}s; use total, or add scoring.{0}s to its file (judge competition shows how) and rerun the judge run command",
            choice.name()
        )))
    }

    /// Reads the marks of the homework.
    fn marks(&self, competition: &Competition) -> Result<Option<Marks>, JudgeError> {
        let parts = &competition.scoring.homework;
        let Some(path) = &self.marks else {
            if !parts.is_empty() {
                say!(
                    "note: the values have no points for homework; give the table of judge check CLASS with --marks"
                );
            }
            return Ok(None);
        };
        if parts.is_empty() {
            let known = rulebook::rules::of(&competition.conditions)?.homework_parts();
            return Err(JudgeError::input(without_weights(&known)));
        }
        Marks::read(read(path)?, parts)
            .map(Some)
            .map_err(|reason| refused(path, &reason))
    }

    fn title<'a>(&'a self, run: &'a PlayedRun<'_>) -> &'a str {
        self.title
            .as_deref()
            .unwrap_or(&run.manifest.competition.title)
    }

    fn make(
        &self,
        format: Format,
        run: &PlayedRun<'_>,
        grades: &[GradeRow],
        choice: GradeValue,
    ) -> Result<Files, JudgeError> {
        let one = |bytes| vec![(PathBuf::new(), bytes)];
        Ok(match (format, &self.fill) {
            (_, Some(file)) => one(self.filled(format, run, file, grades)?),
            (Format::Moodle, None) => unreachable!("refused at the beginning"),
            (Format::Canvas, None) => {
                let points = self.full_points(&run.manifest.competition.scoring, choice, grades);
                let entrants = &run.manifest.entrants;
                let is_named = |name: &str| {
                    entrants
                        .iter()
                        .filter(|entrant| entrant.platform_named)
                        .any(|entrant| entrant.name == name)
                };
                one(canvas(grades, &is_named, self.title(run), &points))
            }
            (Format::Csv, None) => one(plain(grades, &run.manifest.competition.scoring.homework)),
            (Format::Junit, None) => one(suites(run, grades)?),
            (Format::Gradescope, None) => {
                let names = run.public_names()?;
                let roles = run.roles()?;
                let table = run.public_table(&names)?;
                let file = |grade: &GradeRow| {
                    let place = Path::new(&file_of(run, grade, "")).join("results.json");
                    let made = if is_of_run(run, grade) {
                        let name = names.of(&grade.who.submission);
                        gradescope(&grade.in_public(&names, &table), roles, Some(name))
                    } else {
                        gradescope(grade, roles, None)
                    };
                    let Some(file) = made else {
                        say!(
                            "{}: left out, because Gradescope needs a number and the value is none",
                            grade.shown()
                        );
                        return None;
                    };
                    Some((place, file))
                };
                grades.iter().filter_map(file).collect()
            }
            (Format::Autolab, None) => self.autolab(run, grades),
        })
    }

    /// Makes an autoresult for each submission and each person without one, and a table of addresses
    /// and scores. The table has no header: Autolab would take it for an unknown address and reject
    /// the whole table.
    fn autolab(&self, run: &PlayedRun<'_>, grades: &[GradeRow]) -> Files {
        let mut files = Files::new();
        let mut sheet = ::csv::Writer::from_writer(Vec::new());
        let mut row = |cells: [&str; 2]| sheet.write_record(cells).expect("rows in memory");
        for grade in grades {
            let Some(line) = autolab(grade, self.title(run)) else {
                say!(
                    "{}: left out, because Autolab needs a number and the value is none",
                    grade.shown()
                );
                continue;
            };
            let name = file_of(run, grade, ".json");
            files.push((PathBuf::from(name), format!("{line}\n").into_bytes()));
            if grade.who.email.is_empty() {
                say!(
                    "{}: left out of scores.csv, because Autolab needs an e-mail address and the roster has none",
                    grade.shown()
                );
            } else {
                row([&grade.who.email, grade.value.as_deref().unwrap_or("0")]);
            }
        }
        let scores = sheet.into_inner().expect("rows in memory");
        files.push((PathBuf::from(OwnName::Scores.text()), scores));
        files
    }

    fn filled(
        &self,
        format: Format,
        run: &PlayedRun<'_>,
        file: &Path,
        grades: &[GradeRow],
    ) -> Result<Vec<u8>, JudgeError> {
        let bytes = read(file)?;
        let column = self.column.as_deref();
        let filled = match format {
            Format::Canvas => fill_canvas(bytes, column, self.title(run), grades),
            _ => fill_moodle(bytes, column, self.points_possible, grades),
        };
        let Filled {
            bytes,
            column,
            put,
            notes,
        } = filled.map_err(|reason| refused(file, &reason))?;
        for note in notes {
            say!("{note}");
        }
        if put.is_empty() {
            let reason = "gets no value, so nothing is written; the lines above say why";
            return Err(refused(file, reason));
        }
        say!(
            "{} filled into {column:?}",
            counted(put.len() as u64, "value")
        );
        Ok(bytes)
    }

    /// Returns the points of a perfect result: the flag's value, else the competition's maximum.
    /// Without either, it is the highest value, and a note tells staff.
    fn full_points(&self, scoring: &Scoring, choice: GradeValue, grades: &[GradeRow]) -> String {
        if let Some(points) = self
            .points_possible
            .or_else(|| choice.most(scoring, self.marks.is_some()))
        {
            return points.to_string();
        }
        let Some(points) = grades
            .iter()
            .filter_map(|grade| grade.value.as_deref())
            .filter_map(|value| value.parse::<f64>().ok())
            .reduce(f64::max)
        else {
            return String::new();
        };
        say!(
            "note: Points Possible is {points}, the highest {} of this run; set the full points with --points-possible",
            choice.name()
        );
        points.to_string()
    }

    /// Returns where to write. Nothing existing is overwritten, except the files that this verb
    /// wrote under names of its own: into the run's folder, or beside the filled file.
    fn place(&self, format: Format, run: &PlayedRun<'_>) -> Result<PathBuf, JudgeError> {
        let out = match (&self.out, &self.fill) {
            (None, Some(file)) if self.in_place => return Ok(file.clone()),
            (None, None) => {
                let staff = run.folder.join(STAFF);
                make_private_folder(&staff)?;
                return Ok(staff.join(format.file_name()));
            }
            (None, Some(file)) => {
                let stem = file.file_stem().unwrap_or_default().to_string_lossy();
                return Ok(file.with_file_name(format!("{stem}-filled.csv")));
            }
            (Some(out), _) => out.clone(),
        };
        if out.exists() {
            return Err(JudgeError::input(format!(
                "{} already exists; remove it, or choose another place with --out",
                out.display()
            )));
        }
        Ok(out)
    }
}

impl Format {
    /// Returns the file's name in the run's folder.
    fn file_name(self) -> &'static str {
        match self {
            Self::Canvas => "grades-canvas.csv",
            Self::Moodle => "grades-moodle.csv",
            Self::Gradescope => "grades-gradescope",
            Self::Autolab => "grades-autolab",
            Self::Junit => "grades-junit.xml",
            Self::Csv => "grades.csv",
        }
    }
}

/// Reads a file that staff name.
fn read(path: &Path) -> Result<Vec<u8>, JudgeError> {
    fs::read(path).map_err(|e| refused(path, &unreadable_words(path, &e)))
}

fn refused(path: &Path, reason: &str) -> JudgeError {
    JudgeError::input(format!("{} {reason}", path.display()))
}

/// Returns why marks have no effect: the competition gives no points for `known`, the parts of the
/// game's homework.
fn without_weights(known: &[&str]) -> String {
    match known {
        [] => "--marks: the game has no homework that the judge marks".to_owned(),
        [first, ..] => format!(
            "--marks: the competition gives no points for homework; add [scoring.homework] with the points of each part, \
             as {first} = 1, to its file and rerun the judge run command (the parts: {})",
            known.join(", ")
        ),
    }
}

/// Returns the name of a person's file: that of the submission, or of the id if there is none.
fn file_of(run: &PlayedRun<'_>, grade: &GradeRow, ending: &str) -> String {
    let Person { submission, id, .. } = &grade.who;
    let folder = EntrantsFolder::Grades;
    if is_of_run(run, grade) {
        folder.file_of(submission, ending)
    } else if run.manifest.entrants.iter().any(|line| line.name == *id) {
        folder.apart(id, ending)
    } else {
        folder.file_of(id, ending)
    }
}

/// Makes a suite of games for each entrant of the table, and one without games for each person who
/// submitted nothing.
fn suites(run: &PlayedRun<'_>, grades: &[GradeRow]) -> Result<Vec<u8>, JudgeError> {
    let (mut entrants, absent): (Vec<&GradeRow>, Vec<&GradeRow>) =
        grades.iter().partition(|grade| is_of_run(run, grade));
    entrants.sort_by_key(|grade| &grade.who.submission);
    entrants.dedup_by_key(|grade| &grade.who.submission);
    let mut suites: Vec<Suite> = entrants.iter().map(|grade| suite(grade)).collect();
    let roles = run.roles()?;
    for (id, game) in run.ids.iter().zip(1..) {
        let Some(result) = run.games.result(*id)? else {
            continue;
        };
        for suite in &mut suites {
            add_game(suite, roles, game, &result);
        }
    }
    suites.extend(absent.into_iter().map(suite));
    Ok(junit(&suites).into_bytes())
}

fn is_of_run(run: &PlayedRun<'_>, grade: &GradeRow) -> bool {
    run.manifest
        .entrants
        .iter()
        .any(|line| line.name == grade.who.submission)
}

/// Names the submissions without known people, and the people without a submission.
fn tell_strangers(run: &PlayedRun<'_>, people: &[Person]) {
    if people.is_empty() {
        say!(
            "no roster: using the names of submissions in place of people; name a roster with --roster FILE"
        );
        return;
    }
    let entrants = &run.manifest.entrants;
    for line in entrants
        .iter()
        .filter(|line| !model::builtin::is_builtin(&line.name))
    {
        if people.iter().all(|who| who.submission != line.name) {
            say!("{}: nobody on the roster has this submission", line.name);
        }
    }
    for who in people {
        if entrants.iter().all(|line| line.name != who.submission) {
            say!("{} ({}): no submission", who.name, who.id);
        }
    }
}

fn value(text: &str) -> Result<GradeValue, String> {
    match text {
        "total" | "points" => Ok(GradeValue::Total),
        "grade" => Ok(GradeValue::Grade),
        "prize" => Ok(GradeValue::Prize),
        _ => Err("must be grade, prize or total".to_owned()),
    }
}
