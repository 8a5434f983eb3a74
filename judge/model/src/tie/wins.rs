//! The tie rule `wins`: more games won.

use super::rule::{Reads, TieRule};
use crate::tally::RankKey;

pub(super) const RULE: TieRule = TieRule {
    name: "wins",
    reads: Reads::Games,
    refused_for: |_| None,
    compare: |pair| pair.by(RankKey::Wins),
    explain: |decided| decided.by(RankKey::Wins),
};
