//! A move as it stands on the wire: the number of a column.

use serde::{Deserialize, Serialize};

/// A column, counted from 0 at the left; on the wire a number.
///
/// A number that is no column can be read, so that [`crate::Game::check`] can say what is wrong with
/// it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Move(pub i64);
