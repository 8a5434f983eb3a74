//! The rank, its neighbours, and its prize and grade.

use super::Case;
use crate::outputs::ranked_by;
use crate::submission_result::no_prize;
use crate::words::{PODIUM_PLACES, joined};
use model::competition::Grades;
use model::numbers::{counted, points, so_many_points};
use model::points::Points;
use model::tally::{RankKey, Tally};
use rulebook::scoring::Standing;

fn lead_by(ranking: &[RankKey], one: &Tally, other: &Tally) -> Option<String> {
    let key = ranking
        .iter()
        .copied()
        .find(|&key| one.compare_by(other, &[key]).is_ne())?;
    Some(one.lead(other, key))
}

const TIED_MAX: usize = 12;

/// Formats `487 points, 37 above its lower bound of 450, 13 below grade 5 (from 500)`.
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

impl Case<'_> {
    pub(super) fn headline(&self) -> Vec<String> {
        let standing = self.row;
        let mut parts = vec![
            format!("rank {} of {}", standing.rank, self.table.rows.len()),
            so_many_points(standing.total.points),
        ];
        if self.scoring.ranking.contains(&RankKey::Wins) {
            parts.push(counted(standing.total.wins, "win"));
        }
        if !self.scoring.podium.is_empty() && standing.place <= PODIUM_PLACES {
            parts.push(format!("place {} on the podium", standing.place));
        }
        if !self.scoring.prizes.is_empty() {
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

    pub(super) fn rank(&self) -> Vec<String> {
        let mut lines = self.neighbours();
        lines.extend(self.tie());
        lines.extend(self.prize());
        lines.extend(self.grade());
        lines
    }

    fn neighbours(&self) -> Vec<String> {
        let Standing { entrant, total, .. } = self.row;
        let ranking = &self.scoring.ranking;
        let mut lines = vec![format!("the table is {}", ranked_by(self.scoring))];
        let mut others = self.table.rows.iter();
        let above = others
            .by_ref()
            .take_while(|one| one.entrant != *entrant)
            .last();
        let below = others.next();
        for (place, other) in [("above", above), ("below", below)] {
            // Equal entrants are listed with the rule that decided.
            if let Some(other) = other
                && let Some(lead) = lead_by(ranking, &other.total, total)
            {
                let (name, rank) = (&other.entrant, other.rank);
                lines.push(format!("{place}: {name} (rank {rank}) with {lead}"));
            }
        }
        lines
    }

    fn tie(&self) -> Vec<String> {
        let own = self.row;
        let ranking = &self.scoring.ranking;
        let tied: Vec<&Standing> = self
            .table
            .rows
            .iter()
            .filter(|one| {
                one.entrant != own.entrant && one.total.compare_by(&own.total, ranking).is_eq()
            })
            .collect();
        if tied.is_empty() {
            return Vec::new();
        }
        let mut lines: Vec<String> = tied
            .iter()
            .take(TIED_MAX)
            .map(|one| self.compared(one))
            .collect();
        if let Some(more @ 1..) = tied.len().checked_sub(TIED_MAX) {
            lines.push(format!("and equal with {}", counted(more, "other")));
        }
        if own.in_circle {
            let set_aside = "it is in a circle of ties, in which each is ahead of another; the rule that makes the circle \
                             does not count there";
            let mut circle = tied.iter().filter(|one| one.in_circle);
            lines.push(if circle.any(|one| one.place == own.place) {
                format!(
                    "{set_aside}, and no other rule orders all of it, so its entrants share the rank"
                )
            } else {
                format!("{set_aside}, and the next rule decides")
            });
        }
        let is_equal = |one: &&&Standing| one.rank == own.rank;
        let shared = joined(tied.iter().filter(is_equal).map(|one| &one.entrant), ", ");
        if !shared.is_empty() {
            lines.push(format!("shares the rank with {shared}"));
        }
        lines
    }

    fn compared(&self, one: &Standing) -> String {
        let (own, other) = (&self.row.entrant, &one.entrant);
        let (order, rule, mut tokens) = self.table.standings.tie_between(own, other);
        let Some(rule) = rule else {
            return format!("equal with {other}: no rule separates the two");
        };
        let against = self.table.sums.against(own);
        let met = against.iter().find(|(name, _)| name == other);
        let games = met.map_or(0, |(_, tally)| tally.games);
        let mut rows = [self.row, one];
        if order.is_gt() {
            rows.reverse();
            tokens.reverse();
        }
        let names = rows.map(|row| row.entrant.as_str());
        let decided = rule.explain(names, rows.map(|row| &row.total), tokens, games);
        format!("equal with {other}: {decided}")
    }

    fn prize(&self) -> Vec<String> {
        let prizes = &self.scoring.prizes;
        if prizes.is_empty() {
            return Vec::new();
        }
        let standing = self.row;
        let ranking = &self.scoring.ranking;
        let versus = |other: &Tally| {
            lead_by(ranking, other, &standing.total)
                .unwrap_or_else(|| "the same result, ahead by the rule for ties".to_owned())
        };
        let rank = standing.rank;
        let at = prizes.iter().position(|prize| rank <= prize.to_rank);
        let mut lines = vec![match standing.prize {
            Some(prize) => format!("rank {rank} earns {}", counted(prize, "prize point")),
            None => match no_prize(standing) {
                Some(reason) => format!("rank {rank} would earn prize points, but {reason}"),
                None => format!("rank {rank} earns no prize points"),
            },
        }];
        if let Some(penalty) = self.penalty.filter(|_| self.scoring.grades.is_none()) {
            lines.push(format!(
                "this is after a deduction of {} for being late",
                so_many_points(penalty)
            ));
        }
        let better = at
            .unwrap_or(prizes.len())
            .checked_sub(1)
            .map(|at| prizes[at]);
        if let Some(better) = better
            && let Some(last) = self
                .table
                .rows
                .iter()
                .rfind(|row| row.rank <= better.to_rank)
        {
            lines.push(format!(
                "{} go to rank {} and better: {} there has {}",
                counted(better.points, "prize point"),
                better.to_rank,
                last.entrant,
                versus(&last.total)
            ));
        }
        let is_lower = |row: &&Standing| row.rank > rank && row.prize != standing.prize;
        if let Some(next) = self.table.rows.iter().find(is_lower) {
            lines.push(format!(
                "the next lower prize goes to {} (rank {}) with {}",
                next.entrant,
                next.rank,
                versus(&next.total)
            ));
        }
        lines
    }

    pub(super) fn grade(&self) -> Vec<String> {
        let standing = self.row;
        let (Some(grades), Some(grade)) = (&self.scoring.grades, &standing.grade) else {
            return Vec::new();
        };
        if self.table.standings.costs_grade(&standing.entrant) {
            return vec![format!("grade {grade}, because of the disqualification")];
        }
        let total = standing.graded.as_ref().unwrap_or(&standing.total);
        let mut parts = vec![bounds(grades, total.points)];
        parts.extend(grades.games.as_ref().map(|games| {
            let games = (counted(total.games, "game"), games.against.join(", "));
            format!("in {} against {}, which alone decide it", games.0, games.1)
        }));
        parts.extend(self.penalty.map(|penalty| {
            let before = grades.of(total.points);
            format!(
                "which is grade {before}; {} taken off for being late",
                so_many_points(penalty)
            )
        }));
        vec![format!("grade {grade}: {}", parts.join(", "))]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::competition::GradeStep;

    #[test]
    fn grade_states_distance_to_both_bounds() {
        let step = |at_least, grade: &str| GradeStep {
            at_least: Points::whole(at_least),
            grade: grade.to_owned(),
        };
        let grades = r#"{"steps":[],"otherwise":"3","disqualified":"2"}"#;
        let grades = Grades {
            steps: vec![step(500, "5"), step(450, "4")],
            ..serde_json::from_str(grades).expect("grades")
        };
        let reported = |total| bounds(&grades, Points::whole(total));
        assert_eq!(reported(500), "500 points, 0 above its lower bound of 500");
        let between = "487 points, 37 above its lower bound of 450, 13 below grade 5 (from 500)";
        assert_eq!(reported(487), between);
        assert_eq!(reported(-3), "-3 points, 453 below grade 4 (from 450)");
    }
}
