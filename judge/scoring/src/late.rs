//! What being late takes off a grade or a prize.

use words::points::Points;

/// Takes a penalty off a grade; none falls below 0 by it. What is no number stays as it is: no
/// competition with such grades has a penalty.
pub(super) fn off_grade(grade: &str, penalty: Points) -> String {
    let number = grade.trim().parse::<f64>().ok();
    let Some(before) = number.filter(|number| *number > 0.0) else {
        return grade.to_owned();
    };
    #[expect(clippy::cast_possible_truncation, reason = "far below 2^63")]
    let rest = Points::from((before * 1e6).round() as i64) - penalty;
    let text = rest.max(Points::default()).to_string();
    if text.contains('.') {
        text.trim_end_matches('0').to_owned()
    } else {
        text
    }
}

/// Takes a penalty off a prize; none falls below 0 by it.
pub(super) fn off_prize(prize: u32, penalty: Points) -> u32 {
    let whole = i64::from(penalty) / 1_000_000;
    prize.saturating_sub(u32::try_from(whole).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_penalty_is_taken_off_down_to_0() {
        let half = Points::from(500_000);
        let off = |grade, penalty| off_grade(grade, penalty);
        assert_eq!(off("5", half), "4.5");
        assert_eq!(off("5.0", Points::whole(1)), "4");
        assert_eq!(off("0.25", half), "0");
        assert_eq!(off("-1", half), "-1");
        assert_eq!(off("pass", half), "pass");
        assert_eq!(off_prize(20, Points::whole(5)), 15);
        assert_eq!(off_prize(3, Points::whole(5)), 0);
    }
}
