//! Numbers in grades: how they are read, rounded and written. Penalties for lateness.

use model::points::Points;

/// Returns a grade as a number, if it is a finite one.
pub fn numeric(grade: &str) -> Option<f64> {
    let number = grade.trim().parse::<f64>().ok();
    number.filter(|number| number.is_finite())
}

/// Rounds to a millionth of a point.
#[expect(clippy::cast_possible_truncation, reason = "far below 2^63")]
pub fn rounded(points: f64) -> Points {
    Points::from((points * 1e6).round() as i64)
}

/// Formats points without thousands separators, with a decimal point, and without trailing zeros.
pub fn number(points: Points) -> String {
    match points.to_string() {
        text if text.contains('.') => text.trim_end_matches('0').to_owned(),
        text => text,
    }
}

/// Takes a penalty off a grade, not below 0, nor below the grade of disqualified entrants where that is a
/// number. A grade that is not a number stays unchanged: no competition with such grades has a penalty.
pub(super) fn off_grade(grade: &str, penalty: Points, disqualified: &str) -> String {
    let points = |grade| numeric(grade).map(rounded);
    let floor = points(disqualified)
        .unwrap_or_default()
        .max(Points::default());
    match points(grade).filter(|before| *before > floor) {
        Some(before) => number((before - penalty).max(floor)),
        None => grade.to_owned(),
    }
}

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
        let off = |grade, penalty| off_grade(grade, penalty, "fail");
        assert_eq!(off("5", half), "4.5");
        assert_eq!(off("5.0", Points::whole(1)), "4");
        assert_eq!(off("0.25", half), "0");
        assert_eq!(off("-1", half), "-1");
        assert_eq!(off("pass", half), "pass");
        let off_five = |grade| off_grade(grade, Points::whole(3), "1");
        assert_eq!(["5", "2", "1", "0.5"].map(off_five), ["2", "1", "1", "0.5"]);
        assert_eq!(off_prize(20, Points::whole(5)), 15);
        assert_eq!(off_prize(3, Points::whole(5)), 0);
    }
}
