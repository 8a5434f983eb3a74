//! The harness for submissions in the course's language.

use crate::{Blind, Kit, Sign};

pub(super) const KITS: &[Kit] = &[Kit {
    language: "ocaml",
    sign: Sign::Anywhere("assignment.ml"),
    files: &[
        ("types.ml", include_str!("ocaml/types.ml")),
        ("assignment.mli", include_str!("ocaml/assignment.mli")),
        ("judge_wire.ml", include_str!("ocaml/judge_wire.ml")),
        ("judge_main.ml", include_str!("ocaml/judge_main.ml")),
        ("judge_tokens.ml", include_str!("ocaml/judge_tokens.ml")),
    ],
    blind: Blind {
        settings: &["opening_plies"],
        to_position: true,
    },
    hints: &[
        (
            "does not match the interface",
            "a function of the course's assignment.mli is missing or has another type",
        ),
        (
            "Unbound module",
            "it uses a module that is neither handed in nor in OCaml's standard library",
        ),
    ],
    starter: &[("assignment.ml", include_str!("ocaml/starter/assignment.ml"))],
}];
