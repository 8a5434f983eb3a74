//! What a rule for ties consists of, and what it is given.

use crate::tally::{RankKey, Tally};
use alloc::string::String;
use core::cmp::Ordering;
use engines::GameInfo;

/// A rule that decides between two entrants that the ranking leaves equal.
pub(super) struct TieRule {
    /// The name that files use.
    pub(super) name: &'static str,
    /// What the rule looks at.
    pub(super) reads: Reads,
    /// Says why the rule can decide nothing in a game, if so.
    pub(super) refused_for: fn(&GameInfo) -> Option<String>,
    /// Compares two entrants; `Less` means that the first one is ahead.
    pub(super) compare: fn(&Pair<'_>) -> Ordering,
    /// Says why the rule puts the first of two ahead: `ann has 2 wins more`.
    pub(super) explain: fn(&Decided<'_>) -> String,
}

/// What a rule looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reads {
    /// What was played, which everybody may know.
    Games,
    /// The entrants' sources, whose counts are published only where a rule needs them.
    Sources,
}

/// Two entrants that the ranking leaves equal.
pub struct Pair<'a> {
    /// What each has gathered.
    pub totals: [&'a Tally; 2],
    /// The number of lexer tokens of each source, where one was counted.
    pub tokens: [Option<u64>; 2],
    /// Returns of each whether it won every game against the other.
    pub won_all: &'a dyn Fn() -> [bool; 2],
}

impl Pair<'_> {
    /// Compares what a key counts.
    pub(super) fn by(&self, key: RankKey) -> Ordering {
        self.totals[0].compare(self.totals[1], key)
    }
}

/// Two entrants between whom a rule has decided, the better one first.
pub struct Decided<'a> {
    /// The name of each.
    pub names: [&'a str; 2],
    /// What each has gathered.
    pub totals: [&'a Tally; 2],
    /// The number of lexer tokens of each source, where one was counted.
    pub tokens: [Option<u64>; 2],
    /// How many games they have played against each other.
    pub games: u64,
}

impl Decided<'_> {
    /// Says by what the better one leads in what a key counts.
    pub(super) fn by(&self, key: RankKey) -> String {
        let lead = self.totals[0].lead(self.totals[1], key);
        format!("{} has {lead}", self.names[0])
    }
}
