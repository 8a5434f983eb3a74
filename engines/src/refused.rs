//! Refusals in words: of a move, and of a configuration or setup.

use alloc::string::String;
use core::fmt;

/// The rule that a move breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleBroken {
    /// A fixed name for the rule, such as `blocked-cell`.
    pub rule: &'static str,
    /// The fault in words, such as `the cat cannot move to (1,0): the cell is blocked`.
    pub message: String,
}

impl RuleBroken {
    /// Makes an error from the rule's name and a message that says how the move breaks it.
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
    /// Makes a refusal with its reason.
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
