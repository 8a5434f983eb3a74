//! `judge grades`: exports a run's grades for a learning platform.

#![expect(clippy::disallowed_methods, reason = "staff name the file")]

use super::exit::Done;
use super::out::{choice, number, say_each};
use super::{out, run_output};
use crate::progress::Stages;
use clap::Args;
use intake::{people, unreadable_words};
use jiff::Timestamp;
use model::builtin::is_builtin;
use model::competition::Competition;
use model::entrant::Person;
use model::numbers::counted;
use report::exports::{
    EXPORTS, Export, ExportSource, Exported, Filled, GradeValue, Marks, SubmissionResult,
    grade_rows, mark_notes, people_of_run,
};
use report::{PlayedRun, practice_round};
use rulebook::{JudgeError, Result, refuse};
use run::PastRun;
use run::commands::{program, shown};
use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use store::manifest::EntrantLine;
use system::files::{make_folder, make_private_folder, write_whole};
use system::run_folder::STAFF;

const SECONDS: u32 = 240;

#[derive(Args)]
pub(super) struct GradesArgs {
    /// The run folder
    run: PathBuf,
    /// The platform that the file is for: canvas, moodle … [default: a plain table, or the
    /// filled file's]
    #[arg(long, value_parser = choice(EXPORTS.map(|one| (one.name, one.about, one)).to_vec()))]
    format: Option<&'static Export>,
    /// Who submitted what [default: the roster of the run]
    #[arg(long, value_name = "FILE")]
    roster: Option<PathBuf>,
    /// The table of `judge check CLASS`, for points of homework
    ///
    /// Adds the points of `[scoring.homework]`.
    #[arg(long, value_name = "FILE")]
    marks: Option<PathBuf>,
    /// A list exported from a platform, to fill one column
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
    /// [default: in the run's staff folder, or next to the filled file]
    #[arg(long, value_name = "PATH")]
    out: Option<PathBuf>,
}

impl GradesArgs {
    pub(super) fn execute(&self) -> Result<Done> {
        let past = PastRun::open(&self.run)?;
        let games = past.whole_games(&Stages::default())?;
        let run = past.as_played(&games);
        // Refusals come before any note.
        let format = self.format()?;
        let place = self.place(format, &run)?;
        let (folder, manifest) = (&past.folder, &past.manifest);
        let choice = self.choice(&run)?;
        let practice = practice_round(&manifest.competition)
            .map(|round| format!("these are grades of {round}"));
        let open = run_output::not_final(manifest, Timestamp::now());
        for note in practice.into_iter().chain(open) {
            out::aside(format_args!("note: {note}"));
        }
        let (all, played) = (games.listed().len(), run_output::played(&games));
        if played < all {
            say!("note: the run is not finished: {played} of {all} games played");
        }
        let marks = self.marks(&manifest.competition)?;
        let people = match &self.roster {
            Some(path) => {
                let names = manifest.entrants.iter().map(|one| one.name.as_str());
                let deadline = manifest.competition.deadline;
                let (people, claims) = people::read_whole(path, deadline, names)?;
                say_each("roster: ", claims.doubts);
                people
            }
            None => people_of_run(folder)?,
        };
        let scoring = &manifest.competition.scoring;
        print_unknown_entrants(&run, &people);
        let timings = manifest.entrants.iter().filter_map(|line| line.timing);
        say_each("", run_output::late(timings));
        let (entrants, table) = (&manifest.entrants, run.table()?);
        let grades = grade_rows(scoring, entrants, &table, people, choice, marks.as_ref());
        if let Some(marks) = &marks {
            say_each("", mark_notes(marks, entrants, &grades));
        }
        for grade in &grades {
            if let SubmissionResult::JudgeFailure(reason) = &grade.result {
                let who = grade.shown();
                say!(
                    "{who}: no value, because the judge could not play the submission, through no fault of its own: {reason}"
                );
            }
        }
        let source = ExportSource {
            run: &run,
            rows: &grades,
            value: choice,
            has_marks: marks.is_some(),
            title: self.title.as_deref().unwrap_or(&manifest.competition.title),
            column: self.column.as_deref(),
            points_possible: self.points_possible,
        };
        let made = match &self.fill {
            Some(file) => filled(format, &source, file)?,
            None => (format.write.map_err(JudgeError::input)?)(&source)?,
        };
        save(made, &place)?;
        let unmarked = grades.iter().filter(|grade| grade.is_unmarked).count();
        if unmarked > 0 {
            return refuse(format!(
                "{} missing, because judge check did not get to all homework; check the class with more time, and export \
                 again: {} check CLASS --seconds {SECONDS}",
                counted(unmarked, "value"),
                program()
            ));
        }
        Ok(Done::Success)
    }

    /// Returns the format. Without a name, it is that of the file to fill, else a plain table.
    fn format(&self) -> Result<&'static Export> {
        match (self.format, &self.fill) {
            (None, None) => Ok(EXPORTS[0]),
            (None, Some(_)) => Ok(EXPORTS
                .iter()
                .rfind(|one| one.fill.is_some())
                .expect("one takes any list")),
            (Some(format), Some(_)) if format.fill.is_none() => refuse(
                "--fill finds the platform by the list: leave out --format, or give canvas or moodle",
            ),
            (Some(format), None) => format.write.map(|_| format).map_err(JudgeError::input),
            (Some(format), Some(_)) => Ok(format),
        }
    }

    fn choice(&self, run: &PlayedRun<'_>) -> Result<GradeValue> {
        let scoring = &run.manifest.competition.scoring;
        let choice = self.value.unwrap_or_else(|| GradeValue::usual(scoring));
        if choice.is_in(scoring) {
            return Ok(choice);
        }
        refuse(format!(
            "--value {0}: the competition has no {0}s; use total, or add scoring.{0}s to its file (judge competition shows how) and rerun the judge run command",
            choice.name()
        ))
    }

    fn marks(&self, competition: &Competition) -> Result<Option<Marks>> {
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
            return refuse(without_weights(&known));
        }
        Marks::read(&read(path)?, parts)
            .map(Some)
            .map_err(|reason| refused(path, &reason))
    }

    /// Returns where to write. Only files that this verb wrote under its own names are overwritten.
    fn place(&self, format: &Export, run: &PlayedRun<'_>) -> Result<PathBuf> {
        match (&self.out, &self.fill) {
            (Some(out), _) if out.exists() => refuse(format!(
                "{} already exists; remove it, or choose another place with --out",
                out.display()
            )),
            (Some(out), _) => Ok(out.clone()),
            (None, Some(file)) if self.in_place => Ok(file.clone()),
            (None, Some(file)) => {
                let stem = file.file_stem().unwrap_or_default().to_string_lossy();
                Ok(file.with_file_name(format!("{stem}-filled.csv")))
            }
            (None, None) => {
                let staff = run.folder.join(STAFF);
                make_private_folder(&staff)?;
                Ok(staff.join(format.file_name))
            }
        }
    }
}

fn save(made: Exported, place: &Path) -> Result {
    say_each("", made.notes);
    // Several people may share a submission.
    let mut written = HashSet::new();
    for (name, bytes) in made.files {
        if !written.insert(name.clone()) {
            continue;
        }
        let nowhere = Path::new("");
        let path = if name == nowhere {
            place.to_owned()
        } else {
            place.join(name)
        };
        if let Some(parent) = path.parent().filter(|parent| *parent != nowhere) {
            make_folder(parent)?;
        }
        write_whole(&path, &bytes)?;
        say!("wrote {}", shown(&path));
    }
    Ok(())
}

fn filled(format: &Export, source: &ExportSource<'_>, path: &Path) -> Result<Exported> {
    let fill = format.fill.expect("others are refused");
    let Filled {
        bytes,
        column,
        put,
        mut notes,
    } = fill(source, &read(path)?).map_err(|reason| refused(path, &reason))?;
    if put.is_empty() {
        say_each("", notes);
        let reason = "gets no value, so nothing is written; the lines above say why";
        return Err(refused(path, reason));
    }
    notes.push(format!(
        "{} filled into {column:?}",
        counted(put.len(), "value")
    ));
    Ok(Exported {
        notes,
        ..bytes.into()
    })
}

fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).map_err(|e| refused(path, &unreadable_words(path, &e)))
}

fn refused(path: &Path, reason: &str) -> JudgeError {
    JudgeError::input(format!("{} {reason}", path.display()))
}

/// Says why marks have no effect; `known` are the parts of the game's homework.
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

/// Names the submissions without known people, and the people without a submission.
fn print_unknown_entrants(run: &PlayedRun<'_>, people: &[Person]) {
    if people.is_empty() {
        say!(
            "no roster: using the names of submissions in place of people; name a roster with --roster FILE"
        );
        return;
    }
    let entrants = &run.manifest.entrants;
    for EntrantLine { name, .. } in entrants {
        if !is_builtin(name) && people.iter().all(|who| who.submission != *name) {
            say!("{name}: nobody on the roster has this submission");
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
