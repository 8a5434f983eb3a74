//! `judge report`: writes a run as the public, each student, or the staff may see it.

use super::exit::Done;
use super::interrupt::stop_on_interrupt;
use super::jplag;
use crate::progress::Stages;
use clap::Args;
use error::JudgeError;
use journal::names::refuse_guessable;
use report::{Extent, PlayedRun, View, write_view};
use run::PastRun;
use run::commands::shown;
use run::shown_draw;
use std::path::PathBuf;

#[derive(Args)]
pub(super) struct ReportArgs {
    /// The run folder
    run: PathBuf,
    /// Who may see the results: public, student (a folder for each) or staff
    #[arg(long, value_name = "WHOSE", value_parser = view)]
    view: View,
    /// Where to write: a new folder, or one that holds the same view
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Also write a page for every game, into the folder `games` beside report.html
    #[arg(long)]
    full: bool,
}

impl ReportArgs {
    pub(super) fn execute(&self) -> Result<Done, JudgeError> {
        let past = PastRun::open(&self.run)?;
        let (ids, games) = (past.ids()?, past.whole_games(&Stages::default())?);
        let PastRun {
            folder,
            manifest,
            keys,
        } = past;
        if self.view != View::Staff {
            shown_draw::refuse_showing(&manifest)?;
        }
        let run = PlayedRun {
            folder: &folder,
            manifest: &manifest,
            ids: &ids,
            games: &games,
            keys: &keys,
        };
        let names = run.public_names()?;
        if self.view != View::Staff {
            refuse_guessable(&manifest, &names)?;
        }
        for note in &names.refused {
            say!("{note}");
        }
        match self.view {
            View::Public | View::Student => {
                let kinds = names
                    .kinds()
                    .map(|(kind, count)| format!("{kind} ({count})"));
                let kinds = kinds.collect::<Vec<_>>().join(", ");
                say!("names in the {} view: {kinds}", self.view.name());
            }
            View::Staff => {
                say!("names in the staff view: those of the run, with the people behind them");
            }
        }
        let stop = stop_on_interrupt()?;
        let extent = Extent {
            full: self.full,
            live: None,
            stop: &stop,
        };
        let mut is_new = false;
        let mut before = || {
            if self.view != View::Staff {
                is_new = shown_draw::mark_shown(&folder, &manifest)?;
            }
            Ok(())
        };
        let mut beside = Vec::new();
        if self.view == View::Staff {
            let copies = run::copies(&folder, &manifest)?;
            for one in &copies {
                let (names, same) = (one.entrants.join(", "), one.same.words());
                say!("note: {names} submitted {same}");
            }
            beside = jplag::lay_out(&folder, &manifest)?;
        }
        for path in write_view(
            &run,
            self.view,
            extent,
            (&self.out, "--out"),
            &beside,
            &mut before,
        )? {
            // Sources are many, and one line about their folder is enough.
            if !path.starts_with(self.out.join(jplag::FOLDER)) {
                say!("wrote {}", shown(&path));
            }
        }
        if beside
            .iter()
            .any(|(name, _)| name.starts_with(jplag::FOLDER))
        {
            let readme = self.out.join(jplag::FOLDER).join("README.txt");
            say!("to compare sources with JPlag: see {}", shown(&readme));
        }
        if is_new {
            say!(
                "note: everybody can know this draw from now on; later submissions play on it only with --on-shown-draw"
            );
        }
        Ok(Done::Success)
    }
}

fn view(text: &str) -> Result<View, String> {
    match text {
        "public" => Ok(View::Public),
        "student" => Ok(View::Student),
        "staff" => Ok(View::Staff),
        _ => Err("must be public, student or staff".to_owned()),
    }
}
