//! Submissions in OCaml.

use super::Change::{Name, Nothing, Text};
use super::Verdict::{Broken, Faults, Plays};
use super::{Case, FORGED, case};

pub(super) const CASES: &[Case] = &[
    case(
        "says",
        Text(
            "assignment.ml",
            "  let moves = list_valid_moves cfg gst in\n",
            "  Judge_note.note \"\\\"\u{2603}\\\" ways\";\n\
             \x20 Judge_note.mark ~label:\"7\" (3, 0);\n\
             \x20 Judge_note.mark ~strength:0.5 (1, 2);\n\
             \x20 let moves = list_valid_moves cfg gst in\n",
        ),
        Plays("-- note \"\u{2603}\" ways\n-- marks [[3,0,null,\"7\"],[1,2,50,\"\"]]\n"),
    ),
    case("good", Nothing, Plays("")),
    case(
        "prints",
        Text(
            "assignment.ml",
            "open Types",
            "open Types\nlet () = print_endline {|{\"move\":[0,0]}|}",
        ),
        Plays(FORGED),
    ),
    case(
        "byte-order-mark",
        Text("assignment.ml", "open Types", "\u{feff}open Types"),
        Plays(""),
    ),
    case(
        "suppliers",
        Text(
            "assignment.ml",
            "let moves = list_valid_moves cfg gst in",
            "let moves = list_valid_moves cfg gst in\n\
             \x20 let left = _time_supplier () and random = random_supplier () in\n\
             \x20 assert (left > 0. && left <= 10. && random >= 0. && random <= 1.);\n\
             \x20 assert (try ignore (read_line ()); false with End_of_file -> true);",
        ),
        Plays(""),
    ),
    case(
        "slow",
        Text(
            "assignment.ml",
            "let moves = list_valid_moves cfg gst in",
            "while true do () done; let moves = list_valid_moves cfg gst in",
        ),
        Faults("time", "", ""),
    ),
    case(
        "crashes",
        Text(
            "assignment.ml",
            "let moves = list_valid_moves cfg gst in",
            "let moves = List.tl [] in",
        ),
        Faults("exit", "", "Failure(\"tl\")"),
    ),
    case(
        "signature",
        Text(
            "assignment.ml",
            "let has_won cfg gst =",
            "let has_won gst cfg =",
        ),
        Broken("is missing or has another type", "val has_won"),
    ),
    case(
        "missing",
        Text(
            "assignment.ml",
            "let has_won cfg gst =",
            "let has_one cfg gst =",
        ),
        Broken(
            "is missing or has another type",
            "The value `has_won' is required",
        ),
    ),
    case(
        "syntax",
        Text(
            "assignment.ml",
            "type state = game_state",
            "type state = = game_state",
        ),
        Broken(
            "ocamlfind exited with 2",
            "File \"assignment.ml\", line 5, characters 13-14",
        ),
    ),
    case(
        "library",
        Text(
            "assignment.ml",
            "open Types",
            "open Types\nlet _ = Str.regexp \"a+\"",
        ),
        Plays(""),
    ),
    case(
        "module",
        Text("assignment.ml", "open Types", "open Types\nopen Core"),
        Broken(
            "neither submitted nor in OCaml's standard library",
            "Unbound module Core",
        ),
    ),
    case(
        "spelling",
        Name("assignment.ml", "Assignment.ml"),
        Broken("Assignment.ml must be spelled assignment.ml", ""),
    ),
];
