//! The parts of a tie rule, and the data that it receives.

use crate::tally::{RankKey, Tally};
use alloc::string::String;
use core::cmp::Ordering;
use engines::GameInfo;

/// A rule that decides between two entrants that the ranking leaves equal.
pub(super) struct TieRule {
    /// The name that files use.
    pub(super) name: &'static str,
    /// The kind of data that the rule reads.
    pub(super) reads: Reads,
    /// Says why the rule can decide nothing in a game; none if it can.
    pub(super) refused_for: fn(&GameInfo) -> Option<String>,
    /// Compares two entrants. `Less` means that the first one is ahead.
    pub(super) compare: fn(&Pair<'_>) -> Ordering,
    /// Says why the rule puts the first of two entrants ahead: `ann has 2 wins more`.
    pub(super) explain: fn(&Decided<'_>) -> String,
}

/// The kind of data that a rule reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reads {
    /// The games, which everybody may know.
    Games,
    /// The entrants' sources. Their counts are published only if a rule needs them.
    Sources,
}

/// Two entrants that the ranking leaves equal.
pub struct Pair<'a> {
    /// The totals of each.
    pub totals: [&'a Tally; 2],
    /// The number of lexer tokens of each source, if it was counted.
    pub tokens: [Option<u64>; 2],
    /// Returns, for each of the two, whether it won every game against the other.
    pub won_all: &'a dyn Fn() -> [bool; 2],
}

impl Pair<'_> {
    /// Compares the two by a key.
    pub(super) fn by(&self, key: RankKey) -> Ordering {
        self.totals[0].compare(self.totals[1], key)
    }
}

/// Two entrants, ordered by the decision of a rule. The better one is first.
pub struct Decided<'a> {
    /// The name of each.
    pub names: [&'a str; 2],
    /// The totals of each.
    pub totals: [&'a Tally; 2],
    /// The number of lexer tokens of each source, if it was counted.
    pub tokens: [Option<u64>; 2],
    /// The number of games between the two.
    pub games: u64,
}

impl Decided<'_> {
    /// Says how far the better one leads by a key.
    pub(super) fn by(&self, key: RankKey) -> String {
        let lead = self.totals[0].lead(self.totals[1], key);
        format!("{} has {lead}", self.names[0])
    }
}
