//! Points, exact to a millionth, so that sums do not depend on their order.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::{AddAssign, Sub};

/// A number of points, in millionths of a point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Points(i64);

const MICROS: i64 = 1_000_000;

impl Points {
    /// Makes a whole number of points.
    pub const fn whole(points: i64) -> Self {
        Self(points * MICROS)
    }

    /// Gives an equal part of some points, rounded down to a millionth.
    pub fn share(points: i64, among: usize) -> Self {
        let among = i64::try_from(among.max(1)).expect("a few seats");
        Self(points * MICROS / among)
    }

    /// Gives the points as a number for statistics.
    #[expect(clippy::cast_precision_loss, reason = "far below 2^53 millionths")]
    pub fn as_f64(self) -> f64 {
        self.0 as f64 / MICROS as f64
    }

    /// Multiplies by a fraction; rounds down to a millionth.
    #[must_use]
    pub fn times(self, by: u64, over: u64) -> Self {
        let product = i128::from(self.0) * i128::from(by);
        let scaled = product.div_euclid(i128::from(over.max(1)));
        Self(i64::try_from(scaled).unwrap_or(i64::MAX))
    }

    /// Gives what CPU time costs, rounded to a millionth of a point.
    pub fn for_cpu(points_per_second: f64, cpu_us: u64) -> Self {
        // Points per second are millionths of a point per microsecond.
        #[expect(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            reason = "a game's CPU time is far below 2^53 µs"
        )]
        Self((points_per_second * cpu_us as f64).round() as i64)
    }
}

impl AddAssign for Points {
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

impl Sub for Points {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

/// Written with six decimals, or without any where they are all zero; `{:.2}` and the like
/// round half away from zero.
impl fmt::Display for Points {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = match f.precision() {
            Some(digits) => digits.min(6),
            None if self.0 % MICROS == 0 => 0,
            None => 6,
        };
        let unit = 10_u64.pow(6 - u32::try_from(digits).expect("at most 6"));
        let rounded = (self.0.unsigned_abs() + unit / 2) / unit;
        let scale = 10_u64.pow(u32::try_from(digits).expect("at most 6"));
        let sign = if self.0 < 0 && rounded > 0 { "-" } else { "" };
        let text = match digits {
            0 => format!("{sign}{rounded}"),
            _ => format!("{sign}{}.{:0digits$}", rounded / scale, rounded % scale),
        };
        // Width and alignment, without the precision, which would cut the text.
        match f.width() {
            Some(width) => write!(f, "{text:>width$}"),
            None => f.write_str(&text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_written_exactly() {
        assert_eq!(Points::whole(217).to_string(), "217");
        let points = Points::whole(217) - Points::for_cpu(1.0, 1_234_567);
        assert_eq!(points.to_string(), "215.765433");
        let negative = Points::whole(0) - Points::for_cpu(0.5, 3);
        assert_eq!(negative.to_string(), "-0.000002");
        assert_eq!(format!("{points:.2}"), "215.77");
        assert_eq!(format!("{:8.1}|", Points::whole(-3)), "    -3.0|");
        assert_eq!(format!("{negative:.2}"), "0.00");
    }
}
