//! A run that has been played, or is being played, opened for reading only.

use crate::commands::{path_for_shell, shown, verify_command};
use crate::event::{Sink, stage};
use crate::{builtin, game};
use intake::did_you_mean_path;
use model::artifact::Artifact;
use model::draw::Draw;
use model::fixture::Fixture;
use model::game_id::GameId;
use report::{MARK_NAME, PlayedRun, View, html, read_mark};
use rulebook::nearest::did_you_mean;
use rulebook::{JudgeError, Result, refuse, schedule};
use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use store::manifest::Manifest;
use store::{Games, Keys};
use system::files::read_regular;
use system::foreign::ForeignFolder;
use system::run_folder;

/// A run's folder, manifest and keys.
pub struct PastRun {
    /// Absolute path of the run's folder.
    pub folder: PathBuf,
    /// The run's manifest.
    pub manifest: Manifest,
    /// The run's keys.
    pub keys: Keys,
}

/// Suggests a run in a folder that is none: `, but results/reversi is one`, or the empty string.
pub(crate) fn did_you_mean_run(typed: &Path) -> String {
    run_in(typed).map_or_else(String::new, |run| {
        format!(", but {} is one", path_for_shell(&run))
    })
}

/// Returns the first run in a folder by name, if there is one.
pub fn run_in(folder: &Path) -> Option<PathBuf> {
    let real = folder.canonicalize().ok()?;
    let names = ForeignFolder::open(&real).ok()?.names().ok()?;
    let is_run = |name: &OsString| folder.join(name).join(run_folder::MANIFEST).is_file();
    names
        .flatten()
        .filter(is_run)
        .min()
        .map(|name| folder.join(name))
}

impl PastRun {
    /// Opens the run in a folder.
    pub fn open(run: &Path) -> Result<Self> {
        let (folder, manifest) = Self::find(run)?;
        let keys = Keys::of_run(&folder)?;
        manifest.check_keys(&keys, &folder)?;
        Ok(Self {
            folder,
            manifest,
            keys,
        })
    }

    /// Finds the run in a folder. Returns its absolute path and its manifest.
    pub fn find(run: &Path) -> Result<(PathBuf, Manifest)> {
        let no_run = |reason: &str| {
            JudgeError::input(format!(
                "{}{} is not a run folder: {reason}; give the folder that judge run wrote (its --out)",
                run.display(),
                did_you_mean_path(run)
            ))
        };
        let folder = run.canonicalize().map_err(|e| match e.kind() {
            ErrorKind::NotFound => no_run("it does not exist"),
            _ => no_run(&e.to_string()),
        })?;
        if !folder.is_dir() {
            return Err(no_run("it is not a folder"));
        }
        if let Some(refusal) = of_view(&folder) {
            return refuse(refusal);
        }
        let manifest = Manifest::read(&folder)?.ok_or_else(|| match Keys::find(&folder) {
            Ok(Some(_)) => JudgeError::input(format!(
                "the run in {} has not begun; begin it with judge run --out naming this folder",
                run.display()
            )),
            _ => no_run(&format!("it has no run.json{}", did_you_mean_run(run))),
        })?;
        game::open_kept(&folder, &manifest.competition)?;
        if !folder.join(run_folder::JOURNAL).is_file() {
            return Err(no_run("it has no journal.jsonl"));
        }
        Ok((folder, manifest))
    }

    /// Returns the sources of reports. `games` are those of [`PastRun::games`].
    pub fn as_played<'a>(&'a self, games: &'a Games) -> PlayedRun<'a> {
        PlayedRun {
            folder: &self.folder,
            manifest: &self.manifest,
            ids: games.listed(),
            games,
            keys: &self.keys,
        }
    }

    /// Opens the run's journal, and lists the run's games. The journal's defects are in its findings.
    pub fn games(&self, sink: &dyn Sink) -> Result<Games> {
        let ids = self.ids()?;
        let conditions = &self.manifest.competition.conditions;
        stage(sink, "reading the journal", || {
            Games::open(&self.folder, conditions, ids)
        })
    }

    /// Opens the run's journal for results that others see.
    pub fn whole_games(&self, sink: &dyn Sink) -> Result<Games> {
        let games = self.games(sink)?;
        let words = games.findings.words();
        if words.is_empty() {
            return Ok(games);
        }
        refuse(format!(
            "the journal of {} is damaged or incomplete ({}); rerun the same judge run command, which plays the missing games again",
            self.folder.display(),
            words.join("; ")
        ))
    }

    /// Returns the source of the run's random draws.
    pub fn draw(&self) -> Draw {
        self.keys.draw(&self.manifest.competition)
    }

    /// Lists the ids of the run's games again. Games are numbered in this order.
    pub fn ids(&self) -> Result<Vec<GameId>> {
        ids_of(&self.manifest, &self.keys)
    }

    /// Lists the run's games again, in the order of play.
    pub fn fixtures(&self) -> Result<Vec<Fixture>> {
        fixtures_of(&self.manifest, &self.keys, &self.ids()?)
    }

    /// Finds an entrant of a run.
    pub fn find_entrant(&self, typed: &str) -> Result<&str> {
        let mut names = self.manifest.entrants.iter().map(|line| line.name.as_str());
        names.clone().find(|name| *name == typed).ok_or_else(|| {
            JudgeError::input(format!(
                "no entrant {typed:?} in {}{}; standings.csv and submissions.csv list all",
                shown(&self.folder),
                did_you_mean(typed, &mut names)
            ))
        })
    }

    /// Returns the programs of all players, and of the game if it has one, as the run has kept them.
    pub fn programs(&self) -> Result<Vec<Artifact>> {
        let rules = rulebook::rules::of(&self.manifest.competition.conditions)?;
        let mut programs: Vec<Artifact> = rules.program().cloned().into_iter().collect();
        for one in self.manifest.playing().iter().chain(&self.manifest.filler) {
            let (name, hash) = (&one.entrant, &one.artifact);
            let kept = match builtin::find_kept(&*rules, name, hash, &self.folder)? {
                None => intake::find_kept_program(hash, &self.folder)?,
                kept => kept,
            };
            programs.push(kept.ok_or_else(|| {
                JudgeError::input(format!(
                    "the program of {name} in {} is missing or has changed since the build; rerun the same judge run \
                     or judge split command with the submissions, which builds it again",
                    self.folder.join("artifacts").display()
                ))
            })?);
        }
        Ok(programs)
    }
}

/// Lists the ids of a run's games, in the order that numbers them.
pub(crate) fn ids_of(manifest: &Manifest, keys: &Keys) -> Result<Vec<GameId>> {
    let (competition, filler) = (&manifest.competition, manifest.filler.as_ref());
    let draw = keys.draw(competition);
    schedule::ids(competition, &draw, &manifest.playing(), filler, None)
}

pub(crate) fn fixtures_of(
    manifest: &Manifest,
    keys: &Keys,
    ids: &[GameId],
) -> Result<Vec<Fixture>> {
    let (competition, filler) = (&manifest.competition, manifest.filler.as_ref());
    let mut playing = manifest.playing();
    playing.sort_by_cached_key(|one| keys.sort_key(&one.entrant));
    let mut fixtures = schedule::fixtures(competition, &keys.draw(competition), &playing, filler)?;
    schedule::number(&mut fixtures, ids);
    Ok(fixtures)
}

fn of_view(folder: &Path) -> Option<String> {
    let (view, is_all) = view_in(folder)?;
    let name = shown(folder);
    let page = shown(&folder.join(html::FILE_NAME));
    let verify = verify_command(folder);
    let words = match (view, is_all) {
        (View::Public | View::Student, false) => {
            format!("which lacks what only staff may know: open {page}, check it with {verify}, or")
        }
        (View::Public | View::Student, true) => {
            "with a folder for each: open the page in one of these, or".to_owned()
        }
        (View::Staff, _) => format!("a copy of its tables: open {page}, or"),
    };
    let view = view.name();
    Some(format!(
        "{name} is the {view} view of a run, {words} give the run's own folder"
    ))
}

/// Also returns whether it is the view of all students.
pub(crate) fn view_in(folder: &Path) -> Option<(View, bool)> {
    let mark = read_regular(&folder.join(MARK_NAME)).ok()?;
    let (view, student) = read_mark(std::str::from_utf8(&mark).ok()?)?;
    Some((view, view == View::Student && student.is_none()))
}
