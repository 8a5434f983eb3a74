//! One record for each language: all that the judge knows about it.

use super::{Language, Program, Syntax, Template};

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
            Program::companion("ldmd"),
            Program::companion("dmd"),
            Program::companion("dub"),
            Program::companion("rdmd"),
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
        Program::companion("luac"),
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
            Program::companion("cpp"),
            Program::companion("ar"),
            Program::new("as", "binutils"),
            Program::companion("ld"),
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
    manifest: include_str!("cpp/judge.toml"),
    template: Some(Template {
        file: "bot.cpp",
        text: include_str!("cpp/bot.cpp"),
    }),
    ..Language::UNKNOWN
};

pub(super) const PYTHON: Language = Language {
    name: "python",
    endings: &["py"],
    syntax: Some(Syntax {
        docstring: Some("\"\"\""),
        ..Syntax::HASH
    }),
    jplag: "python3",
    toolchains: &[
        &[
            Program::new("python3", "python3"),
            Program::companion("pip"),
        ],
        &[Program::new("pypy3", "pypy3")],
    ],
    configuration: &["/etc/python3*"],
    made_folders: &["__pycache__", "venv"],
    stderr: "print(…, file=sys.stderr)",
    flush: "print(…, flush=True)",
    manifest: "run = \"python3 @FILE@\"\n",
    template: Some(Template {
        file: "bot.py",
        text: include_str!("python/bot.py"),
    }),
    ..Language::UNKNOWN
};

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
        Program::companion("ocamlc"),
        Program::companion("ocamldep"),
        Program::new("dune", "ocaml-dune"),
    ]],
    compiler_files: &["/var/lib/ocaml", "/etc/ocamlfind.conf"],
    made_folders: &["_build"],
    stderr: "prerr_endline …",
    flush: "print_endline …, or flush stdout",
    ..Language::UNKNOWN
};

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
        Program::companion("ghci"),
        Program::companion("runghc"),
        Program::new("cabal", "cabal-install"),
        Program::new("stack", "haskell-stack"),
    ]],
    compiler_files: &["/var/lib/ghc", "/etc/ghc"],
    made_folders: &["dist-newstyle"],
    stderr: "hPutStrLn stderr …, or Debug.Trace",
    flush: "hFlush stdout, or hSetBuffering stdout LineBuffering at the start",
    ..Language::UNKNOWN
};

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
    manifest: include_str!("rust/judge.toml"),
    template: Some(Template {
        file: "bot.rs",
        text: include_str!("rust/bot.rs"),
    }),
    ..Language::UNKNOWN
};

pub(super) const JAVASCRIPT: Language = Language {
    name: "javascript",
    endings: &["js", "mjs"],
    syntax: Some(Syntax::C),
    jplag: "javascript",
    toolchains: &[&[
        Program::new("node", "nodejs"),
        Program::new("npm", "npm"),
        Program::companion("npx"),
        Program::new("tsc", "node-typescript"),
    ]],
    made_folders: &["node_modules"],
    stderr: "console.error(…)",
    flush: "console.log(…) does",
    manifest: "run = \"node @FILE@\"\n",
    template: Some(Template {
        file: "bot.js",
        text: include_str!("javascript/bot.js"),
    }),
    ..Language::UNKNOWN
};

const JDK: &str = "default-jdk-headless";

pub(super) const JAVA: Language = Language {
    name: "java",
    endings: &["java"],
    syntax: Some(Syntax::C),
    jplag: "java",
    toolchains: &[&[
        Program::new("javac", JDK).asked(&["-version"]),
        Program::new("java", JDK).asked(&["-version"]),
        Program::companion("jar"),
        Program::companion("kotlin"),
        Program::new("kotlinc", "kotlin").asked(&["-version"]),
        Program::new("scala", "scala").asked(&["-version"]),
        Program::new("scalac", "scala"),
        Program::new("clojure", "clojure"),
    ]],
    configuration: &[
        "/etc/ant*",
        "/etc/groovy*",
        "/etc/java*",
        "/etc/jvm*",
        "/etc/maven*",
        "/etc/pki/java",
    ],
    stderr: "System.err.println(…)",
    flush: "System.out.println(…) does; a BufferedWriter or a PrintWriter needs flush()",
    manifest: include_str!("java/judge.toml"),
    template: Some(Template {
        file: "Bot.java",
        text: include_str!("java/Bot.java"),
    }),
    ..Language::UNKNOWN
};

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
        Program::companion("gofmt"),
    ]],
    stderr: "fmt.Fprintln(os.Stderr, …)",
    flush: "fmt.Println(…) does; a bufio.Writer needs Flush()",
    manifest: include_str!("go/judge.toml"),
    template: Some(Template {
        file: "bot.go",
        text: include_str!("go/bot.go"),
    }),
    ..Language::UNKNOWN
};

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
    manifest: include_str!("csharp/judge.toml"),
    template: Some(Template {
        file: "Bot.cs",
        text: include_str!("csharp/Bot.cs"),
    }),
    ..Language::UNKNOWN
};

pub(super) const SHELL: Language = Language {
    name: "shell",
    endings: &["sh"],
    syntax: Some(Syntax::HASH),
    toolchains: &[
        &[Program::companion("sh")],
        &[Program::new("bash", "bash")],
        &[Program::companion("dash")],
    ],
    stderr: "echo … >&2",
    flush: "echo does; a pipe such as | sed needs -u or stdbuf",
    manifest: "run = \"bash @FILE@\"\n",
    template: Some(Template {
        file: "bot.sh",
        text: include_str!("shell/bot.sh"),
    }),
    ..Language::UNKNOWN
};
