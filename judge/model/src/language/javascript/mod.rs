//! JavaScript.

use super::{Language, Program, Syntax, Template};

pub(super) const JAVASCRIPT: Language = Language {
    name: "javascript",
    endings: &["js", "mjs"],
    syntax: Some(Syntax::C),
    jplag: "javascript",
    toolchains: &[&[
        Program::new("node", "nodejs"),
        Program::new("npm", "npm"),
        Program::beside("npx"),
        Program::new("tsc", "node-typescript"),
    ]],
    made_folders: &["node_modules"],
    stderr: "console.error(…)",
    flush: "console.log(…) does",
    manifest: "run = \"node @FILE@\"\n",
    template: Some(Template {
        file: "bot.js",
        text: include_str!("bot.js"),
    }),
    ..Language::UNKNOWN
};
