//! The libraries of a dune project, wrapped so that others write `Lib.Search` for `lib/search.ml`.

use super::modules::{capital, module_of};
use crate::build::languages::syntax_of;
use crate::read::left_out::folder_of;
use crate::read::names::base_name;
use crate::read::source::{SourceFile, has_ending};
use std::collections::{BTreeMap, BTreeSet};

/// No source of a submission is taken from this folder, so that a path shows who wrote a module.
const GENERATED: &str = ".dune/";
/// Maximum depth of nested lists; dune's own have only a few levels.
const DEPTH_MAX: usize = 64;

pub(super) fn is_generated(path: &str) -> bool {
    path.starts_with(GENERATED)
}

pub(super) fn library_modules(all: &[SourceFile], sources: &[SourceFile]) -> Vec<SourceFile> {
    let mut known: BTreeSet<String> = sources.iter().map(|file| module_of(&file.path)).collect();
    let mut made = Vec::new();
    for dune in all.iter().filter(|file| base_name(&file.path) == "dune") {
        let folder = folder_of(&dune.path);
        for library in libraries(&String::from_utf8_lossy(&dune.bytes)) {
            let path = format!("{GENERATED}{library}.ml");
            if !known.insert(module_of(&path)) {
                continue;
            }
            let beside = sources.iter().filter(|file| {
                folder_of(&file.path) == folder && has_ending(&file.path, &["ml", "mli"])
            });
            let modules: BTreeSet<String> =
                beside.map(|file| capital(&module_of(&file.path))).collect();
            let aliases = modules
                .iter()
                .map(|name| format!("module {name} = {name}\n"));
            made.push(SourceFile::new(&path, aliases.collect::<String>()));
        }
    }
    made
}

/// Lists the libraries in a dune file whose modules are wrapped.
fn libraries(text: &str) -> Vec<String> {
    let stanzas = read(text);
    stanzas
        .iter()
        .filter_map(|stanza| {
            let fields = stanza.list()?;
            if fields.first()?.word()? != "library" {
                return None;
            }
            let field = |name: &str| {
                fields
                    .iter()
                    .filter_map(Expression::list)
                    .find(|list| list.first().and_then(Expression::word) == Some(name))?
                    .get(1)?
                    .word()
            };
            let name = field("name")?;
            let is_plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            (is_plain && field("wrapped") != Some("false")).then(|| name.to_owned())
        })
        .collect()
}

#[derive(Debug, PartialEq, Eq)]
enum Expression {
    Word(String),
    List(Vec<Expression>),
}

impl Expression {
    fn word(&self) -> Option<&str> {
        match self {
            Self::Word(word) => Some(word),
            Self::List(_) => None,
        }
    }

    fn list(&self) -> Option<&[Self]> {
        match self {
            Self::Word(_) => None,
            Self::List(list) => Some(list),
        }
    }
}

/// Parses a dune file up to the first error; dune reports errors in it.
fn read(text: &str) -> Vec<Expression> {
    let mut open: Vec<Vec<Expression>> = vec![Vec::new()];
    for line in text.lines() {
        let line = line.split(';').next().unwrap_or_default();
        let spaced = line.replace('(', " ( ").replace(')', " ) ");
        for word in spaced.split_whitespace() {
            match word {
                "(" if open.len() > DEPTH_MAX => return open.swap_remove(0),
                "(" => open.push(Vec::new()),
                ")" if open.len() > 1 => {
                    let list = open.pop().expect("more than one is open");
                    let outer = open.last_mut().expect("one is left");
                    outer.push(Expression::List(list));
                }
                ")" => {}
                word => {
                    open.last_mut()
                        .expect("one is always open")
                        .push(Expression::Word(word.to_owned()));
                }
            }
        }
    }
    open.swap_remove(0)
}

/// Words that begin a definition, at the start of a line.
const KEYWORDS: &str = "type and val let exception open module external";

/// Returns how a file differs from the judge's text, in more than blanks, comments, order and gaps.
pub(super) fn note(file: &SourceFile, own: &str) -> Option<String> {
    let own = definitions(own.as_bytes());
    let (_, name) = definitions(&file.bytes)
        .into_iter()
        .find(|(code, _)| !own.contains_key(code))?;
    Some(format!(
        "{} differs from the judge's copy, which was used instead ({name})",
        file.path
    ))
}

/// Returns the names of definitions by their code, which has no blanks and no optional signs.
fn definitions(text: &[u8]) -> BTreeMap<String, String> {
    let code = syntax_of("ocaml").without_comments(text);
    let mut all: Vec<(String, String)> = Vec::new();
    for line in code.lines().map(str::trim_start) {
        let first = line.split_whitespace().next().unwrap_or_default();
        let mut rest = line;
        if KEYWORDS.split(' ').any(|keyword| keyword == first) {
            rest = &line[first.len()..];
            let keyword = if first == "and" { "type" } else { first };
            let mut words = rest.split([' ', '=', ':']);
            let name = words.find(|word| !word.is_empty() && !word.starts_with('\''));
            let name = format!("{keyword} {}", name.unwrap_or_default());
            all.push((keyword.to_owned(), name));
        }
        if let Some((code, _)) = all.last_mut() {
            code.extend(
                rest.chars()
                    .filter(|c| !c.is_whitespace() && !"|;".contains(*c)),
            );
        }
    }
    all.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> SourceFile {
        SourceFile::new(path, text)
    }

    #[test]
    fn a_library_becomes_a_module_of_aliases() {
        let lib = "; mine\n(library\n (name lib) (libraries types))";
        let src = "(library (name assignment) (libraries types lib))";
        let all = [
            file("lib/dune", lib),
            file("lib/search.ml", ""),
            file("lib/board.ml", ""),
            file("lib/board.mli", ""),
            file("src/dune", src),
            file("src/assignment.ml", ""),
            file("flat/dune", "(library (name flat) (wrapped false))"),
            file("flat/loose.ml", ""),
            file("bin/dune", "(executable (name main))"),
            file("bin/main.ml", ""),
        ];
        let made = library_modules(&all, &all);
        let [lib] = made.as_slice() else {
            panic!("{made:?}")
        };
        assert_eq!(lib.path, ".dune/lib.ml");
        assert!(is_generated(&lib.path));
        let text = String::from_utf8_lossy(&lib.bytes);
        assert_eq!(text, "module Board = Board\nmodule Search = Search\n");
    }

    #[test]
    fn odd_dune_files_are_read_in_part() {
        for text in "|)|((|(library|(library (name|(library (name a/b))".split('|') {
            assert_eq!(libraries(text), [""; 0], "{text}");
        }
        assert_eq!(libraries(") (library (name a))"), ["a"]);
        let deep = "(".repeat(100_000) + &")".repeat(100_000);
        assert_eq!(libraries(&format!("(library (name a)) {deep}")), ["a"]);
    }

    const OWN: &str = "(* The types. *)\ntype camel = H of position\n           | V of position\n\
                       type player = {\n  position : position;\n  current : int;\n}\n";

    fn note_on(text: &str) -> Option<String> {
        note(&file("types/types.ml", text), OWN)
    }

    #[test]
    fn blanks_comments_and_order_are_no_difference() {
        let theirs = "type player={position:position;current:int}(* (* a *) b *)\n\ntype camel =\n\
                      | H of position (* x *)\n  |V of position;;";
        assert_eq!(note_on(theirs), None);
        assert_eq!(note_on(""), None);
    }

    #[test]
    fn what_differs_is_named() {
        for (theirs, name) in [
            (OWN.replace("H of", "Horizontal of"), "(type camel)"),
            (OWN.replace("current", "left"), "(type player)"),
            (format!("{OWN}let size = 7\n"), "(let size)"),
            (format!("{OWN}type 'a tree = Leaf"), "(type tree)"),
        ] {
            let note = note_on(&theirs).expect("it differs");
            assert!(note.contains(name), "{note}");
        }
    }
}
