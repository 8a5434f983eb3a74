//! A count that shows spectators who is ahead.
//!
//! It decides nothing: no rule, result or bot uses it. A replay draws it.

use serde::{Deserialize, Serialize};

/// The count of a game for spectators; see [`crate::Game::measure`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Measure {
    /// The noun for the count, such as `discs on the board`.
    pub counts: &'static str,
    /// Which of two counts is better.
    pub better: Better,
}

/// Which of two counts is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Better {
    /// The seat with more is ahead.
    More,
    /// The seat with less is ahead.
    Less,
}
