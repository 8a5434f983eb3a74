//! Results of a verb, and the exit codes.

/// The judge or the machine failed.
pub(super) const EXIT_JUDGE: u8 = 1;
/// The command or its input is wrong.
pub(super) const EXIT_INPUT: u8 = 2;
/// A repeated game ended differently.
pub(super) const EXIT_DIFFERENT: u8 = 3;
/// A check found something wrong.
pub(super) const EXIT_WRONG: u8 = 4;
/// Verification found a difference from the journal.
pub(super) const EXIT_UNVERIFIED: u8 = 5;
/// The run was interrupted; the finished games are kept.
pub(super) const EXIT_INTERRUPTED: u8 = 130;
/// Result of a verb.
pub(super) enum Done {
    Success,
    Differently,
    /// A check found something wrong.
    Wrong,
    /// Verification found a difference from the journal.
    Unverified,
    Interrupted,
}
