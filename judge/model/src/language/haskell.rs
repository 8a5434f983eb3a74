//! Haskell.

use super::{Language, Program, Syntax};

pub(super) const HASKELL: Language = Language {
    name: "haskell",
    endings: &["hs"],
    syntax: Some(Syntax {
        line: "--",
        block: Some(("{-", "-}")),
        nested: true,
        docstring: None,
        quotes: b"\"",
    }),
    toolchains: &[&[
        Program::new("ghc", "ghc"),
        // Intake asks it for libraries.
        Program::new("ghc-pkg", "ghc"),
        Program::beside("ghci"),
        Program::beside("runghc"),
        Program::new("cabal", "cabal-install"),
        Program::new("stack", "haskell-stack"),
    ]],
    compiler_files: &["/var/lib/ghc", "/etc/ghc"],
    made_folders: &["dist-newstyle"],
    stderr: "hPutStrLn stderr …, or Debug.Trace",
    flush: "hFlush stdout, or hSetBuffering stdout LineBuffering at the start",
    ..Language::UNKNOWN
};
