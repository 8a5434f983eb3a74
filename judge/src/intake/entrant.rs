//! A submission after intake: what was received, and whether it can play.

use super::{About, Broken, Replaced, Submission, VersionName};
use crate::artifact::Artifact;
use std::path::{Path, PathBuf};

/// A submission after intake.
#[derive(Clone, Debug)]
pub struct Entrant {
    /// The entrant's name.
    pub name: String,
    /// The kind of submission, as `cpp`; empty where that is not known.
    pub form: &'static str,
    /// What its author should know, but for the compiler's warnings.
    pub warnings: Vec<String>,
    /// Where the compiler's warnings are, below the run's folder; none if it gave none.
    pub compiler_warnings: Option<PathBuf>,
    /// Whether it can play.
    pub readiness: Readiness,
    /// What was received.
    pub receipt: Receipt,
}

/// What was received under one name, and which version of it plays.
#[derive(Clone, Debug, Default)]
pub struct Receipt {
    /// What the version that plays, or came last, says of itself.
    pub about: About,
    /// A file named [`super::ANONYMOUS`] lies in the submission's folder itself.
    pub anonymous: bool,
    /// Where that version came from.
    pub origin: String,
    /// That version; none where nothing could be kept.
    pub version: Option<VersionName>,
    /// Why the version that came last does not play, where an earlier one does.
    pub replaced: Option<Replaced>,
}

/// Whether a submission can play.
#[derive(Clone, Debug)]
pub enum Readiness {
    /// With this.
    Ready(Artifact),
    /// It cannot, for this reason.
    Broken(Broken),
}

impl Entrant {
    pub(super) fn new(
        submission: Submission,
        readiness: Readiness,
        version: Option<VersionName>,
    ) -> Self {
        let anonymous = submission.is_anonymous();
        Self {
            form: submission.form.as_ref().map_or("", |form| form.name()),
            name: submission.name,
            warnings: submission.warnings,
            compiler_warnings: None,
            readiness,
            receipt: Receipt {
                anonymous,
                about: submission.about,
                origin: submission.origin,
                version,
                replaced: None,
            },
        }
    }

    /// Returns what it plays with; none where it cannot.
    pub fn artifact(&self) -> Option<&Artifact> {
        match &self.readiness {
            Readiness::Ready(artifact) => Some(artifact),
            Readiness::Broken(_) => None,
        }
    }

    /// Lists all that its author should know; `run` is the run's folder as it is to be shown.
    pub fn notes(&self, run: &Path) -> Vec<String> {
        let compiler = self.compiler_warnings.iter();
        let compiler = compiler.map(|log| {
            let log = run.join(log);
            format!("built, but the compiler warned: see {}", log.display())
        });
        self.warnings.iter().cloned().chain(compiler).collect()
    }
}
