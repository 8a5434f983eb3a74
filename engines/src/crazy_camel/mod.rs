//! Crazy Camel: two masters walk to opposite sides of a board and lay camels in each other's way.
//! The game is known as Quoridor elsewhere; here it has 7×7 tiles and 8 walls for each player.
//!
//! The rules are those of the course text "Crazy Camel Competition". Where the text is silent or
//! contradicts itself:
//!
//! - Player 0 starts at the top and moves first.
//! - A master may be passed diagonally if a camel *or the edge of the board* is straight behind it.
//!   The text's rules section says so; its task section says only "camel".
//! - Camels may touch end to end and as a T.
//! - The text knows no draw. A game that reaches the ply cap is worth 0 to both, unless that very
//!   ply wins.
//! - A seat that gives no legal move loses.
//!
//! Boards have 3×3 to 11×11 tiles, because a set of tiles is a machine word of at most 128 bits.

mod bots;
mod frame;
mod homework;
mod maze;
mod moves;
mod pieces;
mod rules;
mod setup;

use crate::kit::solved;
use crate::prelude::*;
use crate::{Advice, Blind, Calls, Duel, Forfeit, Homework, Kit, Seat, Sign};
use pieces::Pieces;
use serde::{Deserialize, Serialize};

pub use maze::{SIDE_MAX, SIDE_MIN};
pub use moves::{Camel, Direction, Move, Tile, camels_intersect};
pub use rules::OPENING_LEAD_MAX;
pub use setup::{CAMELS_MAX, Config, OPENING_PLIES_MAX, PLIES_MAX, Player, Setup};

/// A position of Crazy Camel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CrazyCamel {
    width: u32,
    height: u32,
    board: Board,
    camels: Vec<Camel>,
    to_move: Seat,
    ply: u32,
    plies_max: u32,
    end: Option<End>,
}

/// The pieces, in the shortest word that holds the tiles.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Board {
    Small(Pieces<u64>),
    Large(Pieces<u128>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Arrived(Seat),
    PlyCap,
    Forfeited(Seat, Forfeit),
}

/// A player's view on its turn.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct View {
    /// The player that receives this view, 0 or 1.
    pub you: Seat,
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Player 0, whose goal is the last row, and player 1, whose goal is row 0.
    pub players: [Player; 2],
    /// The camels on the board, in order of placement.
    pub camels: Vec<Camel>,
    /// The number of plies played since the setup.
    pub ply: u32,
    /// The value of `ply` at which the game is drawn.
    pub plies_max: u32,
}

impl View {
    /// Returns the position as a setup with this seat to move. Its plies are the remaining ones.
    pub fn setup(&self) -> Setup {
        Setup {
            width: self.width,
            height: self.height,
            plies_max: self.plies_max.saturating_sub(self.ply),
            players: self.players,
            camels: self.camels.clone(),
            to_move: u32::from(self.you != Seat::new(0)),
        }
    }
}

const KITS: &[Kit] = &[Kit {
    language: "ocaml",
    sign: Sign::Anywhere("assignment.ml"),
    files: &[
        ("types.ml", include_str!("kit/ocaml/types.ml")),
        ("assignment.mli", include_str!("kit/ocaml/assignment.mli")),
        ("judge_note.ml", include_str!("kit/ocaml/judge_note.ml")),
        ("judge_wire.ml", include_str!("kit/ocaml/judge_wire.ml")),
        ("judge_moves.ml", include_str!("kit/ocaml/judge_moves.ml")),
        ("judge_ask.ml", include_str!("kit/ocaml/judge_ask.ml")),
        ("judge_main.ml", include_str!("kit/ocaml/judge_main.ml")),
        ("judge_tokens.ml", include_str!("kit/ocaml/judge_tokens.ml")),
    ],
    calls: Calls {
        start: Some("get_initial_state"),
        turn: &["make_move_state"],
        before_first: &[],
    },
    blind: Blind {
        settings: &["opening_plies"],
        to_position: true,
    },
    libraries: &["str", "unix"],
    hints: &[
        (
            "does not match the interface",
            "a function of the course's assignment.mli is missing or has another type",
        ),
        (
            "Unbound module",
            "it uses a module that is neither submitted nor in OCaml's standard library; libraries that may be used: {libraries}",
        ),
        (
            "No implementations provided",
            "it uses a module of a library that may not be used; those that may: {libraries}",
        ),
    ],
    advice: Advice {
        answer: "make_move_state gives a move and the state for the next call",
        time: "time_supplier () tells how many seconds are left for the game",
        chance: "if it draws random numbers: random_supplier () is for that",
    },
    project: &[
        ("anonymous", include_str!("kit/ocaml/project/anonymous")),
        (
            "dune-project",
            include_str!("kit/ocaml/project/dune-project"),
        ),
        ("types/dune", include_str!("kit/ocaml/project/dune-types")),
        ("types/types.ml", include_str!("kit/ocaml/types.ml")),
        ("src/dune", include_str!("kit/ocaml/project/dune-src")),
        (
            "src/assignment.mli",
            include_str!("kit/ocaml/assignment.mli"),
        ),
        ("runner/dune", include_str!("kit/ocaml/project/dune-runner")),
        (
            "runner/runner.ml",
            include_str!("kit/ocaml/project/runner.ml"),
        ),
    ],
    starter: &[(
        "src/assignment.ml",
        include_str!("kit/ocaml/starter/assignment.ml"),
    )],
    solved: solved(&[(
        "src/assignment.ml",
        include_str!("kit/ocaml/solved/assignment.ml"),
    )]),
    homework: Homework {
        functions: homework::FUNCTIONS,
        duel: Some(Duel {
            name: "make_move",
            opponent: "random",
            drawn_seat: false,
            to_be_won: true,
        }),
    },
}];
