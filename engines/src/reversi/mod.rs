//! Reversi: two players fill an 8 by 8 board, and discs caught in a line change colour.
//!
//! The rules are those of the course text "An Artificial Intelligence for Reversi". Where the text
//! is silent:
//!
//! - A seat without a legal move is asked all the same and must answer with a pass.
//! - The game ends as soon as neither side has a move. No pass is asked for then.
//! - A seat that gives no legal move, for whatever reason, gets -64 points and the other one 64.
//!
//! There is one deviation. Before Black's first turn, the text gives it a pass as "the opponent's
//! last move". Here [`View::last`] is null, so that a pass in it is always a move of the game.

mod board;
mod bots;
mod frame;
mod position;
mod rules;

pub use board::{Board, Colour, FIELDS};
pub use position::{Config, Move, OPENING_PLIES_MAX, Reversi, Setup, View};

use crate::kit::solved;
use crate::{Advice, Blind, Calls, Duel, Homework, Kit, Sign};

const KITS: &[Kit] = &[Kit {
    language: "haskell",
    sign: Sign::Anywhere("ReversiAI.hs"),
    files: &[
        ("Reversi.hs", include_str!("kit/haskell/Reversi.hs")),
        ("JudgeMain.hs", include_str!("kit/haskell/JudgeMain.hs")),
        ("JudgeNote.hs", include_str!("kit/haskell/JudgeNote.hs")),
        ("Debug/Trace.hs", include_str!("kit/haskell/Debug/Trace.hs")),
        (
            "Data/Array/ST.hs",
            include_str!("kit/haskell/Data/Array/ST.hs"),
        ),
        (
            "Data/Array/MArray.hs",
            include_str!("kit/haskell/Data/Array/MArray.hs"),
        ),
        ("Data/Coerce.hs", include_str!("kit/haskell/Data/Coerce.hs")),
        ("GHC/Base.hs", include_str!("kit/haskell/GHC/Base.hs")),
        ("GHC/Exts.hs", include_str!("kit/haskell/GHC/Exts.hs")),
    ],
    calls: Calls {
        start: Some("initial"),
        turn: &["think"],
        before_first: &[],
    },
    blind: Blind {
        settings: &["opening_plies"],
        to_position: true,
    },
    // "Other Haskell packages that are available in the test environment": those that come with
    // GHC and have modules for Safe Haskell, and the one with random generators.
    libraries: &[
        "array",
        "binary",
        "bytestring",
        "containers",
        "deepseq",
        "mtl",
        "parsec",
        "random",
        "stm",
        "text",
        "time",
        "transformers",
    ],
    hints: &[
        (
            "Can't be safely imported",
            "it imports a module with unsafe functions, which the course forbids",
        ),
        (
            "is not allowed in Safe Haskell",
            "it uses an extension that lets unsafe functions in, which the course forbids",
        ),
        (
            "Incompatible Safe Haskell flags",
            "it calls itself trustworthy or unsafe, which the course forbids",
        ),
        (
            "Could not find module",
            "it imports a module that is neither submitted nor in a package that may be used; those are, besides base: {libraries}",
        ),
        (
            "parse error on input ‘import’",
            "an import does not belong there: those of modules come first, and those of foreign functions are forbidden",
        ),
        ("the hidden package", OTHER_PACKAGE),
        ("is a hidden package", OTHER_PACKAGE),
        ("Not in scope: ‘AI.", NOT_EXPORTED),
        ("type constructor or class ‘AI.State’", NOT_EXPORTED),
        (
            "no Main module",
            "ReversiAI.hs must declare the module ReversiAI",
        ),
        (
            "JudgeMain.hs",
            "State, author, nickname, initial and think must have the types of the course text",
        ),
        (
            "File name does not match module name",
            "ReversiAI.hs must declare the module ReversiAI",
        ),
    ],
    advice: Advice {
        answer: "think gives Move n with n from 0 to 63, or Pass, and the state for the next call",
        time: "the third argument of think tells how many seconds are left for the game",
        chance: "if it draws random numbers: a generator with a fixed seed in the state, as mkStdGen 1, draws the same ones again",
    },
    project: &[("Reversi.hs", include_str!("kit/haskell/Reversi.hs"))],
    starter: &[(
        "ReversiAI.hs",
        include_str!("kit/haskell/starter/ReversiAI.hs"),
    )],
    solved: solved(&[(
        "ReversiAI.hs",
        include_str!("kit/haskell/solved/ReversiAI.hs"),
    )]),
    homework: Homework {
        functions: &[],
        // The course text's "Testing": one game against RandomAI, the colour by chance.
        duel: Some(Duel {
            name: "RandomAI",
            opponent: "random",
            drawn_seat: true,
            to_be_won: false,
        }),
    },
}];

const OTHER_PACKAGE: &str = "it imports a module of a package that may not be used; those that may, besides base: {libraries}";
const NOT_EXPORTED: &str = "the module must export State, author, nickname, initial and think";
