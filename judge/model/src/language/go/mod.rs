//! Go.

use super::{Language, Program, Syntax, Template};

pub(super) const GO: Language = Language {
    name: "go",
    endings: &["go"],
    syntax: Some(Syntax {
        quotes: b"\"'`",
        ..Syntax::C
    }),
    jplag: "golang",
    toolchains: &[&[
        Program::new("go", "golang-go").asked(&["version"]),
        Program::beside("gofmt"),
    ]],
    stderr: "fmt.Fprintln(os.Stderr, …)",
    flush: "fmt.Println(…) does; a bufio.Writer needs Flush()",
    manifest: include_str!("judge.toml"),
    template: Some(Template {
        file: "bot.go",
        text: include_str!("bot.go"),
    }),
    ..Language::UNKNOWN
};
