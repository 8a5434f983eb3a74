//! Who submitted what, as a list says.

use error::JudgeError;
use intake::Submission;
use intake::roster::{self, ReadRoster};
use jiff::Timestamp;
use jiff::tz::Offset;
use std::path::Path;
use std::time::SystemTime;

/// Reads who submitted what from a list. Extensions before the deadline, if one is given, are
/// refused, and times of a platform are read at the offset `zone`.
///
/// # Errors
/// When the list cannot be read, or is wrong.
pub(crate) fn read_roster(
    path: &Path,
    (deadline, zone): (Option<Timestamp>, Option<Offset>),
    submissions: &[Submission],
    now: SystemTime,
) -> Result<ReadRoster, JudgeError> {
    let mut read = roster::read_as_far_as_it_goes(path, deadline, zone)?;
    let now = Timestamp::try_from(now).unwrap_or(Timestamp::MAX);
    roster::leave_out_future(&mut read.roster, now);
    let names = submissions.iter();
    let names = names.map(|one| (one.name.as_str(), one.mark.is_some()));
    roster::find_entrants(&mut read.roster, names);
    Ok(read)
}
