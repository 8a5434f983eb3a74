//! What the authors of a course's submissions are told when something is wrong.

/// Advice in the words of one course's interface. It says nothing of the protocol, which the
/// kit speaks for its authors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Advice {
    /// What a turn must give.
    pub answer: &'static str,
    /// How a submission learns what time is left.
    pub time: &'static str,
    /// What to draw random numbers from, so that games can be repeated.
    pub chance: &'static str,
}
