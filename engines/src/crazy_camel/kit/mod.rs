mod functions;

use crate::game::solved;
use crate::{Advice, Blind, Calls, Duel, Homework, Kit, Sign};

pub(super) const KITS: &[Kit] = &[Kit {
    language: "ocaml",
    sign: Sign::Anywhere("assignment.ml"),
    files: &[
        ("types.ml", include_str!("ocaml/types.ml")),
        ("assignment.mli", include_str!("ocaml/assignment.mli")),
        ("judge_note.ml", include_str!("ocaml/judge_note.ml")),
        ("judge_wire.ml", include_str!("ocaml/judge_wire.ml")),
        ("judge_moves.ml", include_str!("ocaml/judge_moves.ml")),
        ("judge_ask.ml", include_str!("ocaml/judge_ask.ml")),
        ("judge_main.ml", include_str!("ocaml/judge_main.ml")),
        ("judge_tokens.ml", include_str!("ocaml/judge_tokens.ml")),
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
        ("anonymous", include_str!("ocaml/project/anonymous")),
        ("dune-project", include_str!("ocaml/project/dune-project")),
        ("types/dune", include_str!("ocaml/project/dune-types")),
        ("types/types.ml", include_str!("ocaml/types.ml")),
        ("src/dune", include_str!("ocaml/project/dune-src")),
        ("src/assignment.mli", include_str!("ocaml/assignment.mli")),
        ("runner/dune", include_str!("ocaml/project/dune-runner")),
        ("runner/runner.ml", include_str!("ocaml/project/runner.ml")),
    ],
    starter: &[(
        "src/assignment.ml",
        include_str!("ocaml/starter/assignment.ml"),
    )],
    solved: solved(&[(
        "src/assignment.ml",
        include_str!("ocaml/solved/assignment.ml"),
    )]),
    homework: Homework {
        functions: functions::FUNCTIONS,
        duel: Some(Duel {
            name: "make_move",
            opponent: "random",
            drawn_seat: false,
            to_be_won: true,
        }),
    },
}];
