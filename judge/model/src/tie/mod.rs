//! The rules for ties between entrants that the ranking leaves equal: one file for each rule, and
//! the list of all.

mod faults;
mod head_to_head;
mod placement;
mod rule;
mod tie_break;
mod tokens;
mod wins;

pub use rule::{Decided, Pair, Reads};

use self::rule::TieRule;
use alloc::string::String;
use core::cmp::Ordering;
use core::fmt;
use engines::GameInfo;
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Every rule, in the order in which messages list them.
const RULES: &[&TieRule] = &[
    &wins::RULE,
    &head_to_head::RULE,
    &placement::RULE,
    &tie_break::RULE,
    &tokens::RULE,
    &faults::RULE,
];

/// The names of all rules.
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

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn every_rule_has_a_name_of_its_own_that_files_can_use() {
        for (number, name) in NAMES.into_iter().enumerate() {
            assert!(!NAMES[..number].contains(&name), "{name} is there twice");
            let quoted = format!("{name:?}");
            let tie: Tie = serde_json::from_str(&quoted).expect("known");
            assert_eq!(serde_json::to_string(&tie).expect("plain data"), quoted);
        }
        let unknown = serde_json::from_str::<Tie>("\"age\"").expect_err("no rule");
        let told = unknown.to_string();
        assert!(told.starts_with("unknown variant `age`, expected one of `wins`, `head-to-head`"));
    }
}
