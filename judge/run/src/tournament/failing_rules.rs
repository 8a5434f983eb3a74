//! Whether the rules of a game fail so often that the game is to blame, and not who plays it.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Minimum number of matches with a game whose rules fail for a run to stop.
pub(super) const RULES_MATCHES_MIN: usize = 20;

/// A run stops only if the rules fail in more than one of so many matches.
const RULES_MATCHES_SHARE: usize = 3;

/// Number of entrants who together cannot stop a run.
const COLLUDERS: usize = 2;

/// Matches, each with the names of its entrants.
pub(super) type Matches<'a> = BTreeSet<Vec<&'a str>>;

/// Returns whether the rules fail in so many of the matches played that the game is to blame. The
/// entrants with the most failures may have made them, so it must be so without them too.
pub(super) fn is_game_to_blame(failed: &Matches<'_>, played: &Matches<'_>) -> bool {
    let are_many = |without: &[&str]| {
        let count = |matches: &Matches<'_>| {
            matches
                .iter()
                .filter(|names| without.iter().all(|name| !names.contains(name)))
                .count()
        };
        let failed = count(failed);
        failed >= RULES_MATCHES_MIN && failed * RULES_MATCHES_SHARE > count(played)
    };
    let mut failures: BTreeMap<&str, usize> = BTreeMap::new();
    for name in failed.iter().flatten() {
        *failures.entry(name).or_default() += 1;
    }
    let mut worst: Vec<&str> = failures.keys().copied().collect();
    worst.sort_by_key(|name| Reverse(failures[name]));
    worst.truncate(COLLUDERS);
    are_many(&[]) && are_many(&worst)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_that_fail_everywhere_stop_a_run() {
        let names: Vec<String> = (0..10).map(|number| format!("bot{number}")).collect();
        let pairs = |is_there: &dyn Fn(usize, usize) -> bool| -> Matches<'_> {
            let all = (0..10).flat_map(|one| (0..one).map(move |other| (one, other)));
            let there = all.filter(|&(one, other)| is_there(one, other));
            there
                .map(|(one, other)| vec![&*names[one], &*names[other]])
                .collect()
        };
        let all = pairs(&|_, _| true);
        for (failed, stops) in [
            (pairs(&|_, _| true), true),
            // Two colluders, in 17 matches, and a third one.
            (pairs(&|_, other| other < 2), false),
            (pairs(&|_, other| other < 3), false),
            // 21 without two of these seven, and 10.
            (pairs(&|one, _| one < 9), true),
            (pairs(&|one, _| one < 7), false),
        ] {
            assert_eq!(is_game_to_blame(&failed, &all), stops, "{failed:?}");
        }
        let many: Vec<String> = (0..70).map(|number| format!("other{number}")).collect();
        let more = many.iter().map(|name| vec!["bot0", name.as_str()]);
        let more = more.chain(all.iter().cloned()).collect();
        let failed = pairs(&|one, _| one < 9);
        assert!(!is_game_to_blame(&failed, &more), "36 of 115");
    }
}
