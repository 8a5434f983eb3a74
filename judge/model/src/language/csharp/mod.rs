//! C#, with Mono.

use super::{Language, Program, Syntax, Template};

pub(super) const CSHARP: Language = Language {
    name: "csharp",
    endings: &["cs"],
    syntax: Some(Syntax::C),
    jplag: "csharp",
    toolchains: &[&[
        Program::new("mcs", "mono-mcs"),
        Program::new("mono", "mono-runtime").asked(&["-version"]),
        Program::new("csc", "mono-mcs"),
    ]],
    configuration: &["/etc/dotnet", "/etc/mono*"],
    stderr: "Console.Error.WriteLine(…)",
    flush: "Console.WriteLine(…) does; a StreamWriter needs Flush()",
    manifest: include_str!("judge.toml"),
    template: Some(Template {
        file: "Bot.cs",
        text: include_str!("Bot.cs"),
    }),
    ..Language::UNKNOWN
};
