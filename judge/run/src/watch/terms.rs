//! The competition of a watch, which is read again at each look.

use crate::RunSpec;
use intake::Submission;
use model::hash::hash;
use rulebook::JudgeError;
use rulebook::Loaded;
use std::collections::BTreeSet;

/// The competition of a watch.
#[derive(Clone, Debug)]
pub(super) struct Terms {
    /// The competition, with the changes of the command.
    pub(super) loaded: Loaded,
    /// The competition as in its file; `None` if there is no file.
    pub(super) file: Option<Loaded>,
}

impl Terms {
    /// Takes the competition's file, if there is one. `submissions` show the game if nothing else
    /// does.
    ///
    /// # Errors
    /// When a change is not allowed, or the game is unknown.
    pub(super) fn of(
        spec: &RunSpec,
        file: Option<Loaded>,
        submissions: &[Submission],
    ) -> Result<Self, JudgeError> {
        let loaded = spec.change(file.clone(), submissions)?;
        Ok(Self { loaded, file })
    }

    /// Returns whether the competition comes from a file.
    pub(super) const fn are_of_file(&self) -> bool {
        self.file.is_some()
    }

    /// Lists the keys of the file that differ. Returns `None` if there is no file, or no
    /// difference.
    pub(super) fn edited(&self, before: &Self) -> Option<String> {
        let (now, before) = (self.file.as_ref()?, before.file.as_ref()?);
        let all: BTreeSet<&String> = now.keys.keys().chain(before.keys.keys()).collect();
        let differs = |key: &&String| now.keys.get(*key) != before.keys.get(*key);
        let keys: Vec<&str> = all
            .into_iter()
            .filter(differs)
            .map(String::as_str)
            .collect();
        (!keys.is_empty()).then(|| keys.join(", "))
    }

    /// Reads the competition again. A game that only the submissions showed stays.
    ///
    /// # Errors
    /// When it is wrong, or its file is gone.
    pub(super) fn read_again(&self, spec: &RunSpec) -> Result<Self, JudgeError> {
        let file = spec.read_competition()?;
        if file.is_none() && self.file.is_some() {
            return Err(JudgeError::input(
                "the competition's file is missing; put it back, or end the watch",
            ));
        }
        if file.is_none() && !spec.names_game() {
            return Ok(self.clone());
        }
        Self::of(spec, file, &[])
    }

    /// Returns a text that changes with the competition.
    pub(super) fn digest(&self) -> String {
        let competition = serde_json::to_vec(&self.loaded.competition).expect("plain data");
        let keys = serde_json::to_vec(&self.loaded.keys).expect("plain data");
        hash(&[&competition, &keys])
    }
}
