//! The tie rule `tokens`: fewer lexer tokens in the source.

use super::rule::{Decided, Pair, Reads, TieRule};
use crate::numbers::count;
use alloc::string::String;
use core::cmp::Ordering;

pub(super) const RULE: TieRule = TieRule {
    name: "tokens",
    reads: Reads::Sources,
    refused_for: |_| None,
    compare,
    explain,
};

fn compare(pair: &Pair<'_>) -> Ordering {
    match pair.tokens {
        [Some(first), Some(second)] => first.cmp(&second),
        // An entrant without a count cannot be compared.
        _ => Ordering::Equal,
    }
}

fn explain(decided: &Decided<'_>) -> String {
    let [better, worse] = decided.names;
    let [fewer, more] = decided
        .tokens
        .map(|tokens| count(tokens.unwrap_or_default()));
    format!("{better} has fewer tokens: {fewer}, against {more} of {worse}")
}
