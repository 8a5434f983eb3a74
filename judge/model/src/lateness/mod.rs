//! The receipt of a submission, whether it was too late, and the consequence.
//!
//! - **Receipt.** [`ReceiptRecord`] is evidence from others than the judge's own clock: the
//!   platform's record, its name for a file, or staff.
//! - **Deadline.** [`Deadlines`] has the deadline of all, and the roster's extensions. From it and
//!   a record it makes a [`Timing`].
//! - **Consequence.** [`Lateness`]: nothing, points off, or no result, by the competition's
//!   [`LateStep`]s and [`TooLate`]. `scoring` takes the points off a grade or a prize.
//!
//! All other code asks a [`Timing`], and decides nothing.

mod deadlines;
mod receipt_record;
mod rules;
mod timing;

pub use deadlines::{Deadlines, with_late_hours};
pub use receipt_record::ReceiptRecord;
pub use rules::{LateStep, TooLate};
pub use timing::{Lateness, ReceivedBy, Timing};
