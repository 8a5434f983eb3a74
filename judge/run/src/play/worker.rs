//! A worker: a single-threaded process, pinned to one CPU with its bots, that speaks JSON lines.

use crate::play::process::launch_of;
use crate::play::{ProcessPlayer, WorkerBots, game_program, open_game_among};
use engines::{Lifetime, Seat};
use model::artifact::Artifact;
use model::clock::ClockMode;
use model::fault::{Cause, Offence, Phase};
use model::fixture::{Conditions, Fixture};
use model::game_id::GameId;
use model::record::MatchRecord;
use model::stderr::{KeptStderr, Stderr};
use nix::sys::prctl;
use nix::sys::signal::Signal;
use nix::unistd::Pid;
use referee::table::player::{Allowance, Cost, ExitReport, Player, Shutdown, Spent};
use referee::table::{PlayerSource, Seated, TableEvent};
use rulebook::{IoContext, JudgeError, Result};
use sandbox::{
    BotRights, Cage, FIRST_BYTES_MAX, Isolation, Launch, Limits, Paths, Pool, RunCgroups,
};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::io::{self, BufRead, Write};
use std::mem;
use std::rc::Rc;

/// The first line that a worker reads; fixtures follow, one per line.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Order {
    /// The conditions of every game.
    pub conditions: Conditions,
    /// The artifacts of the entrants.
    pub artifacts: Vec<Artifact>,
    /// The index of the CPU to pin to, modulo the number of CPUs; none = no pinning.
    pub pin: Option<usize>,
    /// The confinement of bots.
    pub isolation: Isolation,
    /// The place for their control groups, if they may start processes.
    pub run_cgroups: Option<RunCgroups>,
}

/// A line that a worker writes, one for each fixture.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) enum FixtureReport {
    Done {
        record: Box<MatchRecord>,
        /// Standard error by seat.
        stderr: Vec<Stderr>,
    },
    Failed {
        fixture: GameId,
        reason: String,
        /// Whether the program with the rules of the game has failed.
        is_of_rules: bool,
    },
}

/// Serves fixtures until the input ends.
#[expect(
    clippy::disallowed_methods,
    reason = "its lines from and to the coordinator"
)]
pub fn serve() -> Result {
    // A worker must end with its coordinator, whatever the bots do.
    prctl::set_pdeathsig(Signal::SIGKILL)
        .map_err(|e| JudgeError::os("tie a worker to its coordinator", e))?;
    sandbox::adopt_orphans()?;
    let mut lines = io::stdin().lock().lines();
    let mut next_line = || {
        lines
            .next()
            .transpose()
            .or_io("read", "the coordinator's orders")
    };
    let Some(order) = next_line()? else {
        return Ok(());
    };
    let order: Order = read("an order", &order)?;
    if let Some(index) = order.pin {
        sandbox::pin_to(index)?;
    }
    let mut players = ProcessPlayers::new(&order);
    while let Some(line) = next_line()? {
        let fixture: Fixture = read("a fixture", &line)?;
        let played = open_game_among(&order.artifacts, &order.conditions, &order.isolation)
            .and_then(|rules| {
                referee::table::play(&*rules, &fixture, &order.conditions, &mut players)
            });
        let report = match played {
            Ok(played) => FixtureReport::Done {
                stderr: played.stderr,
                record: Box::new(played.record),
            },
            Err(error) => {
                // All of its bots end here, even those that did not cause the failure.
                players = ProcessPlayers::new(&order);
                referee::external::disconnect();
                sandbox::end_orphans(&[])?;
                FixtureReport::Failed {
                    fixture: fixture.id,
                    is_of_rules: matches!(error, JudgeError::Game { .. }),
                    reason: error.to_string(),
                }
            }
        };
        let mut out = io::stdout().lock();
        out.write_all(&line_of(&report))
            .and_then(|()| out.flush())
            .or_io("write", "a report to the coordinator")?;
    }
    players.close()
}

pub(crate) fn read<'a, T: Deserialize<'a>>(what: &str, line: &'a str) -> Result<T> {
    serde_json::from_str(line).map_err(|source| JudgeError::Format {
        what: what.to_owned(),
        source,
    })
}

pub(crate) fn line_of(data: &impl Serialize) -> Vec<u8> {
    let mut line = serde_json::to_vec(data).expect("plain data");
    line.push(b'\n');
    line
}

struct KeptCage {
    hash: String,
    seat: usize,
    forks: bool,
    cage: Rc<Cage>,
}

impl KeptCage {
    fn is_idle(&self) -> bool {
        Rc::strong_count(&self.cage) == 1 && self.cage.is_idle()
    }
}

/// Cages that a worker keeps besides those in use. Each may have a process, mounts and a network.
pub(crate) const CAGES_MAX: usize = 32;

/// Runs artifacts as processes. Keeps them between the games of a match if the conditions say so.
pub struct ProcessPlayers<'a> {
    order: &'a Order,
    cpus: u32,
    limits: Limits,
    cages: Vec<KeptCage>,
    pool: Option<Pool>,
    /// Programs whose kits cannot fork, by hash.
    executed: HashSet<String>,
    bots: WorkerBots,
    seated: Vec<Pid>,
    /// Players that wait for the next game of their match, by entrant.
    waiting: Vec<(String, Seated)>,
    /// The match that they wait for: the entrants' names.
    match_key: Vec<String>,
}

impl<'a> ProcessPlayers<'a> {
    /// Starts without players. The caller has pinned itself if `order` says so.
    pub fn new(order: &'a Order) -> Self {
        let all = std::thread::available_parallelism().map_or(1, usize::from);
        let cpus = match order.pin {
            Some(_) => 1,
            None => u32::try_from(all).unwrap_or(1),
        };
        let limits = Limits {
            memory_bytes_max: order.conditions.memory_mib << 20,
            ..Limits::BOT
        };
        Self {
            order,
            cpus,
            limits,
            cages: Vec::new(),
            pool: order
                .run_cgroups
                .clone()
                .map(|run_cgroups| Pool::new(run_cgroups, limits.memory_bytes_max)),
            executed: HashSet::new(),
            bots: WorkerBots::default(),
            seated: Vec::new(),
            waiting: Vec::new(),
            match_key: Vec::new(),
        }
    }

    /// Ends every waiting player.
    pub fn close(&mut self) -> Result {
        for (_, seated) in self.waiting.drain(..) {
            seated.player.finish(Shutdown::Polite)?;
        }
        self.clear_orphans(&self.kept())
    }

    fn kept(&self) -> Vec<Pid> {
        let waiting = self
            .waiting
            .iter()
            .filter_map(|(_, seated)| pid(&*seated.player));
        self.seated
            .iter()
            .copied()
            .chain(waiting)
            .chain(game_program::running())
            .collect()
    }

    /// With control groups, running children may belong to others.
    fn clear_orphans(&self, keep: &[Pid]) -> Result {
        match self.pool {
            // They have ended with the namespace of their bot.
            _ if self.order.isolation.namespaces.are_used() => Ok(()),
            Some(_) => sandbox::reap_orphans(keep),
            None => sandbox::end_orphans(keep),
        }
    }

    fn cage(&mut self, artifact: &Artifact, seat: Seat, forks: bool) -> Result<&Rc<Cage>> {
        let fits = |kept: &KeptCage| {
            let is_same = kept.hash == artifact.hash && kept.forks == forks;
            is_same && kept.seat == seat.index() && kept.is_idle() && kept.cage.is_free()
        };
        let free = self.cages.iter().position(fits);
        let kept = match free.map(|index| self.cages.remove(index)) {
            Some(kept) => kept,
            None => KeptCage {
                hash: artifact.hash.clone(),
                seat: seat.index(),
                forks,
                cage: Rc::new(self.make_cage(artifact, seat, forks)?),
            },
        };
        if self.cages.len() >= CAGES_MAX
            && let Some(index) = self.cages.iter().position(KeptCage::is_idle)
        {
            self.cages.remove(index);
        }
        self.cages.push(kept);
        Ok(&self.cages.last().expect("pushed above").cage)
    }

    fn make_cage(&self, artifact: &Artifact, seat: Seat, forked: bool) -> Result<Cage> {
        let conditions = &self.order.conditions;
        let rights = BotRights {
            processes: conditions.processes,
            paths: match conditions.lifetime {
                _ if !artifact.without_paths => Paths::Guarded,
                Lifetime::Turn => Paths::NoneFlushed,
                Lifetime::Game | Lifetime::Match => Paths::None,
            },
            forked,
        };
        let folder = artifact.directory.as_ref();
        let isolation = &self.order.isolation;
        if artifact.toolchains.is_empty() {
            return Cage::for_bots(isolation, folder, seat.index(), rights);
        }
        let isolation = isolation.with_toolchains(&artifact.toolchains);
        Cage::for_bots(&isolation, folder, seat.index(), rights)
    }

    /// Starts the program of an artifact of the order for a seat.
    pub fn start(&mut self, hash: &str, seat: Seat) -> Result<ProcessPlayer> {
        let artifact = self
            .artifact(hash)
            .ok_or_else(|| JudgeError::input(format!("no artifact {hash}")))?;
        let group = self.pool.as_ref().map(Pool::lease).transpose()?;
        let cage = Rc::clone(self.cage(artifact, seat, false)?);
        let launch = Launch {
            limits: self.limits,
            group,
            ..launch_of(artifact, &cage)
        };
        ProcessPlayer::start(&launch, self.cpus, &self.bots, &[])
    }

    fn player(&mut self, hash: &str, seat: Seat) -> Result<Box<dyn Player>> {
        let forks = |artifact: &&Artifact| {
            artifact.forks
                && self.order.isolation.starts_warm()
                && !self.executed.contains(&artifact.hash)
        };
        if let Some(artifact) = self.artifact(hash).filter(forks) {
            let conditions = &self.order.conditions;
            // If wall time counts, a turn must not include a start.
            let at_once =
                conditions.lifetime == Lifetime::Turn && conditions.mode == ClockMode::Cpu;
            let bot = ForkedPlayer {
                artifact: artifact.clone(),
                cage: Rc::clone(self.cage(artifact, seat, true)?),
                limits: self.limits,
                cpus: self.cpus,
                bots: self.bots.clone(),
                at_once,
                hello: Vec::new(),
                player: None,
            };
            if bot.launch().can_fork()? {
                return Ok(Box::new(bot));
            }
            // Its behaviour when it is executed shows the reason.
            self.executed.insert(artifact.hash.clone());
        }
        match self.start(hash, seat) {
            Ok(player) => Ok(Box::new(player)),
            Err(JudgeError::Execute { source, .. }) => {
                let detail = format!(
                    "the system does not execute it: {source} (a script's interpreter must be a program of the system's)"
                );
                Ok(Box::new(Silenced(Offence::new(Cause::Exit, detail))))
            }
            Err(error) => Err(error),
        }
    }

    fn artifact(&self, hash: &str) -> Option<&'a Artifact> {
        self.order.artifacts.iter().find(|a| a.hash == hash)
    }

    fn keeps_players(&self) -> bool {
        self.order.conditions.lifetime == Lifetime::Match
    }
}

/// A player without a process, which answers with an offence, at no cost.
struct Silenced(Offence);

impl Player for Silenced {
    fn ask(&mut self, _: Phase, _: &[u8], _: Allowance) -> Result<Spent> {
        Ok(Spent {
            cost: Cost::default(),
            result: Err(self.0.clone()),
        })
    }

    fn line(&self) -> &[u8] {
        &[]
    }
}

impl PlayerSource for ProcessPlayers<'_> {
    fn start_player(&mut self, fixture: &Fixture, seat: Seat) -> Result<Seated> {
        if let Some(unready) = fixture.unready.filter(|them| them.seats.contains(seat)) {
            return Ok(Seated {
                player: Box::new(Silenced(unready.offence())),
                ready: None,
                startup_free_ms: None,
            });
        }
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
                player: self.player(&participant.artifact, seat)?,
                ready: None,
                startup_free_ms: self
                    .artifact(&participant.artifact)
                    .and_then(|artifact| artifact.startup_free_ms),
            },
        };
        self.seated.extend(pid(&*seated.player));
        Ok(seated)
    }

    fn release_player(
        &mut self,
        fixture: &Fixture,
        seat: Seat,
        mut seated: Seated,
        shutdown: Shutdown,
    ) -> Result<ExitReport> {
        let process = pid(&*seated.player);
        self.seated.retain(|&pid| Some(pid) != process);
        if self.keeps_players() && shutdown == Shutdown::Polite {
            let entrant = fixture.seats[seat.index()].entrant.to_string();
            // Its waiting time does not matter, whatever delays the next game.
            seated.player.pause()?;
            let stderr = seated.player.take_stderr();
            self.waiting.push((entrant, seated));
            return Ok(ExitReport { cpu_us: 0, stderr });
        }
        let report = seated.player.finish(shutdown)?;
        self.clear_orphans(&self.kept())?;
        Ok(report)
    }

    fn on_event(&mut self, event: TableEvent<'_>) -> Result {
        // Ended orphans count against a bot's limit on processes until the worker reaps them.
        match event {
            TableEvent::Turn(_) if self.pool.is_some() => sandbox::reap_orphans(&self.kept()),
            TableEvent::Turn(_) | TableEvent::Start(..) | TableEvent::Fault(_) => Ok(()),
        }
    }
}

fn pid(player: &dyn Player) -> Option<Pid> {
    player.process().map(Pid::from_raw)
}

/// The answer of a forked kit to `hello`, before anything of the submission runs.
const READY: &[u8] = b"{\"ready\":{}}";

struct ForkedPlayer {
    artifact: Artifact,
    cage: Rc<Cage>,
    limits: Limits,
    cpus: u32,
    bots: WorkerBots,
    /// Whether `hello` waits for the first question, so that both are sent together.
    at_once: bool,
    /// A `hello` that has not reached a process yet.
    hello: Vec<u8>,
    /// The process, from the first question that is not kept.
    player: Option<Box<ProcessPlayer>>,
}

impl ForkedPlayer {
    fn launch(&self) -> Launch<'_> {
        Launch {
            forks: true,
            limits: self.limits,
            ..launch_of(&self.artifact, &self.cage)
        }
    }
}

impl Player for ForkedPlayer {
    fn ask(&mut self, phase: Phase, message: &[u8], allowance: Allowance) -> Result<Spent> {
        if let Some(player) = &mut self.player {
            return player.ask(phase, message, allowance);
        }
        if self.at_once && self.hello.is_empty() {
            message.clone_into(&mut self.hello);
            return Ok(Spent {
                cost: Cost::default(),
                result: Ok(()),
            });
        }
        let mut lines = mem::take(&mut self.hello);
        let mut rest = message;
        if lines.is_empty() || lines.len() + message.len() <= FIRST_BYTES_MAX {
            lines.extend_from_slice(message);
            rest = &[];
        }
        let mut player = ProcessPlayer::start(&self.launch(), self.cpus, &self.bots, &lines)?;
        if phase != Phase::Hello {
            player.replies_to_discard += 1;
        }
        let spent = player.ask(phase, rest, allowance);
        self.player = Some(Box::new(player));
        spent
    }

    fn line(&self) -> &[u8] {
        self.player.as_ref().map_or(READY, |player| player.line())
    }

    fn process(&self) -> Option<i32> {
        self.player.as_ref()?.process()
    }

    fn send(&mut self, message: &[u8]) {
        if let Some(player) = &mut self.player {
            player.send(message);
        }
    }

    fn pause(&mut self) -> Result {
        self.player.as_mut().map_or(Ok(()), |player| player.pause())
    }

    fn take_stderr(&mut self) -> KeptStderr {
        let player = self.player.as_mut();
        player
            .map(|player| player.take_stderr())
            .unwrap_or_default()
    }

    fn finish(self: Box<Self>, shutdown: Shutdown) -> Result<ExitReport> {
        let report = self.player.map(|player| player.finish(shutdown));
        report.unwrap_or_else(|| Ok(ExitReport::default()))
    }
}
