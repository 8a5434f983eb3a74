//! Problems with the values of a competition file.

use std::ops::Range;

/// The place of a problem in the text, as a byte range, and its description.
pub(super) type Wrong = (Range<usize>, String);
