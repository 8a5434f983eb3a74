//! Shell scripts.

use super::{Language, Program, Syntax, Template};

pub(super) const SHELL: Language = Language {
    name: "shell",
    endings: &["sh"],
    syntax: Some(Syntax::HASH),
    toolchains: &[
        &[Program::beside("sh")],
        &[Program::new("bash", "bash")],
        &[Program::beside("dash")],
    ],
    stderr: "echo … >&2",
    flush: "echo does; a pipe such as | sed needs -u or stdbuf",
    manifest: "run = \"bash @FILE@\"\n",
    template: Some(Template {
        file: "bot.sh",
        text: include_str!("bot.sh"),
    }),
    ..Language::UNKNOWN
};
