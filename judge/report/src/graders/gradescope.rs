//! Gradescope: `results.json` of an autograder, one for each submission.
//!
//! Only the score above the tests counts, not those of the tests. Gradescope hides the total of a
//! submission with a hidden test. The total can therefore not reveal marks that are published
//! later.

use super::suite::{NOT_LOOKED_AT, Outcome, Scoreboard, Test, Visibility};
use model::text::readable;
use serde::Serialize;
use serde_json::json;

/// The whole result of one submission.
#[derive(Clone, Copy, Debug)]
pub struct Results<'a> {
    /// Points; `None` leaves the submission without a score.
    pub score: Option<f64>,
    /// Text above the tests.
    pub output: &'a str,
    /// When the author sees it.
    pub visibility: Visibility,
    /// The tests.
    pub tests: &'a [Test],
    /// Its place on the leaderboard; `None` without a rank.
    pub scoreboard: Option<Scoreboard>,
}

/// A test in Gradescope's form. A skipped test has no status: it counts neither as passed nor as
/// failed.
#[derive(Serialize)]
struct TestLine {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    number: Option<String>,
    output: String,
    output_format: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    visibility: Option<Visibility>,
}

/// Returns the file, without a line break at its end.
pub fn gradescope(results: &Results<'_>) -> String {
    let mut json = json!({
        "output": readable(results.output),
        "output_format": "text",
        "visibility": results.visibility,
        "stdout_visibility": "hidden",
    });
    if let Some(score) = results.score {
        json["score"] = json!(score);
    }
    if !results.tests.is_empty() {
        let lines: Vec<TestLine> = results.tests.iter().map(TestLine::of).collect();
        json["tests"] = json!(lines);
    }
    if let Some(Scoreboard { rank, total, wins }) = results.scoreboard {
        json["leaderboard"] = json!([
            {"name": "rank", "value": rank, "order": "asc"},
            {"name": "total", "value": total, "order": "desc"},
            {"name": "wins", "value": wins, "order": "desc"},
        ]);
    }
    serde_json::to_string_pretty(&json).expect("plain data")
}

impl TestLine {
    fn of(test: &Test) -> Self {
        let words = test.text();
        let (status, output) = match test.outcome {
            Outcome::Passed | Outcome::Warned => (Some("passed"), words),
            Outcome::Failed(_) => (Some("failed"), words),
            Outcome::NotLookedAt if words.is_empty() => (None, NOT_LOOKED_AT.to_owned()),
            Outcome::NotLookedAt => (None, format!("{NOT_LOOKED_AT}: {words}")),
        };
        let suffix = if test.outcome == Outcome::Warned {
            " (warning)"
        } else {
            ""
        };
        Self {
            name: readable(&test.name) + suffix,
            number: test.number.map(|number| number.to_string()),
            output,
            output_format: "text",
            status,
            visibility: test.visibility,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::suite::sample;
    use super::{Results, Visibility, gradescope};
    use serde_json::{Value, json};

    #[test]
    fn each_test_has_its_status_and_what_strangers_wrote_has_no_effect() {
        let text = gradescope(&Results {
            score: Some(2.5),
            output: "ann\u{202e}",
            visibility: Visibility::Visible,
            tests: &sample::suite().tests,
            scoreboard: None,
        });
        let results: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(results["score"], 2.5);
        assert_eq!(results["output"], "ann\\u{202e}");
        assert!(results.get("leaderboard").is_none());
        let expected = json!([
            {"name": "files", "status": "passed", "output": "", "output_format": "text"},
            {
                "name": "build (warning)", "number": "2", "status": "passed",
                "output": "an unused variable\nCat.h:4:8: note", "output_format": "text",
            },
            {
                "name": "has_won", "number": "3", "status": "failed", "output_format": "text",
                "output": "100% <b>wrong</b>\\u{202e} & \"no\"\nfirst\\u{1b}[31m\n]]>\u{ffff}\tsecond",
                "visibility": "after_published",
            },
            {"name": "quiet", "output": "not checked: it has faults", "output_format": "text"},
            {"name": "memory", "output": "not checked", "output_format": "text"},
        ]);
        assert_eq!(results["tests"], expected);
    }
}
