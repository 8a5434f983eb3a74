//! The missing games of a run, in part files that can be played anywhere.

use crate::event::{Sink, stage};
use crate::past_run::PastRun;
use crate::permissions::Staff;
use crate::scheduled::Scheduled;
use crate::tournament::Startups;
use crate::watch_lock;
use model::artifact::Artifact;
use model::fixture::{Conditions, Fixture};
use rulebook::JudgeError;
use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::slice;
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

/// A run that is being split.
struct Splitting<'a> {
    folder: &'a Path,
    keys: &'a Keys,
    conditions: &'a Conditions,
    toolchains: &'a BTreeMap<String, String>,
    artifacts: &'a [Artifact],
    fixtures: &'a [Fixture],
    journal: &'a Games,
}

impl SplitSpec {
    /// Splits the missing games of a run that has been built here.
    pub fn split(&self, run: &Scheduled, sink: &dyn Sink) -> Result<Split, JudgeError> {
        let splitting = Splitting {
            folder: &run.folder,
            keys: &run.keys,
            conditions: &run.competition().conditions,
            toolchains: &run.manifest.toolchain_folders,
            artifacts: &run.artifacts(),
            fixtures: &run.fixtures,
            journal: run.journal.games(),
        };
        self.write(&splitting, sink)
    }

    /// Splits the missing games of an earlier run. Also returns the defects of its journal, in
    /// lines.
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
        let artifacts = past.programs()?;
        let splitting = Splitting {
            folder: &past.folder,
            keys: &past.keys,
            conditions: &past.manifest.competition.conditions,
            toolchains: &past.manifest.toolchain_folders,
            artifacts: &artifacts,
            fixtures: &fixtures,
            journal: &games,
        };
        let split = self.write(&splitting, sink)?;
        Ok((split, games.findings.words()))
    }

    fn write(&self, run: &Splitting<'_>, sink: &dyn Sink) -> Result<Split, JudgeError> {
        let missing = run.fixtures.iter().filter(|f| !run.journal.contains(f.id));
        let startups = Startups::of(run.fixtures, run.journal)?;
        let missing: Vec<Fixture> = missing.map(|fixture| startups.marked(fixture)).collect();
        let mut split = Split {
            run: run.folder.to_owned(),
            folder: run.folder.join(PARTS),
            games: (run.fixtures.len(), missing.len()),
            paths: Vec::new(),
        };
        if missing.is_empty() {
            return Ok(split);
        }
        let groups = groups(missing.iter(), run.conditions.lifetime);
        let slices = slices(groups, self.parts);
        let plan = PartPlan {
            build: self.build,
            run: run.folder,
            keys: run.keys,
            conditions: run.conditions,
            artifacts: run.artifacts,
            toolchains: run.toolchains,
            programs: Programs::Packed,
        };
        split.paths = stage(sink, "writing the parts", || {
            write_parts(run.folder, &plan, &slices)
        })?;
        Ok(split)
    }
}

/// Writes the part files of a run. Those of an earlier split are removed when all are written.
fn write_parts(
    folder: &Path,
    plan: &PartPlan<'_>,
    slices: &[Vec<&Fixture>],
) -> Result<Vec<PathBuf>, JudgeError> {
    let place = folder.join(PARTS);
    let failed = |e| JudgeError::io("write", &place, e);
    let private = || Permissions::from_mode(0o700);
    let fresh = TemporaryFolder::new_in(folder, ".new-", private()).map_err(failed)?;
    let count = slices.len();
    let digits = count.to_string().len();
    let (mut paths, mut writer) = (Vec::new(), plan.writer());
    for (slice, number) in slices.iter().zip(1..) {
        let name = format!("part-{number:0digits$}-of-{count}.part");
        writer.write(&fresh.path().join(&name), (number, count), slice)?;
        paths.push(place.join(name));
    }
    let old = TemporaryFolder::new_in(folder, ".new-", private()).map_err(failed)?;
    match fs::rename(&place, old.path().join(PARTS)) {
        Ok(()) => {}
        Err(e) if e.kind() == ErrorKind::NotFound => {}
        Err(e) => return Err(failed(e)),
    }
    fs::rename(fresh.path(), &place).map_err(failed)?;
    // It has another name now.
    fresh.keep();
    Ok(paths)
}
