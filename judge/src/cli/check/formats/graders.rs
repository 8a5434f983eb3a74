//! What graders read that run a program of the course for each submission: Gradescope's
//! `results.json`, and the line at the end of what Autolab's graders print.

use crate::check::{Check, CheckReport, Verdict};
use clap::ValueEnum;
use serde_json::{Value as Json, json};
use words::text::readable;

/// When a student sees the marks for homework in Gradescope; findings are always visible.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Visibility {
    /// At once
    #[default]
    Visible,
    /// Never
    Hidden,
    /// When the assignment's due date has passed
    AfterDueDate,
    /// When the grades are published
    AfterPublished,
}

/// Makes `results.json`: the score, and a test for each check, without a score of its own. What was
/// not looked at has no status, and Gradescope shows it neither as passed nor as failed.
///
/// Gradescope shows nobody the total of a submission with a hidden test, so that marks which come
/// later are not told by it.
pub(super) fn gradescope(report: &CheckReport, score: f64, marks: Visibility) -> String {
    let mut tests: Vec<Json> = report
        .checks
        .iter()
        .map(|check| test(check, marks))
        .collect();
    tests.extend(report.not_checked.iter().map(|topic| {
        json!({
            "name": topic.name(),
            "output": "not looked at",
            "output_format": "text",
            "visibility": "visible",
        })
    }));
    let name = readable(&report.submission);
    let output = if report.ok {
        format!("{name} can play")
    } else {
        format!("{name} is not ready: see what failed")
    };
    let results = json!({
        "score": score,
        "output": output,
        "output_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": tests,
    });
    serde_json::to_string_pretty(&results).expect("plain data")
}

fn test(check: &Check, marks: Visibility) -> Json {
    let lines = std::iter::once(check.message.as_str());
    let lines = lines.chain(check.detail.iter().map(String::as_str));
    let mut output = readable(&lines.collect::<Vec<_>>().join("\n"));
    if check.verdict == Verdict::NotLookedAt {
        output = format!("not looked at: {output}");
    }
    let status = match check.verdict {
        Verdict::Wrong => Some("failed"),
        Verdict::Ok | Verdict::Warning => Some("passed"),
        Verdict::NotLookedAt => None,
    };
    let visibility = if check.mark.is_some() {
        marks.name()
    } else {
        "visible"
    };
    let name = match check.verdict {
        Verdict::Warning => format!("{} (warning)", check.topic.name()),
        _ => check.topic.name().to_owned(),
    };
    let mut test = json!({
        "name": name,
        "number": check.number.to_string(),
        "output": output,
        "output_format": "text",
        "visibility": visibility,
    });
    if let Some(status) = status {
        test["status"] = status.into();
    }
    test
}

impl Visibility {
    /// Returns Gradescope's word.
    fn name(self) -> &'static str {
        match self {
            Self::Visible => "visible",
            Self::Hidden => "hidden",
            Self::AfterDueDate => "after_due_date",
            Self::AfterPublished => "after_published",
        }
    }
}

/// Makes the line that Autolab takes the score of a problem from.
pub(super) fn autolab(problem: &str, score: f64) -> String {
    json!({"scores": {problem: score}}).to_string()
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::{Visibility, autolab, gradescope};
    use serde_json::Value;

    fn results(visibility: Visibility) -> Value {
        let text = gradescope(&sample::report(), 2.5, visibility);
        serde_json::from_str(&text).expect("JSON")
    }

    #[test]
    fn gradescope_gets_a_test_for_each_check_and_one_score() {
        let results = results(Visibility::Visible);
        assert_eq!(results["score"], 2.5);
        let tests = results["tests"].as_array().expect("a list");
        let told: Vec<(&str, Option<&str>)> = tests
            .iter()
            .map(|test| {
                let name = test["name"].as_str().expect("a string");
                (name, test.get("status").and_then(Value::as_str))
            })
            .collect();
        let expected = [
            ("files", Some("passed")),
            ("build (warning)", Some("passed")),
            ("quiet", None),
            ("has_won", Some("failed")),
            ("memory", None),
            ("make_move", None),
        ];
        assert_eq!(told, expected);
        assert!(tests.iter().all(|test| test.get("score").is_none()));
    }

    #[test]
    fn only_marks_are_hidden() {
        let results = results(Visibility::AfterPublished);
        assert_eq!(results["tests"][0]["visibility"], "visible");
        assert_eq!(results["tests"][3]["visibility"], "after_published");
    }

    #[test]
    fn what_programs_write_has_no_effect_where_it_is_shown() {
        let mut report = sample::report();
        report.submission = "ann\u{202e}".to_owned();
        report.checks[0].message = "said \u{1b}[2J".to_owned();
        report.checks[0].detail = vec!["\u{202e}no".to_owned()];
        let text = gradescope(&report, 0.0, Visibility::Visible);
        let results: Value = serde_json::from_str(&text).expect("JSON");
        let output = &results["tests"][0]["output"];
        assert_eq!(output, "said \\u{1b}[2J\n\\u{202e}no");
        assert_eq!(
            results["output"],
            "ann\\u{202e} is not ready: see what failed"
        );
    }

    #[test]
    fn autolab_gets_one_line() {
        assert_eq!(
            autolab("my \"bot\"", 2.5),
            r#"{"scores":{"my \"bot\"":2.5}}"#
        );
    }
}
