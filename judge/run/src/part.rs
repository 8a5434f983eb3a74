//! The missing games of a run, in part files that can be played anywhere.

use crate::commands::shown;
use crate::event::{RunEvent, Sink, counted_stage, stage};
use crate::location;
use crate::past_run::PastRun;
use crate::permissions::Staff;
use crate::play::open_game_among;
use crate::play::worker::Order;
use crate::programs::{open_run_cgroups, that_are_here, toolchains};
use crate::scheduled::Scheduled;
use crate::spec::MachineUse;
use crate::tournament::{Startups, TournamentEvent, TournamentPlan};
use model::artifact::Artifact;
use model::fixture::Fixture;
use model::game_id::GameId;
use model::numbers::counted;
use rulebook::{IoContext, JudgeError, Result, refuse};
use sandbox::{Isolation, OpenRunCgroups};
use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::slice;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use store::manifest::{Machine, Manifest};
use store::parts::{Part, PartPlan, Programs, groups, slices};
use store::{Games, Journal, Keys, MachineLine, PartLine, PartLines, Scope};
use system::cleanup::TemporaryFolder;
use system::files::if_there;
use system::run_folder::PARTS;

/// A part to play and the journal for its games, as plain data.
#[derive(Clone, Debug)]
pub struct PartSpec {
    /// The judge's version, with the commit that it is built from.
    pub build: &'static str,
    /// The part's file.
    pub file: PathBuf,
    /// The journal for its games; an existing one is continued.
    pub out: PathBuf,
    /// Journals of earlier attempts, whose games are not played again.
    pub played: Vec<PathBuf>,
    /// How this machine plays.
    pub machine: MachineUse,
}

impl PartSpec {
    /// Plays the missing games of the part. Returns the number of games still missing.
    pub fn play(&self, sink: &dyn Sink, stop: &Arc<AtomicBool>) -> Result<usize> {
        let part = Part::read(&self.file)?;
        let mut isolation = Isolation::find();
        isolation.cold = self.machine.cold;
        isolation.admit(self.machine.weak_isolation)?;
        isolation.close(&self.file);
        if let Some(run) = part.shared_run() {
            isolation.close(run);
        }
        // Nobody else may read the submissions. Without namespaces, others enter by a known name.
        let mode = if isolation.ids.is_some() && !isolation.namespaces.are_used() {
            0o711
        } else {
            0o700
        };
        let folder =
            TemporaryFolder::new("part", mode).or_io("make a folder in", std::env::temp_dir())?;
        isolation.close(folder.path());
        let processes = part.conditions().processes;
        let run_cgroups = open_run_cgroups(&mut isolation, processes)?;
        let artifacts = part.lay_out(folder.path())?;
        open_game_among(&artifacts, part.conditions(), &isolation)?;
        let played = self.played(&part, sink)?;
        let mut fixtures = part.fixtures.clone();
        fixtures.retain(|fixture| !played.contains(&fixture.id));
        if !fixtures.is_empty() {
            check_programs(&part, &artifacts, &mut isolation)?;
        }
        // A refused part leaves no file.
        let mut journal = Journal::open_part(&self.out, part.key(), part.conditions())?;
        isolation.close(&self.out);
        for words in journal.games().findings.words() {
            sink.note(&format!("{}: {words}", shown(&self.out)));
        }
        let (number, of) = part.number();
        let missing = fixtures.iter().filter(|f| !journal.contains(f.id)).count();
        let all = counted(part.fixtures.len(), "game");
        sink.line(&format!("part {number} of {of}: {all}, {missing} to play"));
        sink.detail(&isolation.announce(processes));
        sink.detail(&isolation.announce_channels());
        if missing > 0 {
            let machine = Machine::detect(self.machine.pins, isolation.confinement());
            let order = Order {
                conditions: part.conditions().clone(),
                artifacts,
                pin: None,
                isolation,
                run_cgroups: run_cgroups
                    .as_ref()
                    .map(OpenRunCgroups::run_cgroups)
                    .cloned(),
            };
            let plan = TournamentPlan {
                machine: Some(MachineLine::detect(
                    self.build,
                    machine,
                    crate::play::calibrate()?,
                    part.conditions(),
                    Some(part.id().to_owned()),
                )),
                pin: self.machine.pins,
                stop: Arc::clone(stop),
                ..TournamentPlan::new(order, self.machine.jobs)
            };
            play_all(&plan, &fixtures, missing, &mut journal, sink)?;
        }
        Ok(fixtures.iter().filter(|f| !journal.contains(f.id)).count())
    }

    fn played(&self, part: &Part, sink: &dyn Sink) -> Result<HashSet<GameId>> {
        let mut played = HashSet::new();
        for path in &self.played {
            if !path.is_file() {
                return refuse(format!(
                    "--played {}: there is no such file; give the journal of an earlier attempt at this part",
                    path.display()
                ));
            }
            let ids = part.fixtures.iter().map(|fixture| fixture.id);
            let scope = Scope::part(ids);
            let mut lines = PartLines::new(path, part.key(), part.conditions(), scope)?;
            let (mut fitting, mut unfit) = (0, None);
            lines.read_new(&mut |line| {
                match line {
                    PartLine::Game { record, .. } => {
                        fitting += 1;
                        played.insert(record.fixture);
                    }
                    PartLine::Machine(_) => fitting += 1,
                    PartLine::Rejected { number, reason } => {
                        unfit.get_or_insert((number, reason));
                    }
                }
                Ok(())
            })?;
            let Some((number, reason)) = unfit else {
                continue;
            };
            if fitting == 0 {
                return refuse(format!(
                    "--played {} is not a journal of this part (line {number}: {reason}); omit it, or give the journal of this part",
                    path.display()
                ));
            }
            sink.note(&format!("{}, line {number}: {reason}", shown(path)));
        }
        Ok(played)
    }
}

/// No bot is blamed for what the machine lacks.
fn check_programs(part: &Part, artifacts: &[Artifact], isolation: &mut Isolation) -> Result {
    let toolchains = toolchains(&that_are_here(part.toolchains()), isolation)?;
    for artifact in artifacts {
        intake::can_run(artifact, &isolation.closed, &toolchains).map_err(|reason| {
            JudgeError::input(format!(
                "this machine cannot run a program of the part: {reason}; install what it lacks, or play the part on \
                 another machine"
            ))
        })?;
    }
    Ok(())
}

fn play_all(
    plan: &TournamentPlan<'_>,
    fixtures: &[Fixture],
    missing: usize,
    journal: &mut Journal,
    sink: &dyn Sink,
) -> Result {
    let mut is_draining = false;
    counted_stage(sink, "games played", Some(missing), || {
        crate::tournament::play(plan, fixtures, journal, &mut |event| {
            match event {
                TournamentEvent::Finished(..) => sink.take(RunEvent::Step),
                TournamentEvent::Again(reason) => sink.take(RunEvent::Again(reason)),
                TournamentEvent::Note(_) | TournamentEvent::Tick => {}
            }
            if plan.stop.load(Ordering::Relaxed) && !is_draining {
                is_draining = true;
                sink.take(RunEvent::Interrupted);
            }
        })
    })
}

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
    pub fn split(&self, run: &Scheduled, sink: &dyn Sink) -> Result<Split> {
        let run_of = (&*run.folder, &run.keys, &run.manifest);
        let games = (&*run.fixtures, run.journal.games());
        self.write(run_of, &run.artifacts(), games, sink)
    }

    /// The same of an earlier run. Also returns the defects of its journal, in lines.
    pub fn split_past(&self, run: &Path, sink: &dyn Sink) -> Result<(Split, Vec<String>)> {
        let (folder, _) = PastRun::find(run)?;
        Staff::of(slice::from_ref(&folder)).admit(&folder)?;
        location::refuse_beside(&folder)?;
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
    ) -> Result<Split> {
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
fn write_parts(plan: &PartPlan<'_>, slices: &[Vec<&Fixture>]) -> Result<Vec<PathBuf>> {
    let (folder, place) = (plan.run, plan.run.join(PARTS));
    let failed = |e| JudgeError::io("write", &place, e);
    let fresh = TemporaryFolder::new_in(folder, ".new-", 0o700).map_err(failed)?;
    let count = slices.len();
    let digits = count.to_string().len();
    let name = |number: usize| format!("part-{number:0digits$}-of-{count}.part");
    plan.write(slices, &|number| fresh.path().join(name(number)))?;
    let old = TemporaryFolder::new_in(folder, ".new-", 0o700).map_err(failed)?;
    if_there(fs::rename(&place, old.path().join(PARTS))).map_err(failed)?;
    fs::rename(fresh.path(), &place).map_err(failed)?;
    fresh.keep();
    Ok((1..=count).map(|number| place.join(name(number))).collect())
}
