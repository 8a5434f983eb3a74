//! A bot whose kit forks on order: it starts with its first question already on its input.

use crate::play::{ProcessPlayer, WorkerBots};
use model::artifact::Artifact;
use model::fault::Phase;
use model::stderr::KeptStderr;
use referee::table::player::{Allowance, Cost, ExitReport, Player, Shutdown, Spent};
use rulebook::JudgeError;
use sandbox::{Cage, FIRST_BYTES_MAX, Launch, Limits};
use std::mem;
use std::rc::Rc;

/// The answer of a forked kit to `hello`, before anything of the submission runs.
const READY: &[u8] = b"{\"ready\":{}}";

#[derive(Debug)]
pub(super) struct ForkedBot {
    pub(super) artifact: Artifact,
    pub(super) cage: Rc<Cage>,
    pub(super) limits: Limits,
    pub(super) cpus: u32,
    pub(super) bots: WorkerBots,
    /// Whether `hello` waits for the first question, so that both are sent together.
    pub(super) at_once: bool,
}

impl ForkedBot {
    pub(super) fn can_fork(&self) -> Result<bool, JudgeError> {
        self.launch().can_fork()
    }

    fn start(&self, lines: &[u8]) -> Result<ProcessPlayer, JudgeError> {
        ProcessPlayer::start(&self.launch(), self.cpus, &self.bots, lines)
    }

    fn launch(&self) -> Launch<'_> {
        Launch {
            program: self.artifact.program.as_ref(),
            args: &self.artifact.args,
            directory: self.artifact.directory.as_ref(),
            forks: true,
            limits: self.limits,
            cage: &self.cage,
            group: None,
        }
    }
}

#[derive(Debug)]
pub(super) struct ForkedPlayer {
    bot: ForkedBot,
    /// A `hello` that has not reached a process yet.
    hello: Vec<u8>,
    /// The process, from the first question that is not kept.
    player: Option<Box<ProcessPlayer>>,
}

impl ForkedPlayer {
    pub(super) fn new(bot: ForkedBot) -> Self {
        Self {
            bot,
            hello: Vec::new(),
            player: None,
        }
    }
}

impl Player for ForkedPlayer {
    fn ask(
        &mut self,
        phase: Phase,
        message: &[u8],
        allowance: Allowance,
    ) -> Result<Spent, JudgeError> {
        if let Some(player) = &mut self.player {
            return player.ask(phase, message, allowance);
        }
        if self.bot.at_once && self.hello.is_empty() {
            message.clone_into(&mut self.hello);
            let cost = Cost::default();
            return Ok(Spent {
                cost,
                result: Ok(()),
            });
        }
        let mut lines = mem::take(&mut self.hello);
        let mut rest = message;
        if lines.is_empty() || lines.len() + message.len() <= FIRST_BYTES_MAX {
            lines.extend_from_slice(message);
            rest = &[];
        }
        let mut player = self.bot.start(&lines)?;
        if phase != Phase::Hello {
            player.discard_next_reply();
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

    fn pause(&mut self) -> Result<(), JudgeError> {
        self.player.as_mut().map_or(Ok(()), |player| player.pause())
    }

    fn take_stderr(&mut self) -> KeptStderr {
        let player = self.player.as_mut();
        player
            .map(|player| player.take_stderr())
            .unwrap_or_default()
    }

    fn finish(self: Box<Self>, shutdown: Shutdown) -> Result<ExitReport, JudgeError> {
        let nothing = || Ok(ExitReport::default());
        self.player
            .map_or_else(nothing, |player| player.finish(shutdown))
    }
}
