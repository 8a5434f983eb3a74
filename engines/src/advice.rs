//! Advice for the authors of a course's submissions when something is wrong.

/// Advice in the words of one course's interface. It does not mention the protocol, which the kit
/// speaks for its authors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Advice {
    /// The result that a turn must give.
    pub answer: &'static str,
    /// How a submission learns its remaining time.
    pub time: &'static str,
    /// The source to draw random numbers from, so that games can be repeated.
    pub chance: &'static str,
}
