//! A report for the tests of its formats, with text as strangers may write it.

use crate::check::{Check, CheckReport, SampleGames, Topic, TurnTimes, Verdict};

fn check(number: usize, topic: Topic, verdict: Verdict, message: &str, detail: &[&str]) -> Check {
    Check {
        number,
        topic,
        verdict,
        message: message.to_owned(),
        detail: detail.iter().map(|line| (*line).to_owned()).collect(),
        mark: None,
    }
}

/// One check of each verdict, a mark of 0.5, and homework that was not tested.
pub(super) fn report() -> CheckReport {
    let mut homework = check(
        4,
        Topic::Homework("has_won"),
        Verdict::Wrong,
        "100% <b>wrong</b>, see Cat.h:9: of 10",
        &["first\u{1b}[31m", "second"],
    );
    homework.mark = Some(0.5);
    CheckReport {
        submission: "ann & bob".to_owned(),
        game: Some("catch-the-cat"),
        language: "cpp",
        ok: false,
        checks: vec![
            check(1, Topic::Files, Verdict::Ok, "all there", &[]),
            check(
                2,
                Topic::Build,
                Verdict::Warning,
                "an unused variable",
                &[
                    "./judge_agents.cpp:3:1: error: none of ours",
                    "./Cat.h:4:8: note: here",
                ],
            ),
            check(3, Topic::Quiet, Verdict::NotLookedAt, "it has faults", &[]),
            homework,
        ],
        not_checked: vec![Topic::Memory, Topic::Homework("make_move")],
        unreached: None,
        seed: 1,
        games: SampleGames::default(),
        times: TurnTimes::default(),
    }
}
