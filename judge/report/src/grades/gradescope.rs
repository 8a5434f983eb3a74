//! Gradescope: `results.json` of an autograder, one for each submission.

use super::row::GradeRow;
use crate::prizes::no_prize;
use scoring::Standing;
use serde_json::{Value as Json, json};
use words::numbers::{counted, so_many_points, time};

/// Makes the file of one submission; `public_name` is for its own eyes. The score is the value,
/// and 0 where there is none, because Gradescope takes no result without a score; none where
/// the value is no number. `tests` tells the points by role.
pub fn gradescope(grade: &GradeRow, roles: &[&str], public_name: &str) -> Option<Vec<u8>> {
    let score: f64 = match &grade.value {
        Some(value) => value.parse().ok()?,
        None => 0.0,
    };
    let text = grade.value.as_deref().unwrap_or("no value");
    let standing = grade.standing();
    let disqualified = grade.disqualified();
    let broken = grade.not_playing();
    let broken = broken.map(|reason| format!("does not play: {reason}\n"));
    let timing = grade.timing.filter(|timing| timing.closes.is_some());
    let timing = timing.map(|timing| format!("{}\n", timing.words(standing.is_some())));
    let too_late = grade.too_late().map(|_| "too late: ");
    let no_prize = standing.and_then(no_prize);
    let no_prize = no_prize.map(|reason| format!("no prize: {reason}\n"));
    let rank = standing.map(|row| format!("rank {}\n", row.rank));
    let reason = disqualified.map(|reason| format!("disqualified: {reason}\n"));
    let output = format!(
        "{text}; the others see you as {public_name}\n{}{}{}{}{}{}",
        broken.unwrap_or_default(),
        too_late.unwrap_or_default(),
        timing.unwrap_or_default(),
        rank.unwrap_or_default(),
        no_prize.unwrap_or_default(),
        reason.unwrap_or_default()
    );
    let mut results = json!({
        "score": score,
        "output": output,
        "output_format": "text",
        "visibility": "after_published",
        "stdout_visibility": "hidden",
    });
    if let Some(row) = standing {
        results["tests"] = tests(row, roles);
        results["leaderboard"] = json!([
            {"name": "rank", "value": row.rank, "order": "asc"},
            {"name": "total", "value": row.total.points.as_f64(), "order": "desc"},
            {"name": "wins", "value": row.total.wins, "order": "desc"},
        ]);
    }
    let mut bytes = serde_json::to_vec_pretty(&results).expect("plain data");
    bytes.push(b'\n');
    Some(bytes)
}

/// Returns what was gathered in each role. Scores of tests do not count: the one above does.
fn tests(row: &Standing, roles: &[&str]) -> Json {
    let test = |(role, tally): (&&str, &words::tally::Tally)| {
        let status = if tally.faults == 0 {
            "passed"
        } else {
            "failed"
        };
        json!({
            "name": role,
            "status": status,
            "output": format!(
                "{} in {}: {} won, {} drawn, {} lost; {}, {} of CPU time",
                so_many_points(tally.points),
                counted(tally.games, "game"),
                tally.wins,
                tally.draws,
                tally.losses,
                counted(tally.faults, "fault"),
                time(tally.cpu_us),
            ),
        })
    };
    Json::Array(roles.iter().zip(&row.by_role).map(test).collect())
}
