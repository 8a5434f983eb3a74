//! JUnit's XML, which Artemis and test viewers read: one suite for each submission.

use super::suite::{NOT_LOOKED_AT, Outcome, Suite, Test};
use model::text::readable;
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite, XmlString};

/// Returns the file. Failed tests are failures, and tests that nobody looked at are skipped.
pub fn junit(suites: &[Suite]) -> String {
    let mut report = Report::unnamed();
    for suite in suites {
        let mut of_one = TestSuite::new(xml(&suite.name));
        for (name, value) in &suite.properties {
            of_one.add_property((xml(name), xml(value)));
        }
        for test in &suite.tests {
            of_one.add_test_case(case(&suite.class, test));
        }
        report.add_test_suite(of_one);
    }
    report.to_string().expect("writing to memory")
}

fn case(class: &str, test: &Test) -> TestCase {
    let status = match &test.outcome {
        Outcome::Passed | Outcome::Warned => TestCaseStatus::success(),
        Outcome::Failed(kind) => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            status.set_type(xml(kind)).set_message(xml(&test.message));
            status.set_description(xml(&test.detail.join("\n")));
            status
        }
        Outcome::NotLookedAt => {
            let mut status = TestCaseStatus::skipped();
            let message = Some(test.message.as_str()).filter(|message| !message.is_empty());
            status.set_message(xml(message.unwrap_or(NOT_LOOKED_AT)));
            status
        }
    };
    let mut case = TestCase::new(xml(&test.name), status);
    case.set_classname(xml(class));
    let output = match test.outcome {
        Outcome::Passed => test.text(),
        Outcome::Warned => format!("warning: {}", test.text()),
        Outcome::Failed(_) | Outcome::NotLookedAt => String::new(),
    };
    if !output.is_empty() {
        case.set_system_out(xml(&output));
    }
    if let Some(cpu) = test.cpu {
        // The crate rounds times to milliseconds, and many games take less.
        let seconds = format!("{:.6}", cpu.as_secs_f64());
        case.extra.insert("time".into(), seconds.into());
    }
    case
}

/// Makes a text safe for XML: control characters are spelled out, a tab becomes four spaces, and
/// U+FFFE and U+FFFF become U+FFFD.
fn xml(text: &str) -> XmlString {
    let text = readable(text).replace('\t', "    ");
    XmlString::new(text.replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}"))
}

#[cfg(test)]
mod tests {
    use super::super::suite::sample;
    use super::junit;

    #[test]
    fn nothing_that_strangers_wrote_is_taken_for_xml() {
        let xml = junit(&[sample::suite()]);
        let expected = r#"<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="5" skipped="2" failures="1" errors="0">
    <testsuite name="ann &amp; \u{0}bob" tests="5" skipped="2" errors="0" failures="1">
        <properties>
            <property name="grade" value="&lt;1&gt;"/>
        </properties>
        <testcase name="files" classname="judge" time="0.001234"/>
        <testcase name="build" classname="judge">
            <system-out>warning: an unused variable
Cat.h:4:8: note</system-out>
        </testcase>
        <testcase name="has_won" classname="judge">
            <failure message="100% &lt;b&gt;wrong&lt;/b&gt;\u{202e} &amp; &quot;no&quot;" type="homework">first\u{1b}[31m
]]&gt;@    second</failure>
        </testcase>
        <testcase name="quiet" classname="judge">
            <skipped message="it has faults"/>
        </testcase>
        <testcase name="memory" classname="judge">
            <skipped message="not checked"/>
        </testcase>
    </testsuite>
</testsuites>
"#;
        assert_eq!(xml, expected.replace('@', "\u{fffd}"));
        let report = quick_junit::Report::deserialize_from_str(&xml).expect("well-formed");
        assert_eq!(report.tests, 5);
    }
}
