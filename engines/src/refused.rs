//! What is not allowed, in words: a move, or what a game would begin with.

use alloc::string::String;
use core::fmt;

/// The rule that a move breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleBroken {
    /// A fixed name for the rule, as `blocked-cell`.
    pub rule: &'static str,
    /// The fault in words, as `the cat cannot move to (1,0): the cell is blocked`.
    pub message: String,
}

impl RuleBroken {
    /// Names the rule and says in words how the move breaks it.
    pub fn new(rule: &'static str, message: impl Into<String>) -> Self {
        Self {
            rule,
            message: message.into(),
        }
    }
}

impl fmt::Display for RuleBroken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl core::error::Error for RuleBroken {}

/// A configuration or setup that the rules do not allow, with the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused(pub String);

impl Refused {
    /// Says why.
    pub fn because(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl core::error::Error for Refused {}
