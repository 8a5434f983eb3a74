//! The tie rule `faults`: fewer faults.

use super::rule::{Decided, Reads, TieRule};
use crate::numbers::count;
use alloc::string::String;

pub(super) const RULE: TieRule = TieRule {
    name: "faults",
    reads: Reads::Games,
    refused_for: |_| None,
    compare: |pair| pair.totals[0].faults.cmp(&pair.totals[1].faults),
    explain,
};

fn explain(decided: &Decided<'_>) -> String {
    let [better, worse] = decided.names;
    let [fewer, more] = decided.totals.map(|total| count(total.faults));
    format!("{better} has fewer faults: {fewer}, against {more} of {worse}")
}
