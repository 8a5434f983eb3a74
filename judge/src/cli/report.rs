//! `judge report`: writes a run as the public, each student, or the staff may see it.

use super::entering::Verbosity;
use super::exit::{Done, stop_on_interrupt};
use super::jplag;
use super::out::{is_verbose, say_first};
use crate::progress::Stages;
use clap::Args;
use model::numbers::counted;
use report::{Extent, View, html, write_view};
use rulebook::JudgeError;
use rulebook::nearest::did_you_mean;
use run::commands::shown;
use run::{PastRun, shown_draw};
use std::path::{Path, PathBuf};
use store::names::{PublicNames, refuse_guessable};

#[derive(Args)]
pub(super) struct ReportArgs {
    /// The run folder
    run: PathBuf,
    /// Who may see the results: public, student (a folder for each) or staff
    #[arg(long, value_name = "WHOSE", value_parser = view, default_value = "public")]
    view: View,
    /// A new folder, or one with the same view [default: RUN-VIEW]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Also write a page for every game
    ///
    /// Into the folder `games` next to report.html.
    #[arg(long)]
    full: bool,
    #[command(flatten)]
    verbosity: Verbosity,
}

impl ReportArgs {
    pub(super) fn execute(&self) -> Result<Done, JudgeError> {
        self.verbosity.apply();
        let past = PastRun::open(&self.run)?;
        let games = past.whole_games(&Stages::default())?;
        let run = past.as_played(&games);
        let (folder, manifest) = (&past.folder, &past.manifest);
        if self.view != View::Staff {
            shown_draw::refuse_showing(manifest)?;
        }
        let out = self.out(folder);
        let names = run.public_names()?;
        if self.view != View::Staff {
            refuse_guessable(manifest, &names)?;
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
                is_new = shown_draw::mark_shown(folder, manifest)?;
            }
            Ok(())
        };
        let mut extra = Vec::new();
        if self.view == View::Staff {
            let copies = run::copies(folder, manifest)?;
            for one in &copies {
                let (names, same) = (one.entrants.join(", "), one.same.words());
                say!("note: {names} submitted {same}");
            }
            extra = jplag::lay_out(folder, manifest)?;
        }
        let paths = write_view(
            &run,
            self.view,
            extent,
            (&out, "--out"),
            &extra,
            &mut before,
        )?;
        self.print_names(&names);
        self.print(&out, &paths);
        if extra
            .iter()
            .any(|(name, _)| name.starts_with(jplag::FOLDER))
        {
            let readme = out.join(jplag::FOLDER).join("README.txt");
            say!("to compare sources with JPlag: see {}", shown(&readme));
        }
        if is_new {
            say!(
                "note: everybody can know this draw from now on; later submissions play on it only with --on-shown-draw"
            );
        }
        Ok(Done::Success)
    }

    fn out(&self, folder: &Path) -> PathBuf {
        let extra = || {
            let name = folder.file_name().unwrap_or_default().to_string_lossy();
            folder.with_file_name(format!("{name}-{}", self.view.name()))
        };
        self.out.clone().unwrap_or_else(extra)
    }

    fn print_names(&self, names: &PublicNames) {
        print_refused(&names.refused);
        match self.view {
            View::Public | View::Student => {
                let kinds = names
                    .kinds()
                    .map(|(kind, count)| format!("{kind} ({count})"))
                    .collect::<Vec<_>>()
                    .join(", ");
                say!("names in the {} view: {kinds}", self.view.name());
            }
            View::Staff => {
                say!("names in the staff view: those of the run, with the people behind them");
            }
        }
    }

    fn print(&self, out: &Path, paths: &[PathBuf]) {
        if is_verbose() {
            // Sources are many, and one line about their folder is enough.
            let sources = out.join(jplag::FOLDER);
            for path in paths.iter().filter(|path| !path.starts_with(&sources)) {
                say!("wrote {}", shown(path));
            }
        }
        let files = counted(paths.len() as u64, "file");
        let folder = shown(out);
        match self.view {
            View::Public | View::Staff => {
                let page = shown(&out.join(html::FILE_NAME));
                say!("wrote {files}: {folder}/ (open {page})");
            }
            View::Student => say!("wrote {files}: {folder}/, with a folder for each student"),
        }
    }
}

const REFUSED_SHOWN_MAX: usize = 5;

fn print_refused(notes: &[String]) {
    if let more @ 1.. = say_first("", notes, REFUSED_SHOWN_MAX) {
        say!(
            "and {} (--verbose prints all)",
            counted(more as u64, "more name")
        );
    }
}

fn view(text: &str) -> Result<View, String> {
    let all = [View::Public, View::Student, View::Staff];
    let known = all.into_iter().find(|view| view.name() == text);
    known.ok_or_else(|| {
        let meant = did_you_mean(text, all.map(View::name));
        format!("must be public, student or staff{meant}")
    })
}
