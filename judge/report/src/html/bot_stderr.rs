//! Standard error of bots and their notes, next to the turns to which they belong. Only staff and the
//! bot's author may see them: the maker of a page decides that by which logs it reads.

use super::phrases::cut;
use crate::replay::{Replay, Step};
use model::fault::Phase;
use model::note::{NOTES_BYTES_MAX, Note};
use model::record::MatchRecord;
use rulebook::Result;
use std::path::Path;
use store::author_log::{AuthorLogs, LoggedGame};

/// The standard error and the notes of one entrant's bot in a game.
#[derive(Clone, Debug)]
pub struct BotStderr {
    /// The entrant's seat, the first one if it has several.
    seat: usize,
    logged: LoggedGame,
}

/// Standard error and notes of a game's bots, by step; step 0 is the initial position.
#[derive(Clone, Debug, Default)]
pub struct BotWords {
    /// Standard error as `(step, seat, text)`.
    pub wrote: Vec<(usize, usize, String)>,
    /// Notes as `(step, seat, note)`.
    pub notes: Vec<(usize, usize, Note)>,
}

impl BotStderr {
    pub(crate) fn of_all(logs: &AuthorLogs, record: &MatchRecord) -> Result<Vec<Self>> {
        let names: Vec<&str> = record
            .seats
            .iter()
            .map(|seat| seat.entrant.as_str())
            .collect();
        let mut all = Vec::new();
        for (seat, name) in names.iter().enumerate() {
            if !names[..seat].contains(name) {
                let logged = logs.of(name, &record.fixture.text())?;
                all.push(Self { seat, logged });
            }
        }
        Ok(all)
    }

    /// Reads an entrant's standard error through `mask`; in the game as `shown`, it has the name `as_name`.
    pub(crate) fn of_one(
        logs: &AuthorLogs,
        (entrant, fixture): (&str, &str),
        (as_name, shown): (&str, &MatchRecord),
        mask: impl Fn(&str) -> String,
    ) -> Result<Vec<Self>> {
        let Some(seat) = shown.seats.iter().position(|seat| seat.entrant == as_name) else {
            return Ok(Vec::new());
        };
        let mut logged = logs.of(entrant, fixture)?;
        let stderr = logged.stderr.iter_mut().map(|(_, text)| text);
        let notes = logged.notes.iter_mut().flat_map(|note| {
            note.marks
                .iter_mut()
                .map(|mark| &mut mark.3)
                .chain([&mut note.text])
        });
        stderr.chain(notes).for_each(|text| *text = mask(text));
        Ok(vec![Self { seat, logged }])
    }
}

/// Lists what the bots wrote and said in a game of a run's folder.
pub fn bot_words_of_game(run: &Path, record: &MatchRecord, replay: &Replay) -> Result<BotWords> {
    let bots = BotStderr::of_all(&AuthorLogs::of_run(run), record)?;
    Ok(bot_words(record, replay, &bots, TextLimits::ALONE))
}

/// Maximum amount of standard error on a page, in characters, and of notes.
#[derive(Clone, Copy, Debug)]
pub(super) struct TextLimits {
    turn_chars: usize,
    game_chars: usize,
    notes_bytes: usize,
}

impl TextLimits {
    pub(super) const AMONG_OTHERS: Self = Self {
        turn_chars: 600,
        game_chars: 3_000,
        notes_bytes: 12_000,
    };
    /// Limits on the page of one game: all that is kept of a game for four.
    pub(super) const ALONE: Self = Self {
        turn_chars: 16 << 10,
        game_chars: 64 << 10,
        notes_bytes: 4 * NOTES_BYTES_MAX,
    };
}

pub(super) fn bot_words(
    record: &MatchRecord,
    replay: &Replay,
    bots: &[BotStderr],
    room: TextLimits,
) -> BotWords {
    let (mut chars_left, mut bytes_left) = (room.game_chars, room.notes_bytes);
    let mut bot_words = BotWords::default();
    for bot in bots {
        for (turn, text) in &bot.logged.stderr {
            let (step, seat) = place(record, replay, bot.seat, *turn);
            let text = cut(text, room.turn_chars.min(chars_left));
            chars_left = chars_left.saturating_sub(text.chars().count());
            bot_words.wrote.push((step, seat, text));
            if chars_left == 0 {
                break;
            }
        }
        for note in &bot.logged.notes {
            let (step, seat) = place(record, replay, bot.seat, note.turn);
            let Some(left) = bytes_left.checked_sub(note.bytes()) else {
                break;
            };
            bytes_left = left;
            bot_words.notes.push((step, seat, note.clone()));
        }
    }
    bot_words
        .wrote
        .sort_by_key(|(step, seat, _)| (*step, *seat));
    bot_words
        .notes
        .sort_by_key(|(step, seat, _)| (*step, *seat));
    bot_words
}

/// Returns the step of an entrant's turn, and the seat of that turn.
fn place(record: &MatchRecord, replay: &Replay, first: usize, turn: u32) -> (usize, usize) {
    let is_its = |seat: usize| record.seats[seat].entrant == record.seats[first].entrant;
    let mut played = 0;
    for (step, number) in replay.steps.iter().zip(1..) {
        let seat = step.seat.index();
        let is_turn = is_turn(record, step);
        let is_there = if turn == 0 {
            !is_turn
        } else {
            played + 1 == turn
        };
        if is_there && is_its(seat) {
            return (number, seat);
        }
        played += u32::from(is_turn);
    }
    let at = if turn == 0 { 0 } else { replay.steps.len() };
    (at, first)
}

/// Returns whether a step is a turn, rather than a fault outside of turns.
fn is_turn(record: &MatchRecord, step: &Step) -> bool {
    let fault = step.fault.map(|number| &record.faults[number]);
    fault.is_none_or(|fault| fault.phase == Phase::Turn)
}
