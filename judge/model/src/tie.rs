//! The rules for ties: one constant for each rule, and the list of all.

use crate::numbers::count;
use crate::tally::{RankKey, Tally};
use alloc::borrow::ToOwned;
use alloc::string::String;
use core::cmp::Ordering;
use core::fmt;
use engines::GameInfo;
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

const RULES: &[&TieRule] = &[
    &WINS,
    &HEAD_TO_HEAD,
    &PLACEMENT,
    &TIE_BREAK,
    &TOKENS,
    &FAULTS,
];

const NAMES: [&str; RULES.len()] = {
    let mut names = [""; RULES.len()];
    let mut number = 0;
    while number < RULES.len() {
        names[number] = RULES[number].name;
        number += 1;
    }
    names
};

/// A rule that decides between two entrants that the ranking leaves equal.
#[derive(Clone, Copy)]
pub struct Tie(&'static TieRule);

impl Tie {
    /// Finds the rule with a name.
    pub fn find(name: &str) -> Option<Self> {
        RULES
            .iter()
            .find(|rule| rule.name == name)
            .map(|rule| Self(rule))
    }

    /// Returns the name that files use.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// Returns the kind of data that the rule reads.
    pub fn reads(self) -> Reads {
        self.0.reads
    }

    /// Says why the rule can decide nothing in a game; none if it can.
    pub fn refused_for(self, game: &GameInfo) -> Option<String> {
        (self.0.refused_for)(game)
    }

    /// Compares two entrants. `Less` means that the first one is ahead.
    pub fn compare(self, pair: &Pair<'_>) -> Ordering {
        (self.0.compare)(pair)
    }

    /// Says why the rule puts the first of two entrants ahead.
    pub fn explain(self, decided: &Decided<'_>) -> String {
        (self.0.explain)(decided)
    }
}

impl PartialEq for Tie {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Tie {}

impl fmt::Debug for Tie {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Serialize for Tie {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Tie {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Named;

        // A visitor, because its errors contain the position of the name in the file.
        impl Visitor<'_> for Named {
            type Value = Tie;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a rule for ties")
            }

            fn visit_str<E: Error>(self, name: &str) -> Result<Tie, E> {
                Tie::find(name).ok_or_else(|| E::unknown_variant(name, &NAMES))
            }
        }

        deserializer.deserialize_str(Named)
    }
}

struct TieRule {
    name: &'static str,
    reads: Reads,
    refused_for: fn(&GameInfo) -> Option<String>,
    compare: fn(&Pair<'_>) -> Ordering,
    /// Says why the rule puts the first ahead: `ann has 2 wins more`.
    explain: fn(&Decided<'_>) -> String,
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
    fn by(&self, key: RankKey) -> Ordering {
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
    fn by(&self, key: RankKey) -> String {
        let lead = self.totals[0].lead(self.totals[1], key);
        format!("{} has {lead}", self.names[0])
    }
}

const WINS: TieRule = TieRule {
    name: "wins",
    reads: Reads::Games,
    refused_for: |_| None,
    compare: |pair| pair.by(RankKey::Wins),
    explain: |decided| decided.by(RankKey::Wins),
};

const HEAD_TO_HEAD: TieRule = TieRule {
    name: "head-to-head",
    reads: Reads::Games,
    refused_for: refused_beyond_two_seats,
    compare: |pair| {
        let [first, second] = (pair.won_all)();
        second.cmp(&first)
    },
    explain: explain_head_to_head,
};

fn refused_beyond_two_seats(game: &GameInfo) -> Option<String> {
    let title = game.title;
    (game.roles.len() > 2)
        .then(|| format!("head-to-head is only for games for two; {title} is for more"))
}

fn explain_head_to_head(decided: &Decided<'_>) -> String {
    let [better, worse] = decided.names;
    let games = match decided.games {
        1 => "its only game".to_owned(),
        2 => "both games".to_owned(),
        games => format!("all {games} games"),
    };
    format!("{better} won {games} against {worse}")
}

const PLACEMENT: TieRule = TieRule {
    name: "placement",
    reads: Reads::Games,
    refused_for: |_| None,
    compare: |pair| pair.by(RankKey::Placement),
    explain: |decided| decided.by(RankKey::Placement),
};

const TIE_BREAK: TieRule = TieRule {
    name: "tie-break",
    reads: Reads::Games,
    refused_for: |game| RankKey::TieBreak.refused_for(game),
    compare: |pair| pair.by(RankKey::TieBreak),
    explain: |decided| decided.by(RankKey::TieBreak),
};

const TOKENS: TieRule = TieRule {
    name: "tokens",
    reads: Reads::Sources,
    refused_for: |_| None,
    compare: compare_tokens,
    explain: explain_tokens,
};

fn compare_tokens(pair: &Pair<'_>) -> Ordering {
    match pair.tokens {
        [Some(first), Some(second)] => first.cmp(&second),
        // An entrant without a count cannot be compared.
        _ => Ordering::Equal,
    }
}

fn explain_tokens(decided: &Decided<'_>) -> String {
    let [better, worse] = decided.names;
    let [fewer, more] = decided
        .tokens
        .map(|tokens| count(tokens.unwrap_or_default()));
    format!("{better} has fewer tokens: {fewer}, against {more} of {worse}")
}

const FAULTS: TieRule = TieRule {
    name: "faults",
    reads: Reads::Games,
    refused_for: |_| None,
    compare: |pair| pair.totals[0].faults.cmp(&pair.totals[1].faults),
    explain: explain_faults,
};

fn explain_faults(decided: &Decided<'_>) -> String {
    let [better, worse] = decided.names;
    let [fewer, more] = decided.totals.map(|total| count(total.faults));
    format!("{better} has fewer faults: {fewer}, against {more} of {worse}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn every_tie_rule_has_distinct_serialisable_name() {
        for (number, name) in NAMES.into_iter().enumerate() {
            assert!(!NAMES[..number].contains(&name), "{name} is there twice");
            let quoted = format!("{name:?}");
            let tie: Tie = serde_json::from_str(&quoted).expect("known");
            assert_eq!(serde_json::to_string(&tie).expect("plain data"), quoted);
        }
        let unknown = serde_json::from_str::<Tie>("\"age\"").expect_err("no rule");
        let reported = unknown.to_string();
        assert!(
            reported.starts_with("unknown variant `age`, expected one of `wins`, `head-to-head`")
        );
    }
}
