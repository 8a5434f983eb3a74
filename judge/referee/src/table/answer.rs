//! Reading the line that a bot gave as its answer.

use engines::Seat;
use engines::erased::MoveRefused;
use model::fault::{Cause, Offence};
use model::protocol::{self, Answer, FromBot, Ready};
use rulebook::JudgeError;
use rulebook::rules::Position;
use serde::Deserialize;
use std::borrow::Cow;

/// Returns the offence of an answer. Extra output counts as the offence only if the answer before
/// it is valid: the verdict must not depend on how much of a flood arrived at once. Where no line
/// precedes the extra output, it came before the question.
pub(super) fn first_offence<'a, T>(
    offence: Offence,
    line: &'a [u8],
    read: fn(&'a [u8]) -> Result<T, Offence>,
) -> Offence {
    if offence.cause != Cause::Unasked || line.is_empty() {
        return offence;
    }
    read(line).err().unwrap_or(offence)
}

/// Parses the `ready` message on a line.
///
/// # Errors
/// When the line is something else.
pub(super) fn read_ready(line: &[u8]) -> Result<Ready, Offence> {
    let complaint = match protocol::read(line) {
        Ok(FromBot::Ready(ready)) => return Ok(ready),
        Ok(FromBot::Move(_)) => "a move, where \"ready\" was due".to_owned(),
        Err(complaint) => format!("not a \"ready\" message: {complaint}"),
    };
    Err(Offence::new(Cause::Malformed, complaint).quoting(line))
}

/// Parses the `move` message on a line.
///
/// # Errors
/// When the line is something else.
pub(super) fn read_move(line: &[u8]) -> Result<Answer<'_>, Offence> {
    let complaint = match protocol::read(line) {
        Ok(FromBot::Move(answer)) => return Ok(answer),
        Ok(FromBot::Ready(_)) => "\"ready\", where a move was due".to_owned(),
        Err(complaint) => format!("not a \"move\" message: {complaint}"),
    };
    Err(Offence::new(Cause::Malformed, complaint).quoting(line))
}

/// A kit's answer in place of a move, after the submission's code raised an exception.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Raised {
    exception: String,
}

fn raised(mv: &str) -> Option<String> {
    let raised: Result<Raised, _> = serde_json::from_str(mv);
    raised.ok().map(|raised| raised.exception)
}

/// The result of reading and playing an answer.
pub(super) struct Played {
    /// The move as the game writes it; `None` if the game carries nothing out.
    pub(super) mv: Option<String>,
    /// The offence in the answer, if any.
    pub(super) offence: Option<Offence>,
}

impl From<Offence> for Played {
    fn from(offence: Offence) -> Self {
        Self {
            mv: None,
            offence: Some(offence),
        }
    }
}

/// Plays the move of an answer, or the part of it that the game carries out. `line` is the whole
/// answer.
///
/// # Errors
/// When the rules fail.
pub(super) fn play_answer(
    game: &mut dyn Position,
    seat: Seat,
    answer: Answer<'_>,
    line: &[u8],
) -> Result<Played, JudgeError> {
    let mv = answer.mv;
    let offence = |refused| match refused {
        MoveRefused::Unreadable(complaint) => match raised(mv.get()) {
            Some(exception) => Offence::raised(&exception),
            None => Offence::new(
                Cause::Malformed,
                format!("not a move of this game: {complaint}"),
            ),
        },
        MoveRefused::Broken(broken) => Offence::new(Cause::IllegalMove, broken.message),
    };
    Ok(match game.play(seat, mv.get())? {
        Ok(spelled) => Played {
            mv: Some(spelled),
            offence: None,
        },
        Err(refused) => Played {
            mv: game.play_broken(seat, mv.get())?,
            offence: Some(offence(refused).quoting(&quotable(answer, line))),
        },
    })
}

/// Returns the answer as a fault quotes it: the journal has no notes.
fn quotable<'a>(answer: Answer<'_>, line: &'a [u8]) -> Cow<'a, [u8]> {
    if answer.said.is_empty() {
        line.into()
    } else {
        format!("{{\"move\":{}}}", answer.mv.get())
            .into_bytes()
            .into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_with_an_answer_does_not_depend_on_how_much_came_at_once() {
        const READY: &[u8] = br#"{"ready":{}}"#;
        const MOVE: &[u8] = br#"{"move":[0,1]}"#;
        let more = || Offence::new(Cause::Unasked, "more output");
        for wrong in [&b"garbage"[..], MOVE] {
            let alone = read_ready(wrong).expect_err("wrong");
            assert_eq!(alone.cause, Cause::Malformed);
            assert_eq!(first_offence(more(), wrong, read_ready), alone);
        }
        for wrong in [&b"garbage"[..], READY] {
            let alone = read_move(wrong).expect_err("wrong");
            assert_eq!(alone.cause, Cause::Malformed);
            assert_eq!(first_offence(more(), wrong, read_move), alone);
        }
        assert_eq!(first_offence(more(), READY, read_ready), more());
        assert_eq!(first_offence(more(), MOVE, read_move), more());
        assert_eq!(first_offence(more(), b"", read_move), more());
        let silent = || Offence::new(Cause::Silence, "no answer");
        assert_eq!(first_offence(silent(), b"garbage", read_move), silent());
    }
}
