//! `judge reveal`: publishes the secret of a run's draw.

use super::exit::Done;
use clap::Args;
use rulebook::JudgeError;
use run::PastRun;
use run::commands::{path_for_shell, program, shown};
use run::shown_draw;
use run::watch_lock;
use std::path::PathBuf;
use store::Keys;
use store::manifest::{DrawLine, DrawSource};

#[derive(Args)]
pub(super) struct RevealArgs {
    /// The run folder
    run: PathBuf,
}

impl RevealArgs {
    /// Writes the secret into run.json, the source of every page and view, and prints it.
    ///
    /// # Errors
    /// When the draw is from a seed, somebody may still submit, or the run is in progress.
    pub(super) fn execute(&self) -> Result<Done, JudgeError> {
        // Keys from before an earlier reveal are good enough here.
        let folder = PastRun::find(&self.run)?.0;
        // The lock keeps other commands out, and the run unchanged from here on.
        let _alone = store::lock(&folder)?;
        let mut keys = Keys::of_run(&folder)?;
        keys.revealed = true;
        let (folder, mut manifest) = PastRun::find(&folder)?;
        manifest.check_keys(&keys, &folder)?;
        let DrawSource::Secret { commitment, .. } = &manifest.draw.source else {
            return Err(JudgeError::input(format!(
                "{} has no secret: {}",
                shown(&folder),
                manifest.draw.words()
            )));
        };
        let commitment = commitment.clone();
        shown_draw::refuse_revealing(&manifest)?;
        shown_draw::mark(&mut keys, &manifest);
        keys.write(&folder)?;
        manifest.draw = DrawLine::new(&manifest.competition, &keys);
        manifest.sign(&keys);
        manifest.write(&folder)?;
        let secret = keys.draw.text();
        say!("{secret}");
        say!(
            "is the secret of {}. Anybody can check it against the commitment:",
            shown(&folder)
        );
        say!("  printf %s {secret} | sha256sum");
        say!("prints {commitment}.");
        if watch_lock::watcher(&folder).is_some() {
            say!(
                "judge run --watch is still running here; with --publish it updates the public view itself. Otherwise:"
            );
        }
        say!(
            "To add the secret to the public view, write it again: {} report {} --view public",
            program(),
            path_for_shell(&folder)
        );
        Ok(Done::Success)
    }
}
