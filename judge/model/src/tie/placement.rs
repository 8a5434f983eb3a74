//! The tie rule `placement`: the better place in a game, on average.

use super::rule::{Reads, TieRule};
use crate::tally::RankKey;

pub(super) const RULE: TieRule = TieRule {
    name: "placement",
    reads: Reads::Games,
    refused_for: |_| None,
    compare: |pair| pair.by(RankKey::Placement),
    explain: |decided| decided.by(RankKey::Placement),
};
