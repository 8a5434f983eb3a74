//! Entries among submissions that are none.

use std::fmt;

/// An entry among submissions that is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ignored {
    /// One entry.
    Entry {
        /// Its name, or the place of a line in a list.
        name: String,
        /// Why it is no submission.
        reason: String,
    },
    /// Several entries, in words.
    Several(String),
}

impl Ignored {
    /// Returns an ignored entry, by its name or the place of its line.
    pub fn entry(name: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::Entry {
            name: name.into(),
            reason: reason.into(),
        }
    }

    /// Returns whether it is the entry of this name.
    pub fn is(&self, entry: &str) -> bool {
        matches!(self, Self::Entry { name, .. } if name == entry)
    }

    /// Lists all in one line.
    pub fn listed(all: &[Self]) -> String {
        let all: Vec<String> = all.iter().map(Self::to_string).collect();
        all.join(", ")
    }
}

impl fmt::Display for Ignored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Entry { name, reason } => write!(f, "{name} ({reason})"),
            Self::Several(words) => f.write_str(words),
        }
    }
}
