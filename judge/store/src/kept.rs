//! The finished games in memory, so that the file is read only once.

use hashbrown::HashTable;
use model::game_id::GameId;
use model::record::{MatchResult, ResultPacker};
use model::record::{push_varint, take_varint};

/// A line's place in the file, in bytes, without its newline.
#[derive(Clone, Copy, Debug)]
pub(super) struct LineSpan {
    pub(super) start: u64,
    pub(super) length: u32,
}

impl LineSpan {
    pub(super) fn of(start: u64, line: &[u8]) -> Self {
        let length = u32::try_from(line.len()).expect("a line has far less than 4 GB");
        Self { start, length }
    }
}

/// Finished games by the ids of their fixtures. Each takes 16 bytes for the id, about 10 in the
/// table of ids, 11 for its line's place, and its packed result.
#[derive(Debug, Default)]
pub(super) struct KeptGames {
    /// The listed games, finished or not, then the others.
    ids: Vec<GameId>,
    listed: usize,
    entries: Vec<u32>,
    by_id: HashTable<u32>,
    finished: usize,
    /// Entries, one after the other: the start of a line, its length doubled, plus one if there is a
    /// packed result, and that result.
    bytes: Vec<u8>,
    packer: ResultPacker,
    packed: Vec<u8>,
}

const START_BYTES: usize = 5;

const MISSING: u32 = u32::MAX;

impl KeptGames {
    pub(super) fn listing(ids: Vec<GameId>) -> Self {
        let mut all = Self {
            listed: ids.len(),
            entries: vec![MISSING; ids.len()],
            by_id: HashTable::with_capacity(ids.len()),
            ids,
            ..Self::default()
        };
        for game in 0..all.listed {
            if all.game(all.ids[game]).is_none() {
                all.index(game);
            }
        }
        all
    }

    pub(super) fn listed(&self) -> &[GameId] {
        &self.ids[..self.listed]
    }

    pub(super) fn number(&self, id: GameId) -> Option<usize> {
        self.game(id)
            .filter(|&game| game < self.listed)
            .map(|game| game + 1)
    }

    pub(super) const fn len(&self) -> usize {
        self.finished
    }

    pub(super) fn span(&self, id: GameId) -> Option<LineSpan> {
        self.entry(id).map(|entry| Self::split(entry).0)
    }

    pub(super) fn result(&self, id: GameId) -> Option<MatchResult> {
        let packed = Self::split(self.entry(id)?).1?;
        Some(self.packer.unpack(packed, id))
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (GameId, LineSpan)> {
        self.ids.iter().filter_map(|&id| Some((id, self.span(id)?)))
    }

    pub(super) fn insert(
        &mut self,
        id: GameId,
        span: LineSpan,
        result: Option<&MatchResult>,
    ) -> bool {
        let game = self.game(id).unwrap_or_else(|| {
            self.ids.push(id);
            self.entries.push(MISSING);
            self.index(self.ids.len() - 1);
            self.ids.len() - 1
        });
        if self.entries[game] != MISSING {
            return false;
        }
        let at = u32::try_from(self.bytes.len()).unwrap_or(MISSING);
        assert_ne!(at, MISSING, "the entries of a run take less than 4 GiB");
        self.entries[game] = at;
        self.finished += 1;
        self.packed.clear();
        let has_result = result.is_some_and(|result| self.packer.pack(result, &mut self.packed));
        self.bytes.extend_from_slice(&start_bytes(span));
        let length = u64::from(span.length) << 1 | u64::from(has_result);
        push_varint(&mut self.bytes, length);
        self.bytes.extend_from_slice(&self.packed);
        true
    }

    pub(super) fn move_to(&mut self, id: GameId, span: LineSpan) {
        let game = self.game(id).expect("it is kept");
        let at = self.entries[game] as usize;
        self.bytes[at..at + START_BYTES].copy_from_slice(&start_bytes(span));
    }

    fn split(entry: &[u8]) -> (LineSpan, Option<&[u8]>) {
        let (own_start, mut packed) = entry.split_at(START_BYTES);
        let mut start = [0; size_of::<u64>()];
        start[..START_BYTES].copy_from_slice(own_start);
        let length = take_varint(&mut packed);
        let span = LineSpan {
            start: u64::from_le_bytes(start),
            length: u32::try_from(length >> 1).expect("it was of this type"),
        };
        (span, (length & 1 == 1).then_some(packed))
    }

    fn entry(&self, id: GameId) -> Option<&[u8]> {
        let at = self.entries[self.game(id)?];
        (at != MISSING).then(|| &self.bytes[at as usize..])
    }

    fn game(&self, id: GameId) -> Option<usize> {
        let is_it = |number: &u32| self.ids[*number as usize] == id;
        let number = self.by_id.find(id.hash_of_table(), is_it)?;
        Some(*number as usize)
    }

    fn index(&mut self, game: usize) {
        let number = u32::try_from(game).expect("a run has fewer games");
        let hash = |number: &u32| self.ids[*number as usize].hash_of_table();
        self.by_id.insert_unique(hash(&number), number, hash);
    }
}

fn start_bytes(span: LineSpan) -> [u8; START_BYTES] {
    assert!(
        span.start >> (8 * START_BYTES) == 0,
        "a journal has less than a terabyte"
    );
    let bytes = span.start.to_le_bytes();
    *bytes.first_chunk().expect("8 bytes are more")
}
