//! Whether the rules fail so often that the game is to blame; which programs never moved here.

use model::fault::{Cause, Fault, Phase};
use model::fixture::Fixture;
use model::numbers::counted;
use model::record::MatchRecord;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

pub(super) const RULES_MATCHES_MIN: usize = 20;

/// A run stops only if the rules fail in more than one of so many matches.
const RULES_MATCHES_SHARE: usize = 3;

/// Number of entrants who together cannot stop a run.
const COLLUDERS: usize = 2;

pub(super) type Matches<'a> = BTreeSet<Vec<&'a str>>;

/// The entrants with the most failures may have made them, so it must be so without them too.
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

#[derive(Default)]
pub(super) struct FailedBeforeMove {
    moved: HashSet<Arc<str>>,
    ends: BTreeMap<Arc<str>, String>,
}

impl FailedBeforeMove {
    /// The machine may lack something that such a program needs.
    pub(super) fn is_unmoved(&mut self, fixture: &Fixture, record: &MatchRecord) -> bool {
        let moved = record
            .turns
            .iter()
            .filter(|turn| turn.mv.is_some())
            .map(|turn| Arc::clone(&fixture.seats[turn.seat.index()].artifact));
        self.moved.extend(moved);
        let lacking = record.faults.iter().find(|fault| {
            let artifact = &fixture.seats[fault.seat.index()].artifact;
            let seat = record.seats.get(fault.seat.index());
            let is_started = !seat.is_some_and(|seat| seat.not_started);
            is_started && may_lack(fault) && !self.moved.contains(artifact)
        });
        if let Some(fault) = lacking {
            let entrant = Arc::clone(&fixture.seats[fault.seat.index()].entrant);
            self.ends
                .entry(entrant)
                .or_insert_with(|| fault.detail.clone());
        }
        lacking.is_some()
    }

    pub(super) fn words(&self) -> Option<String> {
        let (entrant, fault) = self.ends.first_key_value()?;
        let others = match self.ends.len() - 1 {
            0 => String::new(),
            others => format!(" (and so did those of {})", counted(others as u64, "other")),
        };
        Some(format!(
            "the program of {entrant} failed on this machine before its first move{others}: {fault}. The machine may \
             lack something that it needs; merge the games played so far, and judge run plays the rest where the \
             programs were built"
        ))
    }
}

/// It may lack a library, a module, an instruction.
fn may_lack(fault: &Fault) -> bool {
    fault.phase != Phase::Turn
        || fault.exit.is_some()
        || fault.raised.is_some()
        || matches!(fault.cause, Cause::Silence | Cause::Idle | Cause::Closed)
}

#[cfg(test)]
mod tests {
    use super::super::tests::game;
    use super::*;
    use engines::Seat;

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

    #[test]
    fn program_failing_before_first_move_is_not_blamed() {
        let mut state = FailedBeforeMove::default();
        let (fixture, mut record) = game(0, ["ann", "bob"]);
        record.faults[0].exit = Some(model::fault::Exit::Code(127));
        assert!(state.is_unmoved(&fixture, &record));
        let words = state.words().expect("one failed");
        assert!(
            words.starts_with("the program of ann failed on this machine before its first move")
        );
        // A fault that only a running program can make is its own.
        let mut illegal = record.clone();
        illegal.faults[0].exit = None;
        illegal.faults[0].cause = Cause::IllegalMove;
        assert!(!state.is_unmoved(&fixture, &illegal));
        // A program that has made a move is not excused either.
        let turns = r#"[[0,"here",1,1]]"#;
        record.turns = serde_json::from_str(turns).expect("turns");
        assert!(!state.is_unmoved(&fixture, &record));
        record.turns.clear();
        assert!(!state.is_unmoved(&fixture, &record));
        // The other one has not made a move.
        record.faults[0].seat = Seat::new(1);
        assert!(state.is_unmoved(&fixture, &record));
    }
}
