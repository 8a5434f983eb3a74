//! JUnit's XML, which Artemis and test viewers read. Each submission, and each person without one,
//! has a suite. Its first test is the result. A game fails by a fault, and not by a loss.

use super::row::GradeRow;
use super::{Export, Graded, GraderReport, NOT_LOOKED_AT, Outcome, Test};
use crate::blame::{describe, opponents};
use crate::words::joined;
use engines::Seat;
use model::record::MatchResult;
use model::text::readable;
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite, XmlString};
use std::time::Duration;

pub(super) const JUNIT: Export = Export {
    name: "junit",
    about: "A file for test viewers",
    file_name: "grades-junit.xml",
    write: Ok(|source| {
        let (mut entrants, absent): (Vec<&GradeRow<'_>>, Vec<&GradeRow<'_>>) =
            source.rows.iter().partition(|row| source.is_entrant(row));
        entrants.sort_by_key(|row| &row.who.submission);
        entrants.dedup_by_key(|row| &row.who.submission);
        let mut suites: Vec<Graded> = entrants.iter().map(|row| of_row(row)).collect();
        let roles = source.run.roles()?;
        for (id, game) in source.run.ids.iter().zip(1..) {
            if let Some(result) = source.run.games.result(*id)? {
                for suite in &mut suites {
                    add_game(suite, roles, game, &result);
                }
            }
        }
        suites.extend(absent.into_iter().map(of_row));
        Ok(text(&suites).into_bytes().into())
    }),
    fill: None,
    report: Some(GraderReport {
        about: "A `JUnit` file, which Artemis and test viewers read",
        text: |graded, _, _| text(std::slice::from_ref(graded)).trim_end().to_owned(),
    }),
};

fn of_row(row: &GradeRow<'_>) -> Graded {
    let mut graded = row.graded();
    let properties = graded.properties.iter();
    let said = joined(
        properties.map(|(name, value)| format!("{name} {value}")),
        ", ",
    );
    let failed = [
        ("disqualified", row.result.disqualified()),
        ("does-not-play", row.result.not_playing()),
        ("too-late", row.result.too_late()),
    ];
    let standing = match failed
        .into_iter()
        .find_map(|(kind, why)| Some((kind, why?)))
    {
        None => Test::new("standing", Outcome::Passed, &said),
        Some((kind, why)) => Test {
            detail: vec![said],
            ..Test::new("standing", Outcome::Failed(kind.to_owned()), why)
        },
    };
    graded.tests.insert(0, standing);
    graded
}

fn add_game(suite: &mut Graded, roles: &[&str], game: usize, result: &MatchResult) {
    for (seat, participant) in result.seats.iter().enumerate() {
        if participant.entrant != suite.name {
            continue;
        }
        let others = opponents(result, Seat::new(seat));
        let name = format!("game {game} as {} against {others}", roles[seat]);
        let fault = result
            .faults
            .iter()
            .find(|fault| fault.seat.index() == seat);
        let (outcome, message) = match fault {
            None => (Outcome::Passed, String::new()),
            Some(fault) => (Outcome::Failed(fault.cause.to_string()), describe(fault)),
        };
        suite.tests.push(Test {
            detail: fault
                .and_then(|fault| fault.line.clone())
                .into_iter()
                .collect(),
            cpu: Some(Duration::from_micros(participant.cpu_us)),
            ..Test::new(&name, outcome, &message)
        });
    }
}

fn text(suites: &[Graded]) -> String {
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
            status.set_message(xml(Some(test.message.as_str())
                .filter(|message| !message.is_empty())
                .unwrap_or(NOT_LOOKED_AT)));
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

/// Makes a text safe for XML: spells out control characters, makes a tab four spaces, and U+FFFE and U+FFFF U+FFFD.
fn xml(text: &str) -> XmlString {
    XmlString::new(
        readable(text)
            .replace('\t', "    ")
            .replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}"),
    )
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::text;

    #[test]
    fn nothing_that_strangers_wrote_is_taken_for_xml() {
        let xml = text(&[sample::graded()]);
        let expected = include_str!("graded.xml");
        assert_eq!(xml, expected.replace('@', "\u{fffd}"));
        let report = quick_junit::Report::deserialize_from_str(&xml).expect("well-formed");
        assert_eq!(report.tests, 5);
    }
}
