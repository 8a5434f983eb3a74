//! Python.

use super::{Language, Program, Syntax, Template};

pub(super) const PYTHON: Language = Language {
    name: "python",
    endings: &["py"],
    syntax: Some(Syntax {
        docstring: Some("\"\"\""),
        ..Syntax::HASH
    }),
    jplag: "python3",
    toolchains: &[
        &[Program::new("python3", "python3"), Program::beside("pip")],
        &[Program::new("pypy3", "pypy3")],
    ],
    configuration: &["/etc/python3*"],
    made_folders: &["__pycache__", "venv"],
    stderr: "print(…, file=sys.stderr)",
    flush: "print(…, flush=True)",
    manifest: "run = \"python3 @FILE@\"\n",
    template: Some(Template {
        file: "bot.py",
        text: include_str!("bot.py"),
    }),
    ..Language::UNKNOWN
};
