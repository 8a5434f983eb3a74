//! The folder in which the user's own version of a bot is built and runs.

use super::super::EXIT_INTERRUPTED;
use crate::artifact::Artifact;
use crate::error::JudgeError;
use crate::fixture::Conditions;
use crate::intake::{self, Readiness, Site};
use crate::sandbox::Isolation;
use engines::Entry;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::low_level::pipe;
use std::fs::Permissions;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;
use tempfile::TempDir;

/// A folder that goes when the command ends, also when it is interrupted.
pub(super) struct Workshop {
    folder: TempDir,
    interrupted: Arc<AtomicBool>,
}

impl Workshop {
    /// Makes the folder, and has it removed and the program ended at an interrupt; its bots end
    /// with it.
    ///
    /// # Errors
    /// When that is not possible.
    pub(super) fn open() -> Result<Self, JudgeError> {
        let unwritable = |e| JudgeError::io("make a folder in", std::env::temp_dir(), e);
        let folder = tempfile::Builder::new()
            .prefix("judge-repro-")
            // Programs may run as another user.
            .permissions(Permissions::from_mode(0o755))
            .tempdir()
            .map_err(unwritable)?;
        let failed = |e| JudgeError::io("listen for", "interrupts", e);
        let (mut heard, signalled) = UnixStream::pair().map_err(failed)?;
        for signal in [SIGINT, SIGTERM] {
            let signalled = signalled.try_clone().map_err(failed)?;
            pipe::register(signal, signalled).map_err(failed)?;
        }
        let path = folder.path().to_owned();
        let interrupted = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&interrupted);
        std::thread::spawn(move || {
            if heard.read_exact(&mut [0]).is_ok() {
                flag.store(true, Ordering::SeqCst);
                // What cannot be removed stays; there is nobody to tell.
                let _ = std::fs::remove_dir_all(path);
                std::process::exit(EXIT_INTERRUPTED.into());
            }
        });
        Ok(Self {
            folder,
            interrupted,
        })
    }

    /// Waits for the end of the program if it has been interrupted.
    pub(super) fn await_interrupt(&self) {
        while self.interrupted.load(Ordering::SeqCst) {
            std::thread::park();
        }
    }

    /// Builds the submission at `path`.
    ///
    /// # Errors
    /// When it cannot play; the message has what the compiler said.
    pub(super) fn build(
        &self,
        path: &Path,
        game: &'static Entry,
        conditions: &Conditions,
        isolation: &Isolation,
    ) -> Result<Artifact, JudgeError> {
        let mut submission = intake::collect_one(path)?;
        submission.admit(game);
        let site = Site {
            run: self.folder.path(),
            game,
            conditions,
            jobs: 1,
            isolation,
            received: SystemTime::now(),
            stop: &self.interrupted,
        };
        let entrants = intake::prepare(vec![submission], site)?;
        let entrant = entrants.into_iter().next().expect("one was handed in");
        for warning in &entrant.warnings {
            say!("{}: note: {warning}", path.display());
        }
        match entrant.readiness {
            Readiness::Ready(artifact) => Ok(artifact),
            Readiness::Broken { reason, log } => {
                let output = log.and_then(|log| std::fs::read_to_string(log).ok());
                let output =
                    output.map_or_else(String::new, |text| format!("\n{}", text.trim_end()));
                Err(JudgeError::input(format!(
                    "{} cannot play: {reason}{output}",
                    path.display()
                )))
            }
        }
    }
}
