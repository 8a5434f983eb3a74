//! The finished games in memory: the position of each line and the game's result. The file
//! therefore needs to be read only once.

use hashbrown::HashTable;
use words::game_id::{GameId, GameIdText};
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

/// Finished games by the ids of their fixtures, in some 40 bytes each besides the result.
#[derive(Debug, Default)]
pub(super) struct KeptGames {
    games: Vec<KeptGame>,
    /// The indices of the games, by their ids.
    by_id: HashTable<u32>,
    results: PackedResults,
}

#[derive(Clone, Copy, Debug)]
struct KeptGame {
    id: GameId,
    start: u64,
    length: u32,
    /// Its position in [`KeptGames::results`], or [`NOT_PACKED`].
    result: u32,
}

const NOT_PACKED: u32 = u32::MAX;

impl KeptGame {
    const fn span(&self) -> LineSpan {
        LineSpan {
            start: self.start,
            length: self.length,
        }
    }
}

impl KeptGames {
    pub(super) fn len(&self) -> usize {
        self.games.len()
    }

    /// Returns the position of a game's line.
    pub(super) fn span(&self, fixture: &str) -> Option<LineSpan> {
        let game = self.game(GameId::parse(fixture.as_bytes())?)?;
        Some(self.games[game].span())
    }

    /// Returns the result of a game; none if it is not kept.
    pub(super) fn result(&self, fixture: &str) -> Option<MatchResult> {
        let game = self.game(GameId::parse(fixture.as_bytes())?)?;
        let game = &self.games[game];
        (game.result != NOT_PACKED).then(|| self.results.get(game.result, fixture))
    }

    /// Lists the ids and the positions of their lines, in the order in which they were added.
    pub(super) fn iter(&self) -> impl Iterator<Item = (GameIdText, LineSpan)> {
        let games = self.games.iter();
        games.map(|game| (game.id.text(), game.span()))
    }

    /// Adds a game, with its result if known; returns whether the game is new.
    pub(super) fn insert(
        &mut self,
        id: GameId,
        span: LineSpan,
        result: Option<&MatchResult>,
    ) -> bool {
        if self.game(id).is_some() {
            return false;
        }
        let number = u32::try_from(self.games.len()).expect("a run has fewer games");
        let games = &self.games;
        let hash = |number: &u32| games[*number as usize].id.hash_of_table();
        self.by_id.insert_unique(id.hash_of_table(), number, hash);
        let result = result.and_then(|result| self.results.add(result));
        self.games.push(KeptGame {
            id,
            start: span.start,
            length: span.length,
            result: result.unwrap_or(NOT_PACKED),
        });
        true
    }

    /// Records a new position of a game's line.
    pub(super) fn move_to(&mut self, id: GameId, span: LineSpan) {
        let game = self.game(id).expect("it is kept");
        (self.games[game].start, self.games[game].length) = (span.start, span.length);
    }

    /// Returns the index of a game.
    fn game(&self, id: GameId) -> Option<usize> {
        let is_it = |number: &u32| self.games[*number as usize].id == id;
        let number = self.by_id.find(id.hash_of_table(), is_it)?;
        Some(*number as usize)
    }
}
