//! Programs that have never made a move on this machine, which may lack something that they need.

use model::fault::{Cause, Fault, Phase};
use model::fixture::Fixture;
use model::numbers::counted;
use model::record::MatchRecord;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

/// Who has moved here, and how those ended who have not.
#[derive(Default)]
pub(super) struct Unmoved {
    /// Programs that have made a move on this machine.
    moved: HashSet<Arc<str>>,
    /// How programs that have made no move ended, by entrant.
    ends: BTreeMap<Arc<str>, String>,
}

impl Unmoved {
    /// Returns whether a game failed because of a program that has never made a move on this
    /// machine. The machine may lack something that the program needs.
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

/// Returns whether a program may have failed because the machine lacks something: a library, a
/// module, an instruction.
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
    fn a_program_that_never_made_a_move_here_is_not_blamed_for_what_the_machine_may_lack() {
        let mut state = Unmoved::default();
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
