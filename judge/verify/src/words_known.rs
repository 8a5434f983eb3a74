//! Whose words a record has.

/// Whose words a record has: what programs wrote and how they ended. In what is published those of
/// others are blank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordsKnown<'a> {
    /// Everybody's, as in the journal of a run.
    All,
    /// The `detail`, `raised`, `line` and `exit` of the faults of this entrant.
    Of(&'a str),
    /// Nobody's.
    Nobodys,
}

impl WordsKnown<'_> {
    /// Returns whether the words of this entrant's faults are blank.
    pub(super) fn are_blank_of(self, entrant: &str) -> bool {
        match self {
            Self::All => false,
            Self::Of(known) => known != entrant,
            Self::Nobodys => true,
        }
    }
}
