//! `judge game`: a game of one's own, made and checked.

mod check;
mod new;

use super::exit::Done;
use clap::{Args, Subcommand};
use rulebook::JudgeError;

#[derive(Args)]
pub(super) struct GameArgs {
    #[command(subcommand)]
    verb: GameVerb,
}

#[derive(Subcommand)]
enum GameVerb {
    /// Create a folder with a game that already plays
    New(new::NewGameArgs),
    /// Play random games, and say in plain words what is wrong with the rules
    Check(check::CheckGameArgs),
}

impl GameArgs {
    pub(super) fn execute(&self) -> Result<Done, JudgeError> {
        match &self.verb {
            GameVerb::New(new) => new.execute(),
            GameVerb::Check(check) => check.execute(),
        }
    }
}
