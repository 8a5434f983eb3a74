//! Points as whole numbers: sums do not depend on their order, and shares of a win add up to it.

use core::cmp::Ordering;
use core::fmt;
use core::ops::{AddAssign, Sub};
use serde::{Deserialize, Serialize};

/// A number of points. In files it is a whole number of millionths of a point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "i64", into = "i64")]
pub struct Points(i64);

const MICROS: i64 = 1_000_000;
/// The number of units in a millionth: the least number that two, three and four divide.
const UNITS_PER_MICRO: i64 = 12;
const UNITS: i64 = MICROS * UNITS_PER_MICRO;

impl From<i64> for Points {
    fn from(micros: i64) -> Self {
        Self(micros.saturating_mul(UNITS_PER_MICRO))
    }
}

impl From<Points> for i64 {
    fn from(points: Points) -> Self {
        points.0 / UNITS_PER_MICRO
    }
}

impl Points {
    /// Makes a whole number of points.
    pub const fn whole(points: i64) -> Self {
        Self(points * UNITS)
    }

    /// Returns an equal share of some points. It is exact among two, three, four or six.
    pub fn share(points: i64, among: usize) -> Self {
        let among = i64::try_from(among.max(1)).expect("a few seats");
        Self(points * UNITS / among)
    }

    /// Returns the points as a number for statistics.
    #[expect(clippy::cast_precision_loss, reason = "shown with six digits")]
    pub fn as_f64(self) -> f64 {
        self.0 as f64 / UNITS as f64
    }

    /// Multiplies by the fraction `by / over`. Rounds down to a twelfth of a millionth.
    #[must_use]
    pub fn times(self, by: u64, over: u64) -> Self {
        let product = i128::from(self.0) * i128::from(by);
        let scaled = product.div_euclid(i128::from(over.max(1)));
        Self(i64::try_from(scaled).unwrap_or(i64::MAX))
    }

    /// Returns the cost of CPU time, exact for a whole price, else rounded to a millionth of a point, halves
    /// to the even one.
    pub fn for_cpu(points_per_second: f64, cpu_us: u64) -> Self {
        // Points per second equal millionths of a point per microsecond.
        #[expect(
            clippy::cast_precision_loss,
            reason = "a game's CPU time is far below 2^53 µs"
        )]
        Self(rounded(points_per_second * cpu_us as f64) * UNITS_PER_MICRO)
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

/// Six decimals, or none if all are zero; `{:.2}` and the like round half away from zero.
impl fmt::Display for Points {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = match f.precision() {
            Some(digits) => digits.min(6),
            None if self.0 % UNITS == 0 => 0,
            None => 6,
        };
        let power = u32::try_from(6 - digits).expect("at most 6");
        let unit = 10_u64.pow(power) * UNITS_PER_MICRO.unsigned_abs();
        let rounded = (self.0.unsigned_abs() + unit / 2) / unit;
        let scale = 10_u64.pow(u32::try_from(digits).expect("at most 6"));
        let sign = if self.0 < 0 && rounded > 0 { "-" } else { "" };
        let text = match digits {
            0 => format!("{sign}{rounded}"),
            _ => format!("{sign}{}.{:0digits$}", rounded / scale, rounded % scale),
        };
        // Applies width and alignment without the precision, which would cut the text.
        match f.width() {
            Some(width) => write!(f, "{text:>width$}"),
            None => f.write_str(&text),
        }
    }
}

/// Rounds halves to the even number; without the standard library there is no `round`.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "prices and times are bounded far below 2^53"
)]
fn rounded(number: f64) -> i64 {
    let whole = number as i64;
    whole
        + match (number - whole as f64).total_cmp(&0.5) {
            Ordering::Less => 0,
            Ordering::Equal => whole % 2,
            Ordering::Greater => 1,
        }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn points_are_written_exactly() {
        assert_eq!(Points::whole(217).to_string(), "217");
        let points = Points::whole(217) - Points::for_cpu(1.0, 1_234_567);
        assert_eq!(points.to_string(), "215.765433");
        let negative = Points::whole(0) - Points::for_cpu(0.5, 3);
        assert_eq!(negative.to_string(), "-0.000002");
        let halves = [1, 3, 5].map(|us| Points::for_cpu(0.5, us).to_string());
        assert_eq!(halves, ["0", "0.000002", "0.000002"]);
        assert_eq!(format!("{points:.2}"), "215.77");
        assert_eq!(format!("{:8.1}|", Points::whole(-3)), "    -3.0|");
        assert_eq!(format!("{negative:.2}"), "0.00");
    }

    #[test]
    fn shares_of_a_win_add_up_to_it() {
        for among in 2..=4 {
            let mut sum = Points::default();
            for _ in 0..among {
                sum += Points::share(1, among);
            }
            assert_eq!(sum, Points::whole(1), "{among}");
        }
        assert_eq!(Points::share(1, 3).to_string(), "0.333333");
        assert_eq!(Points::share(2, 3).to_string(), "0.666667");
    }

    #[test]
    fn files_hold_millionths() {
        let json = serde_json::to_string(&Points::whole(500)).expect("plain data");
        assert_eq!(json, "500000000");
        let read: Points = serde_json::from_str(&json).expect("a number");
        assert_eq!(read, Points::whole(500));
    }
}
