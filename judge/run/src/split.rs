//! The missing games of a run, in part files that can be played anywhere.

use crate::event::{Sink, stage};
use crate::past_run::PastRun;
use crate::permissions::Staff;
use crate::scheduled::Scheduled;
use crate::tournament::Startups;
use crate::watch_lock;
use model::artifact::Artifact;
use model::fixture::Fixture;
use rulebook::JudgeError;
use std::fs::{self, Permissions};
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::slice;
use store::manifest::Manifest;
use store::parts::{PartPlan, Programs, groups, slices};
use store::{Games, Keys};
use system::cleanup::TemporaryFolder;
use system::run_folder::PARTS;

/// How a run is split, as plain data.
#[derive(Clone, Debug)]
pub struct SplitSpec {
    /// The judge's version, with the commit that it is built from.
    pub build: &'static str,
    /// Maximum number of parts; games of one group stay together.
    pub parts: usize,
}

/// The result of splitting.
#[derive(Clone, Debug)]
pub struct Split {
    /// The run's folder.
    pub run: PathBuf,
    /// The folder of the parts.
    pub folder: PathBuf,
    /// Number of games of the run, and of games in the parts.
    pub games: (usize, usize),
    /// The parts' files; empty if no game is missing.
    pub paths: Vec<PathBuf>,
}

impl SplitSpec {
    /// Splits the missing games of a run that has been built here.
    pub fn split(&self, run: &Scheduled, sink: &dyn Sink) -> Result<Split, JudgeError> {
        let run_of = (&*run.folder, &run.keys, &run.manifest);
        let games = (&*run.fixtures, run.journal.games());
        self.write(run_of, &run.artifacts(), games, sink)
    }

    /// The same of an earlier run. Also returns the defects of its journal, in lines.
    pub fn split_past(
        &self,
        run: &Path,
        sink: &dyn Sink,
    ) -> Result<(Split, Vec<String>), JudgeError> {
        let (folder, _) = PastRun::find(run)?;
        Staff::of(slice::from_ref(&folder)).admit(&folder)?;
        watch_lock::refuse_beside(&folder)?;
        let _lock = store::lock(&folder)?;
        let past = PastRun::open(run)?;
        let (games, fixtures) = (past.games(sink)?, past.fixtures()?);
        let run_of = (&*past.folder, &past.keys, &past.manifest);
        let split = self.write(run_of, &past.programs()?, (&fixtures, &games), sink)?;
        Ok((split, games.findings.words()))
    }

    fn write(
        &self,
        (run, keys, manifest): (&Path, &Keys, &Manifest),
        artifacts: &[Artifact],
        (fixtures, journal): (&[Fixture], &Games),
        sink: &dyn Sink,
    ) -> Result<Split, JudgeError> {
        let plan = PartPlan {
            build: self.build,
            run,
            keys,
            conditions: &manifest.competition.conditions,
            artifacts,
            toolchains: &manifest.toolchain_folders,
            programs: Programs::Packed,
        };
        let startups = Startups::of(fixtures, journal)?;
        let missing: Vec<Fixture> = fixtures
            .iter()
            .filter(|fixture| !journal.contains(fixture.id))
            .map(|fixture| startups.marked(fixture))
            .collect();
        let mut split = Split {
            run: run.to_owned(),
            folder: run.join(PARTS),
            games: (fixtures.len(), missing.len()),
            paths: Vec::new(),
        };
        if missing.is_empty() {
            return Ok(split);
        }
        let groups = groups(missing.iter(), plan.conditions.lifetime);
        let slices = slices(groups, self.parts, &|_| 1.0);
        split.paths = stage(sink, "writing the parts", || write_parts(&plan, &slices))?;
        Ok(split)
    }
}

/// Those of an earlier split are removed when all are written.
fn write_parts(plan: &PartPlan<'_>, slices: &[Vec<&Fixture>]) -> Result<Vec<PathBuf>, JudgeError> {
    let (folder, place) = (plan.run, plan.run.join(PARTS));
    let failed = |e| JudgeError::io("write", &place, e);
    let private = || Permissions::from_mode(0o700);
    let fresh = TemporaryFolder::new_in(folder, ".new-", private()).map_err(failed)?;
    let count = slices.len();
    let digits = count.to_string().len();
    let name = |number: usize| format!("part-{number:0digits$}-of-{count}.part");
    plan.write(slices, &|number| fresh.path().join(name(number)))?;
    let old = TemporaryFolder::new_in(folder, ".new-", private()).map_err(failed)?;
    match fs::rename(&place, old.path().join(PARTS)) {
        Ok(()) => {}
        Err(e) if e.kind() == ErrorKind::NotFound => {}
        Err(e) => return Err(failed(e)),
    }
    fs::rename(fresh.path(), &place).map_err(failed)?;
    fresh.keep();
    Ok((1..=count).map(|number| place.join(name(number))).collect())
}
