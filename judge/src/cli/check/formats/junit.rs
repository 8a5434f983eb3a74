//! The XML of `JUnit`: one suite, and a test case for each check, whose names are the same for
//! every submission of a game.

use crate::check::{Check, CheckReport, Verdict};
use report::grades::escape_xml;
use std::fmt::Write;

/// Makes the file. What is wrong is a failure; what was not looked at is skipped.
pub(super) fn junit(report: &CheckReport) -> String {
    let failures = of(report, Verdict::Wrong);
    let skipped = of(report, Verdict::NotLookedAt) + report.not_checked.len();
    let tests = report.checks.len() + report.not_checked.len();
    let name = escape_xml(&report.submission);
    let mut xml = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"{name}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\" skipped=\"{skipped}\">\n"
    );
    for check in &report.checks {
        case(&mut xml, check.topic.name(), &body(check));
    }
    for topic in &report.not_checked {
        case(
            &mut xml,
            topic.name(),
            "<skipped message=\"not looked at\"/>",
        );
    }
    xml.push_str("  </testsuite>\n</testsuites>");
    xml
}

fn of(report: &CheckReport, verdict: Verdict) -> usize {
    let checks = report.checks.iter();
    checks.filter(|check| check.verdict == verdict).count()
}

fn case(xml: &mut String, name: &str, body: &str) {
    let name = escape_xml(name);
    writeln!(
        xml,
        "    <testcase classname=\"judge\" name=\"{name}\">{body}</testcase>"
    )
    .expect("writing to memory");
}

fn body(check: &Check) -> String {
    let message = escape_xml(&check.message);
    // Each line by itself: line breaks stay, and other control characters do not.
    let detail: Vec<String> = check.detail.iter().map(|line| escape_xml(line)).collect();
    let detail = detail.join("\n");
    match check.verdict {
        Verdict::Wrong => {
            let kind = escape_xml(check.topic.name());
            format!("<failure type=\"{kind}\" message=\"{message}\">{detail}</failure>")
        }
        Verdict::NotLookedAt => format!("<skipped message=\"{message}\"/>"),
        Verdict::Ok => format!("<system-out>{message}</system-out>"),
        Verdict::Warning => format!("<system-out>warning: {message}\n{detail}</system-out>"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::junit;

    #[test]
    fn what_is_wrong_fails_and_nothing_in_it_is_taken_for_xml() {
        let xml = junit(&sample::report());
        for part in [
            "<testsuite name=\"ann &amp; bob\" tests=\"6\" failures=\"1\" errors=\"0\" skipped=\"3\">",
            "<testcase classname=\"judge\" name=\"files\"><system-out>all there</system-out>",
            "message=\"100% &lt;b&gt;wrong&lt;/b&gt;, see Cat.h:9: of 10\">first\\u{1b}[31m\nsecond</failure>",
            "name=\"make_move\"><skipped message=\"not looked at\"/>",
        ] {
            assert!(xml.contains(part), "{part}\n{xml}");
        }
    }
}
