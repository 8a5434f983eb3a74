//! The order in which entrants have claimed their public names, kept with the run. A public name
//! stays with the entrant who claimed it first.

use super::kept;
use rulebook::JudgeError;
use std::collections::{HashMap, HashSet};
use std::path::Path;
use system::files::write_unless_read_only;

/// The file's name in the staff's folder of a run.
pub const FILE_NAME: &str = "name-claims.csv";

/// Entrants with the names that they claim, in the order of the claims. Entrants who have left stay
/// on the list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct NameClaims {
    in_order: Vec<(String, String)>,
}

impl NameClaims {
    pub(super) fn read(staff: &Path) -> Result<Self, JudgeError> {
        let remedy = "fix it, or remove it to give names in alphabetical order";
        let in_order = kept::read(&staff.join(FILE_NAME), remedy)?;
        Ok(Self { in_order })
    }

    pub(super) fn write(&self, staff: &Path) -> Result<(), JudgeError> {
        let rows = self.in_order.iter().map(|(entrant, name)| (entrant, name));
        let text = kept::text(["entrant", "asks_for"], rows);
        // In a read-only archive no entrant is new.
        write_unless_read_only(&staff.join(FILE_NAME), &text)
    }

    /// Updates the claims. An entrant who is new, or claims another name than before, moves to the
    /// end.
    pub(super) fn renew(&mut self, wishes: &[(&str, String)]) {
        let now: HashMap<&str, &String> = wishes.iter().map(|(who, name)| (*who, name)).collect();
        self.in_order.retain(|(entrant, name)| {
            let wish = now.get(entrant.as_str());
            wish.is_none_or(|wish| wish.to_lowercase() == name.to_lowercase())
        });
        let known: HashSet<&str> = self
            .in_order
            .iter()
            .map(|(name, _)| name.as_str())
            .collect();
        let new: Vec<_> = wishes
            .iter()
            .filter(|(entrant, _)| !known.contains(entrant))
            .map(|(who, name)| ((*who).to_owned(), name.clone()))
            .collect();
        self.in_order.extend(new);
    }

    /// Lists all entrants with a claim, in the order of the claims.
    pub(super) fn entrants(&self) -> impl Iterator<Item = &str> {
        self.in_order.iter().map(|(entrant, _)| entrant.as_str())
    }
}
