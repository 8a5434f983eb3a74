//! What is wrong with a value of a competition, and where it stands.

use std::ops::Range;

/// What is wrong, and where in the text.
pub(super) type Wrong = (Range<usize>, String);
