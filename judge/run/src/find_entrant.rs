//! Search for an entrant of a run by a typed name.

use crate::commands::shown;
use crate::past_run::PastRun;
use rulebook::JudgeError;
use rulebook::nearest::osa_distance;

impl PastRun {
    /// Finds an entrant of a run.
    ///
    /// # Errors
    /// When there is none of this name; the message lists similar names.
    pub fn find_entrant(&self, typed: &str) -> Result<&str, JudgeError> {
        let names: Vec<&str> = self
            .manifest
            .entrants
            .iter()
            .map(|line| line.name.as_str())
            .collect();
        if let Some(name) = names.iter().find(|name| **name == typed) {
            return Ok(name);
        }
        let (label, suggested) = suggest(typed, &names);
        Err(JudgeError::input(format!(
            "no entrant {typed:?} in {}; {label}: {}",
            shown(&self.folder),
            suggested.join(", ")
        )))
    }
}

/// Maximum number of suggested names.
const SUGGESTED_MAX: usize = 10;

/// Returns the names that are similar to a typed one, or else some of all.
fn suggest<'a>(typed: &str, names: &[&'a str]) -> (&'static str, Vec<&'a str>) {
    let typed = typed.to_lowercase();
    let mut close: Vec<(usize, &str)> = names
        .iter()
        .map(|name| (osa_distance(&typed, &name.to_lowercase()), *name))
        .filter(|(distance, name)| {
            let whole = !typed.is_empty() && name.to_lowercase().contains(&typed);
            *distance <= 1 + typed.chars().count() / 4 || whole
        })
        .collect();
    close.sort_unstable();
    if close.is_empty() {
        let some = names.iter().take(SUGGESTED_MAX).copied().collect();
        return (
            "entrants (standings.csv and submissions.csv list all)",
            some,
        );
    }
    let names = close.into_iter().take(SUGGESTED_MAX);
    ("did you mean", names.map(|(_, name)| name).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn close_names_are_suggested_and_else_all() {
        let names = ["alice", "bob", "builtin:random"];
        assert_eq!(suggest("alcie", &names).1, ["alice"]);
        assert_eq!(suggest("BOB", &names), ("did you mean", vec!["bob"]));
        assert_eq!(suggest("random", &names).1, ["builtin:random"]);
        assert_eq!(suggest("zzzzzz", &names).1, names);
    }
}
