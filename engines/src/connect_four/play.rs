//! A move in the form of the protocol: the number of a column.

use serde::{Deserialize, Serialize};

/// A column, counted from 0 at the left; a number in JSON.
///
/// Numbers that are no column can be read too, so that [`crate::Game::check`] can explain the
/// fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Move(pub i64);
