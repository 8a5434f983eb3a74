//! Programs that a `judge.toml` calls, and the Debian packages that they are in: where one is
//! not installed, no author is to blame.

use super::toolchain::find_program;

/// Compilers and interpreters by name: (program, package).
const PACKAGES: &[(&str, &str)] = &[
    ("as", "binutils"),
    ("awk", "gawk"),
    ("bash", "bash"),
    ("c++", "g++"),
    ("cabal", "cabal-install"),
    ("cargo", "cargo"),
    ("cc", "gcc"),
    ("clang", "clang"),
    ("clang++", "clang"),
    ("clojure", "clojure"),
    ("cmake", "cmake"),
    ("csc", "mono-mcs"),
    ("dune", "ocaml-dune"),
    ("elixir", "elixir"),
    ("erlc", "erlang-base"),
    ("fpc", "fpc"),
    ("g++", "g++"),
    ("gcc", "gcc"),
    ("gdc", "gdc"),
    ("gfortran", "gfortran"),
    ("ghc", "ghc"),
    ("gnatmake", "gnat"),
    ("go", "golang-go"),
    ("guile", "guile-3.0"),
    ("java", "default-jre-headless"),
    ("javac", "default-jdk-headless"),
    ("julia", "julia"),
    ("kotlinc", "kotlin"),
    ("ldc2", "ldc"),
    ("lua", "lua5.4"),
    ("luajit", "luajit"),
    ("make", "make"),
    ("mcs", "mono-mcs"),
    ("meson", "meson"),
    ("mono", "mono-runtime"),
    ("nasm", "nasm"),
    ("nim", "nim"),
    ("ninja", "ninja-build"),
    ("node", "nodejs"),
    ("npm", "npm"),
    ("ocaml", "ocaml-nox"),
    ("ocamlfind", "ocaml-findlib"),
    ("ocamlopt", "ocaml-nox"),
    ("perl", "perl"),
    ("php", "php-cli"),
    ("pypy3", "pypy3"),
    ("python3", "python3"),
    ("Rscript", "r-base-core"),
    ("racket", "racket"),
    ("ruby", "ruby"),
    ("rustc", "rustc"),
    ("sbcl", "sbcl"),
    ("scala", "scala"),
    ("scalac", "scala"),
    ("stack", "haskell-stack"),
    ("swipl", "swi-prolog-core"),
    ("tsc", "node-typescript"),
    ("valac", "valac"),
];

/// What shells and make say of a program that is not there, behind its name.
const SAID: &[&str] = &[
    ": not found",
    ": command not found",
    ": No such file or directory",
    ": Command not found",
];

/// Tells that a program is not installed, with its package; none where it is, or is none that
/// is known.
pub(super) fn not_installed(program: &str) -> Option<String> {
    let (name, package) = PACKAGES.iter().find(|(name, _)| *name == program)?;
    find_program(name, package).err()
}

/// Finds in what a build wrote a program that it called and that is not installed. What the
/// build says is not believed: the machine is asked.
pub(super) fn not_installed_in(output: &str) -> Option<String> {
    let mut named = output.lines().filter_map(|line| {
        let before = SAID
            .iter()
            .find_map(|said| line.trim_end().strip_suffix(said))?;
        before.rsplit([' ', '/', ':']).next()
    });
    named.find_map(not_installed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_is_missing_is_found_in_what_shells_say() {
        // Nobody installs this one for the judge.
        let program = "ldc2";
        let missing = "ldc2 is not installed; run: apt-get install ldc";
        for said in [
            "/bin/sh: 1: ldc2: not found\n",
            "building\nbash: line 1: ldc2: command not found\r\n",
            "make: ldc2: No such file or directory\nmake: *** [all] Error 127\n",
        ] {
            assert_eq!(not_installed_in(said).as_deref(), Some(missing), "{said}");
        }
        assert_eq!(not_installed(program).as_deref(), Some(missing));
    }

    #[test]
    fn what_is_there_or_not_known_is_nobodys_excuse() {
        for said in [
            "sh: 1: sh: not found",
            "sh: 1: my-tool: not found",
            "cat: x: No such file or directory",
            "",
        ] {
            assert_eq!(not_installed_in(said), None, "{said}");
        }
    }
}
