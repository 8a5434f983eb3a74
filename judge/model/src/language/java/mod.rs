//! Java, and other languages of its machine.

use super::{Language, Program, Syntax, Template};

/// The package of the compiler, which depends on the run-time system.
const JDK: &str = "default-jdk-headless";

pub(super) const JAVA: Language = Language {
    name: "java",
    endings: &["java"],
    syntax: Some(Syntax::C),
    jplag: "java",
    toolchains: &[&[
        Program::new("javac", JDK).asked(&["-version"]),
        Program::new("java", JDK).asked(&["-version"]),
        Program::beside("jar"),
        Program::beside("kotlin"),
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
    manifest: include_str!("judge.toml"),
    template: Some(Template {
        file: "Bot.java",
        text: include_str!("Bot.java"),
    }),
    ..Language::UNKNOWN
};
