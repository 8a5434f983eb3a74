//! When a submission was received, whether that was too late, and what follows.
//!
//! - **Received when.** [`ReceiptRecord`] is what others than the judge's own clock say: the
//!   platform's record, its name for a file, or staff.
//! - **The deadline of whom.** [`Deadlines`] has the deadline of all, and the roster's extensions.
//!   From it and a record it makes a [`Timing`].
//! - **Late by how much, and what follows.** [`Lateness`]: nothing, points off, or no result, by the
//!   competition's [`LateStep`]s and [`TooLate`]. `scoring` takes the points off a grade or a prize.
//!
//! All others ask a [`Timing`], and decide nothing.

mod deadlines;
mod receipt_record;
mod rules;
mod timing;

pub use deadlines::Deadlines;
pub use receipt_record::ReceiptRecord;
pub use rules::{LateStep, TooLate};
pub use timing::{Lateness, ReceivedBy, Timing};
