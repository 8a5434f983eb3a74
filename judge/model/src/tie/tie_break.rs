//! The tie rule `tie-break`: more of the game's tie-break count (captures).

use super::rule::{Reads, TieRule};
use crate::tally::RankKey;

pub(super) const RULE: TieRule = TieRule {
    name: "tie-break",
    reads: Reads::Games,
    refused_for: |game| RankKey::TieBreak.refused_for(game),
    compare: |pair| pair.by(RankKey::TieBreak),
    explain: |decided| decided.by(RankKey::TieBreak),
};
