//! One record for each language: all that the judge knows about it.

use super::{Language, Program, Syntax, Template, companion, program};

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
    program("cmake", "cmake"),
    program("make", "make"),
    program("meson", "meson"),
    program("ninja", "ninja-build"),
];

const COMPILERS: &str = "ocaml-nox";

const JDK: &str = "default-jdk-headless";

const CPP: Language = Language {
    name: "cpp",
    endings: &["h", "cc", "cpp", "cxx", "hh", "hpp", "hxx"],
    headers: &["h", "hh", "hpp", "hxx"],
    syntax: Some(Syntax::C),
    jplag: "cpp",
    toolchains: &[
        &[
            program("g++", "g++"),
            program("gcc", "gcc"),
            program("c++", "g++"),
            program("cc", "gcc"),
            companion("cpp"),
            companion("ar"),
            program("as", "binutils"),
            companion("ld"),
            // GCC's compilers of other languages.
            program("gfortran", "gfortran"),
            program("gdc", "gdc"),
        ],
        &[program("clang", "clang"), program("clang++", "clang")],
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

/// All languages, in the order of listings.
pub const LANGUAGES: &[Language] = &[
    CPP,
    Language {
        name: "c",
        endings: &["c"],
        headers: &[],
        toolchains: &[],
        manifest: "build = \"gcc -O2 -o bot @FILE@ -lm\"\nrun = \"./bot\"\n",
        template: None,
        ..CPP
    },
    Language {
        name: "python",
        endings: &["py"],
        syntax: Some(Syntax {
            docstring: Some("\"\"\""),
            ..Syntax::HASH
        }),
        jplag: "python3",
        toolchains: &[
            &[program("python3", "python3"), companion("pip")],
            &[program("pypy3", "pypy3")],
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
    },
    Language {
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
            program("ocamlfind", "ocaml-findlib").asked(&["ocamlopt", "-version"]),
            program("ocaml", COMPILERS).asked(&["-version"]),
            program("ocamlopt", COMPILERS).asked(&["-version"]),
            companion("ocamlc"),
            companion("ocamldep"),
            program("dune", "ocaml-dune"),
        ]],
        compiler_files: &["/var/lib/ocaml", "/etc/ocamlfind.conf"],
        made_folders: &["_build"],
        stderr: "prerr_endline …",
        flush: "print_endline …, or flush stdout",
        ..Language::UNKNOWN
    },
    Language {
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
            program("ghc", "ghc"),
            // Intake asks it for libraries.
            program("ghc-pkg", "ghc"),
            companion("ghci"),
            companion("runghc"),
            program("cabal", "cabal-install"),
            program("stack", "haskell-stack"),
        ]],
        compiler_files: &["/var/lib/ghc", "/etc/ghc"],
        made_folders: &["dist-newstyle"],
        stderr: "hPutStrLn stderr …, or Debug.Trace",
        flush: "hFlush stdout, or hSetBuffering stdout LineBuffering at the start",
        ..Language::UNKNOWN
    },
    Language {
        name: "rust",
        endings: &["rs"],
        syntax: Some(Syntax {
            nested: true,
            quotes: b"\"",
            ..Syntax::C
        }),
        jplag: "rust",
        toolchains: &[&[program("rustc", "rustc"), program("cargo", "cargo")]],
        stderr: "eprintln!(…)",
        flush: "println!(…) does; a BufWriter needs flush()",
        manifest: include_str!("rust/judge.toml"),
        template: Some(Template {
            file: "bot.rs",
            text: include_str!("rust/bot.rs"),
        }),
        ..Language::UNKNOWN
    },
    Language {
        name: "javascript",
        endings: &["js", "mjs"],
        syntax: Some(Syntax::C),
        jplag: "javascript",
        toolchains: &[&[
            program("node", "nodejs"),
            program("npm", "npm"),
            companion("npx"),
            program("tsc", "node-typescript"),
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
    },
    Language {
        name: "java",
        endings: &["java"],
        syntax: Some(Syntax::C),
        jplag: "java",
        toolchains: &[&[
            program("javac", JDK).asked(&["-version"]),
            program("java", JDK).asked(&["-version"]),
            companion("jar"),
            companion("kotlin"),
            program("kotlinc", "kotlin").asked(&["-version"]),
            program("scala", "scala").asked(&["-version"]),
            program("scalac", "scala"),
            program("clojure", "clojure"),
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
    },
    Language {
        name: "go",
        endings: &["go"],
        syntax: Some(Syntax {
            quotes: b"\"'`",
            ..Syntax::C
        }),
        jplag: "golang",
        toolchains: &[&[
            program("go", "golang-go").asked(&["version"]),
            companion("gofmt"),
        ]],
        stderr: "fmt.Fprintln(os.Stderr, …)",
        flush: "fmt.Println(…) does; a bufio.Writer needs Flush()",
        manifest: include_str!("go/judge.toml"),
        template: Some(Template {
            file: "bot.go",
            text: include_str!("go/bot.go"),
        }),
        ..Language::UNKNOWN
    },
    Language {
        name: "csharp",
        endings: &["cs"],
        syntax: Some(Syntax::C),
        jplag: "csharp",
        toolchains: &[&[
            program("mcs", "mono-mcs"),
            program("mono", "mono-runtime").asked(&["-version"]),
            program("csc", "mono-mcs"),
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
    },
    Language {
        name: "shell",
        endings: &["sh"],
        syntax: Some(Syntax::HASH),
        toolchains: &[
            &[companion("sh")],
            &[program("bash", "bash")],
            &[companion("dash")],
        ],
        stderr: "echo … >&2",
        flush: "echo does; a pipe such as | sed needs -u or stdbuf",
        manifest: "run = \"bash @FILE@\"\n",
        template: Some(Template {
            file: "bot.sh",
            text: include_str!("shell/bot.sh"),
        }),
        ..Language::UNKNOWN
    },
    known("ada", &[], &[&[program("gnatmake", "gnat")]]),
    known("assembly", &[], &[&[program("nasm", "nasm")]]),
    known("awk", &[], &[&[program("awk", "gawk")]]),
    Language {
        configuration: &["/etc/dmd.conf", "/etc/ldc2.conf"],
        ..known(
            "d",
            &[],
            &[&[
                program("ldc2", "ldc"),
                companion("ldmd"),
                companion("dmd"),
                companion("dub"),
                companion("rdmd"),
            ]],
        )
    },
    known("elixir", &[], &[&[program("elixir", "elixir")]]),
    known("erlang", &[], &[&[program("erlc", "erlang-base")]]),
    Language {
        configuration: &["/etc/julia"],
        ..known("julia", &["jl"], &[&[program("julia", "julia")]])
    },
    // Kotlin's compiler is among Java's programs.
    known("kotlin", &["kt"], &[]),
    Language {
        configuration: &["/etc/common-lisp", "/etc/sbclrc"],
        ..known("lisp", &[], &[&[program("sbcl", "sbcl")]])
    },
    known(
        "lua",
        &["lua"],
        &[&[
            program("lua", "lua5.4").asked(&["-v"]),
            companion("luac"),
            program("luajit", "luajit").asked(&["-v"]),
        ]],
    ),
    Language {
        configuration: &["/etc/nim*"],
        ..known("nim", &[], &[&[program("nim", "nim")]])
    },
    Language {
        configuration: &["/etc/fpc*"],
        ..known("pascal", &[], &[&[program("fpc", "fpc")]])
    },
    Language {
        configuration: &["/etc/perl"],
        ..known("perl", &["pl"], &[&[program("perl", "perl")]])
    },
    Language {
        configuration: &["/etc/php*"],
        ..known("php", &["php"], &[&[program("php", "php-cli")]])
    },
    Language {
        configuration: &["/etc/swi-prolog"],
        ..known("prolog", &[], &[&[program("swipl", "swi-prolog-core")]])
    },
    Language {
        configuration: &["/etc/R"],
        ..known("r", &[], &[&[program("Rscript", "r-base-core")]])
    },
    Language {
        configuration: &["/etc/racket"],
        ..known("racket", &[], &[&[program("racket", "racket")]])
    },
    known("ruby", &["rb"], &[&[program("ruby", "ruby")]]),
    known("scheme", &[], &[&[program("guile", "guile-3.0")]]),
    // TypeScript's compiler is among JavaScript's programs.
    known("typescript", &["ts"], &[]),
    known("vala", &[], &[&[program("valac", "valac")]]),
];
