//! `judge report`: writes a run as the public, each student, or the staff may see it.

use super::exit::{Done, stop_on_interrupt};
use super::flags::Verbosity;
use super::out::{is_verbose, say_each, say_first};
use crate::progress::Stages;
use crate::terminal::joined;
use clap::Args;
use intake::SourceFile;
use model::competition::CourseFile;
use model::entrants_folder::EntrantsFolder;
use model::language::{LANGUAGES, Language};
use model::numbers::counted;
use report::{Extent, View, html, write_view};
use rulebook::Result;
use rulebook::nearest::did_you_mean;
use rulebook::rules::Rules;
use run::commands::shown;
use run::{PastRun, shown_draw};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use store::manifest::Manifest;
use store::names::refuse_guessable;

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
    pub(super) fn execute(&self) -> Result<Done> {
        self.verbosity.apply();
        let past = PastRun::open(&self.run)?;
        let games = past.whole_games(&Stages::default())?;
        let run = past.as_played(&games);
        let (folder, manifest) = (&past.folder, &past.manifest);
        let is_shown = self.view != View::Staff;
        if is_shown {
            shown_draw::refuse_showing(manifest)?;
        }
        let out = self.out.clone().unwrap_or_else(|| {
            let name = folder.file_name().unwrap_or_default().to_string_lossy();
            folder.with_file_name(format!("{name}-{}", self.view.name()))
        });
        let names = run.public_names()?;
        if is_shown {
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
            if is_shown {
                is_new = shown_draw::mark_shown(folder, manifest)?;
            }
            Ok(())
        };
        let mut extra = Vec::new();
        if !is_shown {
            for one in run::copies(folder, manifest)? {
                let (names, same) = (one.entrants.join(", "), one.same.words());
                say!("note: {names} submitted {same}");
            }
            extra = lay_out(folder, manifest)?;
        }
        let paths = write_view(
            &run,
            self.view,
            extent,
            (&out, "--out"),
            &extra,
            &mut before,
        )?;
        if let more @ 1.. = say_first("", &names.refused, REFUSED_SHOWN_MAX) {
            let more = counted(more, "more name");
            say!("and {more} (--verbose prints all)");
        }
        if is_shown {
            let counts = names.kinds();
            let kinds = joined(
                counts.map(|(kind, count)| format!("{kind} ({count})")),
                ", ",
            );
            say!("names in the {} view: {kinds}", self.view.name());
        } else {
            say!("names in the staff view: those of the run, with the people behind them");
        }
        self.print(&out, &paths);
        if !extra.is_empty() {
            let readme = out.join(JPLAG).join("README.txt");
            say!("to compare sources with JPlag: see {}", shown(&readme));
        }
        if is_new {
            say!(
                "note: everybody can know this draw from now on; later submissions play on it only with --on-shown-draw"
            );
        }
        Ok(Done::Success)
    }

    fn print(&self, out: &Path, paths: &[PathBuf]) {
        if is_verbose() {
            // Sources are many, and one line about their folder is enough.
            let sources = out.join(JPLAG);
            let others = paths.iter().filter(|path| !path.starts_with(&sources));
            say_each("wrote ", others.map(|path| shown(path)));
        }
        let files = counted(paths.len(), "file");
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

fn view(text: &str) -> Result<View, String> {
    let all = [View::Public, View::Student, View::Staff];
    all.into_iter()
        .find(|view| view.name() == text)
        .ok_or_else(|| {
            let meant = did_you_mean(text, all.map(View::name));
            format!("must be public, student or staff{meant}")
        })
}

const JPLAG: &str = "jplag";

type LaidOut = Vec<(PathBuf, Vec<u8>)>;

/// Lays the sources out by language, with the commands that compare them.
fn lay_out(run: &Path, manifest: &Manifest) -> Result<LaidOut> {
    let rules = rulebook::rules::of(&manifest.competition.conditions)?;
    let all = run::compared(run, &manifest.entrants)?;
    let mut laid = LaidOut::new();
    let mut commands = Vec::new();
    for language in LANGUAGES
        .iter()
        .filter(|language| language.syntax.is_some())
    {
        let is_in = |path: &str| Language::of_file(path) == Some(language);
        let is_own = |file: &&SourceFile| is_in(&file.path) && !file.is_aside();
        let writers = all
            .iter()
            .filter(|one| one.files.iter().any(|file| is_own(&file)));
        if writers.clone().count() < 2 {
            continue;
        }
        let folder = Path::new(JPLAG).join(language.name);
        for one in writers {
            let place = folder
                .join("submissions")
                .join(EntrantsFolder::Sources.folder_of(&one.entrant));
            let own = one
                .files
                .iter()
                .filter(is_own)
                .map(|file| (place.join(&file.path), file.bytes.clone()));
            laid.extend(own);
        }
        let base = base(&*rules, &manifest.competition.kit.files, &is_in);
        let mut command = format!(
            "java -jar jplag.jar --mode run -l {} -p {}",
            language.jplag,
            joined(language.endings.iter().map(|one| format!(".{one}")), ",")
        );
        if !base.is_empty() {
            let _ = write!(command, " -bc {}/base", language.name);
        }
        let _ = write!(command, " -r {0}/result {0}/submissions", language.name);
        commands.push(command);
        laid.extend(
            base.into_iter()
                .map(|(path, text)| (folder.join("base").join(path), text)),
        );
    }
    if !commands.is_empty() {
        let text = format!(
            "Sources of the run, as JPlag 6 (github.com/jplag/JPlag) compares them: a folder for each\n\
             student in submissions, the course's own files in base. In this folder, run:\n\n{}\n\n\
             A report shows where sources are alike, never why.\n",
            commands.join("\n")
        );
        laid.push((Path::new(JPLAG).join("README.txt"), text.into_bytes()));
    }
    Ok(laid)
}

/// Lists a course's files in one language, each once; `own` are the additions of its competition.
fn base<'a>(
    rules: &'a dyn Rules,
    own: &'a [CourseFile],
    is_in: &dyn Fn(&str) -> bool,
) -> Vec<(&'a str, Vec<u8>)> {
    let own = own.iter().map(|file| (&*file.name, &*file.text));
    let given = rules
        .kits()
        .iter()
        .flat_map(|kit| kit.files.iter().chain(kit.starter));
    let mut base: Vec<(&str, Vec<u8>)> = Vec::new();
    for (path, text) in own.chain(given.copied()).filter(|(path, _)| is_in(path)) {
        if base.iter().all(|(known, _)| *known != path) {
            base.push((path, text.as_bytes().to_vec()));
        }
    }
    base
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jplag_base_has_competition_and_kit_files() {
        let rules = rulebook::rules::find("catch-the-cat").expect("registered");
        let own = [CourseFile {
            name: "simulator.h".to_owned(),
            text: "int steps;\n".to_owned(),
        }];
        let base = base(&*rules, &own, &|path: &str| {
            ["simulator.h", "IAgent.h"].contains(&path)
        });
        let names: Vec<&str> = base.iter().map(|(name, _)| *name).collect();
        assert_eq!(names[0], "simulator.h");
        assert!(names.len() > 1, "{names:?}");
    }
}
