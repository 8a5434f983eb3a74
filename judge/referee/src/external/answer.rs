//! The answers of a program with rules, and a bot's move written anew for it: such a program never
//! reads a byte that a bot wrote. Unknown keys are ignored: a later version may add some.

use super::about::{escaped, is_plain_line};
use engines::quote::quote;
use engines::{Frame, GameResult, Outcome, Seat, SeatOutcome, Seats, plain};
use model::record::POINTS_MAX;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Number, Value};
use std::borrow::Cow;

/// Of the reason why a game ended.
const REASON_CHARS_MAX: usize = 200;

/// An answer: a JSON object with one key, which names it.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Answer<'a> {
    #[serde(borrow)]
    About(&'a RawValue),
    #[serde(borrow)]
    Position(Box<PositionAnswer<'a>>),
    Closed(serde::de::IgnoredAny),
    #[serde(borrow)]
    Config(&'a RawValue),
    Spelled {
        text: String,
    },
    Read {
        #[serde(borrow, rename = "move")]
        mv: &'a RawValue,
    },
    Error(Refusal),
}

impl<'a> Answer<'a> {
    pub(crate) fn read(line: &'a [u8]) -> Result<Self, String> {
        serde_json::from_slice(line).map_err(|error| format!("its answer is malformed ({error})"))
    }

    pub(crate) fn position(self) -> Result<PositionAnswer<'a>, String> {
        match self {
            Self::Position(position) => Ok(*position),
            _ => Err("its answer is not about a position".to_owned()),
        }
    }
}

#[derive(Debug, Deserialize)]
pub(crate) struct Refusal {
    pub(crate) kind: String,
    #[serde(default)]
    pub(crate) rule: Option<String>,
    pub(crate) message: String,
}

#[derive(Deserialize)]
pub(crate) struct PositionAnswer<'a> {
    pub(crate) session: Option<u64>,
    #[serde(borrow)]
    pub(crate) setup: Option<&'a RawValue>,
    #[serde(borrow, rename = "move")]
    pub(crate) mv: Option<&'a RawValue>,
    pub(crate) seats: Option<u8>,
    #[serde(borrow)]
    pub(crate) to_move: Vec<SeatAnswer<'a>>,
    #[serde(borrow)]
    pub(crate) views: Option<Vec<&'a RawValue>>,
    pub(crate) outcome: Option<OutcomeAnswer>,
    pub(crate) frame: Option<Frame>,
    pub(crate) seen: Option<Vec<Frame>>,
    pub(crate) points: Option<[i64; 2]>,
    pub(crate) measure: Option<Vec<Option<u32>>>,
}

impl PositionAnswer<'_> {
    pub(crate) fn opened(&self) -> Result<u64, String> {
        Ok(self.session.ok_or("its answer names no session")?)
    }
}

#[derive(Deserialize)]
pub(crate) struct SeatAnswer<'a> {
    pub(crate) seat: Seat,
    #[serde(borrow)]
    pub(crate) legal: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) view: Option<&'a RawValue>,
}

#[derive(Deserialize)]
pub(crate) struct OutcomeAnswer {
    seats: Vec<SeatResult>,
    reason: String,
    #[serde(default)]
    pub(crate) limited: bool,
}

#[derive(Deserialize)]
struct SeatResult {
    result: GameResult,
    placement: u8,
    points: i64,
    #[serde(default)]
    tie_break: i64,
}

impl OutcomeAnswer {
    pub(crate) fn checked(self, seats: usize) -> Result<Outcome, String> {
        let (found, mut all) = (self.seats.len(), self.seats.iter());
        if found != seats {
            return Err(format!(
                "its outcome has {found} seats, and the game has {seats}"
            ));
        }
        if !all
            .clone()
            .all(|seat| (1..=seats).contains(&seat.placement.into()))
        {
            return Err(format!("a placement in its outcome is not 1 to {seats}"));
        }
        let is_out_of_bounds = |points: i64| points.unsigned_abs() > POINTS_MAX;
        if let Some(seat) =
            all.find(|seat| is_out_of_bounds(seat.points) || is_out_of_bounds(seat.tie_break))
        {
            let (points, tie_break) = (seat.points, seat.tie_break);
            return Err(format!(
                "its outcome has {points} points and a tie break of {tie_break}; both are at most {POINTS_MAX}"
            ));
        }
        if !is_plain_line(&self.reason) || self.reason.chars().count() > REASON_CHARS_MAX {
            return Err(format!(
                "the reason in its outcome is not one line of 1 to {REASON_CHARS_MAX} characters"
            ));
        }
        let seats = self.seats.into_iter().map(|seat| SeatOutcome {
            result: seat.result,
            placement: seat.placement,
            points: seat.points,
            tie_break: seat.tie_break,
        });
        Ok(Outcome {
            seats: seats.collect(),
            reason: Cow::Owned(escaped(&self.reason)),
        })
    }
}

pub(crate) fn to_move(seats: &[SeatAnswer<'_>], count: usize) -> Result<Seats, String> {
    seats.iter().try_fold(Seats::NONE, |set, one| {
        if one.seat.index() >= count {
            return Err(format!(
                "{} is to move, but the game has {count} seats",
                one.seat
            ));
        }
        if set.contains(one.seat) {
            return Err(format!("{} is to move twice", one.seat));
        }
        Ok(set.with(one.seat))
    })
}

/// Of a move, as a bot and as the judge writes it.
const BYTES_MAX: usize = 64 << 10;

pub(crate) fn rewritten(mv: &str) -> Result<String, String> {
    if mv.len() > BYTES_MAX {
        return Err(format!("it has more than {BYTES_MAX} bytes"));
    }
    check(mv).map_err(|reason| format!("it has {reason}"))?;
    let value: Value = plain::read(mv)?;
    if value.is_null() {
        // In a request, a field that is null counts as missing.
        return Err("it is null".to_owned());
    }
    let written = one_line(&without_minus_zero(value).to_string());
    if written.len() > BYTES_MAX {
        return Err(format!("it has more than {BYTES_MAX} bytes once escaped"));
    }
    Ok(written)
}

/// Escapes the characters at which some readers (Node) end a line. JSON has them in texts only.
fn one_line(json: &str) -> String {
    json.replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
        .replace('\u{85}', "\\u0085")
}

/// JSON's `-0` becomes minus zero.
fn without_minus_zero(value: Value) -> Value {
    match value {
        Value::Number(number)
            if number
                .as_f64()
                .is_some_and(|n| n == 0.0 && n.is_sign_negative()) =>
        {
            Value::from(0)
        }
        Value::Array(list) => list.into_iter().map(without_minus_zero).collect(),
        Value::Object(map) => {
            let map = map.into_iter();
            map.map(|(key, one)| (key, without_minus_zero(one)))
                .collect()
        }
        plain => plain,
    }
}

/// Returns a text without its quotes, unless it would be other JSON.
pub(crate) fn typed(mv: &str) -> String {
    let is_plain = |text: &String| is_plain_line(text) && rewritten(text).is_err();
    let text: Option<String> = serde_json::from_str(mv).ok().filter(is_plain);
    escaped(text.as_deref().unwrap_or(mv))
}

pub(crate) const DEPTH_MAX: usize = 64;

/// Checks the depth, numbers and escapes of JSON, well-formed or not.
pub(crate) fn check(text: &str) -> Result<(), String> {
    let bytes = text.as_bytes();
    let (mut depth, mut at) = (0_usize, 0);
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'"' => at = after_string(text, at)?,
            b'[' | b'{' => {
                depth += 1;
                if depth > DEPTH_MAX {
                    return Err(format!("lists nested more than {DEPTH_MAX} deep"));
                }
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            b'-' | b'0'..=b'9' => {
                let rest = &bytes[at..];
                let is_end =
                    |byte: &u8| !matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
                let end = at + rest.iter().position(is_end).unwrap_or(rest.len());
                check_number(&text[at - 1..end])?;
                at = end;
            }
            _ => {}
        }
    }
    Ok(())
}

/// This many digits fit into 64 bits.
const SMALL_DIGITS: usize = 18;

/// Refuses whole numbers beyond 64 bits, and infinity.
fn check_number(text: &str) -> Result<(), String> {
    if text.len() <= SMALL_DIGITS && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Ok(());
    }
    let is_whole = !text.contains(['.', 'e', 'E']);
    let number: Option<Number> = serde_json::from_str(text).ok();
    match number {
        Some(number) if !is_whole || !number.is_f64() || text == "-0" => Ok(()),
        _ => Err(format!(
            "the number {}, which is too large",
            quote(text.as_bytes())
        )),
    }
}

/// Returns the place after the end of a string whose content begins at `at`.
fn after_string(text: &str, mut at: usize) -> Result<usize, String> {
    let bytes = text.as_bytes();
    let unit = |at: usize| {
        let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok()
    };
    loop {
        let rest = &bytes[at.min(bytes.len())..];
        at += memchr::memchr2(b'"', b'\\', rest).unwrap_or(rest.len());
        match bytes.get(at) {
            None => return Err("a string without an end".to_owned()),
            Some(b'"') => return Ok(at + 1),
            Some(_) => match unit(at) {
                Some(0xd800..=0xdbff) if matches!(unit(at + 6), Some(0xdc00..=0xdfff)) => at += 12,
                Some(0xd800..=0xdfff) => {
                    return Err("half a character (a lone surrogate)".to_owned());
                }
                Some(_) => at += 6,
                None => at += 2,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(seats: &str, reason: &str) -> Result<Outcome, String> {
        let text = format!("{{\"seats\":[{seats}],\"reason\":\"{reason}\"}}");
        let answer: OutcomeAnswer = serde_json::from_str(&text).expect("an outcome");
        answer.checked(2)
    }

    #[test]
    fn outcome_requires_reason_and_placement_per_seat() {
        let seat = |placement: u8| {
            format!("{{\"result\":\"won\",\"placement\":{placement},\"points\":1}}")
        };
        let two = |first, second| format!("{},{}", seat(first), seat(second));
        let both = two(1, 2);
        let right = outcome(&both, "it is over").map(|it| it.seats[1].tie_break);
        assert_eq!(right, Ok(0));
        let odd = outcome(&both, "eve \u{202e}won");
        assert_eq!(odd.map(|it| it.reason), Ok("eve \\u{202e}won".into()));
        let much = both.replace("\"points\":1", "\"points\":2000000000");
        for (seats, reason, words) in [
            (seat(1), "it is over", "has 1 seats, and the game has 2"),
            (two(0, 1), "it is over", "not 1 to 2"),
            (two(3, 1), "it is over", "not 1 to 2"),
            (much, "it is over", "at most 1000000000"),
            (both.clone(), "", "one line"),
            (both.clone(), "two\\nlines", "one line"),
        ] {
            let error = outcome(&seats, reason).expect_err(words);
            assert!(error.contains(words), "{error}");
        }
    }

    #[test]
    fn a_move_is_written_anew_or_refused() {
        for (mv, written) in [
            (" [ 1,\t-0 , \"\\u0061\" ] ", "[1,0,\"a\"]"),
            ("{\"b\":true,\"a\":null}", "{\"a\":null,\"b\":true}"),
            ("18446744073709551615", "18446744073709551615"),
            ("1.50", "1.5"),
            ("\"\\n\"", "\"\\n\""),
            ("\"a\u{2028}b\u{85}\"", "\"a\\u2028b\\u0085\""),
            ("\"\u{2029}\"", "\"\\u2029\""),
        ] {
            assert_eq!(rewritten(mv).as_deref(), Ok(written));
        }
        let deep = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(rewritten(&deep(64)).is_ok());
        for wrong in ["1e999", "NaN", "[1,]", "", " null ", &deep(65), &deep(9999)] {
            assert!(rewritten(wrong).is_err(), "{wrong}");
        }
        for (long, is_move) in [
            ("a".repeat(BYTES_MAX), false),
            ("a".repeat(BYTES_MAX - 2), true),
            ("\u{85}".repeat(BYTES_MAX / 4), false),
        ] {
            let written = rewritten(&format!("\"{long}\""));
            assert_eq!(written.is_ok(), is_move, "{}", long.len());
        }
        for (mv, text) in [("\"check\"", "check"), ("\"1\"", "\"1\""), ("[1]", "[1]")] {
            assert_eq!(typed(mv), text);
        }
    }

    #[test]
    fn json_that_breaks_bot_parsers_is_refused() {
        let deep = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        for right in [
            r#"{"a":[1,-0,1.5,1e3,18446744073709551615,-9223372036854775808]}"#,
            r#"["\ud83d\ude00","\\ud800","[[","\"]","é",true,null]"#,
            &deep(64),
        ] {
            assert_eq!(check(right), Ok(()), "{right}");
        }
        for wrong in [
            "1e999",
            "[18446744073709551616]",
            r#""\ud800""#,
            r#"["\ude00\ud83d"]"#,
            &deep(65),
        ] {
            assert!(check(wrong).is_err(), "{wrong}");
        }
    }
}
