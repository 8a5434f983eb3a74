//! `judge check` on a whole class: checks every submission, and writes one table.

use super::exam::examine;
use super::formats::{CheckFormat, findings};
use super::text::settings;
use super::{Check, CheckArgs, CheckReport, Examination, Verdict};
use crate::cli::exit::Done;
use crate::cli::out;
use crate::terminal::joined;
use intake::{Class, Submission};
use model::numbers::counted;
use model::text::escape_cell;
use rulebook::{IoContext, JudgeError, Result, refuse};
use run::commands::{path_for_shell, program, shown};
use run::no_game_known;
use std::env;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use system::files::write_whole;

const ENDING: &str = "-check.csv";
/// Number of folders in a zip up to which they may well be versions of one person.
const VERSIONS_MAX: usize = 3;

const ONE_ONLY: &str = "this format is for one submission, but the path holds a class: name one of its submissions, \
                        or omit --format for a table of all";

struct ClassRow {
    entrant: String,
    /// The findings, separated by ` | `; empty if nothing is wrong.
    findings: String,
    /// Whether the author has something to fix. Warnings alone do not count.
    is_wrong: bool,
    /// The marks in the order of the columns; `None` where the judge did not get there.
    marks: Vec<Option<f64>>,
}

impl CheckArgs {
    pub(super) fn class(&self, class: Class, interrupted: &Arc<AtomicBool>) -> Result<Done> {
        let is_json = match self.form.format() {
            CheckFormat::Text => false,
            CheckFormat::Json => true,
            _ => return refuse(ONE_ONLY),
        };
        let Class {
            place,
            submissions,
            ignored,
            ..
        } = class;
        for ignored in &ignored {
            out::aside(format_args!("ignored: {ignored}"));
        }
        let Some(exam) = self.examination(&submissions, interrupted)? else {
            return Err(no_game_known());
        };
        let rules = rulebook::rules::of(&exam.competition.conditions)?;
        let table = self.table()?;
        let columns = rules.homework_parts();
        let mut rows = Vec::new();
        let mut lacking = None;
        let all = submissions.len();
        let is_persons_zip = is_persons_zip(&self.path, &submissions);
        for (submission, number) in submissions.into_iter().zip(1..) {
            let prefix = format!("{number} of {all}: checking {}: ", submission.name);
            exam.progress.set_prefix(prefix);
            rows.push(row(&exam, submission, is_json, &columns, &mut lacking)?);
            // An interrupt keeps the rows written by now.
            write_whole(&table, &csv(&columns, &rows))?;
        }
        exam.progress.finish_and_clear();
        let wrong = rows.iter().filter(|row| row.is_wrong).count();
        if !is_json {
            say!(
                "\n{} checked, {wrong} to fix: see {}",
                counted(all, "submission"),
                shown(&table)
            );
            if self.path.is_dir() {
                let command = [
                    program(),
                    "check".to_owned(),
                    path_for_shell(&place.join("NAME")),
                ];
                let settings = settings(&self.path, env::args_os().skip(2));
                let words = joined(command.iter().chain(&settings), " ");
                say!("to see the full report on one: {words}");
            }
            let unmarked = rows.iter().filter(|row| row.marks.contains(&None)).count();
            if unmarked > 0 {
                say!(
                    "{} with empty marks, which the judge did not get to; the table says why",
                    counted(unmarked, "submission")
                );
            }
            if is_persons_zip && all <= VERSIONS_MAX {
                say!(
                    "note: the zip holds several submissions, so it was checked as a class; if it is one person's \
                     submission, submit only one of its folders"
                );
            }
        }
        match lacking {
            _ if wrong > 0 => Ok(Done::Wrong),
            Some(error) => Err(error),
            None => Ok(Done::Success),
        }
    }

    fn table(&self) -> Result<PathBuf> {
        let there = self.path.canonicalize().or_io("read", &self.path)?;
        let name = there.file_stem().unwrap_or_default().to_string_lossy();
        let here = env::current_dir().or_io("read", ".")?;
        Ok(here.join(format!("{name}{ENDING}")))
    }
}

/// Checks one submission; the first that this machine cannot build leaves the reason in `lacking`.
fn row(
    exam: &Examination<'_>,
    submission: Submission,
    is_json: bool,
    columns: &[&'static str],
    lacking: &mut Option<JudgeError>,
) -> Result<ClassRow> {
    let entrant = submission.name.clone();
    let (row, unreached) = match examine(exam, submission) {
        Ok(report) => {
            if is_json {
                let json = serde_json::to_string(&report).expect("plain data");
                out::line(format_args!("{json}"));
            }
            // None where the judge did not get there, 0 where the author's mistakes are why.
            let mark = |name: &&str| {
                let check = report
                    .checks
                    .iter()
                    .find(|check| check.topic.name() == *name);
                check.map_or(Some(0.0), |check| check.mark)
            };
            let row = ClassRow {
                entrant,
                findings: listed(&report),
                is_wrong: !report.ok,
                marks: columns.iter().map(mark).collect(),
            };
            (row, report.unreached)
        }
        // The next submission may need nothing that is missing.
        Err(JudgeError::Lacking { reason, .. } | JudgeError::Unplayed { reason, .. }) => {
            let row = ClassRow {
                entrant,
                findings: format!("not checked, through no fault of its own: {reason}"),
                is_wrong: false,
                marks: vec![None; columns.len()],
            };
            (row, Some(reason))
        }
        Err(error) => return Err(error),
    };
    if let Some(reason) = unreached {
        let submission = row.entrant.clone();
        lacking.get_or_insert(JudgeError::Lacking { submission, reason });
    }
    if !is_json {
        let first = row.findings.split(BETWEEN).next().unwrap_or_default();
        let said = if first.is_empty() { "ok" } else { first };
        exam.progress.suspend(|| say!("{}: {said}", row.entrant));
    }
    Ok(row)
}

/// Returns whether one person may have packed several versions: no platform has named the contents.
fn is_persons_zip(path: &Path, submissions: &[Submission]) -> bool {
    let ending = path.extension().unwrap_or_default();
    let is_zip = path.is_file() && ending.eq_ignore_ascii_case("zip");
    is_zip && submissions.iter().all(|one| one.mark.is_none())
}

const BETWEEN: &str = " | ";

/// Lists what the judge did not get to, then the faults, then the warnings, in one line.
fn listed(report: &CheckReport) -> String {
    let said = |check: &Check, verdict: &str| {
        format!("{verdict} ({}): {}", check.topic.name(), check.message)
    };
    let is_left =
        |check: &&Check| check.verdict == Verdict::NotLookedAt && check.topic.is_homework();
    let mut all: Vec<String> = report
        .checks
        .iter()
        .filter(is_left)
        .map(|check| said(check, "not checked"))
        .collect();
    if let Some(reason) = report.unreached.as_ref().filter(|_| all.is_empty()) {
        all.push(format!("not checked to the end: {reason}"));
    }
    all.extend(findings(report).map(|check| said(check, check.verdict.word())));
    all.join(BETWEEN)
}

fn csv(columns: &[&str], rows: &[ClassRow]) -> Vec<u8> {
    let mut table = csv::Writer::from_writer(Vec::new());
    let headings = ["entrant", "findings"].iter().chain(columns);
    table.write_record(headings).expect("writing to memory");
    for row in rows {
        let marks = row
            .marks
            .iter()
            .map(|mark| mark.map_or_else(String::new, |m| m.to_string()));
        let cells = [escape_cell(&row.entrant), escape_cell(&row.findings)]
            .into_iter()
            .chain(marks);
        table.write_record(cells).expect("writing to memory");
    }
    table.into_inner().expect("writing to memory")
}
