//! Words and digits that tables, pages and the terminal share.

use model::competition::{Competition, Scoring};
use model::points::Points;
use rulebook::schedule;

const PRACTICE: &str = "practice/";

pub(crate) fn practice_number(round: &str) -> Option<&str> {
    round.strip_prefix(PRACTICE)
}

/// Returns the practice round of a competition in words; `None` for the final round.
pub fn practice_round(competition: &Competition) -> Option<String> {
    let number = practice_number(&competition.round);
    number.map(|number| format!("practice round {number}"))
}

/// Returns the title, such as `Cat Contest, practice round 3`. The final round is not named.
pub fn titled(competition: &Competition) -> String {
    let title = &competition.title;
    practice_round(competition).map_or_else(|| title.clone(), |round| format!("{title}, {round}"))
}

/// Returns whether several initial states are all the same, so that they only number repetitions.
pub fn has_one_start(competition: &Competition) -> bool {
    competition.states > 1 && !schedule::states_differ(competition).unwrap_or(true)
}

/// Explains the interval of a rank.
pub fn interval_meaning(competition: &Competition) -> String {
    let drawn = if schedule::states_differ(competition).unwrap_or(true) {
        "if the initial states were drawn again"
    } else {
        "if the repetitions of the same initial state were drawn again"
    };
    format!("confidence interval of the rank, {drawn}")
}

const DECIMALS_MAX: usize = 6;

/// Returns the number of decimals that points need in a table: none if all are whole, else as many
/// as tell different ones apart, which is one in most tables.
pub fn decimals(points: impl Iterator<Item = Points>) -> usize {
    let mut all: Vec<Points> = points.collect();
    all.sort_unstable();
    all.dedup();
    if all.iter().all(|points| !points.to_string().contains('.')) {
        return 0;
    }
    let looks_equal = |two: &[Points], digits: usize| {
        format!("{:.digits$}", two[0]) == format!("{:.digits$}", two[1])
    };
    let tells_apart = |digits: &usize| !all.windows(2).any(|two| looks_equal(two, *digits));
    (1..DECIMALS_MAX).find(tells_apart).unwrap_or(DECIMALS_MAX)
}

/// Explains why totals have more than one decimal. Returns `None` if they do not.
pub fn close_totals(scoring: &Scoring, decimals: usize) -> Option<String> {
    let remedy = match scoring.points_per_cpu_second {
        0.0 => "",
        _ => "; they are apart by CPU time, which cpu_step_ms in [scoring] would round",
    };
    let remedy = Some(remedy).filter(|_| scoring.cpu_step_ms == 0);
    (decimals > 1).then(|| {
        format!(
            "totals have {decimals} decimals because some differ in no other place{}",
            remedy.unwrap_or_default()
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn title_names_practice_round_but_not_final() {
        let mut competition =
            rulebook::standard(&*rulebook::rules::find("reversi").expect("registered"));
        let title = competition.title.clone();
        assert_eq!(titled(&competition), title);
        competition.round = "practice/3".to_owned();
        assert_eq!(titled(&competition), format!("{title}, practice round 3"));
    }

    #[test]
    fn different_points_get_enough_decimals_to_differ() {
        let needed = |micros: &[i64]| decimals(micros.iter().copied().map(Points::from));
        assert_eq!(needed(&[]), 0);
        assert_eq!(needed(&[2_000_000, 3_000_000, 3_000_000]), 0);
        assert_eq!(needed(&[2_000_000, 3_500_000]), 1);
        assert_eq!(needed(&[2_394_951_000, 2_394_962_000]), 2);
        assert_eq!(needed(&[2_395_000_400, 2_394_999_900]), 4);
        assert_eq!(
            needed(&[2_395_000_001, 2_395_000_001, 1]),
            1,
            "equal points look equal"
        );
        assert_eq!(needed(&[1, 2]), 6);
    }

    #[test]
    fn more_decimals_are_explained() {
        let mut scoring = Scoring::plain();
        assert_eq!(close_totals(&scoring, 1), None);
        let plain = "totals have 3 decimals because some differ in no other place";
        assert_eq!(close_totals(&scoring, 3).as_deref(), Some(plain));
        scoring.points_per_cpu_second = 1.0;
        let reported = close_totals(&scoring, 3).expect("a note");
        assert!(
            reported.starts_with(plain) && reported.contains("cpu_step_ms"),
            "{reported}"
        );
        scoring.cpu_step_ms = 10;
        assert_eq!(close_totals(&scoring, 3).as_deref(), Some(plain));
    }
}
