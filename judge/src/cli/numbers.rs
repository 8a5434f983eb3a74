//! Values of flags, refused in words that name what is allowed.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use std::ops::RangeInclusive;

/// Returns a parser of whole numbers in a range.
pub(super) fn whole<T: TryFrom<u64>>(
    range: RangeInclusive<u64>,
) -> impl Fn(&str) -> Result<T, String> + Clone {
    move |text| {
        let number = text.parse().ok().filter(|number| range.contains(number));
        number
            .and_then(|number| T::try_from(number).ok())
            .ok_or_else(|| match (range.start(), range.end()) {
                (_, &u64::MAX) if !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit()) => {
                    "is too large".to_owned()
                }
                (first, &u64::MAX) => format!("must be a whole number from {first}"),
                (first, last) => format!("must be a whole number from {first} to {last}"),
            })
    }
}

/// Parses a number, such as `0.5`.
///
/// # Errors
/// When the text is no number.
pub(super) fn number(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|number: &f64| !number.is_nan())
        .ok_or_else(|| "must be a number, such as 0.5".to_owned())
}

/// Returns a parser of names. Each has a line of help and a value.
pub(super) fn choice<T: Clone + Send + Sync + 'static>(
    all: Vec<(&'static str, &'static str, T)>,
) -> impl TypedValueParser<Value = T> {
    let names = all
        .iter()
        .map(|(name, help, _)| PossibleValue::new(name).help(help));
    PossibleValuesParser::new(names).map(move |asked| {
        let known = all.iter().find(|(name, ..)| *name == asked);
        known.expect("a possible value").2.clone()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_number_in_the_range_is_refused_with_the_range() {
        let jobs = whole::<u16>(1..=1024);
        assert_eq!(jobs("7"), Ok(7));
        for text in ["", "x", "0", "-1", "1025", "1.5", "99999999999999999999"] {
            let reason = jobs(text).expect_err(text);
            assert_eq!(reason, "must be a whole number from 1 to 1024");
        }
        let reason = whole::<u64>(0..=u64::MAX)("x").expect_err("no number");
        assert_eq!(reason, "must be a whole number from 0");
        let reason = whole::<u64>(0..=u64::MAX)("99999999999999999999").expect_err("too long");
        assert_eq!(reason, "is too large");
        assert_eq!(number("0.5"), Ok(0.5));
        assert!(number("NaN").is_err() && number("half").is_err());
    }
}
