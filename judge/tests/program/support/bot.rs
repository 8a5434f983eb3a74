//! A bot's process as a worker plays with it.

use super::{PATIENCE, eventually, launch, processes};
use model::fault::Phase;
use referee::table::player::{Allowance, Player, Spent};
use run::play::{ProcessPlayer, WorkerBots};
use sandbox::{BotRights, Cage, Isolation};
use std::path::Path;
use std::time::Duration;

pub(crate) struct Bot {
    pub(crate) player: Box<ProcessPlayer>,
    phase: Phase,
}

impl Bot {
    /// Starts a program of a folder, in a cage of its own, next to a worker's other bots.
    pub(crate) fn start(program: &Path, args: &[String], others: &WorkerBots) -> Self {
        let folder = program.parent().expect("in a folder");
        let rights = BotRights::default();
        let cage = Cage::for_bots(&Isolation::find(), folder, 0, rights).expect("a cage");
        let player = ProcessPlayer::start(&launch(program, args, folder, &cage), 1, others, &[]);
        Self {
            player: Box::new(player.expect("it starts")),
            phase: Phase::Hello,
        }
    }

    /// Greets the bot the first time, and then asks it this.
    pub(crate) fn ask(&mut self, question: &str, cpu_us: u64, wall: Duration) -> Spent {
        let allowance = Allowance {
            cpu_us: Some(cpu_us),
            wall,
            idle: None,
        };
        let phase = std::mem::replace(&mut self.phase, Phase::Turn);
        let message = if phase == Phase::Turn {
            question
        } else {
            "hello\n"
        };
        let spent = self.player.ask(phase, message.as_bytes(), allowance);
        spent.expect("not ours")
    }

    pub(crate) fn pid(&self) -> i32 {
        self.player.process().expect("it is one")
    }

    pub(crate) fn state(&self) -> char {
        processes::state(self.pid()).expect("not reaped")
    }

    pub(crate) fn cpu(&self) -> Duration {
        processes::cpu_of(self.pid())
    }

    /// Waits until the bot has computed for 20 ms without a question.
    pub(crate) fn computes_off_turn(&self) {
        let before = self.cpu();
        eventually("computing off turn", || {
            self.cpu() >= before + Duration::from_millis(20)
        });
    }

    /// Asks with more time than any answer needs.
    pub(crate) fn ask_patiently(&mut self, question: &str) -> Spent {
        self.ask(question, 60_000_000, PATIENCE)
    }
}
