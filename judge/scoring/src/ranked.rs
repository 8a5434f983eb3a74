//! Who is in the table.

use words::points::Points;

/// Who is in the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranked {
    /// The entrant's name.
    pub name: String,
    /// The number of lexer tokens of its source, where one was counted.
    pub tokens: Option<u64>,
    /// What it plays with was submitted after somebody had been shown what is drawn.
    pub knew_draw: bool,
    /// What being late takes off its grade, or its prize where there are no grades.
    pub penalty: Option<Points>,
    /// It has a row beside the table and no rank.
    pub beside: bool,
}

impl Ranked {
    /// Names somebody without a count of tokens.
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
