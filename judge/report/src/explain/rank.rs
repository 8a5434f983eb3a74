//! The rank, who stands beside it, and what it brings.

use super::case::Case;
use scoring::{Standing, StandingsRow};
use words::competition::{Grades, Tie};
use words::numbers::{counted, points, so_many_points};
use words::points::Points;

/// Returns rank, points, prize and grade in a line, and a disqualification.
pub(super) fn headline(case: &Case<'_>) -> Vec<String> {
    let standing = &case.row.standing;
    let mut parts = vec![
        format!("rank {} of {}", standing.rank, case.table.rows.len()),
        so_many_points(standing.total.points),
    ];
    if standing.place != standing.rank {
        parts.push(format!("place {} on the podium", standing.place));
    }
    if !case.competition.scoring.prizes.is_empty() {
        let prize = standing.prize.map(u64::from).unwrap_or_default();
        parts.push(counted(prize, "prize point"));
    }
    if let Some(grade) = &standing.grade {
        parts.push(format!("grade {grade}"));
    }
    let mut lines = vec![parts.join(", ")];
    if let Some(reason) = &standing.disqualified {
        lines.push(format!("Disqualified: {reason}."));
    }
    lines
}

pub(super) fn lines(case: &Case<'_>) -> Vec<String> {
    let mut lines = neighbours(case);
    lines.extend(tie(case));
    lines.extend(prize(case));
    lines.extend(grade(case));
    lines
}

fn index(case: &Case<'_>) -> usize {
    let rows = &case.table.rows;
    let own = &case.row.standing.entrant;
    let found = rows.iter().position(|row| row.standing.entrant == *own);
    found.expect("the row is of the table")
}

fn neighbours(case: &Case<'_>) -> Vec<String> {
    let own = case.row.standing.total.points;
    let at = index(case);
    let mut lines = Vec::new();
    let above = at.checked_sub(1).map(|at| &case.table.rows[at].standing);
    // Who has equal points is told with what decided.
    if let Some(above) = above.filter(|above| above.total.points != own) {
        let (name, rank) = (&above.entrant, above.rank);
        let more = so_many_points(above.total.points - own);
        lines.push(format!("above: {name} (rank {rank}) with {more} more"));
    }
    let below = case.table.rows.get(at + 1).map(|row| &row.standing);
    if let Some(below) = below.filter(|below| below.total.points != own) {
        let (name, rank) = (&below.entrant, below.rank);
        let fewer = so_many_points(own - below.total.points);
        lines.push(format!("below: {name} (rank {rank}) with {fewer} fewer"));
    }
    lines
}

/// Says between whom a rule decided, and how.
fn tie(case: &Case<'_>) -> Vec<String> {
    let own = &case.row.standing;
    let same = |row: &&StandingsRow| {
        let other = &row.standing;
        other.total.points == own.total.points && other.entrant != own.entrant
    };
    let tied: Vec<&Standing> = case
        .table
        .rows
        .iter()
        .filter(same)
        .map(|row| &row.standing)
        .collect();
    if tied.is_empty() {
        return Vec::new();
    }
    let names: Vec<&str> = tied.iter().map(|one| one.entrant.as_str()).collect();
    let mut lines = vec![format!("equal points with {}", names.join(", "))];
    lines.push(match own.decided_by {
        None => "no rule separates them, so they share the rank".to_owned(),
        Some(rule) => {
            let all = tied.iter().copied().chain([own]);
            let figures: Vec<String> = all.filter_map(|one| figure(rule, one)).collect();
            let figures = match figures.join(", ") {
                text if text.is_empty() => String::new(),
                text => format!(" ({text})"),
            };
            format!("decided by: {}{figures}", meaning(rule))
        }
    });
    let shared = tied.iter().filter(|one| one.rank == own.rank);
    let shared: Vec<&str> = shared.map(|one| one.entrant.as_str()).collect();
    if own.decided_by.is_some() && !shared.is_empty() {
        lines.push(format!("shares the rank with {}", shared.join(", ")));
    }
    lines
}

const fn meaning(rule: Tie) -> &'static str {
    match rule {
        Tie::Wins => "more games won",
        Tie::HeadToHead => "a win in every game against the other",
        Tie::Placement => "the better average place in a game",
        Tie::TieBreak => "the higher tie-break count of the game",
        Tie::Tokens => "fewer tokens in the source",
    }
}

fn figure(rule: Tie, one: &Standing) -> Option<String> {
    let total = &one.total;
    let number = match rule {
        Tie::Wins => total.wins.to_string(),
        Tie::TieBreak => total.tie_break.to_string(),
        Tie::Placement => {
            #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
            let mean = total.places as f64 / total.games.max(1) as f64;
            format!("{mean:.3}")
        }
        // Not in the table: who beat whom stands in the file of pairs, tokens in run.json.
        Tie::HeadToHead | Tie::Tokens => return None,
    };
    Some(format!("{} {number}", one.entrant))
}

/// Says what the rank brings, and how far it is to the next prizes.
fn prize(case: &Case<'_>) -> Vec<String> {
    let prizes = &case.competition.scoring.prizes;
    if prizes.is_empty() {
        return Vec::new();
    }
    let standing = &case.row.standing;
    let own = standing.total.points;
    let rank = standing.rank;
    let at = prizes.iter().position(|prize| rank <= prize.to_rank);
    let mut lines = vec![match standing.prize {
        Some(prize) => format!("rank {rank} earns {}", counted(prize.into(), "prize point")),
        None => format!("rank {rank} earns no prize points"),
    }];
    let better = at
        .unwrap_or(prizes.len())
        .checked_sub(1)
        .map(|at| prizes[at]);
    if let Some(better) = better {
        let mut rows = case.table.rows.iter().map(|row| &row.standing);
        if let Some(last) = rows.rfind(|row| row.rank <= better.to_rank) {
            lines.push(format!(
                "{} go to rank {} and better: {} there has {} more",
                counted(better.points.into(), "prize point"),
                better.to_rank,
                last.entrant,
                so_many_points(last.total.points - own)
            ));
        }
    }
    let mut below = case.table.rows.iter().map(|row| &row.standing);
    if let Some(next) = below.find(|row| row.rank > rank && row.prize != standing.prize) {
        lines.push(format!(
            "the next lower prize goes to {} (rank {}) with {} fewer",
            next.entrant,
            next.rank,
            so_many_points(own - next.total.points)
        ));
    }
    lines
}

/// Says what the total brings, and how far it is to the next grades.
fn grade(case: &Case<'_>) -> Vec<String> {
    let standing = &case.row.standing;
    let (Some(grades), Some(grade)) = (&case.competition.scoring.grades, &standing.grade) else {
        return Vec::new();
    };
    if standing.disqualified.is_some() {
        return vec![format!("grade {grade}, because of the disqualification")];
    }
    vec![format!(
        "grade {grade}: {}",
        bounds(grades, standing.total.points)
    )]
}

/// `487 points, 37 above its lower bound of 450, 13 below grade 5 (from 500)`.
fn bounds(grades: &Grades, total: Points) -> String {
    let reached = grades.steps.iter().position(|step| total >= step.at_least);
    let mut parts = vec![so_many_points(total)];
    if let Some(step) = reached.map(|at| &grades.steps[at]) {
        let (above, bound) = (points(total - step.at_least), points(step.at_least));
        parts.push(format!("{above} above its lower bound of {bound}"));
    }
    let next = reached.unwrap_or(grades.steps.len()).checked_sub(1);
    if let Some(step) = next.map(|at| &grades.steps[at]) {
        let (below, bound) = (points(step.at_least - total), points(step.at_least));
        parts.push(format!("{below} below grade {} (from {bound})", step.grade));
    }
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use words::competition::GradeStep;

    #[test]
    fn a_grade_tells_how_far_it_is_to_the_bounds_on_both_sides() {
        let step = |at_least, grade: &str| GradeStep {
            at_least: Points::whole(at_least),
            grade: grade.to_owned(),
        };
        let grades = Grades {
            steps: vec![step(500, "5"), step(450, "4")],
            otherwise: "3".to_owned(),
            disqualified: "2".to_owned(),
        };
        let told = |total| bounds(&grades, Points::whole(total));
        assert_eq!(told(500), "500 points, 0 above its lower bound of 500");
        assert_eq!(
            told(487),
            "487 points, 37 above its lower bound of 450, 13 below grade 5 (from 500)"
        );
        assert_eq!(told(-3), "-3 points, 453 below grade 4 (from 450)");
    }
}
