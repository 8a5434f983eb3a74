//! Views of a run for different readers: the public, each student, the staff.

mod folder;
mod gate;
mod latest;
mod mark;
mod masked;
mod own_words;
mod page;
mod played;
mod public;
mod published;
mod staff;
mod student;

pub use folder::{SUMS_NAME, check_view_place};
pub use gate::Gate;
pub use latest::{LATEST_NAME, Latest, LatestSubmission};
pub use mark::{MARK_NAME, public_fingerprint, read_mark};
pub use played::{Extent, PlayedRun, View};
pub use published::{PublishedGames, last_moment_again, rewrite_public_view};
pub use student::rewrite_own_tables;

use crate::moments::is_frozen;
use rulebook::JudgeError;
use std::path::{Path, PathBuf};

/// The message for a frozen run.
const FROZEN: &str = "the results are frozen since the time that freeze in [watch] names, and only staff may see \
                      later games; publish the secret first, with judge reveal RUN";

/// Writes a view of a run into a folder of its own; returns the paths of the files. The folder is
/// moved to its place after a call of `before`.
///
/// The place is `out`; errors name it by `flag`. `beside` are more files for staff: names below the
/// folder, and their content.
///
/// # Errors
/// When the folder has other content, or cannot be written, or the run cannot be read.
pub fn write_view(
    run: &PlayedRun<'_>,
    view: View,
    extent: Extent<'_>,
    (out, flag): (&Path, &str),
    beside: &[(PathBuf, Vec<u8>)],
    before: &mut dyn FnMut() -> Result<(), JudgeError>,
) -> Result<Vec<PathBuf>, JudgeError> {
    if view != View::Staff && is_frozen(&run.manifest.draw, run.games) {
        return Err(JudgeError::input(FROZEN));
    }
    let fingerprint = public_fingerprint(&run.manifest.keys);
    let mut folder = folder::ViewFolder::begin((view, &fingerprint), (out, flag), extent.stop)?;
    fill(&mut folder, run, view, extent, beside).map_err(|error| folder.named(error, flag))?;
    before()?;
    folder.publish()
}

fn fill(
    folder: &mut folder::ViewFolder<'_>,
    run: &PlayedRun<'_>,
    view: View,
    extent: Extent<'_>,
    beside: &[(PathBuf, Vec<u8>)],
) -> Result<(), JudgeError> {
    let names = run.public_names()?;
    match view {
        View::Public => public::write(run, &names, extent, folder),
        View::Student => student::write(run, &names, extent, folder),
        View::Staff => {
            staff::write(run, &names, extent, folder)?;
            beside
                .iter()
                .try_for_each(|(name, content)| folder.file(name, content))
        }
    }
}
