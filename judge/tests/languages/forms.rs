//! Forms that the courses' texts allow, beyond the starters' one file: projects of several
//! folders, own modules with well-known names, changed copies of what the course gives.

use super::support::{Ended, Scene};

/// The text of a game's starter.
fn starter(game: &str) -> &'static str {
    let entry = engines::game(game).expect("registered");
    entry.kits[0].starter[0].1
}

/// Plays one game of every pair; everybody but those in `broken` must play without a fault.
fn play(scene: &Scene, broken: &[(&str, &str)]) -> Ended {
    let flags = ["--states", "1", "--backstop", "60", "--startup", "120"];
    let ended = scene.run(&flags).well();
    for (name, reason) in broken {
        let line = format!("  {name}: does not play: ");
        let line = ended.stdout.lines().find(|said| said.starts_with(&line));
        let line = line.unwrap_or_else(|| panic!("{name} plays: {ended:?}"));
        assert!(line.contains(reason), "{reason:?} is not in {line:?}");
    }
    let told = ended.stdout.matches("does not play").count();
    assert_eq!(told, broken.len(), "{ended:?}");
    for row in scene.rows("standings.csv") {
        assert_eq!(row.get("faults"), "0", "{row:?}");
    }
    ended
}

#[test]
fn an_ocaml_project_may_have_libraries_and_modules_with_well_known_names() {
    let scene = Scene::new();
    let rules = starter("crazy-camel");
    let wrapped = format!("open Lib\n{rules}let () = assert (Search.Depth.best = 3)\n");
    scene
        .sources(
            "project",
            &[
                ("dune-project", "(lang dune 2.0)\n"),
                ("types/dune", "(library (name types))\n"),
                ("types/types.ml", "type position = int * int\n"),
                (
                    "src/dune",
                    "(library (name assignment) (libraries types lib))\n",
                ),
                (
                    "src/assignment.mli",
                    "open Types\nval make_move : move_lister\n",
                ),
                ("src/assignment.ml", &wrapped),
                ("lib/dune", "(library\n (name lib))\n"),
                ("lib/search.ml", "module Depth = struct include Depth end\n"),
                ("lib/depth.ml", "let best = 3\n"),
                ("test/unix.ml", "let this does not compile"),
                ("judge_wire.ml", "let this does not compile"),
            ],
        )
        .sources(
            "shadows",
            &[
                ("assignment.ml", &format!("{rules}let () = Main.check ()\n")),
                (
                    "list.ml",
                    "include Stdlib.List\nlet sum = fold_left ( + ) 0\n",
                ),
                ("random.ml", "let self_init () = ()\n"),
                ("sys.ml", "let time = 0\n"),
                ("string.ml", "let concat = ()\n"),
                (
                    "main.ml",
                    "let check () = assert (List.sum [ Sys.time; 1 ] = 1 && String.concat = ());\n\
                     Random.self_init ()\n",
                ),
            ],
        )
        .sources(
            "links",
            &[
                ("assignment.ml", &format!("{rules}let () = Unix.f ()\n")),
                ("unix.ml", "let f () = ()\n"),
            ],
        )
        .sources(
            "meddles",
            &[
                ("assignment.ml", &format!("{rules}let () = Judge_wire.f\n")),
                ("src/judge_wire.ml", "let f = ()\n"),
            ],
        );
    let broken = [
        (
            "links",
            "unix.ml cannot be linked: Unix is one of OCaml's own modules",
        ),
        ("meddles", "Judge_wire is one of the judge's modules"),
    ];
    play(&scene, &broken).says(&[
        "project: note: types/types.ml was replaced by the judge's own, from which it differs (type ",
        "project: note: src/assignment.mli was replaced by the judge's own, from which it differs (",
        "project: note: judge_wire.ml was replaced by the judge's own",
    ]);
}
