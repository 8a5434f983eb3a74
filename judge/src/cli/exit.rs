//! How a verb ends, and the exit codes.

/// The judge or the machine failed.
pub(super) const EXIT_JUDGE: u8 = 1;
/// The command or its input is wrong.
pub(super) const EXIT_INPUT: u8 = 2;
/// A repeated game did not end as it had.
pub(super) const EXIT_DIFFERENT: u8 = 3;
/// What was checked is not in order.
pub(super) const EXIT_WRONG: u8 = 4;
/// What was verified differs from what its journal says.
pub(super) const EXIT_UNVERIFIED: u8 = 5;
/// The run was interrupted; what was played is kept.
pub(super) const EXIT_INTERRUPTED: u8 = 130;
/// How a verb ended.
pub(super) enum Done {
    Success,
    Differently,
    /// Something was found to be wrong with what was checked.
    Wrong,
    /// What was verified differs from what its journal says.
    Unverified,
    Interrupted,
}
