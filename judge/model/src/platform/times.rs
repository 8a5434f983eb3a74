//! Dates as learning platforms write them for people, without a zone.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

/// The months in English, German, French, Spanish, Italian, Dutch and Swedish.
const MONTHS: [&[&str]; 12] = [
    &[
        "january", "januar", "jänner", "janvier", "enero", "gennaio", "januari",
    ],
    &[
        "february", "februar", "feber", "février", "febrero", "febbraio", "februari",
    ],
    &["march", "märz", "mars", "marzo", "maart", "mrt"],
    &["april", "avril", "abril", "aprile"],
    &["may", "mai", "mayo", "maggio", "mei", "maj"],
    &["june", "juni", "juin", "junio", "giugno"],
    &["july", "juli", "juillet", "julio", "luglio"],
    &["august", "août", "agosto", "augustus", "augusti"],
    &[
        "september",
        "septembre",
        "septiembre",
        "setiembre",
        "settembre",
    ],
    &["october", "oktober", "octobre", "octubre", "ottobre"],
    &["november", "novembre", "noviembre"],
    &["december", "dezember", "décembre", "diciembre", "dicembre"],
];
const BETWEEN: [&str; 9] = ["de", "del", "um", "uhr", "at", "à", "kl", "om", "alle"];
const MONTH_LETTERS_MIN: usize = 3;

/// Parses a date and a time; an offset in the text counts before `zone`, and of a time that occurs twice
/// the earlier one. `None` if it is no date, or ambiguous.
pub fn read(text: &str, zone: &TimeZone) -> Option<Timestamp> {
    let text = text.trim();
    if let Ok(moment) = text.parse() {
        return Some(moment);
    }
    let local = text.parse().ok().or_else(|| in_words(text))?;
    zone.to_ambiguous_timestamp(local).compatible().ok()
}

/// Parses `2026-03-27-18-05-00`, or `Mar 27, 2026 605 PM`, which has lost its colon.
pub fn in_name(text: &str) -> Option<DateTime> {
    if let Ok(moment) = DateTime::strptime("%Y-%m-%d-%H-%M-%S", text) {
        return Some(moment);
    }
    let (date, clock) = text.rsplit_once(", ")?;
    let mut words = clock.split(' ');
    let (year, clock, half) = (words.next()?, words.next()?, words.next()?);
    let (hour, minute) = clock.split_at_checked(clock.len().checked_sub(2)?)?;
    in_words(&format!("{date} {year}, {hour}:{minute} {half}"))
}

/// Parses `Monday, 21 December 2026, 6:05 PM`, `21. Dezember 2026, 18:05` or `21.12.2026 18:05`.
fn in_words(text: &str) -> Option<DateTime> {
    let lower = text.to_lowercase();
    let is_between = |c: char| c.is_whitespace() || c == ',';
    let words = lower.split(is_between).filter(|word| !word.is_empty());
    let mut found = Parts::default();
    for (place, word) in words.enumerate() {
        let bare = word.trim_end_matches('.');
        let is_weekday = || place == 0 && bare.chars().all(char::is_alphabetic);
        let is_known = found.take(bare)? || BETWEEN.contains(&bare) || is_weekday();
        if !is_known {
            return None;
        }
    }
    found.moment()
}

#[derive(Default)]
struct Parts {
    day: Option<i8>,
    month: Option<i8>,
    year: Option<i16>,
    time: Option<(i8, i8, i8)>,
    /// Whether it is after noon, for a clock of twelve hours.
    is_afternoon: Option<bool>,
}

impl Parts {
    /// Returns whether it is a part of a date; `None` if that part is there, or out of range.
    fn take(&mut self, word: &str) -> Option<bool> {
        if let Some(is_afternoon) = half(word) {
            once(&mut self.is_afternoon, is_afternoon)?;
        } else if let Some((time, is_afternoon)) = time(word) {
            once(&mut self.time, time)?;
            if let Some(is_afternoon) = is_afternoon {
                once(&mut self.is_afternoon, is_afternoon)?;
            }
        } else if let Some([day, month, year]) = numbers(word) {
            once(&mut self.day, day.try_into().ok()?)?;
            once(&mut self.month, month.try_into().ok()?)?;
            once(&mut self.year, year)?;
        } else if let Some(month) = month(word) {
            once(&mut self.month, month)?;
        } else if word.len() == 4
            && let Some(year) = number(word)
        {
            once(&mut self.year, year)?;
        } else if let Some(day) = number(word) {
            once(&mut self.day, day.try_into().ok()?)?;
        } else {
            return Some(false);
        }
        Some(true)
    }

    fn moment(self) -> Option<DateTime> {
        let (hour, minute, second) = self.time?;
        let hour = match self.is_afternoon {
            Some(is_afternoon) if (1..=12).contains(&hour) => {
                hour % 12 + if is_afternoon { 12 } else { 0 }
            }
            Some(false) if hour > 12 => return None,
            // Some languages write `18:05 PM`.
            Some(_) | None => hour,
        };
        let (year, month, day) = (self.year?, self.month?, self.day?);
        DateTime::new(year, month, day, hour, minute, second, 0).ok()
    }
}

fn once<T>(place: &mut Option<T>, value: T) -> Option<()> {
    place.replace(value).is_none().then_some(())
}

fn half(word: &str) -> Option<bool> {
    match word {
        "am" | "a.m" => Some(false),
        "pm" | "p.m" => Some(true),
        _ => None,
    }
}

/// Parses `18:05`, `18:05:59`, `18h05` or `6:05pm`.
fn time(word: &str) -> Option<((i8, i8, i8), Option<bool>)> {
    let digits = word.trim_end_matches(|c: char| !c.is_ascii_digit());
    let is_afternoon = match &word[digits.len()..] {
        "" => None,
        rest => Some(half(rest)?),
    };
    let mut parts = digits.split([':', 'h']).map(|part| {
        let number = number(part).filter(|_| part.len() <= 2);
        number.and_then(|number| i8::try_from(number).ok())
    });
    let (hour, minute) = (parts.next()??, parts.next()??);
    let second = match parts.next() {
        None => 0,
        Some(second) => second?,
    };
    parts
        .next()
        .is_none()
        .then_some(((hour, minute, second), is_afternoon))
}

/// Parses three numbers with dots between them, the last of four digits.
fn numbers(word: &str) -> Option<[i16; 3]> {
    let (day_and_month, year) = word.rsplit_once('.').filter(|(_, year)| year.len() == 4)?;
    let (day, month) = day_and_month.split_once('.')?;
    Some([number(day)?, number(month)?, number(year)?])
}

fn number(word: &str) -> Option<i16> {
    let is_plain = word.bytes().all(|byte| byte.is_ascii_digit());
    word.parse().ok().filter(|_| is_plain)
}

fn month(word: &str) -> Option<i8> {
    if word.chars().count() < MONTH_LETTERS_MIN {
        return None;
    }
    let begins = |names: &&[&str]| names.iter().any(|name| name.starts_with(word));
    let mut all = (1..).zip(&MONTHS).filter(|(_, names)| begins(names));
    let (number, _) = all.next()?;
    all.next().is_none().then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;
    use jiff::tz::Offset;

    #[test]
    fn summer_time_offset_depends_on_date() {
        let zone = TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").expect("a rule");
        for (text, utc) in [
            ("27 March 2026, 5:30 PM", "2026-03-27T16:30:00Z"),
            ("30 March 2026, 5:30 PM", "2026-03-30T15:30:00Z"),
            // It occurs twice.
            ("25 October 2026, 2:30 AM", "2026-10-25T00:30:00Z"),
            ("26 October 2026, 6:30 PM", "2026-10-26T17:30:00Z"),
        ] {
            assert_eq!(read(text, &zone), utc.parse().ok(), "{text}");
        }
    }

    #[test]
    fn moodle_dates_are_read_in_each_language() {
        let zone = TimeZone::fixed(Offset::constant(1));
        let evening = "2026-12-21T17:05:00Z".parse().ok();
        let odd = [
            "Monday, 21 December 2026, 6:05\u{202f}PM",
            "  Montag,\u{a0}21. Dezember 2026,  18:05 ",
        ];
        for text in include_str!("dates.txt").lines().chain(odd) {
            assert_eq!(read(text, &zone), evening, "{text:?}");
        }
        let at = |text| read(text, &TimeZone::UTC).map(|moment| moment.to_string());
        let midnight = at("Friday, 1 May 2026, 12:00 AM");
        assert_eq!(midnight.as_deref(), Some("2026-05-01T00:00:00Z"));
        let noon = at("Freitag, 1. Mai 2026, 12:00");
        assert_eq!(noon.as_deref(), Some("2026-05-01T12:00:00Z"));
        assert_eq!(noon, at("Friday, 1 May 2026, 12:00 PM"));
    }

    #[test]
    fn every_month_is_read_and_none_for_another() {
        for (number, names) in (1..).zip(&MONTHS) {
            for name in *names {
                assert_eq!(month(name), Some(number), "{name}");
            }
        }
        for word in ["ju", "jui", "ma", "x", "decembers", ""] {
            assert_eq!(month(word), None, "{word}");
        }
    }

    #[test]
    fn invalid_and_ambiguous_dates_are_not_read() {
        for text in include_str!("no_dates.txt").lines().chain([""]) {
            assert_eq!(read(text, &TimeZone::UTC), None, "{text:?}");
        }
    }
}
