//! The rules for ties between entrants that the ranking leaves equal.

use crate::numbers::count;
use crate::tally::{RankKey, Tally};
use alloc::borrow::ToOwned;
use alloc::string::String;
use core::cmp::Ordering;
use core::fmt;
use engines::GameInfo;
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A rule that decides between two entrants that the ranking leaves equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tie {
    /// More games won.
    Wins,
    /// Every game won against the other; only in games for two.
    HeadToHead,
    /// The better place in a game, on average.
    Placement,
    /// More of the game's tie-break count.
    TieBreak,
    /// Fewer lexer tokens of the source, if both were counted. The counts are published only for it.
    Tokens,
    /// Fewer faults.
    Faults,
}

const ALL: [Tie; 6] = [
    Tie::Wins,
    Tie::HeadToHead,
    Tie::Placement,
    Tie::TieBreak,
    Tie::Tokens,
    Tie::Faults,
];

const NAMES: [&str; 6] = [
    "wins",
    "head-to-head",
    "placement",
    "tie-break",
    "tokens",
    "faults",
];

impl Tie {
    /// Returns the name that files use.
    pub fn name(self) -> &'static str {
        NAMES[self as usize]
    }

    /// Says why the rule can decide nothing in a game; none if it can.
    pub fn refused_for(self, game: &GameInfo) -> Option<String> {
        let title = game.title;
        match self {
            Self::HeadToHead => (game.roles.len() > 2)
                .then(|| format!("head-to-head is only for games for two; {title} is for more")),
            Self::TieBreak => RankKey::TieBreak.refused_for(game),
            Self::Wins | Self::Placement | Self::Tokens | Self::Faults => None,
        }
    }

    /// Compares two entrants. `Less` means that the first one is ahead.
    pub fn compare(self, pair: &Pair<'_>) -> Ordering {
        let [one, other] = pair.totals;
        match self {
            Self::Wins => one.compare(other, RankKey::Wins),
            Self::HeadToHead => {
                let [first, second] = (pair.won_all)();
                second.cmp(&first)
            }
            Self::Placement => one.compare(other, RankKey::Placement),
            Self::TieBreak => one.compare(other, RankKey::TieBreak),
            Self::Tokens => match pair.tokens {
                [Some(first), Some(second)] => first.cmp(&second),
                // An entrant without a count cannot be compared.
                _ => Ordering::Equal,
            },
            Self::Faults => one.faults.cmp(&other.faults),
        }
    }

    /// Says why the rule puts the first ahead: `ann has 2 wins more`.
    pub fn explain(self, decided: &Decided<'_>) -> String {
        let [better, worse] = decided.names;
        let [first, second] = decided.totals;
        let lead = |key| format!("{better} has {}", first.lead(second, key));
        let fewer = |what, numbers: [u64; 2]| {
            let [fewer, more] = numbers.map(count);
            format!("{better} has fewer {what}: {fewer}, against {more} of {worse}")
        };
        match self {
            Self::Wins => lead(RankKey::Wins),
            Self::HeadToHead => {
                let games = match decided.games {
                    1 => "its only game".to_owned(),
                    2 => "both games".to_owned(),
                    games => format!("all {games} games"),
                };
                format!("{better} won {games} against {worse}")
            }
            Self::Placement => lead(RankKey::Placement),
            Self::TieBreak => lead(RankKey::TieBreak),
            Self::Tokens => fewer("tokens", decided.tokens.map(Option::unwrap_or_default)),
            Self::Faults => fewer("faults", [first.faults, second.faults]),
        }
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
                let known = NAMES.iter().position(|own| *own == name);
                let known = known.map(|number| ALL[number]);
                known.ok_or_else(|| E::unknown_variant(name, &NAMES))
            }
        }

        deserializer.deserialize_str(Named)
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn every_tie_rule_has_distinct_serialisable_name() {
        for (number, name) in NAMES.into_iter().enumerate() {
            assert!(!NAMES[..number].contains(&name), "{name} is there twice");
            assert_eq!(ALL[number].name(), name);
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
