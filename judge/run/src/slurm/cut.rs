//! Divides games into tasks. Pure.

/// Cuts units of games, given their times in microseconds, into ranges of consecutive units that
/// take about `part_us` each. Returns at most `tasks_max` (at least 1) ranges, none empty, as their
/// exclusive ends.
pub(crate) fn cut(units_us: &[f64], part_us: f64, tasks_max: usize) -> Vec<usize> {
    if units_us.is_empty() {
        return Vec::new();
    }
    let total: f64 = units_us.iter().sum();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "clamped between two counts"
    )]
    let tasks = (total / part_us).ceil() as usize;
    let tasks = tasks.clamp(1, tasks_max.min(units_us.len()));
    let mut ends = Vec::with_capacity(tasks);
    let mut taken = 0.0;
    for (index, cost) in units_us.iter().enumerate() {
        taken += cost;
        let end = index + 1;
        let left = tasks - ends.len();
        let share = total * fraction(ends.len() + 1, tasks);
        // Only as many units as tasks are left: one for each.
        let must = units_us.len() - end < left;
        if left > 1 && (taken >= share || must) && units_us.len() - end >= left - 1 {
            ends.push(end);
        }
    }
    ends.push(units_us.len());
    ends
}

#[expect(clippy::cast_precision_loss, reason = "counts of tasks")]
fn fraction(of: usize, all: usize) -> f64 {
    of as f64 / all as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the sums of the parts.
    fn sums(units: &[f64], part: f64, most: usize) -> Vec<f64> {
        let ends = cut(units, part, most);
        let begins = [0].into_iter().chain(ends.iter().copied());
        let parts = begins
            .zip(&ends)
            .map(|(begin, end)| units[begin..*end].iter().sum());
        parts.collect()
    }

    #[test]
    fn equal_games_are_cut_into_equal_parts() {
        assert_eq!(sums(&[1.0; 12], 3.0, 100), [3.0; 4]);
        assert_eq!(sums(&[1.0; 12], 100.0, 100), [12.0]);
    }

    #[test]
    fn there_are_never_more_parts_than_allowed_or_than_games() {
        assert_eq!(sums(&[1.0; 12], 1.0, 3), [4.0; 3]);
        assert_eq!(sums(&[5.0, 5.0], 1.0, 100), [5.0, 5.0]);
        assert!(cut(&[], 1.0, 3).is_empty());
    }

    #[test]
    fn no_part_is_empty_however_unequal_the_games_are() {
        for units in [
            vec![100.0, 1.0, 1.0, 1.0],
            vec![1.0, 1.0, 1.0, 100.0],
            vec![0.0, 0.0, 0.0],
            vec![0.0, 9.0, 0.0, 9.0, 0.0],
        ] {
            for most in 1..6 {
                let ends = cut(&units, 2.0, most);
                assert!(ends.is_sorted_by(|a, b| a < b), "{units:?} {ends:?}");
                assert_eq!(ends.last(), Some(&units.len()));
                assert!(ends.len() <= most);
            }
        }
    }
}
