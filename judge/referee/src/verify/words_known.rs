//! The entrants whose words a record includes.

/// The entrants whose words a record includes. Words are programs' output and the way they ended.
/// Published records blank the words of other entrants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordsKnown<'a> {
    /// All entrants, as in the journal of a run.
    All,
    /// Only this entrant: the `detail`, `raised`, `line` and `exit` of its faults.
    Of(&'a str),
    /// No entrant.
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
