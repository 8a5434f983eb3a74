//! The uncertainty of estimates, from the information that observations give about them: the
//! inverse of the information matrix approximates their covariances (Fisher 1925).
//!
//! For the model of Bradley and Terry see Simons and Yao 1999, *Asymptotics when the number of
//! parameters tends to infinity in the Bradley–Terry model for paired comparisons*, Annals of
//! Statistics 27.

/// The information matrix of some parameters.
pub(super) struct Information {
    /// The lower triangle of the matrix, row by row.
    rows: Vec<Vec<f64>>,
}

impl Information {
    /// Creates a matrix without information about `count` parameters.
    pub(super) fn new(count: usize) -> Self {
        Self {
            rows: (1..=count).map(|length| vec![0.0; length]).collect(),
        }
    }

    /// Adds information about a parameter.
    pub(super) fn add(&mut self, one: usize, information: f64) {
        self.rows[one][one] += information;
    }

    /// Adds information about the difference of two parameters.
    pub(super) fn add_difference(&mut self, one: usize, other: usize, information: f64) {
        self.add(one, information);
        self.add(other, information);
        self.rows[one.max(other)][one.min(other)] -= information;
    }

    /// Returns the variance of each parameter's difference from the mean of all. Each parameter
    /// itself needs some information.
    pub(super) fn variances(mut self) -> Vec<f64> {
        self.factorise();
        let count = self.rows.len();
        #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
        let share = 1.0 / count as f64;
        let mean = self.solve(0, &vec![share; count]);
        let variance = |one: usize| {
            let mut unit = vec![0.0; count];
            unit[one] = 1.0;
            let own = self.solve(one, &unit);
            own.iter()
                .zip(&mean)
                .map(|(own, mean)| (own - mean).powi(2))
                .sum()
        };
        (0..count).map(variance).collect()
    }

    /// Replaces the matrix by its Cholesky factor: the lower triangle L whose product with its
    /// transpose is the matrix.
    fn factorise(&mut self) {
        for row in 0..self.rows.len() {
            let (above, from) = self.rows.split_at_mut(row);
            let own = &mut from[0];
            for (column, other) in above.iter().enumerate() {
                let known: f64 = own[..column].iter().zip(other).map(|(a, b)| a * b).sum();
                own[column] = (own[column] - known) / other[column];
            }
            let known: f64 = own[..row].iter().map(|value| value * value).sum();
            own[row] = (own[row] - known).sqrt();
        }
    }

    /// Solves Lx = `right`, which is zero before `first`.
    fn solve(&self, first: usize, right: &[f64]) -> Vec<f64> {
        let mut solution = vec![0.0; right.len()];
        for (row, factors) in self.rows.iter().enumerate().skip(first) {
            let before = factors[first..row].iter().zip(&solution[first..row]);
            let known: f64 = before.map(|(factor, value)| factor * value).sum();
            solution[row] = (right[row] - known) / factors[row];
        }
        solution
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    }

    #[test]
    fn variances_of_two_are_those_of_the_inverse_by_hand() {
        // ((w + a, -w), (-w, w + a)) has the inverse ((w + a, w), (w, w + a)) / (a(2w + a)), so
        // half the difference of the two has the variance 1 / (2(2w + a)).
        let (w, a) = (3.0, 0.5);
        let mut information = Information::new(2);
        information.add_difference(1, 0, w);
        information.add(0, a);
        information.add(1, a);
        for variance in information.variances() {
            near(variance, 1.0 / (2.0 * (2.0 * w + a)));
        }
    }

    #[test]
    fn who_is_known_better_has_the_smaller_variance_whatever_the_order() {
        let variances = |[much, some, little]: [usize; 3]| {
            let mut information = Information::new(3);
            for one in 0..3 {
                information.add(one, 0.25);
            }
            information.add_difference(much, some, 9.0);
            information.add_difference(much, little, 1.0);
            let variances = information.variances();
            [much, some, little].map(|one| variances[one])
        };
        let found = variances([0, 1, 2]);
        assert!(found[0] < found[1] && found[1] < found[2], "{found:?}");
        for order in [[2, 0, 1], [1, 2, 0]] {
            for (one, other) in variances(order).into_iter().zip(found) {
                near(one, other);
            }
        }
    }
}
