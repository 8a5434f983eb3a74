//! `judge part`: plays a part of a run, anywhere.

use super::entering::Workers;
use super::exit::Done;
use super::interrupt::stop_on_interrupt;
use crate::progress::counted_stage;
use clap::Args;
use error::JudgeError;
use journal::manifest::Machine;
use journal::{Journal, MachineLine, PartLine, PartLines, Scope};
use parts::Part;
use play::worker::Order;
use run::commands::{shown, this_command};
use run::intact;
use run::open_run_cgroups;
use run::{that_are_here, toolchains};
use sandbox::{Isolation, OpenRunCgroups, WarmCages};
use std::cell::Cell;
use std::collections::HashSet;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use system::cleanup::TemporaryFolder;
use tournament::{TournamentEvent, TournamentPlan};
use words::artifact::Artifact;
use words::fixture::Fixture;
use words::numbers::counted;

/// Needs the file and this program, and neither the run nor a network. Rerun the same command to
/// continue; `judge merge` brings the games back.
#[derive(Args)]
pub(super) struct PartArgs {
    /// The part file, as `judge split` wrote it
    file: PathBuf,
    /// The journal that the games are written into; an existing one is continued
    #[arg(long, value_name = "JOURNAL")]
    out: PathBuf,
    /// A journal of the same part, of an earlier try: its games are not played again. May be
    /// repeated
    #[arg(long, value_name = "JOURNAL")]
    played: Vec<PathBuf>,
    #[command(flatten)]
    workers: Workers,
}

impl PartArgs {
    pub(super) fn execute(&self) -> Result<Done, JudgeError> {
        let part = Part::read(&self.file)?;
        let stop = stop_on_interrupt()?;
        let mut isolation = Isolation::find();
        isolation.admit(self.workers.weak_isolation)?;
        part.asked().admit(&isolation.confinement())?;
        if self.workers.cold {
            isolation.warm = WarmCages::Missing("--cold".to_owned());
        }
        isolation.close(&self.file);
        if let Some(run) = part.shared_run() {
            isolation.close(run);
        }
        // Nobody else on this machine may read what was submitted; programs may run as another user,
        // which then enters by a name that it knows.
        let mode = if isolation.confinement().ids.is_some() {
            0o711
        } else {
            0o700
        };
        let folder = TemporaryFolder::new("part", Permissions::from_mode(mode))
            .map_err(|e| JudgeError::io("make a folder in", std::env::temp_dir(), e))?;
        isolation.close(folder.path());
        let processes = part.conditions().processes;
        let run_cgroups = open_run_cgroups(&mut isolation, processes)?;
        let mut journal = Journal::open_part(&self.out, part.key(), part.conditions())?;
        isolation.close(&self.out);
        for words in journal.games().findings.words() {
            say!("  {}: {words}", shown(&self.out));
        }
        let played = self.played(&part)?;
        let fixtures = part.fixtures.iter();
        let fixtures = fixtures.filter(|fixture| !played.contains(&fixture.id));
        let fixtures: Vec<Fixture> = fixtures.cloned().collect();
        let (number, of) = part.number();
        let missing = fixtures.iter().filter(|f| !journal.contains(&f.id)).count();
        let all = counted(part.fixtures.len() as u64, "game");
        say!("part {number} of {of}: {all}, {missing} to play");
        say!("  {}", isolation.announce(processes));
        say!("  {}", isolation.announce_channels());
        if missing > 0 {
            let artifacts = part.lay_out(folder.path())?;
            check_programs(&part, &artifacts, &isolation)?;
            let machine = Machine::look(self.workers.machine().pins, isolation.confinement());
            let id = Some(part.id().to_owned());
            let plan = TournamentPlan {
                judge: Path::new(run::THIS_PROGRAM),
                order: Order {
                    conditions: part.conditions().clone(),
                    artifacts,
                    pin: None,
                    isolation,
                    run_cgroups: run_cgroups
                        .as_ref()
                        .map(OpenRunCgroups::run_cgroups)
                        .cloned(),
                },
                machine: Some(MachineLine::look(
                    crate::BUILD,
                    machine,
                    play::calibrate()?,
                    part.conditions(),
                    id,
                )),
                pin: self.workers.machine().pins,
                intact: &intact,
                jobs: self.workers.machine().jobs,
                stop: Arc::clone(&stop),
                abandon: Arc::default(),
            };
            play_all(&plan, &fixtures, missing, &mut journal, &stop)?;
        }
        let left = fixtures.iter().filter(|f| !journal.contains(&f.id)).count();
        if left > 0 {
            say!(
                "games still to be played: {left}; to continue: {}",
                this_command()
            );
            return Ok(Done::Interrupted);
        }
        say!(
            "all games of the part are played; to bring them back: judge merge RUN {}",
            shown(&self.out)
        );
        Ok(Done::Success)
    }

    /// Lists the fixtures that were played in earlier tries.
    ///
    /// # Errors
    /// When a journal of these cannot be read, or is of another part.
    fn played(&self, part: &Part) -> Result<HashSet<String>, JudgeError> {
        let mut played = HashSet::new();
        for path in &self.played {
            let ids = part.fixtures.iter().map(|fixture| fixture.id.as_str());
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
                    PartLine::Unfit { number, reason } => {
                        unfit = unfit.take().or(Some((number, reason)));
                    }
                }
                Ok(())
            })?;
            let Some((number, reason)) = unfit else {
                continue;
            };
            if fitting == 0 {
                return Err(JudgeError::input(format!(
                    "--played {} is not a journal of this part (line {number}: {reason}); leave it out, or give the one \
                     that belongs to the part",
                    path.display()
                )));
            }
            say!("  {}, line {number}: {reason}", shown(path));
        }
        Ok(played)
    }
}

/// Checks that this machine can execute the programs, so that no bot is blamed for what it lacks.
fn check_programs(
    part: &Part,
    artifacts: &[Artifact],
    isolation: &Isolation,
) -> Result<(), JudgeError> {
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

/// Plays what is missing, and counts it.
fn play_all(
    plan: &TournamentPlan<'_>,
    fixtures: &[Fixture],
    missing: usize,
    journal: &mut Journal,
    stop: &AtomicBool,
) -> Result<(), JudgeError> {
    let draining = Cell::new(false);
    counted_stage("games played", missing, |counted| {
        tournament::play(plan, fixtures, journal, &mut |event| {
            match event {
                TournamentEvent::Finished(..) => counted.step(),
                TournamentEvent::Again(reason) => {
                    super::out::aside(format_args!("a game will be played again: {reason}"));
                }
                TournamentEvent::Took(..) | TournamentEvent::Note(_) | TournamentEvent::Tick => {}
            }
            if stop.load(Ordering::Relaxed) && !draining.replace(true) {
                super::out::aside(format_args!(
                    "interrupted: finishing the games in play (press Ctrl-C again to abandon them)"
                ));
            }
        })
    })
}
