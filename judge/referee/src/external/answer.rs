//! The answers of a program with rules. Unknown keys are ignored: a later version may add some.

use crate::external::about::{escaped, is_plain_line};
use engines::{Frame, GameResult, Outcome, Seat, SeatOutcome, Seats};
use model::record::POINTS_MAX;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// Maximum length of the reason why a game ended, in characters.
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
    Spelled(SpelledAnswer),
    #[serde(borrow)]
    Read(ReadAnswer<'a>),
    Error(Refusal),
}

impl<'a> Answer<'a> {
    /// Reads a line.
    ///
    /// # Errors
    /// When it is no answer, in words.
    pub(crate) fn read(line: &'a [u8]) -> Result<Self, String> {
        serde_json::from_slice(line).map_err(|error| format!("its answer is malformed ({error})"))
    }

    /// Returns the position in the answer.
    pub(crate) fn position(self) -> Result<PositionAnswer<'a>, String> {
        match self {
            Self::Position(position) => Ok(*position),
            _ => Err("its answer is not about a position".to_owned()),
        }
    }
}

/// The answer `error`.
#[derive(Debug, Deserialize)]
pub(crate) struct Refusal {
    pub(crate) kind: String,
    #[serde(default)]
    pub(crate) rule: Option<String>,
    pub(crate) message: String,
}

/// The answer `position`.
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
    /// Returns the session that a request has opened.
    ///
    /// # Errors
    /// When the answer names none, in words.
    pub(crate) fn opened(&self) -> Result<u64, String> {
        self.session
            .ok_or_else(|| "its answer names no session".to_owned())
    }
}

/// A seat that is to move.
#[derive(Deserialize)]
pub(crate) struct SeatAnswer<'a> {
    pub(crate) seat: Seat,
    #[serde(borrow)]
    pub(crate) legal: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) view: Option<&'a RawValue>,
}

#[derive(Deserialize)]
pub(crate) struct SpelledAnswer {
    pub(crate) text: String,
}

#[derive(Deserialize)]
pub(crate) struct ReadAnswer<'a> {
    #[serde(borrow, rename = "move")]
    pub(crate) mv: &'a RawValue,
}

/// The result of a game. `tie_break` may be left out.
#[derive(Deserialize)]
pub(crate) struct OutcomeAnswer {
    seats: Vec<SeatResult>,
    reason: String,
    /// Whether the game was drawn at its limit, which it does not mention in `about`.
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
    /// Checks the result of a game with this number of seats.
    ///
    /// # Errors
    /// When it is none, in words.
    pub(crate) fn checked(self, seats: usize) -> Result<Outcome, String> {
        if self.seats.len() != seats {
            let found = self.seats.len();
            return Err(format!(
                "its outcome has {found} seats, and the game has {seats}"
            ));
        }
        if self
            .seats
            .iter()
            .any(|seat| seat.placement == 0 || usize::from(seat.placement) > seats)
        {
            return Err(format!("a placement in its outcome is not 1 to {seats}"));
        }
        let is_wild = |points: i64| points.unsigned_abs() > POINTS_MAX;
        if let Some(seat) = self
            .seats
            .iter()
            .find(|seat| is_wild(seat.points) || is_wild(seat.tie_break))
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

/// Returns the set of the seats that are to move.
///
/// # Errors
/// When the game has fewer seats, or one is named twice.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(seats: &str, reason: &str) -> Result<Outcome, String> {
        let text = format!("{{\"seats\":[{seats}],\"reason\":\"{reason}\"}}");
        let answer: OutcomeAnswer = serde_json::from_str(&text).expect("an outcome");
        answer.checked(2)
    }

    #[test]
    fn an_outcome_has_a_place_for_each_seat_and_a_reason() {
        let seat = |placement: u8| {
            format!("{{\"result\":\"won\",\"placement\":{placement},\"points\":1}}")
        };
        let both = format!("{},{}", seat(1), seat(2));
        assert_eq!(
            outcome(&both, "it is over").map(|it| it.seats[1].tie_break),
            Ok(0)
        );
        let odd = outcome(&both, "eve \u{202e}won");
        assert_eq!(odd.map(|it| it.reason), Ok("eve \\u{202e}won".into()));
        for (seats, reason, words) in [
            (seat(1), "it is over", "has 1 seats, and the game has 2"),
            (
                format!("{},{}", seat(0), seat(1)),
                "it is over",
                "not 1 to 2",
            ),
            (
                format!("{},{}", seat(3), seat(1)),
                "it is over",
                "not 1 to 2",
            ),
            (
                both.replace("\"points\":1", "\"points\":2000000000"),
                "it is over",
                "at most 1000000000",
            ),
            (both.clone(), "", "one line"),
            (both.clone(), "two\\nlines", "one line"),
        ] {
            let error = outcome(&seats, reason).expect_err(words);
            assert!(error.contains(words), "{error}");
        }
    }
}
