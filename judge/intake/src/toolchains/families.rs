//! Which programs belong to one language, so that a folder named for one of them has the others.

/// The programs of a language, without the versions behind their names.
const FAMILIES: [&[&str]; 12] = [
    &[
        "g++", "gcc", "c++", "cc", "cpp", "ar", "as", "ld", "gfortran", "gdc",
    ],
    &["clang", "clang++"],
    &["ghc", "ghc-pkg", "ghci", "runghc", "cabal", "stack"],
    &[
        "ocamlfind",
        "ocaml",
        "ocamlopt",
        "ocamlc",
        "ocamldep",
        "dune",
    ],
    &["python", "pip"],
    &["rustc", "cargo"],
    &["node", "npm", "npx", "tsc"],
    &["go", "gofmt"],
    &[
        "java", "javac", "jar", "kotlin", "kotlinc", "scala", "scalac", "clojure",
    ],
    &["mono", "mcs", "csc"],
    &["lua", "luac", "luajit"],
    &["ldc", "ldmd", "dmd", "dub", "rdmd"],
];

/// Returns whether the folder that is named for one program is also that of another.
pub(super) fn are_together(one: &str, other: &str) -> bool {
    // g++-13, python3.12
    let plain = |name: &str| {
        let version = |c: char| c.is_ascii_digit() || c == '.' || c == '-';
        name.trim_end_matches(version).to_owned()
    };
    let (one, other) = (plain(one), plain(other));
    let has_both = |family: &&[&str]| [&one, &other].iter().all(|name| family.contains(&&***name));
    one == other || FAMILIES.iter().any(has_both)
}

#[cfg(test)]
mod tests {
    use super::are_together;

    #[test]
    fn a_folder_is_named_for_the_programs_of_one_language() {
        for (one, other, together) in [
            ("g++", "gcc", true),
            ("g++-13", "g++", true),
            ("g++", "python3", false),
            ("ghc", "ghc-pkg", true),
            ("ocamlfind", "ocamlopt", true),
            ("python3.12", "python3", true),
            ("python3", "node", false),
            ("swipl", "swipl", true),
            ("swipl", "ruby", false),
        ] {
            assert_eq!(are_together(one, other), together, "{one} {other}");
        }
    }
}
