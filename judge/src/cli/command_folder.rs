//! A temporary folder in which a command builds and runs the user's submissions for one game.

#![expect(
    clippy::disallowed_methods,
    reason = "only the judge writes into a folder of its own"
)]

use super::exit::{EXIT_INTERRUPTED, hear};
use crate::terminal;
use intake::{self, BuildContext, ProgramCache, Toolchains};
use model::artifact::Artifact;
use model::competition::Competition;
use rulebook::JudgeError;
use rulebook::rules::Rules;
use run::THIS_PROGRAM;
use sandbox::{Builder, Isolation};
use std::fs::Permissions;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;
use system::cleanup::{self, TemporaryFolder};
use system::files::make_folder;

/// On an interrupt: sets the flag that it returns, calls `last`, removes what would be left over, and
/// ends the program and its bots.
pub(super) fn on_interrupt(
    last: impl FnOnce() + Send + 'static,
) -> Result<Arc<AtomicBool>, JudgeError> {
    let interrupted = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&interrupted);
    let mut heard = hear()?;
    std::thread::spawn(move || {
        if heard.read_exact(&mut [0]).is_ok() {
            flag.store(true, Ordering::SeqCst);
            last();
            cleanup::sweep();
            std::process::exit(EXIT_INTERRUPTED.into());
        }
    });
    Ok(interrupted)
}

/// Waits for the end of the program, if it was interrupted: a result is then useless.
pub(super) fn await_end(interrupted: &AtomicBool) {
    while interrupted.load(Ordering::SeqCst) {
        std::thread::park();
    }
}

/// A folder that is removed when the command ends, even by an interrupt.
pub(super) struct CommandFolder {
    folder: TemporaryFolder,
    interrupted: Arc<AtomicBool>,
    cache: Option<ProgramCache>,
}

impl CommandFolder {
    /// An interrupt removes the folder, restores the terminal, and ends the program and its bots.
    pub(super) fn open(verb: &str) -> Result<Self, JudgeError> {
        // Programs may run as another user.
        let open = Permissions::from_mode(0o755);
        let folder = TemporaryFolder::new(verb, open)
            .map_err(|e| JudgeError::io("make a folder in", std::env::temp_dir(), e))?;
        Ok(Self {
            folder,
            interrupted: on_interrupt(terminal::restore)?,
            cache: ProgramCache::of_user(),
        })
    }

    pub(super) fn await_interrupt(&self) {
        await_end(&self.interrupted);
    }

    /// Makes a folder for a seat, which keeps the versions of two authors apart.
    pub(super) fn seat_dir(&self, seat: usize) -> Result<PathBuf, JudgeError> {
        let folder = self.folder.path().join(seat.to_string());
        make_folder(&folder)?;
        Ok(folder)
    }

    pub(super) fn build(
        &self,
        path: &Path,
        seat: usize,
        game: &Arc<dyn Rules>,
        competition: &Competition,
        isolation: &Isolation,
        toolchains: &Toolchains,
    ) -> Result<Artifact, JudgeError> {
        let mut submission = intake::open_one(path, Some(game), &self.interrupted)?;
        submission.admit(&**game);
        let folder = self.seat_dir(seat)?;
        let context = BuildContext {
            run: &folder,
            game: &**game,
            conditions: &competition.conditions,
            jobs: 1,
            builds: competition.builds,
            kit: &competition.kit,
            toolchains,
            builder: Builder {
                judge: Path::new(THIS_PROGRAM),
                isolation,
                stop: &self.interrupted,
            },
            failed_of: None,
            cache: self.cache.as_ref(),
            has_begun: false,
            received: SystemTime::now(),
            deadlines: None,
        };
        let entrant = intake::prepare(vec![submission], context, &|_| ())?
            .into_iter()
            .next()
            .expect("one was handed in");
        for warning in entrant.notes("") {
            say!("{}: note: {warning}", path.display());
        }
        match entrant.program {
            Ok(artifact) => Ok(artifact),
            Err(broken) => {
                let output = broken
                    .log
                    .as_ref()
                    .and_then(|log| std::fs::read_to_string(log).ok());
                let output =
                    output.map_or_else(String::new, |text| format!("\n{}", text.trim_end()));
                Err(JudgeError::input(format!(
                    "{} cannot play: {broken}{output}",
                    path.display()
                )))
            }
        }
    }
}
