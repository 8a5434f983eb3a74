//! The files of a game of one's own, which staff own; the judge confines it like a submission.

use crate::build::built_program::BuiltProgram;
use crate::build::described;
use crate::build::failed_builds::{BuildFailure, built};
use crate::build::program_store::ProgramStore;
use crate::build::toolchains::Toolchains;
use crate::read::names::GAME_FILE;
use crate::read::source::{self, Allowance, SourceFile};
use crate::read::{judge_toml, walk};
use model::artifact::Artifact;
use model::competition::BuildLimits;
use model::entrant::About;
use model::language::Language;
use rulebook::{IoContext, JudgeError, Result};
use sandbox::{Builder, Isolation};
use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use system::files::copy_tree;
use system::foreign::ForeignFolder;
use system::kept_folder;

/// Endings of files that are a game by themselves, and their interpreters.
const INTERPRETERS: [(&str, &str); 2] = [("py", "python3"), ("js", "node")];

/// The files of a game, as they were read.
#[derive(Debug)]
pub struct GameFiles {
    files: Vec<SourceFile>,
    /// Files of ours next to them. The game's identity does not depend on them.
    helpers: Vec<SourceFile>,
    about: About,
}

impl GameFiles {
    /// Reads a file, a program, or a folder with a `game.toml`. `helpers` are files by name that the
    /// judge adds to games in their language that lack them.
    pub fn read(place: &Path, helpers: &[(&str, &str)]) -> Result<Self> {
        let refused = |reason: &str| JudgeError::input(format!("{}: {reason}", place.display()));
        let real = place.canonicalize().or_io("read", place)?;
        let (Some(above), Some(name)) = (real.parent(), real.file_name()) else {
            return Err(refused("it is no game"));
        };
        let above = ForeignFolder::open(above).or_io("read", place)?;
        let found = if real.is_dir() {
            of_folder(&ForeignFolder::open(&real).or_io("read", place)?)
        } else {
            of_file(&above, name)
        };
        let (mut files, about) = found.map_err(|reason| refused(&reason))?;
        files.sort_by(|a, b| a.path.cmp(&b.path));
        let language = |path: &str| Language::of_file(path).map(|language| language.name);
        let mut helpers: Vec<SourceFile> = helpers
            .iter()
            .map(|(name, text)| SourceFile::new(name, *text))
            .collect();
        helpers.retain(|SourceFile { path, .. }| {
            files.iter().all(|file| file.path != *path)
                && files
                    .iter()
                    .any(|file| language(&file.path) == language(path))
        });
        Ok(Self {
            files,
            helpers,
            about,
        })
    }

    /// Builds the program, and keeps it in the `artifacts` of a folder, under [`Self::hash`].
    pub fn keep(
        &self,
        folder: &Path,
        builder: Builder<'_>,
        tools: &Toolchains,
    ) -> Result<Artifact> {
        let (about, files) = (&self.about, &self.files);
        let closed = &builder.isolation.closed;
        let refused = |failure: BuildFailure| {
            let reason = failure.reason.replace("judge.toml", GAME_FILE);
            let refusal = format!(
                "the game cannot be run: {reason}\n{}",
                failure.output.trim()
            );
            JudgeError::input(refusal.trim_end())
        };
        let program = described::program(about, files, closed, tools).map_err(refused)?;
        let store = ProgramStore::open(folder, builder.isolation)?;
        let made = store.keep(&self.hash(), None, None, |place| {
            let limits = BuildLimits::default();
            let all = [&files[..], &self.helpers].concat();
            described::make(about, &all, &program, place, builder, limits, tools)
        });
        built(made)?.map(|made| made.artifact).map_err(refused)
    }

    /// Returns a hash of the files and commands. The interpreter is recorded, and not hashed.
    pub fn hash(&self) -> String {
        let (about, files) = (&self.about, &self.files);
        described::hash_of(vec![b"game"], about, files)
    }
}

fn of_folder(folder: &ForeignFolder) -> Result<(Vec<SourceFile>, About), String> {
    let files = walk::read_folder(folder, Allowance::whole())?.files;
    let description = files.iter().find(|file| file.path == GAME_FILE).ok_or(
        "the folder of a game needs a game.toml that says how it is run, for example run = \"python3 game.py\"",
    )?;
    let about = described_by(&description.bytes)?;
    Ok((files, about))
}

fn of_file(folder: &ForeignFolder, name: &OsStr) -> Result<(Vec<SourceFile>, About), String> {
    let files = walk::read_entry(folder, name, Allowance::whole())?.files;
    let [file] = &*files else {
        return Err(
            "a game is a Python or JavaScript file, a program, or a folder with a game.toml"
                .to_owned(),
        );
    };
    let known = INTERPRETERS
        .iter()
        .find(|(ending, _)| source::has_ending(&file.path, &[ending]));
    let run = if let Some((_, interpreter)) = known {
        vec![(*interpreter).to_owned(), file.path.clone()]
    } else if file.executable {
        vec![format!("./{}", file.path)]
    } else {
        return Err("it is neither a Python or JavaScript file nor executable".to_owned());
    };
    let about = About {
        run: Some(run),
        ..About::default()
    };
    Ok((files, about))
}

fn described_by(bytes: &[u8]) -> Result<About, String> {
    let about =
        judge_toml::read(bytes).map_err(|reason| reason.replace("judge.toml", GAME_FILE))?;
    let others = About {
        build: None,
        run: None,
        ..about.clone()
    };
    if others != About::default() {
        return Err(format!(
            "{GAME_FILE} has only the keys build and run; what the game is called and how it is played is in its program's answer to about"
        ));
    }
    if about.run.is_none() {
        return Err(format!(
            "{GAME_FILE} has no run; add for example run = \"python3 game.py\""
        ));
    }
    Ok(about)
}

/// Takes a kept program over into the `artifacts` of a run. Returns it as that run has it.
pub fn adopt_program(artifact: &Artifact, run: &Path, isolation: &Isolation) -> Result<Artifact> {
    let from = Path::new(&artifact.directory);
    let program = kept_folder::recall::<BuiltProgram>(from)?
        .intact()
        .ok_or_else(|| {
            JudgeError::input(format!(
                "{} has changed since it was kept; rerun the same command",
                from.display()
            ))
        })?;
    let kept = ProgramStore::open(run, isolation)?.keep(&artifact.hash, None, None, |place| {
        fs::remove_dir(place)
            .and_then(|()| copy_tree(from, place))
            .or_io("copy", from)?;
        Ok(program.clone())
    });
    built(kept)?
        .map(|kept| kept.artifact)
        .map_err(|failure| JudgeError::input(failure.reason))
}
