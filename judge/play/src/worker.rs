//! A worker: a small single-threaded process, pinned to one CPU together with the bots that
//! it runs. Fixtures come in on standard input, records go out on standard output, as JSON
//! lines.

use crate::{ProcessPlayer, Scripted, ScriptedAnswer};
use engines::{Lifetime, Seat};
use error::JudgeError;
use nix::sys::prctl;
use nix::sys::signal::Signal;
use nix::unistd::Pid;
use sandbox::{self, Cage, Isolation, Launch, Limits, Pool, RunCgroups};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io::{self, BufRead, Write};
use table::player::{ExitReport, Player, Shutdown};
use table::{Bench, Note, Seated};
use words::artifact::Artifact;
use words::clock::{self, ClockMode};
use words::fault::{Cause, Offence};
use words::fixture::{Conditions, Fixture};
use words::record::MatchRecord;

/// The first line that a worker reads; fixtures follow, one a line.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Order {
    /// What holds for every game.
    pub conditions: Conditions,
    /// What the entrants play with.
    pub artifacts: Vec<Artifact>,
    /// The CPU to pin to, as a number counted round; none = no pinning.
    pub pin: Option<usize>,
    /// How bots are shut in.
    pub isolation: Isolation,
    /// The most games that one process plays.
    pub games_max: usize,
    /// Where their control groups are made, if they may start processes.
    pub run_cgroups: Option<RunCgroups>,
}

/// A line that a worker writes, one for each fixture.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum FixtureReport {
    /// The game was played.
    Done {
        /// What happened.
        record: Box<MatchRecord>,
        /// Standard error by seat, made fit for a text file.
        stderr: Vec<String>,
    },
    /// The game could not be played, for reasons of ours.
    Failed {
        /// The fixture's id.
        fixture: String,
        /// Why.
        reason: String,
    },
}

/// Serves fixtures until the input ends.
///
/// # Errors
/// When the order cannot be read or the coordinator is gone.
pub fn serve() -> Result<(), JudgeError> {
    // The coordinator's death must be ours, whatever the bots are doing.
    prctl::set_pdeathsig(Signal::SIGKILL)
        .map_err(|e| JudgeError::os("tie a worker to its coordinator", e))?;
    sandbox::adopt_orphans()?;
    let mut lines = io::stdin().lock().lines();
    let mut next_line = || {
        let line = lines.next().transpose();
        line.map_err(|e| JudgeError::io("read", "the coordinator's orders", e))
    };
    let Some(order) = next_line()? else {
        return Ok(());
    };
    let order: Order = read("an order", &order)?;
    if let Some(index) = order.pin {
        sandbox::pin_to(index)?;
    }
    let mut bench = ProcessBench::new(&order)?;
    while let Some(line) = next_line()? {
        let fixture: Fixture = read("a fixture", &line)?;
        let report = match table::play(&fixture, &order.conditions, &mut bench) {
            Ok(played) => FixtureReport::Done {
                stderr: played
                    .stderr
                    .iter()
                    .map(|s| String::from_utf8_lossy(s).into_owned())
                    .collect(),
                record: Box::new(played.record),
            },
            Err(error) => {
                // All of its bots end here, whatever they had to do with the failure.
                bench = ProcessBench::new(&order)?;
                sandbox::end_orphans(&[])?;
                FixtureReport::Failed {
                    fixture: fixture.id,
                    reason: error.to_string(),
                }
            }
        };
        let mut line = serde_json::to_vec(&report).expect("plain data");
        line.push(b'\n');
        let mut out = io::stdout().lock();
        out.write_all(&line)
            .and_then(|()| out.flush())
            .map_err(|e| JudgeError::io("write", "a report to the coordinator", e))?;
    }
    bench.close()
}

fn read<'a, T: Deserialize<'a>>(what: &str, line: &'a str) -> Result<T, JudgeError> {
    serde_json::from_str(line).map_err(|source| JudgeError::Format {
        what: what.to_owned(),
        source,
    })
}

/// Returns what a bot may use.
fn bot_limits(order: &Order, cpus: u32) -> Result<Limits, JudgeError> {
    let conditions = &order.conditions;
    let plies_max = conditions.entry()?.info.plies_max;
    Ok(Limits {
        memory_bytes_max: conditions.memory_mib << 20,
        cpu_s_max: cpu_s_max(conditions, plies_max, order.games_max, cpus),
        ..Limits::BOT
    })
}

/// The kernel counts by ticks, which on a busy machine can be a tenth more than the clock shows.
const CPU_S_FACTOR: u64 = 2;
/// For short limits besides.
const CPU_S_SPARE: u64 = 5;

/// Returns the CPU seconds after which the kernel ends a bot as a last resort, far enough beyond
/// all that its clock, its start-up and what is not charged can come to that the judge's own
/// clock is always first; none where the clock is unlimited.
fn cpu_s_max(conditions: &Conditions, plies_max: u32, games_max: usize, cpus: u32) -> Option<u64> {
    let (games, turns) = match conditions.lifetime {
        Lifetime::Turn => (1, 1),
        Lifetime::Game => (1, plies_max),
        Lifetime::Match => (games_max as u64, plies_max),
    };
    // What is limited in wall time can be used up on every CPU at once.
    let on_all_cpus = |ms: u64| ms.saturating_mul(1000 * u64::from(cpus));
    let clock_us = clock::game_max_us(conditions.time, turns)?;
    let clock_us = match conditions.mode {
        ClockMode::Cpu => clock_us,
        ClockMode::Wall => clock_us.saturating_mul(u64::from(cpus)),
    };
    let total_us = clock_us
        .saturating_add(on_all_cpus(conditions.backstop_ms))
        .saturating_mul(games)
        .saturating_add(on_all_cpus(conditions.startup_ms));
    let limit_us = total_us.saturating_mul(CPU_S_FACTOR);
    Some(limit_us.div_ceil(1_000_000).saturating_add(CPU_S_SPARE))
}

/// Runs artifacts as processes, and keeps them over the games of a match where they live as
/// long as that.
pub struct ProcessBench<'a> {
    order: &'a Order,
    cpus: u32,
    limits: Limits,
    /// What shuts bots in, by artifact and seat, as far as they have been needed.
    cages: HashMap<(String, usize), Cage>,
    /// Control groups for bots that may start processes.
    pool: Option<Pool>,
    /// The processes of the players that sit at the table.
    seated: Vec<Pid>,
    /// Players that wait for the next game of their match, by entrant.
    waiting: Vec<(String, Seated)>,
    /// The match that they wait for: the entrants' names.
    match_key: Vec<String>,
}

impl<'a> ProcessBench<'a> {
    /// Begins with nobody; the caller has pinned itself where `order` says so.
    ///
    /// # Errors
    /// When there is no such game.
    pub fn new(order: &'a Order) -> Result<Self, JudgeError> {
        let all = std::thread::available_parallelism().map_or(1, usize::from);
        let cpus = match order.pin {
            Some(_) => 1,
            None => u32::try_from(all).unwrap_or(1),
        };
        let limits = bot_limits(order, cpus)?;
        Ok(Self {
            order,
            cpus,
            limits,
            cages: HashMap::new(),
            pool: order
                .run_cgroups
                .clone()
                .map(|run_cgroups| Pool::new(run_cgroups, limits.memory_bytes_max)),
            seated: Vec::new(),
            waiting: Vec::new(),
            match_key: Vec::new(),
        })
    }

    /// Ends every player that waits.
    ///
    /// # Errors
    /// When the machine fails.
    pub fn close(&mut self) -> Result<(), JudgeError> {
        for (_, seated) in self.waiting.drain(..) {
            seated.player.finish(Shutdown::Polite)?;
        }
        self.clear_orphans(&self.kept())
    }

    /// Lists the processes of the players that sit or wait.
    fn kept(&self) -> Vec<Pid> {
        let waiting = self.waiting.iter();
        let waiting = waiting.filter_map(|(_, seated)| pid(&*seated.player));
        self.seated.iter().copied().chain(waiting).collect()
    }

    /// Ends what players that are gone have left behind. With control groups, it has ended with
    /// them, and children that run may be others' or our own.
    fn clear_orphans(&self, keep: &[Pid]) -> Result<(), JudgeError> {
        match self.pool {
            Some(_) => sandbox::reap_orphans(keep),
            None => sandbox::end_orphans(keep),
        }
    }

    /// Starts the program of an artifact of the order for a seat.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn start(&mut self, hash: &str, seat: Seat) -> Result<ProcessPlayer, JudgeError> {
        let artifact = self.artifact(hash);
        let artifact = artifact.ok_or_else(|| JudgeError::input(format!("no artifact {hash}")))?;
        let cage = match self.cages.entry((artifact.hash.clone(), seat.index())) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => entry.insert(Cage::for_bots(
                &self.order.isolation,
                artifact.directory.as_ref(),
                seat.index(),
                self.order.conditions.processes,
            )?),
        };
        let launch = Launch {
            program: artifact.program.as_ref(),
            args: &artifact.args,
            directory: artifact.directory.as_ref(),
            limits: self.limits,
            cage,
            group: self.pool.as_ref().map(Pool::lease).transpose()?,
        };
        ProcessPlayer::start(&launch, self.cpus)
    }

    /// Finds an artifact of the order.
    fn artifact(&self, hash: &str) -> Option<&'a Artifact> {
        self.order.artifacts.iter().find(|a| a.hash == hash)
    }

    fn keeps_players(&self) -> bool {
        self.order.conditions.lifetime == Lifetime::Match
    }
}

/// Stands for a bot whose program the system does not execute.
fn unstarted(reason: &io::Error) -> impl Player + use<> {
    let detail = format!(
        "the system does not execute it: {reason} (a script's interpreter must be a program of the system's)"
    );
    Scripted::new(move |_| ScriptedAnswer {
        answer: Err(Offence::new(Cause::Exit, detail.clone())),
        ..ScriptedAnswer::line("")
    })
}

impl Bench for ProcessBench<'_> {
    fn seat(&mut self, fixture: &Fixture, seat: Seat) -> Result<Seated, JudgeError> {
        let participant = &fixture.seats[seat.index()];
        if self.keeps_players() && self.match_key != fixture.match_key() {
            self.close()?;
            self.match_key = fixture.match_key().into_iter().map(str::to_owned).collect();
        }
        let kept = self
            .waiting
            .iter()
            .position(|(name, _)| **name == *participant.entrant);
        let seated = match kept {
            Some(index) => self.waiting.remove(index).1,
            None => Seated {
                player: match self.start(&participant.artifact, seat) {
                    Ok(player) => Box::new(player),
                    Err(JudgeError::Execute { source, .. }) => Box::new(unstarted(&source)),
                    Err(error) => return Err(error),
                },
                ready: None,
                startup_free_ms: self
                    .artifact(&participant.artifact)
                    .and_then(|artifact| artifact.startup_free_ms),
            },
        };
        self.seated.extend(pid(&*seated.player));
        Ok(seated)
    }

    fn leave(
        &mut self,
        fixture: &Fixture,
        seat: Seat,
        mut seated: Seated,
        shutdown: Shutdown,
    ) -> Result<ExitReport, JudgeError> {
        let process = pid(&*seated.player);
        self.seated.retain(|&pid| Some(pid) != process);
        if self.keeps_players() && shutdown == Shutdown::Polite {
            let entrant = fixture.seats[seat.index()].entrant.to_string();
            let stderr = seated.player.take_stderr();
            self.waiting.push((entrant, seated));
            return Ok(ExitReport { cpu_us: 0, stderr });
        }
        let report = seated.player.finish(shutdown)?;
        self.clear_orphans(&self.kept())?;
        Ok(report)
    }

    fn observe(&mut self, note: Note<'_>) -> Result<(), JudgeError> {
        // What a bot's orphans leave when they end counts against the bot's limit on processes
        // until it is reaped, and it is ours to reap.
        match note {
            Note::Turn(_) if self.pool.is_some() => sandbox::reap_orphans(&self.kept()),
            Note::Turn(_) | Note::Start(..) | Note::Fault(_) => Ok(()),
        }
    }
}

/// Returns the process behind a player, if there is one.
fn pid(player: &dyn Player) -> Option<Pid> {
    player.process().map(Pid::from_raw)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One second a turn, a bank of 100 s, three seconds to start, one for an answer to `start`.
    fn conditions(lifetime: Lifetime, mode: ClockMode) -> Conditions {
        let entry = engines::game("catch-the-cat").expect("registered");
        let mut conditions = competition::standard(entry).conditions;
        conditions.time.turn_us = Some(1_000_000);
        conditions.time.bank_us = Some(100_000_000);
        (conditions.startup_ms, conditions.backstop_ms) = (3000, 1000);
        (conditions.lifetime, conditions.mode) = (lifetime, mode);
        conditions
    }

    #[test]
    fn the_last_resort_comes_after_all_that_a_process_can_be_charged() {
        use ClockMode::{Cpu, Wall};
        let of = |lifetime, mode, cpus| cpu_s_max(&conditions(lifetime, mode), 10, 7, cpus);
        assert_eq!(of(Lifetime::Turn, Cpu, 1), Some(2 * (3 + 1 + 1) + 5));
        assert_eq!(of(Lifetime::Game, Cpu, 1), Some(2 * (3 + 1 + 10) + 5));
        assert_eq!(
            of(Lifetime::Match, Cpu, 1),
            Some(2 * (3 + 7 * (1 + 10)) + 5)
        );
        assert_eq!(of(Lifetime::Game, Cpu, 4), Some(2 * (12 + 4 + 10) + 5));
        assert_eq!(of(Lifetime::Game, Wall, 4), Some(2 * (12 + 4 + 40) + 5));
    }

    #[test]
    fn an_unlimited_clock_has_no_last_resort() {
        let mut conditions = conditions(Lifetime::Game, ClockMode::Cpu);
        (conditions.time.turn_us, conditions.time.bank_us) = (None, None);
        assert_eq!(cpu_s_max(&conditions, 10, 1, 1), None);
    }
}
