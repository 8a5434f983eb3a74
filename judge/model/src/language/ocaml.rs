//! OCaml.

use super::{Language, Program, Syntax};

/// The compilers.
const COMPILERS: &str = "ocaml-nox";

pub(super) const OCAML: Language = Language {
    name: "ocaml",
    endings: &["ml", "mli"],
    headers: &["mli"],
    syntax: Some(Syntax {
        line: "",
        block: Some(("(*", "*)")),
        nested: true,
        docstring: None,
        quotes: b"\"",
    }),
    toolchains: &[&[
        Program::new("ocamlfind", "ocaml-findlib").asked(&["ocamlopt", "-version"]),
        Program::new("ocaml", COMPILERS).asked(&["-version"]),
        Program::new("ocamlopt", COMPILERS).asked(&["-version"]),
        Program::beside("ocamlc"),
        Program::beside("ocamldep"),
        Program::new("dune", "ocaml-dune"),
    ]],
    compiler_files: &["/var/lib/ocaml", "/etc/ocamlfind.conf"],
    made_folders: &["_build"],
    stderr: "prerr_endline …",
    flush: "print_endline …, or flush stdout",
    ..Language::UNKNOWN
};
