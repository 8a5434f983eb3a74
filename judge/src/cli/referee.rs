//! `judge referee`: connects [`referee`] to standard input and output.

use super::out;
use clap::Args;
use referee::service::{self, Service};
use rulebook::rules::Rules;
use rulebook::{Changes, JudgeError, Loaded};
use run::{CompetitionSpec, named_game};
use serde_json::{Map, Value};
use std::io::{self, BufReader, IsTerminal};
use std::sync::Arc;

/// Size of the input buffer, in bytes: the capacity of a pipe, which one read can take.
const INPUT_BYTES: usize = 1 << 16;

#[derive(Args)]
#[command(after_help = EXAMPLE)]
pub(super) struct RefereeArgs {
    /// The game: its file or folder, or a built-in one
    #[arg(value_name = "GAME", required_unless_present = "competition")]
    game: Option<String>,
    /// A competition file, or the name of a built-in one: draws the starts of its games
    #[arg(long, value_name = "FILE", conflicts_with = "game")]
    competition: Option<String>,
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
        let (rules, service) = match &self.game {
            Some(game) => {
                let rules = named_game(game)?;
                if let Some(note) = other_starts(game, &rules) {
                    out::aside(format_args!("{note}"));
                }
                (Arc::clone(&rules), Service::new(rules))
            }
            None => {
                let spec = CompetitionSpec {
                    named: self.competition.clone(),
                    game: None,
                    changes: Changes::default(),
                };
                let Loaded {
                    rules, competition, ..
                } = spec.load(&[], &[])?;
                let config = competition.conditions.config;
                (Arc::clone(&rules), Service::with_config(rules, config))
            }
        };
        let input = io::stdin().lock();
        if input.is_terminal() {
            out::aside(format_args!(
                "{}: type one request on each line, for example {{\"position\":{{\"seed\":1}}}} (judge referee -h has more); Ctrl-D to end",
                rules.info().title
            ));
        }
        let input = BufReader::with_capacity(INPUT_BYTES, input);
        service::serve(service, input, io::stdout().lock())
    }
}

/// Returns a note if the games of the game's own tournaments have other starts than its defaults.
fn other_starts(game: &str, rules: &Arc<dyn Rules>) -> Option<String> {
    rules.program().is_none().then_some(())?;
    let defaults = rules.configure("{}").ok()?;
    let settings = |text: &str| serde_json::from_str::<Map<String, Value>>(text).ok();
    let defaults = settings(defaults.get())?;
    let played = settings(rulebook::standard(&**rules).conditions.config.get())?;
    let others: Vec<String> = played
        .iter()
        .filter(|(name, value)| defaults.get(*name) != Some(*value))
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    (!others.is_empty()).then(|| {
        format!(
            "note: tournaments draw other starts ({}); for those: judge referee --competition {game}",
            others.join(", ")
        )
    })
}
