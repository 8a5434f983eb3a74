//! Rust.

use super::{Language, Program, Syntax, Template};

pub(super) const RUST: Language = Language {
    name: "rust",
    endings: &["rs"],
    syntax: Some(Syntax {
        nested: true,
        quotes: b"\"",
        ..Syntax::C
    }),
    jplag: "rust",
    toolchains: &[&[
        Program::new("rustc", "rustc"),
        Program::new("cargo", "cargo"),
    ]],
    stderr: "eprintln!(…)",
    flush: "println!(…) does; a BufWriter needs flush()",
    manifest: include_str!("judge.toml"),
    template: Some(Template {
        file: "bot.rs",
        text: include_str!("bot.rs"),
    }),
    ..Language::UNKNOWN
};
