//! The finished games in memory: the position of each line and the game's result. The file
//! therefore needs to be read only once.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use words::hash::hexadecimal;
use words::record::{MatchResult, PackedResults};

/// A line's place in the file, in bytes, without its newline.
#[derive(Clone, Copy, Debug)]
pub(super) struct LineSpan {
    pub(super) start: u64,
    pub(super) length: u32,
}

impl LineSpan {
    /// Returns the span of a line that begins at `start`.
    pub(super) fn of(start: u64, line: &[u8]) -> Self {
        let length = u32::try_from(line.len()).expect("a line has far less than 4 GB");
        Self { start, length }
    }
}

/// Finished games by the ids of their fixtures.
#[derive(Debug, Default)]
pub(super) struct KeptGames {
    games: HashMap<Id, KeptGame>,
    results: PackedResults,
}

#[derive(Clone, Copy, Debug)]
struct KeptGame {
    span: LineSpan,
    /// Its index in [`KeptGames::results`], or [`NOT_PACKED`].
    result: u32,
}

const NOT_PACKED: u32 = u32::MAX;

/// An id of 32 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Id([u8; 16]);

impl Id {
    /// Parses an id; none if the text is anything else.
    pub(super) fn of(text: &[u8]) -> Option<Self> {
        let digits: &[u8; 32] = text.try_into().ok()?;
        let mut id = [0; 16];
        for (byte, pair) in id.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = digit(pair[0])? << 4 | digit(pair[1])?;
        }
        Some(Self(id))
    }
}

fn digit(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}

impl KeptGames {
    pub(super) fn len(&self) -> usize {
        self.games.len()
    }

    /// Returns the position of a game's line.
    pub(super) fn span(&self, fixture: &str) -> Option<LineSpan> {
        Some(self.games.get(&Id::of(fixture.as_bytes())?)?.span)
    }

    /// Returns the result of a game; none if it is not kept.
    pub(super) fn result(&self, fixture: &str) -> Option<MatchResult> {
        let game = self.games.get(&Id::of(fixture.as_bytes())?)?;
        (game.result != NOT_PACKED).then(|| self.results.get(game.result, fixture))
    }

    /// Lists the ids and the positions of their lines, in any order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (String, LineSpan)> {
        let games = self.games.iter();
        games.map(|(id, game)| (hexadecimal(&id.0), game.span))
    }

    /// Adds a game, with its result if known; returns whether the game is new.
    pub(super) fn insert(&mut self, id: Id, span: LineSpan, result: Option<&MatchResult>) -> bool {
        let Entry::Vacant(place) = self.games.entry(id) else {
            return false;
        };
        let result = result.and_then(|result| self.results.add(result));
        let result = result.unwrap_or(NOT_PACKED);
        place.insert(KeptGame { span, result });
        true
    }

    /// Records a new position of a game's line.
    pub(super) fn move_to(&mut self, id: Id, span: LineSpan) {
        self.games.get_mut(&id).expect("it is kept").span = span;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_32_small_digits_and_nothing_else() {
        let text = "0123456789abcdef00ff00ff00ff00ff";
        let id = Id::of(text.as_bytes()).expect("an id");
        assert_eq!(hexadecimal(&id.0), text);
        for other in [
            "",
            &text[1..],
            &text.to_uppercase(),
            &text.replace('0', "+"),
        ] {
            assert_eq!(Id::of(other.as_bytes()), None, "{other}");
        }
    }
}
