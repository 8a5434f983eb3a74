//! `judge perft`: counts the positions a number of plies ahead.

use super::out::{self, Form, whole};
use super::settings::GameConfig;
use clap::Args;
use engines::plain;
use rulebook::JudgeError;
use rulebook::rules::{Position, Rules, RulesError};
use run::named_game;
use serde::Serialize;
use serde_json::value::RawValue;
use std::io::{self, Write};
use std::time::{Duration, Instant};

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
    pub(super) fn execute(&self) -> Result<(), JudgeError> {
        let rules = named_game(&self.game)?;
        let game = self.start(&*rules)?;
        if !rules.info().moves_listed {
            out::aside(format_args!(
                "note: {} has more legal moves than the judge lists; only the listed ones are counted",
                rules.info().title
            ));
        }
        let mut output = io::stdout().lock();
        let mut show = |row: PerftRow, count: &dyn Fn() -> Result<u64, JudgeError>| {
            let begin = Instant::now();
            let nodes = count()?;
            let row = PerftRow { nodes, ..row };
            let text = if self.form.is_json() {
                serde_json::to_string(&row).expect("plain data")
            } else {
                row.text(begin.elapsed())
            };
            writeln!(output, "{text}")
                .map_err(|error| JudgeError::io("write to", "standard output", error))
        };
        for depth in 1..=self.depth {
            let row = PerftRow {
                depth: Some(depth),
                ..PerftRow::default()
            };
            show(row, &|| game.perft(depth))?;
        }
        if self.divide {
            for (mv, next) in first_moves(game.as_ref())? {
                let row = PerftRow {
                    mv: Some(mv),
                    ..PerftRow::default()
                };
                show(row, &|| next.perft(self.depth - 1))?;
            }
        }
        Ok(())
    }

    fn start(&self, rules: &dyn Rules) -> Result<Box<dyn Position>, JudgeError> {
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

type FirstMove = (Box<RawValue>, Box<dyn Position>);

/// Lists the first moves of the lowest seat that is to move, which is the order of `perft`.
fn first_moves(game: &dyn Position) -> Result<Vec<FirstMove>, JudgeError> {
    let Some(seat) = game.to_move()?.first() else {
        return Ok(Vec::new());
    };
    game.legal_moves(seat)?
        .into_iter()
        .map(|mv| {
            let mut next = game.copy()?;
            next.play(seat, &mv)?.expect("a listed move is legal");
            let mv = RawValue::from_string(mv).expect("a listed move is JSON");
            Ok((mv, next))
        })
        .collect()
}

/// The number of positions this many plies ahead, or of the deepest ones after a first move. As JSON,
/// equal positions give equal lines.
#[derive(Default, Serialize)]
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
