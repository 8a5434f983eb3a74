//! A bot whose kit forks on order: it starts with its first question already on its input.

use crate::play::{ProcessPlayer, WorkerBots};
use model::artifact::Artifact;
use model::fault::Phase;
use model::stderr::KeptStderr;
use referee::table::player::{Allowance, Cost, ExitReport, Player, Shutdown, Spent};
use rulebook::JudgeError;
use sandbox::{Cage, FIRST_BYTES_MAX, Launch, Limits};
use std::rc::Rc;

/// The answer of a forked kit to `hello`, before anything of the submission runs.
const READY: &[u8] = b"{\"ready\":{}}";

#[derive(Debug)]
pub(super) struct ForkedBot {
    pub(super) artifact: Artifact,
    pub(super) cage: Rc<Cage>,
    pub(super) limits: Limits,
    pub(super) cpus: u32,
    pub(super) company: WorkerBots,
    /// Whether `hello` waits for the first question, so that both are sent together.
    pub(super) at_once: bool,
}

impl ForkedBot {
    pub(super) fn can_fork(&self) -> Result<bool, JudgeError> {
        self.launch().can_fork()
    }

    fn start(&self, lines: &[u8]) -> Result<ProcessPlayer, JudgeError> {
        ProcessPlayer::start(&self.launch(), self.cpus, &self.company, lines)
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
    state: State,
}

#[derive(Debug)]
enum State {
    New,
    /// It has been sent `hello`, which has not reached a process yet.
    Greeted(Vec<u8>),
    Playing(Box<ProcessPlayer>),
}

impl ForkedPlayer {
    pub(super) fn new(bot: ForkedBot) -> Self {
        Self {
            bot,
            state: State::New,
        }
    }

    fn process_mut(&mut self) -> Option<&mut ProcessPlayer> {
        match &mut self.state {
            State::New | State::Greeted(_) => None,
            State::Playing(player) => Some(player),
        }
    }

    /// Forks the bot with these lines on its input, and asks nothing more.
    fn ask_at_start(
        &mut self,
        phase: Phase,
        lines: &[u8],
        allowance: Allowance,
    ) -> Result<Spent, JudgeError> {
        let mut player = self.bot.start(lines)?;
        if phase != Phase::Hello {
            player.owe_an_answer();
        }
        let spent = player.ask(phase, &[], allowance);
        self.state = State::Playing(Box::new(player));
        spent
    }
}

impl Player for ForkedPlayer {
    fn ask(
        &mut self,
        phase: Phase,
        message: &[u8],
        allowance: Allowance,
    ) -> Result<Spent, JudgeError> {
        match &mut self.state {
            State::New if self.bot.at_once => {
                self.state = State::Greeted(message.to_owned());
                let cost = Cost::default();
                Ok(Spent {
                    cost,
                    result: Ok(()),
                })
            }
            State::New => self.ask_at_start(phase, message, allowance),
            State::Greeted(hello) if hello.len() + message.len() <= FIRST_BYTES_MAX => {
                hello.extend_from_slice(message);
                let lines = std::mem::take(hello);
                self.ask_at_start(phase, &lines, allowance)
            }
            State::Greeted(hello) => {
                let mut player = self.bot.start(hello)?;
                player.owe_an_answer();
                let spent = player.ask(phase, message, allowance);
                self.state = State::Playing(Box::new(player));
                spent
            }
            State::Playing(player) => player.ask(phase, message, allowance),
        }
    }

    fn line(&self) -> &[u8] {
        match &self.state {
            State::New | State::Greeted(_) => READY,
            State::Playing(player) => player.line(),
        }
    }

    fn process(&self) -> Option<i32> {
        match &self.state {
            State::New | State::Greeted(_) => None,
            State::Playing(player) => player.process(),
        }
    }

    fn tell(&mut self, message: &[u8]) {
        if let Some(player) = self.process_mut() {
            player.tell(message);
        }
    }

    fn pause(&mut self) -> Result<(), JudgeError> {
        self.process_mut().map_or(Ok(()), ProcessPlayer::pause)
    }

    fn take_stderr(&mut self) -> KeptStderr {
        self.process_mut()
            .map(ProcessPlayer::take_stderr)
            .unwrap_or_default()
    }

    fn finish(self: Box<Self>, shutdown: Shutdown) -> Result<ExitReport, JudgeError> {
        match self.state {
            State::New | State::Greeted(_) => Ok(ExitReport::default()),
            State::Playing(player) => player.finish(shutdown),
        }
    }
}
