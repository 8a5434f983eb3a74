//! The entrants of the table.

use model::points::Points;

/// An entrant of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranked {
    /// The entrant's name.
    pub name: String,
    /// The number of lexer tokens of its source, if counted.
    pub tokens: Option<u64>,
    /// Whether its version was submitted after somebody had been shown the draw.
    pub knew_draw: bool,
    /// Penalty for lateness; it is taken off the grade, or off the prize where there are no grades.
    pub penalty: Option<Points>,
    /// Whether it has a row beside the table, without a rank.
    pub beside: bool,
}

impl Ranked {
    /// Creates an entrant without a token count.
    pub fn of(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            tokens: None,
            knew_draw: false,
            penalty: None,
            beside: false,
        }
    }
}
