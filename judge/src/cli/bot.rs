//! `judge bot`: plays as a built-in bot on standard input and output.

use super::exit::Done;
use clap::Args;
use error::JudgeError;
use run::builtin;
use std::io;

#[derive(Args)]
pub(super) struct BotArgs {
    /// The game
    game: String,
    /// The bot, for example `random`
    name: String,
}

impl BotArgs {
    pub(super) fn execute(&self) -> Result<Done, JudgeError> {
        let rules = rules::find(&self.game)?;
        builtin::check_name(&*rules, &self.name)?;
        builtin::play(&*rules, &self.name, io::stdin().lock(), io::stdout().lock())?;
        Ok(Done::Success)
    }
}
