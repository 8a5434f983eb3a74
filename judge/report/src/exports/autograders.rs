//! Autograders: Gradescope's `results.json` and Autolab's autoresult, one for each submission.
//! Of Gradescope's, only the score above the tests counts. Gradescope hides the total of a submission with a hidden
//! test, so the total cannot reveal marks that are published later. Autolab's is the last line that is printed; the
//! problem must have the name of a problem of the assessment.

use super::row::GradeRow;
use super::{
    Export, Exported, Graded, GraderReport, NOT_LOOKED_AT, Outcome, Scoreboard, Test, Visibility,
};
use crate::submission_result::{SubmissionResult, no_prize};
use model::entrants_folder::SCORES;
use model::numbers::{counted, so_many_points, time};
use model::tally::Tally;
use model::text::readable;
use rulebook::scoring::Standing;
use serde_json::{Value, json};
use std::path::Path;

/// Makes a folder for each submission and each person without one; other authors have public names.
pub(super) const GRADESCOPE: Export = Export {
    name: "gradescope",
    about: "A folder of results for Gradescope",
    file_name: "grades-gradescope",
    write: Ok(|source| {
        let roles = source.run.roles()?;
        let names = source.run.public_names()?;
        let table = source.run.public_table(&names)?;
        let mut made = Exported::default();
        for row in source.rows {
            let place = Path::new(&source.file_of(row, "")).join("results.json");
            let graded = if source.is_entrant(row) {
                let name = names.of(&row.who.submission);
                of_row(&row.in_public(name, &table), roles, Some(name))
            } else {
                of_row(row, roles, None)
            };
            if let Some(graded) = graded {
                let text = format!("{}\n", text(&graded));
                made.files.push((place, text.into_bytes()));
            } else {
                made.notes.push(format!(
                    "{}: left out, because Gradescope needs a number and the value is none",
                    row.shown()
                ));
            }
        }
        Ok(made)
    }),
    fill: None,
    report: Some(GraderReport {
        about: "`results.json` of Gradescope's autograder, with a test for each check",
        text: |graded, _, _| text(graded),
    }),
};

/// Returns the result of one person; `None` if the value is not a number, or is missing through no fault of the
/// submission. Gradescope requires a score: it is 0 without a value. `public_name` is for authors alone.
fn of_row(row: &GradeRow<'_>, roles: &[&str], public_name: Option<&str>) -> Option<Graded> {
    let score = match (&row.value, &row.result) {
        (Some(value), _) => value.parse().ok()?,
        // A failure of the judge's is never scored.
        (None, SubmissionResult::JudgeFailure(_)) => return None,
        (None, _) if row.is_unmarked => return None,
        (None, _) => 0.0,
    };
    let standing = row.result.standing();
    let mut output = row.value.as_deref().unwrap_or("no value").to_owned();
    output.extend(public_name.map(|name| format!("; the others see you as {name}")));
    output.push('\n');
    let mut add = |words: &str, fact: Option<String>| {
        output.extend(fact.map(|fact| format!("{words}{fact}\n")));
    };
    add(
        "does not play: ",
        row.result.not_playing().map(str::to_owned),
    );
    let with_deadline = row.timing.filter(|timing| timing.closes.is_some());
    let timing = with_deadline.map(|timing| timing.words(standing.is_some()));
    add(row.result.too_late().map_or("", |_| "too late: "), timing);
    add("rank ", standing.map(|standing| standing.rank.to_string()));
    add("no prize: ", standing.and_then(no_prize));
    add(
        "disqualified: ",
        row.result.disqualified().map(str::to_owned),
    );
    let mut graded = row.graded();
    if let Some(standing) = standing {
        graded.tests.extend(by_role(standing, roles));
    }
    Some(Graded {
        score: Some(score),
        output,
        visibility: Visibility::AfterPublished,
        ..graded
    })
}

fn by_role(row: &Standing, roles: &[&str]) -> Vec<Test> {
    let test = |(role, tally): (&&str, &Tally)| {
        let outcome = match tally.faults {
            0 => Outcome::Passed,
            _ => Outcome::Failed("faults".to_owned()),
        };
        let gained = format!(
            "{} in {}: {} won, {} drawn, {} lost; {}, {} of CPU time",
            so_many_points(tally.points),
            counted(tally.games, "game"),
            tally.wins,
            tally.draws,
            tally.losses,
            counted(tally.faults, "fault"),
            time(tally.cpu_us),
        );
        Test::new(role, outcome, &gained)
    };
    roles.iter().zip(&row.by_role).map(test).collect()
}

fn text(graded: &Graded) -> String {
    let mut json = json!({
        "output": readable(&graded.output),
        "output_format": "text",
        "visibility": graded.visibility,
        "stdout_visibility": "hidden",
    });
    if let Some(score) = graded.score {
        json["score"] = json!(score);
    }
    if !graded.tests.is_empty() {
        json["tests"] = graded.tests.iter().map(test_line).collect();
    }
    if let Some(Scoreboard { rank, total, wins }) = graded.scoreboard {
        json["leaderboard"] = json!([
            {"name": "rank", "value": rank, "order": "asc"},
            {"name": "total", "value": total, "order": "desc"},
            {"name": "wins", "value": wins, "order": "desc"},
        ]);
    }
    serde_json::to_string_pretty(&json).expect("plain data")
}

/// A skipped test has no status: it counts neither as passed nor as failed.
fn test_line(test: &Test) -> Value {
    let words = test.text();
    let (status, suffix, output) = match test.outcome {
        Outcome::Passed => (Some("passed"), "", words),
        Outcome::Warned => (Some("passed"), " (warning)", words),
        Outcome::Failed(_) => (Some("failed"), "", words),
        Outcome::NotLookedAt if words.is_empty() => (None, "", NOT_LOOKED_AT.to_owned()),
        Outcome::NotLookedAt => (None, "", format!("{NOT_LOOKED_AT}: {words}")),
    };
    let mut line = json!({
        "name": readable(&test.name) + suffix,
        "output": output,
        "output_format": "text",
    });
    for (name, value) in [
        ("number", json!(test.number.as_ref().map(usize::to_string))),
        ("status", json!(status)),
        ("visibility", json!(test.visibility)),
    ] {
        if !value.is_null() {
            line[name] = value;
        }
    }
    line
}

/// Makes an autoresult for each submission and each person without one, and a table of addresses and scores. It
/// has no header, which Autolab would take for an unknown address.
pub(super) const AUTOLAB: Export = Export {
    name: "autolab",
    about: "A folder of results for Autolab",
    file_name: "grades-autolab",
    write: Ok(|source| {
        let mut made = Exported::default();
        let mut scores = csv::Writer::from_writer(Vec::new());
        for row in source.rows {
            let who = row.shown();
            let Some(score) = score(row) else {
                made.notes.push(format!(
                    "{who}: left out, because Autolab needs a number and the value is none"
                ));
                continue;
            };
            let line = format!("{}\n", line(source.title, score, &row.graded()));
            made.files
                .push((source.file_of(row, ".json").into(), line.into()));
            if row.who.email.is_empty() {
                made.notes.push(format!(
                    "{who}: left out of scores.csv, because Autolab needs an e-mail address and the roster has none"
                ));
            } else {
                let value = row.value.as_deref().unwrap_or("0");
                let score = [&row.who.email, value];
                scores.write_record(score).expect("rows in memory");
            }
        }
        let scores = scores.into_inner().expect("rows in memory");
        made.files.push((SCORES.into(), scores));
        Ok(made)
    }),
    fill: None,
    report: Some(GraderReport {
        about: "The text, and in the last line the scores that Autolab reads",
        text: |graded, title, words| {
            let line = graded.score.map(|score| line(title, score, graded));
            format!("{words}\n{}", line.unwrap_or_default())
        },
    }),
};

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
    use super::super::sample;
    use super::{Graded, Value, text, *};

    #[test]
    fn each_test_has_status_and_inert_foreign_text() {
        let text = text(&Graded {
            score: Some(2.5),
            output: "ann\u{202e}".to_owned(),
            ..sample::graded()
        });
        let results: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(results["score"], 2.5);
        assert_eq!(results["output"], "ann\\u{202e}");
        assert!(results.get("leaderboard").is_none());
        let expected = include_str!("graded.json");
        let expected: Value = serde_json::from_str(expected).expect("JSON");
        assert_eq!(results["tests"], expected);
    }

    #[test]
    fn autolab_gets_one_line() {
        let mut graded = Graded::default();
        let found = line("my \"bot\"", 2.5, &graded);
        assert_eq!(found, r#"{"scores":{"my \"bot\"":2.5}}"#);
        graded.scoreboard = Some(Scoreboard {
            rank: 2,
            total: 3.0,
            wins: 1,
        });
        let found = line("bot", 2.5, &graded);
        assert_eq!(found, r#"{"scoreboard":[2.5,3.0,1],"scores":{"bot":2.5}}"#);
    }
}
