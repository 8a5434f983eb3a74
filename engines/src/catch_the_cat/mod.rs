//! Catch the Cat: a cat runs for the border of a hexagonal board, and a catcher blocks one cell a
//! turn.
//!
//! The rules are those of the course text "Catch the Cat". Where the text is silent:
//!
//! - The cat moves first.
//! - Border cells may be blocked.
//! - A cat sealed in a region of several cells plays on until all six neighbours are blocked.
//! - The result is also tested before the first move.
//! - A seat that gives no legal move loses.

mod bots;
mod frame;
mod hex;
mod rules;
mod setup;

use crate::kit::solved;
use crate::prelude::*;
use crate::{Advice, Blind, Calls, Forfeit, Homework, Kit, Seat, Sign};
use serde::{Deserialize, Serialize};

pub use hex::Point;
pub use setup::{Config, SIDE_MAX, Setup};

/// The seat that runs.
pub const CAT: Seat = Seat::new(0);
/// The seat that blocks.
pub const CATCHER: Seat = Seat::new(1);

/// A position of Catch the Cat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CatchTheCat {
    side: i32,
    /// The cells as in the view: one character each, row by row, `1` blocked, `0` free.
    world: Vec<u8>,
    cat: Point,
    to_move: Seat,
    /// Each seat's own valid moves to this point, including the winning one.
    moves: [u32; 2],
    end: Option<End>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Escaped,
    Trapped,
    Forfeited(Seat, Forfeit),
}

/// The view of both the cat and the catcher.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct View {
    /// The number of cells per row and of rows.
    pub side: i32,
    /// The cat's cell.
    pub cat: Point,
    /// One character a cell, row by row from the upper left: `1` blocked, `0` free. The cell (x,y)
    /// has the index (y + side/2) · side + (x + side/2), from 0.
    pub world: String,
}

const KITS: &[Kit] = &[Kit {
    language: "cpp",
    sign: Sign::Flat(&["Cat.h", "Catcher.h"]),
    files: &[
        ("IAgent.h", include_str!("kit/cpp/IAgent.h")),
        ("judge_note.h", include_str!("kit/cpp/judge_note.h")),
        ("judge_cage.h", include_str!("../kit/judge_cage.h")),
        ("judge_flush.h", include_str!("../kit/judge_flush.h")),
        ("main.cpp", include_str!("kit/cpp/main.cpp")),
        ("judge_agents.cpp", include_str!("kit/cpp/judge_agents.cpp")),
    ],
    calls: Calls {
        start: None,
        turn: &["Cat::move", "Catcher::move"],
        before_first: &[],
    },
    blind: Blind::NOWHERE,
    // Whatever it needs is among its files: programs are linked statically.
    libraries: &[],
    hints: &[
        ("redefinition of ‘int main()’", OWN_MAIN),
        ("multiple definition of `main'", OWN_MAIN),
        (
            "No such file or directory",
            "it includes a file that is not there: capital letters count, and all files lie in one folder",
        ),
        (
            "undefined reference",
            "a function is declared but nowhere defined; is its .cpp file among those submitted?",
        ),
        (
            "the class Cat does not inherit",
            "the class Cat does not inherit from IAgent; it must begin with struct Cat : IAgent",
        ),
        (
            "the class Catcher does not inherit",
            "the class Catcher does not inherit from IAgent; it must begin with struct Catcher : IAgent",
        ),
        ("but does not override", SIGNATURE),
        ("conflicting return type specified", SIGNATURE),
        ("invalid covariant return type", SIGNATURE),
        ("error: ‘Cat’ ", "Cat.h declares no class named Cat"),
        (
            "error: ‘Catcher’ ",
            "Catcher.h declares no class named Catcher",
        ),
    ],
    advice: Advice {
        answer: "move returns the place as a pair of two whole numbers",
        time: "move is not told how much is left: compare std::clock() with what it was when move began",
        chance: "if it draws random numbers: std::random_device and the time differ each time; give the generator a fixed seed, as std::mt19937 random(1)",
    },
    project: &[
        ("IAgent.h", include_str!("kit/cpp/IAgent.h")),
        ("judge_note.h", include_str!("kit/cpp/judge_note.h")),
    ],
    starter: &[
        ("Cat.h", include_str!("kit/cpp/starter/Cat.h")),
        ("Catcher.h", include_str!("kit/cpp/starter/Catcher.h")),
    ],
    solved: solved(&[
        ("Cat.h", include_str!("kit/cpp/solved/Cat.h")),
        ("Catcher.h", include_str!("kit/cpp/solved/Catcher.h")),
        ("Board.h", include_str!("kit/cpp/solved/Board.h")),
    ]),
    homework: Homework::NONE,
}];

const SIGNATURE: &str = "move does not override IAgent's, which is std::pair<int,int> move(const std::vector<bool>& world, std::pair<int,int> catPos, int sideSize)";
const OWN_MAIN: &str = "a file defines main; the judge has its own, so take yours out";
