//! The rules and the built-in bots for other programs: `judge referee`, `judge perft` and `judge bot`.

use super::exit::Done;
use super::flags::GameConfig;
use super::out::{self, Form, whole};
use crate::terminal::joined;
use clap::Args;
use engines::plain;
use referee::external::choose_any;
use referee::service::{self, Service};
use rulebook::rules::{Position, Rules, RulesError};
use rulebook::{IoContext, JudgeError, Loaded, Result, refuse};
use run::{CompetitionSpec, builtin, named_game};
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::ffi::OsString;
use std::io::{self, BufReader, IsTerminal, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

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
    pub(super) fn execute(&self) -> Result {
        let (rules, config) = if let Some(game) = &self.game {
            let rules = named_game(game)?;
            if let Some(note) = other_starts(game, &rules) {
                out::aside(format_args!("{note}"));
            }
            (rules, None)
        } else {
            let spec = CompetitionSpec {
                named: self.competition.clone(),
                ..CompetitionSpec::default()
            };
            let Loaded {
                rules, competition, ..
            } = spec.load(&[], &[])?;
            if !competition.starts.is_empty() {
                return refuse(
                    "--competition: its starts are in a file; name only the game, and send each start as `setup`",
                );
            }
            (rules, Some(competition.conditions.config))
        };
        let input = io::stdin().lock();
        if input.is_terminal() {
            out::aside(format_args!(
                "{}: type one request on each line, for example {{\"position\":{{\"seed\":1}}}} (judge referee -h has more); Ctrl-D to end",
                rules.info().title
            ));
        }
        let input = BufReader::with_capacity(INPUT_BYTES, input);
        service::serve(Service::new(rules, config), input, io::stdout().lock())
    }
}

/// Returns a note if the games of the game's own tournaments have other starts than its defaults.
fn other_starts(game: &str, rules: &Arc<dyn Rules>) -> Option<String> {
    if rules.program().is_some() {
        return None;
    }
    let settings = |text: &str| serde_json::from_str::<Map<String, Value>>(text).ok();
    let defaults = settings(rules.configure("{}").ok()?.get())?;
    let played = settings(rulebook::standard(&**rules).conditions.config.get())?;
    let differing = played
        .iter()
        .filter(|(name, value)| defaults.get(*name) != Some(*value));
    let others = joined(
        differing.map(|(name, value)| format!("{name}={value}")),
        ", ",
    );
    (!others.is_empty()).then(|| {
        format!(
            "note: tournaments draw other starts ({others}); for those: judge referee --competition {game}"
        )
    })
}

#[derive(Args)]
#[command(after_help = CONVENTION)]
pub(super) struct PerftArgs {
    /// The game
    #[arg(value_name = "GAME")]
    game: String,
    /// Number of plies to look ahead; every depth up to it is counted
    #[arg(long, value_name = "N", value_parser = whole::<u32>(1..=DEPTH_MAX))]
    depth: u32,
    /// Seed for drawing the initial state, like the `seed` of `judge referee`
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole::<u64>(0..=u64::MAX))]
    seed: u64,
    /// The initial state as JSON, instead of a drawn one (protocol.md shows the form for each game)
    #[arg(long, value_name = "JSON", conflicts_with_all = ["seed", "set"])]
    setup: Option<String>,
    /// Also show the count of the deepest positions for each first move
    #[arg(long)]
    divide: bool,
    #[command(flatten)]
    form: Form,
    #[command(flatten)]
    config: GameConfig,
}

/// Maximum depth. Nobody counts deeper, and each position on the way uses the stack.
const DEPTH_MAX: u64 = 100;

const CONVENTION: &str = "Counts the leaves of the tree of legal moves, exactly N plies ahead. \
A forced pass is a ply. A game that ends earlier is carried forward: it counts as one leaf \
at every greater depth.";

impl PerftArgs {
    pub(super) fn execute(&self) -> Result {
        let rules = named_game(&self.game)?;
        let game = self.start(&*rules)?;
        if !rules.info().moves_listed {
            out::aside(format_args!(
                "note: {} has more legal moves than the judge lists; only the listed ones are counted",
                rules.info().title
            ));
        }
        let mut output = io::stdout().lock();
        let mut show = |depth, mv, game: &dyn Position, plies| {
            let begin = Instant::now();
            let nodes = game.perft(plies)?;
            let row = PerftRow { depth, mv, nodes };
            let text = if self.form.is_json() {
                serde_json::to_string(&row).expect("plain data")
            } else {
                row.text(begin.elapsed())
            };
            writeln!(output, "{text}").or_io("write to", "standard output")
        };
        for depth in 1..=self.depth {
            show(Some(depth), None, &*game, depth)?;
        }
        // The lowest seat that is to move is first in the order of `perft`.
        if self.divide
            && let Some(seat) = game.to_move()?.first()
        {
            for mv in game.legal_moves(seat)? {
                let mut next = game.copy()?;
                next.play(seat, &mv)?.expect("a listed move is legal");
                let mv = RawValue::from_string(mv).expect("a listed move is JSON");
                show(None, Some(mv), &*next, self.depth - 1)?;
            }
        }
        Ok(())
    }

    fn start(&self, rules: &dyn Rules) -> Result<Box<dyn Position>> {
        let Some(setup) = &self.setup else {
            let config = self.config.of(rules)?;
            let ours = |error: RulesError| error.of("a configuration that they allowed before");
            let setup = rules.draw(&config, self.seed).map_err(ours)?;
            return rules.start(&setup).map_err(ours);
        };
        let refused = |reason: String| JudgeError::input(format!("--setup {setup}: {reason}"));
        let setup: &RawValue = plain::read(setup).map_err(refused)?;
        rules
            .start(setup)
            .map_err(|error| error.reported(|reason| refused(reason.0)))
    }
}

/// The number of positions this many plies ahead, or of the deepest ones after a first move. As JSON,
/// equal positions give equal lines.
#[derive(Serialize)]
struct PerftRow {
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<u32>,
    #[serde(rename = "move", skip_serializing_if = "Option::is_none")]
    mv: Option<Box<RawValue>>,
    nodes: u64,
}

impl PerftRow {
    fn text(&self, elapsed: Duration) -> String {
        let depth = self.depth.map(|depth| format!("depth {depth}"));
        let mv = self.mv.as_ref().map(|mv| format!("move {mv}"));
        let label = depth.or(mv).unwrap_or_default();
        let (nodes, seconds) = (self.nodes, elapsed.as_secs_f64());
        let counted = format!("{label:<24} {nodes:>20} nodes  {seconds:>9.3} s");
        if elapsed < RATE_ELAPSED_MIN {
            return counted;
        }
        #[expect(clippy::cast_precision_loss, reason = "rounded to millions")]
        let millions = nodes as f64 / seconds / 1e6;
        format!("{counted}  {millions:>9.2} million nodes/s")
    }
}

const RATE_ELAPSED_MIN: Duration = Duration::from_millis(1);

#[derive(Args)]
pub(super) struct BotArgs {
    /// The game
    game: String,
    /// The bot, for example `random`
    name: String,
}

impl BotArgs {
    /// Parses exactly `judge bot GAME NAME`, as runs start it: the help of all verbs would take half of the
    /// start of a process for each turn.
    pub(super) fn of_command(arguments: impl Iterator<Item = OsString>) -> Option<Self> {
        let arguments: Vec<OsString> = arguments.skip(1).take(4).collect();
        let [verb, game, name] = arguments
            .iter()
            .map(|argument| argument.to_str())
            .collect::<Option<Vec<&str>>>()?
            .try_into()
            .ok()?;
        let is_plain = !game.starts_with('-') && !name.starts_with('-');
        (verb == "bot" && is_plain).then(|| Self {
            game: game.to_owned(),
            name: name.to_owned(),
        })
    }

    pub(super) fn execute(&self) -> Result<Done> {
        let (input, output) = (io::stdin().lock(), io::stdout().lock());
        if self.game == builtin::ANY_GAME {
            // A game of somebody's own: its rules are not here, and this bot needs none.
            let any = |_, _: &RawValue, legal: &RawValue, seed| Ok(choose_any(legal, seed)?);
            builtin::play(&any, input, output)?;
            return Ok(Done::Success);
        }
        let rules = rulebook::rules::find(&self.game)?;
        builtin::check_name(&*rules, &self.name)?;
        builtin::play(&builtin::chooser(&*rules, &self.name), input, output)?;
        Ok(Done::Success)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_full_bot_command_bypasses_other_verbs() {
        let is_bot = |command: &str| {
            let arguments = command.split(' ').map(OsString::from);
            BotArgs::of_command(arguments).is_some()
        };
        assert!(is_bot("judge bot reversi random"));
        for command in [
            "judge",
            "judge bot",
            "judge bot reversi",
            "judge bot reversi --help",
            "judge bot --help random",
            "judge bot reversi random more",
            "judge run reversi random",
        ] {
            assert!(!is_bot(command), "{command}");
        }
    }
}
