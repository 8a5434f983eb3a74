//! `judge split`: the games of a run that are missing, in part files that can be played anywhere.

use super::entering::Entering;
use super::exit::Done;
use super::interrupt::stop_on_interrupt;
use super::run_sink::RunSink;
use super::run_tell;
use crate::progress::{Stages, stage};
use clap::{Args, ValueEnum};
use error::JudgeError;
use journal::{Games, Keys};
use parts::{Asked, PartPlan, Programs, groups, slices};
use run::commands::{path_for_shell, program, shown};
use run::watch_lock;
use run::{PastRun, RunKind};
use sandbox::Isolation;
use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use system::cleanup::TemporaryFolder;
use system::run_folder::PARTS;
use words::artifact::Artifact;
use words::fixture::{Conditions, Fixture};
use words::isolation::{Confinement, Tier};
use words::numbers::counted;

/// What is said of a run that is begun, and cannot be said of one that has been: its manifest has it.
/// The groups have the flags of their structs; those of structs with others in them have none.
const OF_A_NEW_RUN: [&str; 22] = [
    "submissions",
    "roster",
    "with",
    "out",
    "on_shown_draw",
    "mixed",
    "Workers",
    "competition",
    "game",
    "states",
    "seed",
    "GameConfig",
    "clock",
    "turn_time",
    "bank",
    "increment",
    "backstop",
    "startup",
    "memory",
    "lifetime",
    "allow_processes",
    "Scored",
];

/// Takes the flags of `judge run`, builds as it does, and plays nothing; or takes the folder of a
/// run that has been begun.
#[derive(Args)]
#[command(mut_arg("submissions", |arg| arg.required_unless_present("run")))]
pub(super) struct SplitArgs {
    /// The folder of a run that has been begun: what is missing there is split, and nothing built
    #[arg(conflicts_with_all = OF_A_NEW_RUN)]
    run: Option<PathBuf>,
    /// How many parts to make at most; games of one group stay together
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    parts: u32,
    /// The least isolation tier of a machine that plays a part [default: what this machine has]
    #[arg(long, value_name = "TIER", ignore_case = true)]
    tier: Option<AskedTier>,
    #[command(flatten)]
    entering: Entering,
}

/// [`Tier`] as a flag names it.
#[derive(Clone, Copy, ValueEnum)]
enum AskedTier {
    S,
    A,
    B,
    C,
}

/// A run whose games are split.
struct Splitting<'a> {
    folder: &'a Path,
    keys: &'a Keys,
    conditions: &'a Conditions,
    toolchains: &'a BTreeMap<String, String>,
    artifacts: &'a [Artifact],
    fixtures: &'a [Fixture],
    journal: &'a Games,
}

impl SplitArgs {
    pub(super) fn execute(&self) -> Result<Done, JudgeError> {
        match &self.run {
            Some(run) => self.split_past(run),
            None => self.split_new(),
        }
    }

    /// Builds what was submitted, as `judge run` does, and splits what it would play.
    fn split_new(&self) -> Result<Done, JudgeError> {
        let (stop, sink) = (stop_on_interrupt()?, RunSink::default());
        let spec = self.entering.spec(RunKind::Played, Vec::new())?;
        let collected = spec.collect(&sink, &stop)?;
        let scheduled = collected.build(&sink, &stop)?.schedule(&sink)?;
        run_tell::machinery(&scheduled.machinery());
        let played = scheduled.begin()?;
        played.write(&sink)?;
        let scheduled = played.scheduled();
        let here = scheduled.isolation().confinement();
        self.split(
            &Splitting {
                folder: scheduled.folder(),
                keys: scheduled.keys(),
                conditions: &scheduled.competition().conditions,
                toolchains: &scheduled.manifest().toolchain_folders,
                artifacts: &scheduled.artifacts(),
                fixtures: scheduled.fixtures(),
                journal: scheduled.journal().games(),
            },
            &here,
        )
    }

    /// Splits what is missing of a run that has been begun.
    fn split_past(&self, run: &Path) -> Result<Done, JudgeError> {
        let (folder, _) = PastRun::find(run)?;
        watch_lock::refuse_beside(&folder)?;
        let _lock = journal::lock(&folder)?;
        let past = PastRun::open(run)?;
        let (games, fixtures) = (past.games(&Stages::default())?, past.fixtures()?);
        run_tell::findings(&games);
        let artifacts = past.programs()?;
        self.split(
            &Splitting {
                folder: &past.folder,
                keys: &past.keys,
                conditions: &past.manifest.competition.conditions,
                toolchains: &past.manifest.toolchain_folders,
                artifacts: &artifacts,
                fixtures: &fixtures,
                journal: &games,
            },
            &Isolation::find().confinement(),
        )
    }

    fn split(&self, run: &Splitting<'_>, here: &Confinement) -> Result<Done, JudgeError> {
        let missing = run.fixtures.iter().filter(|f| !run.journal.contains(&f.id));
        let missing: Vec<&Fixture> = missing.collect();
        let all = counted(run.fixtures.len() as u64, "game");
        if missing.is_empty() {
            say!("{all}, all of them already played: there is nothing to split");
            return Ok(Done::Success);
        }
        let games = missing.len();
        let groups = groups(missing.into_iter(), run.conditions.lifetime);
        let slices = slices(groups, self.parts as usize);
        let plan = PartPlan {
            build: crate::BUILD,
            run: run.folder,
            keys: run.keys,
            conditions: run.conditions,
            artifacts: run.artifacts,
            asked: asked(self.tier, here),
            toolchains: run.toolchains,
            programs: Programs::Packed,
        };
        let paths = stage("writing the parts", || {
            write_parts(run.folder, &plan, &slices)
        })?;
        let played = match run.fixtures.len() - games {
            0 => String::new(),
            played => format!(", {played} of them already played"),
        };
        let folder = shown(&run.folder.join(PARTS));
        say!(
            "{all}{played}; split into {} in {folder}",
            counted(paths.len() as u64, "part")
        );
        if paths.len() < self.parts as usize {
            say!(
                "  fewer than {}: games of one group stay on one machine",
                self.parts
            );
        }
        say!(
            "  who has a part can play it and sign its games, and knows the seeds of its bots: keep it as safe as the run"
        );
        let (program, first) = (program(), path_for_shell(&paths[0]));
        say!(
            "\nto play a part, on any machine with this program: {program} part {first} --out JOURNAL"
        );
        say!(
            "to bring its games back: {program} merge {} JOURNAL…",
            path_for_shell(run.folder)
        );
        Ok(Done::Success)
    }
}

/// Returns how well programs must be confined: as here, unless a tier is named. Only who asks for
/// less than this machine has goes without its namespaces.
fn asked(tier: Option<AskedTier>, here: &Confinement) -> Asked {
    let tier = match tier {
        None => return Asked::of(here),
        Some(AskedTier::S) => Tier::S,
        Some(AskedTier::A) => Tier::A,
        Some(AskedTier::B) => Tier::B,
        Some(AskedTier::C) => Tier::C,
    };
    Asked {
        tier,
        namespaces: here.namespaces && tier.reaches(here.tier),
    }
}

/// Writes the part files of a run; those of an earlier split go when all are there.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_asks_for_more_than_this_machine_has_keeps_its_namespaces() {
        let here =
            r#"{"tier":"A","landlock_version":1,"seccomp":true,"ids":null,"namespaces":true}"#;
        let here: Confinement = serde_json::from_str(here).expect("plain data");
        let namespaces = |tier| asked(tier, &here).namespaces;
        assert!(namespaces(None) && namespaces(Some(AskedTier::S)));
        assert!(namespaces(Some(AskedTier::A)));
        assert!(!namespaces(Some(AskedTier::B)) && !namespaces(Some(AskedTier::C)));
    }
}
