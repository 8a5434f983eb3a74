//! `judge commit` makes the secret of a run's draw, and prints the commitment to it.
//! `judge reveal` publishes the secret.

#![expect(
    clippy::disallowed_methods,
    reason = "only whether a folder is empty is read"
)]

use super::exit::{Done, stop_on_interrupt};
use crate::progress::Stages;
use clap::Args;
use report::html::GAMES_FOLDER;
use rulebook::{IoContext, Result, refuse};
use run::commands::{path_for_shell, program, shown};
use run::{PastRun, shown_draw, watcher};
use std::fs;
use std::path::PathBuf;
use store::manifest::{DrawLine, DrawSource, Manifest};
use store::{Keys, keys};
use system::files::make_folder;
use system::run_folder::{JOURNAL, LOCK, MANIFEST, STAFF};

#[derive(Args)]
pub(super) struct CommitArgs {
    /// The folder of a run that has not begun: a new one, or the --out of the judge run to come
    run: PathBuf,
}

impl CommitArgs {
    pub(super) fn execute(&self) -> Result<Done> {
        make_folder(&self.run)?;
        let entries = fs::read_dir(&self.run).or_io("read", &self.run)?;
        let known = [STAFF, JOURNAL, MANIFEST, LOCK];
        let is_empty = !entries
            .flatten()
            .map(|entry| entry.file_name())
            .any(|name| known.iter().all(|known| name != *known));
        if !is_empty && !store::has_begun(&self.run)? {
            return refuse(format!(
                "{} contains other files; name a new folder, which judge run --out then takes",
                self.run.display()
            ));
        }
        if let Some(manifest) = Manifest::read(&self.run)?
            && let DrawSource::Seed(seed) = manifest.draw.source
        {
            return refuse(format!(
                "{} holds a run with the public seed {seed}, which has no secret; choose another folder",
                self.run.display()
            ));
        }
        // Two commands at once must print the same commitment.
        let _alone = store::lock(&self.run)?;
        let has_begun = store::has_begun(&self.run)?;
        let keys = match Keys::find(&self.run)? {
            Some(keys) => keys,
            None if has_begun => Keys::of_run(&self.run)?,
            None => Keys::make(&self.run, true)?,
        };
        say!("{}", keys.draw.commitment());
        let folder = self.run.canonicalize().or_io("read", &self.run)?;
        let run = shown(&folder);
        let when = if has_begun && keys.committed {
            "The run has begun; this commitment counts only if it was published before submissions opened."
        } else if keys.committed {
            "Publish this commitment before submissions open."
        } else {
            "This secret was made by the run itself; a commitment is worth more when it is published before submissions open."
        };
        let who = if keys.revealed {
            "which judge reveal has already shown."
        } else {
            "which only staff may see until the deadline has passed."
        };
        say!("{when}");
        say!(
            "It is the SHA-256 of the secret in {run}/{STAFF}/{}, {who}",
            keys::FILE_NAME
        );
        if !keys.revealed {
            let (program, place) = (program(), path_for_shell(&folder));
            if !has_begun {
                say!("To play with this secret: {program} run SUBMISSIONS --out {place}");
            }
            say!("To publish it after the deadline: {program} reveal {place}");
        }
        say!("Back up {run}/{STAFF}: without it the run can be neither continued nor checked.");
        Ok(Done::Success)
    }
}

#[derive(Args)]
pub(super) struct RevealArgs {
    /// The run folder
    run: PathBuf,
}

impl RevealArgs {
    pub(super) fn execute(&self) -> Result<Done> {
        // Keys from before an earlier reveal are good enough here.
        let folder = PastRun::find(&self.run)?.0;
        // The lock keeps other commands out, and the run unchanged from here on.
        let alone = store::lock(&folder)?;
        let mut keys = Keys::of_run(&folder)?;
        keys.revealed = true;
        let (folder, mut manifest) = PastRun::find(&folder)?;
        manifest.check_keys(&keys, &folder)?;
        let DrawSource::Secret { commitment, .. } = &manifest.draw.source else {
            return refuse(format!(
                "{} has no secret: {}",
                shown(&folder),
                manifest.draw.words()
            ));
        };
        let commitment = commitment.clone();
        shown_draw::refuse_revealing(&manifest)?;
        shown_draw::mark(&mut keys, &manifest);
        keys.write(&folder)?;
        manifest.draw = DrawLine::new(&manifest.competition, &keys);
        manifest.sign(&keys);
        manifest.write(&folder)?;
        drop(alone);
        let secret = keys.draw.text();
        let past = PastRun {
            folder,
            manifest,
            keys,
        };
        let folder = &past.folder;
        say!("{secret}");
        say!(
            "is the secret of {}. Anybody can check it against the commitment:",
            shown(folder)
        );
        say!("  printf %s {secret} | sha256sum");
        say!("prints {commitment}.");
        // The page of the run shows it from now on.
        let full = folder.join(GAMES_FOLDER).is_dir();
        let stop = full.then(stop_on_interrupt).transpose()?;
        let games = past.games(&Stages::default())?;
        past.write(&games, stop.as_deref(), &Stages::default())?;
        if watcher(folder).is_some() {
            say!(
                "judge run --watch is still running here; with --publish it updates the public view itself. Otherwise:"
            );
        }
        say!(
            "To add the secret to the public view, write it again: {} report {} --view public",
            program(),
            path_for_shell(folder)
        );
        Ok(Done::Success)
    }
}
