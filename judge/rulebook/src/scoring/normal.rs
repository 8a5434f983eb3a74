//! The normal distribution.

/// The middle 95 % of the standard normal distribution is between minus and plus this point.
pub(super) const Z_95: f64 = 1.959_963_984_540_054;

/// Number of subintervals in Simpson's rule.
const PARTS: u32 = 200;
/// Number of standard deviations beyond which no visible share of the distribution is left.
const FAR: f64 = 8.0;

/// Returns the share of the standard normal distribution below `z`; by Simpson's rule, exact to ten
/// digits.
pub(super) fn below(z: f64) -> f64 {
    if z.is_nan() {
        return 0.5;
    }
    let z = z.clamp(-FAR, FAR);
    let density = |x: f64| (-x * x / 2.0).exp() / std::f64::consts::TAU.sqrt();
    let step = z / f64::from(PARTS);
    let inner = (1..PARTS).map(|part| {
        let weight = if part % 2 == 1 { 4.0 } else { 2.0 };
        weight * density(step * f64::from(part))
    });
    let sum = density(0.0) + inner.sum::<f64>() + density(z);
    0.5 + sum * step / 3.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_below_are_those_of_the_tables() {
        // Abramowitz and Stegun 1964, table 26.1.
        for (z, part) in [
            (0.0, 0.5),
            (0.5, 0.691_462_461_274),
            (1.0, 0.841_344_746_069),
            (1.64, 0.949_497_416_526),
            (3.0, 0.998_650_101_968),
        ] {
            assert!((below(z) - part).abs() < 1e-10, "{z}");
            assert!((below(-z) - (1.0 - part)).abs() < 1e-10, "-{z}");
        }
        assert!((below(Z_95) - 0.975).abs() < 1e-10);
        for (z, part) in [(f64::INFINITY, 1.0), (f64::NAN, 0.5)] {
            assert!((below(z) - part).abs() < 1e-10, "{z}");
        }
    }
}
