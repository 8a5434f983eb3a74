//! Autolab: the autoresult of one submission. An autograder prints it as its last line. The problem
//! must have the name of a problem of the assessment.

use super::export::{Export, ExportSource, Exported, GraderReport, csv};
use super::graded::{Graded, Scoreboard};
use super::row::GradeRow;
use crate::submission_result::SubmissionResult;
use model::entrants_folder::SCORES;
use rulebook::JudgeError;
use serde_json::json;
use std::path::PathBuf;

pub(super) const AUTOLAB: Export = Export {
    name: "autolab",
    about: "A folder of results for Autolab",
    file_name: "grades-autolab",
    write: Ok(write),
    fill: None,
    report: Some(GraderReport {
        about: "The text, and in the last line the scores that Autolab reads",
        text: |graded, title, words| {
            let line = graded.score.map(|score| line(title, score, graded));
            format!("{words}\n{}", line.unwrap_or_default())
        },
    }),
};

/// Makes an autoresult for each submission and each person without one, and a table of addresses and scores. It
/// has no header, which Autolab would take for an unknown address.
#[expect(clippy::unnecessary_wraps, reason = "other formats read games")]
fn write(source: &ExportSource<'_>) -> Result<Exported, JudgeError> {
    let mut made = Exported::default();
    let mut scores = Vec::new();
    for row in source.rows {
        let who = row.shown();
        let Some(score) = score(row) else {
            made.notes.push(format!(
                "{who}: left out, because Autolab needs a number and the value is none"
            ));
            continue;
        };
        let line = line(source.title, score, &row.graded());
        let name = source.file_of(row, ".json");
        made.files
            .push((name.into(), format!("{line}\n").into_bytes()));
        if row.who.email.is_empty() {
            made.notes.push(format!(
                "{who}: left out of scores.csv, because Autolab needs an e-mail address and the roster has none"
            ));
        } else {
            let value = row.value.as_deref().unwrap_or("0");
            scores.push([row.who.email.clone(), value.to_owned()]);
        }
    }
    made.files.push((PathBuf::from(SCORES), csv(scores)));
    Ok(made)
}

/// Returns the value, or 0 for a person who submitted nothing. `None` if the value is not a number.
fn score(row: &GradeRow<'_>) -> Option<f64> {
    match (&row.value, &row.result) {
        (None, SubmissionResult::Missing) => Some(0.0),
        (value, _) => value.as_deref()?.parse().ok(),
    }
}

fn line(problem: &str, score: f64, graded: &Graded) -> String {
    let mut result = json!({"scores": {problem: score}});
    if let Some(Scoreboard { total, wins, .. }) = graded.scoreboard {
        result["scoreboard"] = json!([score, total, wins]);
    }
    result.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn autolab_gets_one_line() {
        let mut graded = Graded::default();
        assert_eq!(
            line("my \"bot\"", 2.5, &graded),
            r#"{"scores":{"my \"bot\"":2.5}}"#
        );
        graded.scoreboard = Some(Scoreboard {
            rank: 2,
            total: 3.0,
            wins: 1,
        });
        assert_eq!(
            line("bot", 2.5, &graded),
            r#"{"scoreboard":[2.5,3.0,1],"scores":{"bot":2.5}}"#
        );
    }
}
