//! `judge referee`: connects [`referee`] to standard input and output.

use super::out;
use clap::Args;
use error::JudgeError;
use run::named_game;
use std::io::{self, BufReader, IsTerminal};

/// Size of the input buffer, in bytes: the capacity of a pipe, which one read can take.
const INPUT_BYTES: usize = 1 << 16;

#[derive(Args)]
#[command(after_help = example())]
pub(super) struct RefereeArgs {
    /// The game
    #[arg(value_name = "GAME")]
    game: String,
}

fn example() -> String {
    // With a short name, each command fits into a line.
    let slugs = rules::built_in().map(|rules| rules.info().slug);
    let game = slugs.min_by_key(|slug| slug.len()).unwrap_or("GAME");
    let session = r#"{"new":{"seed":1}}\n{"show":{"session":1}}\n"#;
    format!(
        "Each request is one line of JSON and gets one line in answer, in order. The requests are \
about, position, new, play, show, copy, close, config, spell and read; protocol.md (\"The referee as a service\") \
describes them. For example, a position, and a game that is kept as a session:\n\n  \
echo '{{\"position\":{{\"seed\":1}}}}' | judge referee {game}\n  \
printf '{session}' | judge referee {game}"
    )
}

impl RefereeArgs {
    pub(super) fn execute(&self) -> Result<(), JudgeError> {
        let rules = named_game(&self.game)?;
        let input = io::stdin().lock();
        if input.is_terminal() {
            out::aside(format_args!(
                "{}: type one request on each line, for example {{\"position\":{{\"seed\":1}}}} (protocol.md lists them); Ctrl-D to end",
                rules.info().title
            ));
        }
        let input = BufReader::with_capacity(INPUT_BYTES, input);
        referee::serve(rules, input, io::stdout().lock())
    }
}
