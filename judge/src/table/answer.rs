//! What a line is that a bot gave as its answer.

use crate::fault::{Cause, Offence, RAISED};
use crate::protocol::{self, FromBot};
use engines::Seat;
use engines::erased::{AnyGame, MoveRefused};
use serde::Deserialize;

/// More output than was asked for is the offence only if the answer before it is one: what
/// is wrong must not depend on how much of a flood came at once. Where there is no line before
/// it, it came before the question.
pub(super) fn first_offence(
    offence: Offence,
    line: &[u8],
    not_it: fn(&str, &[u8]) -> Offence,
) -> Offence {
    match protocol::read(line) {
        Err(complaint) if offence.cause == Cause::Unasked && !line.is_empty() => {
            not_it(&complaint, line)
        }
        _ => offence,
    }
}

/// Says that a line is no `ready` message.
pub(super) fn not_ready(complaint: &str, line: &[u8]) -> Offence {
    let detail = format!("not a \"ready\" message: {complaint}");
    Offence::new(Cause::Malformed, detail).quoting(line)
}

/// Says that a line is no `move` message.
pub(super) fn not_a_move(complaint: &str, line: &[u8]) -> Offence {
    let detail = format!("not a \"move\" message: {complaint}");
    Offence::new(Cause::Malformed, detail).quoting(line)
}

/// What a kit answers where the submission's code raised an exception, in place of a move.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Raised {
    exception: String,
}

fn raised(mv: &str) -> Option<String> {
    let raised: Result<Raised, _> = serde_json::from_str(mv);
    raised.ok().map(|raised| raised.exception)
}

/// Plays the move that a line holds; gives it as the game writes it.
///
/// # Errors
/// When it holds none, or none that is allowed.
pub(super) fn play_line(
    game: &mut dyn AnyGame,
    seat: Seat,
    line: &[u8],
) -> Result<String, Offence> {
    let malformed = |complaint| Offence::new(Cause::Malformed, complaint).quoting(line);
    let mv = match protocol::read(line) {
        Ok(FromBot::Move(mv)) => mv,
        Ok(FromBot::Ready(_)) => {
            return Err(malformed("\"ready\", where a move was due".to_owned()));
        }
        Err(complaint) => return Err(not_a_move(&complaint, line)),
    };
    game.play(seat, mv.get()).map_err(|refused| match refused {
        MoveRefused::Unreadable(complaint) => malformed(match raised(mv.get()) {
            Some(exception) => format!("{RAISED}{exception}"),
            None => format!("not a move of this game: {complaint}"),
        }),
        MoveRefused::Broken(broken) => {
            Offence::new(Cause::IllegalMove, broken.message).quoting(line)
        }
    })
}
