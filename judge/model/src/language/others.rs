//! Languages for which the judge knows little more than the names of files and programs.
//!
//! A language that gets a starter moves to its own folder.

use super::{Language, Program};

/// Makes the record of a language without a bot.
const fn known(
    name: &'static str,
    endings: &'static [&'static str],
    toolchains: &'static [&'static [Program]],
) -> Language {
    Language {
        name,
        endings,
        toolchains,
        ..Language::UNKNOWN
    }
}

/// Tools that belong to no language.
pub(super) const TOOLS: &[Program] = &[
    Program::new("cmake", "cmake"),
    Program::new("make", "make"),
    Program::new("meson", "meson"),
    Program::new("ninja", "ninja-build"),
];

pub(super) const ADA: Language = known("ada", &[], &[&[Program::new("gnatmake", "gnat")]]);
pub(super) const ASSEMBLY: Language = known("assembly", &[], &[&[Program::new("nasm", "nasm")]]);
pub(super) const AWK: Language = known("awk", &[], &[&[Program::new("awk", "gawk")]]);
pub(super) const D: Language = Language {
    configuration: &["/etc/dmd.conf", "/etc/ldc2.conf"],
    ..known(
        "d",
        &[],
        &[&[
            Program::new("ldc2", "ldc"),
            Program::beside("ldmd"),
            Program::beside("dmd"),
            Program::beside("dub"),
            Program::beside("rdmd"),
        ]],
    )
};
pub(super) const ELIXIR: Language = known("elixir", &[], &[&[Program::new("elixir", "elixir")]]);
pub(super) const ERLANG: Language = known("erlang", &[], &[&[Program::new("erlc", "erlang-base")]]);
pub(super) const JULIA: Language = Language {
    configuration: &["/etc/julia"],
    ..known("julia", &["jl"], &[&[Program::new("julia", "julia")]])
};
// Kotlin's compiler is among Java's programs.
pub(super) const KOTLIN: Language = known("kotlin", &["kt"], &[]);
pub(super) const LISP: Language = Language {
    configuration: &["/etc/common-lisp", "/etc/sbclrc"],
    ..known("lisp", &[], &[&[Program::new("sbcl", "sbcl")]])
};
pub(super) const LUA: Language = known(
    "lua",
    &["lua"],
    &[&[
        Program::new("lua", "lua5.4").asked(&["-v"]),
        Program::beside("luac"),
        Program::new("luajit", "luajit").asked(&["-v"]),
    ]],
);
pub(super) const NIM: Language = Language {
    configuration: &["/etc/nim*"],
    ..known("nim", &[], &[&[Program::new("nim", "nim")]])
};
pub(super) const PASCAL: Language = Language {
    configuration: &["/etc/fpc*"],
    ..known("pascal", &[], &[&[Program::new("fpc", "fpc")]])
};
pub(super) const PERL: Language = Language {
    configuration: &["/etc/perl"],
    ..known("perl", &["pl"], &[&[Program::new("perl", "perl")]])
};
pub(super) const PHP: Language = Language {
    configuration: &["/etc/php*"],
    ..known("php", &["php"], &[&[Program::new("php", "php-cli")]])
};
pub(super) const PROLOG: Language = Language {
    configuration: &["/etc/swi-prolog"],
    ..known(
        "prolog",
        &[],
        &[&[Program::new("swipl", "swi-prolog-core")]],
    )
};
pub(super) const R: Language = Language {
    configuration: &["/etc/R"],
    ..known("r", &[], &[&[Program::new("Rscript", "r-base-core")]])
};
pub(super) const RACKET: Language = Language {
    configuration: &["/etc/racket"],
    ..known("racket", &[], &[&[Program::new("racket", "racket")]])
};
pub(super) const RUBY: Language = known("ruby", &["rb"], &[&[Program::new("ruby", "ruby")]]);
pub(super) const SCHEME: Language = known("scheme", &[], &[&[Program::new("guile", "guile-3.0")]]);
// TypeScript's compiler is among JavaScript's programs.
pub(super) const TYPESCRIPT: Language = known("typescript", &["ts"], &[]);
pub(super) const VALA: Language = known("vala", &[], &[&[Program::new("valac", "valac")]]);
