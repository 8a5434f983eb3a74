//! Numbers in the form that people read.

use crate::points::Points;
use alloc::borrow::ToOwned;
use alloc::string::{String, ToString};
use core::fmt::Display;

/// Puts commas between the thousands of a number in digits.
pub fn thousands(number: &str) -> String {
    let (sign, rest) = number.strip_prefix('-').map_or(("", number), |n| ("-", n));
    let (whole, fraction) = match rest.split_once('.') {
        Some((whole, fraction)) => (whole, format!(".{fraction}")),
        None => (rest, String::new()),
    };
    let mut marked = String::new();
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            marked.push(',');
        }
        marked.push(digit);
    }
    format!("{sign}{marked}{fraction}")
}

/// Writes a count.
pub fn count(count: impl Display) -> String {
    thousands(&count.to_string())
}

/// Writes a count with its noun, which gets an `s` unless the count is 1.
pub fn counted(number: impl Display, what: &str) -> String {
    let number = count(number);
    let plural = if number == "1" { "" } else { "s" };
    format!("{number} {what}{plural}")
}

/// Writes a number of plies.
pub fn plies(number: usize) -> String {
    let unit = if number == 1 { "ply" } else { "plies" };
    format!("{} {unit}", count(number as u64))
}

/// Writes points, with two decimals unless they are whole, or exactly if those would hide them.
pub fn points(points: Points) -> String {
    let exact = points.to_string();
    let short = format!("{points:.2}");
    let hidden = short.trim_matches(['-', '0', '.']).is_empty();
    let text = if exact.contains('.') && !hidden {
        short
    } else {
        exact
    };
    thousands(&text)
}

/// Writes a number with three decimals, or six if it is small, without zeros at its end.
pub fn fraction(number: f64) -> String {
    let digits = if number.abs() < 0.01 { 6 } else { 3 };
    let text = format!("{number:.digits$}");
    match text.trim_end_matches('0').trim_end_matches('.') {
        "-0" => "0".to_owned(),
        text => thousands(text),
    }
}

/// Writes points with their noun.
pub fn so_many_points(number: Points) -> String {
    of_points(&points(number))
}

/// Writes a number of points, given as text, with its noun.
pub fn of_points(number: &str) -> String {
    let noun = match number {
        "1" | "-1" => "point",
        _ => "points",
    };
    format!("{number} {noun}")
}

/// Writes a time, given in microseconds, in seconds or milliseconds.
pub fn time(time_us: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "far below 2^53 µs")]
    let seconds = time_us as f64 / 1e6;
    match time_us {
        0..1000 => format!("{time_us} µs"),
        1000..1_000_000 => format!("{:.1} ms", seconds * 1e3),
        _ => thousands(&format!("{seconds:.2}")) + " s",
    }
}

/// Writes seconds in a unit that shows their size: `0.12 s`, `47 s`, `12 min`, `3.5 h`.
pub fn about(seconds: f64) -> String {
    match seconds {
        s if s < 0.095 => format!("{:.1} ms", s * 1e3),
        s if s < 9.5 => format!("{s:.2} s"),
        s if s < 120.0 => format!("{s:.0} s"),
        s if s < 7200.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}

/// Returns whether a number is 0, so that serde can leave it out.
#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
pub(crate) const fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Writes a part as a percentage of the whole, such as a limit.
pub fn percent(part: u64, whole: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
    let share = part as f64 / whole.max(1) as f64 * 100.0;
    match share {
        s if s >= 9.95 => format!("{s:.0} %"),
        s => format!("{s:.1} %"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_readable_and_keep_differences_visible() {
        assert_eq!(thousands("1234567.25"), "1,234,567.25");
        assert_eq!(thousands("-123"), "-123");
        assert_eq!(points(Points::whole(9871)), "9,871");
        let less = Points::whole(9871) - Points::for_cpu(1.0, 1_230_000);
        assert_eq!(so_many_points(less), "9,869.77 points");
        assert_eq!(points(Points::for_cpu(1.0, 40)), "0.000040");
        assert_eq!(so_many_points(Points::whole(1)), "1 point");
        assert_eq!(counted(1, "game"), "1 game");
        assert_eq!(counted(0, "game"), "0 games");
        assert_eq!(time(999), "999 µs");
        assert_eq!(time(2_500), "2.5 ms");
        assert_eq!(percent(1, 3), "33 %");
        let written = [0.0, -0.0, 0.125, 0.5, 10.0, 0.000_012, 1234.5, -0.000_000_1].map(fraction);
        assert_eq!(written.join(" "), "0 0 0.125 0.5 10 0.000012 1,234.5 0");
    }
}
