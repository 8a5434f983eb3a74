//! Whom a roster does not know.

use words::builtin::is_builtin;
use words::entrant::{Entrant, Roster};
use words::text::listed;

/// Whom a roster does not know, and who behind others is in doubt.
#[derive(Debug, Default)]
pub struct Unclaimed {
    /// Entrants whom it does not know.
    pub names: Vec<String>,
    /// Doubts, each in words.
    pub doubts: Vec<String>,
}

impl Unclaimed {
    pub(crate) fn of(roster: &Roster, doubts: &[String], entrants: &[Entrant]) -> Self {
        let names = roster.unclaimed(entrants).into_iter();
        let names = names.filter(|name| !is_builtin(name));
        let doubts = doubts.iter().map(|doubt| format!("roster: {doubt}"));
        Self {
            names: names.map(str::to_owned).collect(),
            doubts: doubts.collect(),
        }
    }
}

/// Says which entrants a roster does not know; none where there are none.
pub fn not_on_roster(names: &[&str]) -> Option<String> {
    (!names.is_empty()).then(|| format!("not on the roster: {}", listed(names)))
}
