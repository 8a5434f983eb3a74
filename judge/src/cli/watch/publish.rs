//! What others get to see while a run goes on: the public view and the students' view, written
//! into folders that a web server may serve.

#![expect(dead_code, reason = "the watch is being written")]

use crate::cli::prepare::Prepared;
use clap::Args;
use error::JudgeError;
use jiff::Timestamp;
use std::path::{Path, PathBuf};

/// Where others get to see what.
#[derive(Args, Clone, Default)]
pub(in crate::cli) struct Publisher {
    /// With --watch: keep the public view of the results in this folder
    #[arg(long, value_name = "DIR", requires = "watch")]
    publish: Option<PathBuf>,
    /// With --watch: keep each student's own view in this folder, which must not be public
    #[arg(long, value_name = "DIR", requires = "watch")]
    publish_students: Option<PathBuf>,
}

/// Of which moment a run is shown.
#[derive(Clone, Copy, Debug)]
pub(in crate::cli) struct Moment {
    /// The time.
    pub(in crate::cli) now: Timestamp,
    /// Nothing of what has happened since the freeze may be shown.
    pub(in crate::cli) frozen: bool,
}

impl Publisher {
    /// Checks, before anything is made, that the folders can serve.
    ///
    /// # Errors
    /// When one of them cannot: they are the same, or one lies in the other, in the run's folder or
    /// among the submissions, or holds something else.
    #[expect(
        clippy::unused_self,
        clippy::unnecessary_wraps,
        reason = "the publisher is being written"
    )]
    pub(in crate::cli) fn check(
        &self,
        _run: &Path,
        _submissions: &[PathBuf],
    ) -> Result<(), JudgeError> {
        Ok(())
    }

    /// Notes in the journal what there is to see now, if that has changed, and shows it.
    ///
    /// # Errors
    /// When the journal or a folder cannot be written.
    #[expect(
        clippy::unused_self,
        clippy::unnecessary_wraps,
        reason = "the publisher is being written"
    )]
    pub(in crate::cli) fn show(
        &mut self,
        _prepared: &mut Prepared,
        _moment: Moment,
    ) -> Result<(), JudgeError> {
        Ok(())
    }
}
