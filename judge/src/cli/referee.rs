//! `judge referee`: connects [`referee`] to standard input and output.

use super::out;
use clap::Args;
use rulebook::JudgeError;
use run::named_game;
use std::io::{self, BufReader, IsTerminal};

/// Size of the input buffer, in bytes: the capacity of a pipe, which one read can take.
const INPUT_BYTES: usize = 1 << 16;

#[derive(Args)]
#[command(after_help = EXAMPLE)]
pub(super) struct RefereeArgs {
    /// The game: its file or folder, or a built-in one
    #[arg(value_name = "GAME")]
    game: String,
}

const EXAMPLE: &str = r#"Each request is one line of JSON and gets one line in answer, in order. The
requests are about, position, new, play, show, copy, close, config, spell and
read; a chapter of the project's protocol.md is on them. For example, type or
pipe these into judge referee reversi:

  {"position":{"seed":1}}           a position
  {"new":{"seed":1}}                a game, which gets the session 1
  {"play":{"session":1,"move":19}}  a legal move, from the answer before
  {"show":{"session":1}}            the position, with the legal moves"#;

impl RefereeArgs {
    pub(super) fn execute(&self) -> Result<(), JudgeError> {
        let rules = named_game(&self.game)?;
        let input = io::stdin().lock();
        if input.is_terminal() {
            out::aside(format_args!(
                "{}: type one request on each line, for example {{\"position\":{{\"seed\":1}}}} (judge referee -h has more); Ctrl-D to end",
                rules.info().title
            ));
        }
        let input = BufReader::with_capacity(INPUT_BYTES, input);
        referee::service::serve(rules, input, io::stdout().lock())
    }
}
