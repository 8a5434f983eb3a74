//! C++, and C.

use super::{Language, Program, Syntax, Template};

pub(super) const C: Language = Language {
    name: "c",
    endings: &["c"],
    headers: &[],
    toolchains: &[],
    manifest: "build = \"gcc -O2 -o bot @FILE@ -lm\"\nrun = \"./bot\"\n",
    template: None,
    ..CPP
};

pub(super) const CPP: Language = Language {
    name: "cpp",
    endings: &["h", "cc", "cpp", "cxx", "hh", "hpp", "hxx"],
    headers: &["h", "hh", "hpp", "hxx"],
    syntax: Some(Syntax::C),
    jplag: "cpp",
    toolchains: &[
        &[
            Program::new("g++", "g++"),
            Program::new("gcc", "gcc"),
            Program::new("c++", "g++"),
            Program::new("cc", "gcc"),
            Program::beside("cpp"),
            Program::beside("ar"),
            Program::new("as", "binutils"),
            Program::beside("ld"),
            // GCC's compilers of other languages.
            Program::new("gfortran", "gfortran"),
            Program::new("gdc", "gdc"),
        ],
        &[
            Program::new("clang", "clang"),
            Program::new("clang++", "clang"),
        ],
    ],
    configuration: &["/etc/ccache*", "/etc/clang*"],
    made_folders: &["build"],
    stderr: "std::cerr << …, or fprintf(stderr, …)",
    flush: "std::cout << … << std::endl, or fflush(stdout)",
    manifest: include_str!("judge.toml"),
    template: Some(Template {
        file: "bot.cpp",
        text: include_str!("bot.cpp"),
    }),
    ..Language::UNKNOWN
};
