//! Gradescope: the result of each submission.

use super::homework;
use super::row::GradeRow;
use crate::graders::{self, Outcome, Results, Test, Visibility};
use crate::prizes::no_prize;
use crate::submission_result::SubmissionResult;
use model::numbers::{counted, so_many_points, time};
use model::tally::Tally;
use rulebook::scoring::Standing;

/// Returns the file of one person. `public_name` is only for the author of a submission; without a
/// submission there is none. The score is the value, or 0 without a value, because Gradescope
/// requires a score. The tests list the points by role and by part of the homework.
///
/// Returns `None` if the value is not a number, or is missing through no fault of the submission.
pub fn gradescope(grade: &GradeRow, roles: &[&str], public_name: Option<&str>) -> Option<Vec<u8>> {
    let score: f64 = match (&grade.value, &grade.came_to) {
        (Some(value), _) => value.parse().ok()?,
        // A failure of the judge's is never scored.
        (None, SubmissionResult::Ours(_)) => return None,
        (None, _) if grade.is_unmarked => return None,
        (None, _) => 0.0,
    };
    let text = grade.value.as_deref().unwrap_or("no value");
    let standing = grade.standing();
    let disqualified = grade.disqualified();
    let broken = grade
        .not_playing()
        .map(|reason| format!("does not play: {reason}\n"));
    let timing = grade.timing.filter(|timing| timing.closes.is_some());
    let timing = timing.map(|timing| format!("{}\n", timing.words(standing.is_some())));
    let too_late = grade.too_late().map(|_| "too late: ");
    let no_prize = standing
        .and_then(no_prize)
        .map(|reason| format!("no prize: {reason}\n"));
    let rank = standing.map(|row| format!("rank {}\n", row.rank));
    let reason = disqualified.map(|reason| format!("disqualified: {reason}\n"));
    let seen = public_name.map(|name| format!("; the others see you as {name}"));
    let output = format!(
        "{text}{}\n{}{}{}{}{}{}",
        seen.unwrap_or_default(),
        broken.unwrap_or_default(),
        too_late.unwrap_or_default(),
        timing.unwrap_or_default(),
        rank.unwrap_or_default(),
        no_prize.unwrap_or_default(),
        reason.unwrap_or_default()
    );
    let played = standing.map(|row| tests(row, roles)).unwrap_or_default();
    let tests: Vec<Test> = homework::tests(&grade.homework).chain(played).collect();
    let text = graders::gradescope(&Results {
        score: Some(score),
        output: &output,
        visibility: Visibility::AfterPublished,
        tests: &tests,
        scoreboard: grade.scoreboard(),
    });
    Some(format!("{text}\n").into_bytes())
}

/// Returns the tally of each role as a test.
fn tests(row: &Standing, roles: &[&str]) -> Vec<Test> {
    let test = |(role, tally): (&&str, &Tally)| {
        let outcome = if tally.faults == 0 {
            Outcome::Passed
        } else {
            Outcome::Failed("faults".to_owned())
        };
        let gathered = format!(
            "{} in {}: {} won, {} drawn, {} lost; {}, {} of CPU time",
            so_many_points(tally.points),
            counted(tally.games, "game"),
            tally.wins,
            tally.draws,
            tally.losses,
            counted(tally.faults, "fault"),
            time(tally.cpu_us),
        );
        Test::new(role, outcome, &gathered)
    };
    roles.iter().zip(&row.by_role).map(test).collect()
}
