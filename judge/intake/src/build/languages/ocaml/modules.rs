//! The modules of OCaml sources, and the order of their dependencies.

use crate::build::build_folder::BuildFolder;
use crate::build::failed_builds::BuildError;
use crate::build::languages::syntax_of;
use crate::read::names::{base_name, dashless, folder_of};
use crate::read::source::{SourceFile, has_ending, nearest_named};
use engines::{Kit, Sign};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Finds the course's file: in `src`, or nearest to the submission's folder.
pub(super) fn choose_main<'a>(
    files: &[&'a SourceFile],
    wanted: &str,
) -> Result<&'a SourceFile, String> {
    let usual = format!("src/{wanted}");
    if let Some(file) = files.iter().find(|file| file.path == usual) {
        return Ok(file);
    }
    match nearest_named(files.iter().copied(), wanted).as_slice() {
        [file] => Ok(file),
        [] => Err(format!("{wanted} is missing")),
        [one, other, ..] => Err(format!(
            "there are both {} and {}; submit only one of them",
            one.path, other.path
        )),
    }
}

/// Returns the name of a file's module, with a small first letter.
pub(super) fn module_of(path: &str) -> String {
    let name = base_name(path).split('.').next().unwrap_or_default();
    with_first(name, str::make_ascii_lowercase)
}

fn capital(module: &str) -> String {
    with_first(module, str::make_ascii_uppercase)
}

fn with_first(name: &str, change: fn(&mut str)) -> String {
    let mut name = name.to_owned();
    if let Some(first) = name.get_mut(..1) {
        change(first);
    }
    name
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Module {
    interface: Option<String>,
    implementation: Option<String>,
}

impl Module {
    pub(super) fn files(&self) -> impl Iterator<Item = &str> {
        self.interface
            .iter()
            .chain(&self.implementation)
            .map(String::as_str)
    }
}

/// Modules of OCaml's own that are linked into every program under exactly these names.
const LINKED: &[&str] = &["stdlib", "std_exit", "unix", "unixLabels"];
/// Beginnings of the names of its other linked modules.
const LINKED_BEGINNINGS: &[&str] = &["camlinternal", "stdlib__"];

/// The one module of the kit that submissions may use.
pub(super) const NOTES: &str = "judge_note.ml";

pub(super) fn refuse_linked(modules: &[Module], kit: &Kit) -> Result<(), String> {
    for path in modules.iter().flat_map(Module::files) {
        let name = module_of(path);
        let is_linked = LINKED.contains(&name.as_str())
            || LINKED_BEGINNINGS
                .iter()
                .any(|begin| name.starts_with(begin));
        let mut kits = kit.files.iter().map(|(file, _)| module_of(file));
        let is_kits = name.starts_with("judge_") && path != NOTES && kits.any(|own| own == name);
        if is_linked || is_kits {
            let module = capital(&name);
            return Err(if is_kits {
                format!(
                    "{module} is one of the judge's modules: do not use it, and name no file {path}"
                )
            } else {
                format!(
                    "{path} cannot be linked: {module} is one of OCaml's own modules; rename yours"
                )
            });
        }
    }
    Ok(())
}

/// Finds the modules that the assignment needs, each after those that it needs itself.
pub(super) fn modules_needed(
    place: &BuildFolder<'_>,
    finder: &Path,
) -> Result<Vec<Module>, BuildError> {
    let Sign::Anywhere(wanted) = place.kit.sign else {
        return Ok(Vec::new());
    };
    let all = modules_of(place.files, wanted);
    let mut needs: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut ahead = vec![module_of(wanted)];
    while !ahead.is_empty() {
        let files = ahead.iter().flat_map(|name| all[name].files());
        let args: Vec<String> = ["ocamldep", "-modules"]
            .map(str::to_owned)
            .into_iter()
            .chain(files.map(dashless))
            .collect();
        let output = place.step(finder, &args)?;
        for name in ahead.drain(..) {
            needs.entry(name).or_default();
        }
        for line in output.lines() {
            let Some((path, names)) = line.split_once(':') else {
                continue;
            };
            let known: Vec<String> = names
                .split_whitespace()
                .map(module_of)
                .filter(|name| all.contains_key(name))
                .collect();
            needs.entry(module_of(path)).or_default().extend(known);
        }
        let wanted: BTreeSet<&String> = needs.values().flatten().collect();
        ahead = wanted
            .into_iter()
            .filter(|name| !needs.contains_key(*name))
            .cloned()
            .collect();
    }
    let order = in_order(&needs, &module_of(wanted));
    Ok(order.iter().map(|name| all[name].clone()).collect())
}

/// Of two files with one name, takes the one next to the assignment, or else nearer to the
/// submission's folder. An interface belongs to the implementation next to it.
fn modules_of(files: &[SourceFile], wanted: &str) -> BTreeMap<String, Module> {
    let home = files
        .iter()
        .find(|file| base_name(&file.path) == wanted)
        .map_or("", |file| folder_of(&file.path));
    let mut sources: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
    sources.sort_by_key(|path| (folder_of(path) != home, path.matches('/').count()));
    let mut all: BTreeMap<String, Module> = BTreeMap::new();
    for path in sources {
        let module = all.entry(module_of(path)).or_default();
        let beside = module
            .files()
            .all(|other| folder_of(other) == folder_of(path));
        let place = if has_ending(path, &["mli"]) {
            &mut module.interface
        } else {
            &mut module.implementation
        };
        if beside && place.is_none() {
            *place = Some(path.to_owned());
        }
    }
    all
}

/// Sorts the modules that `last` needs by their needs. The compiler reports a cycle.
fn in_order(needs: &BTreeMap<String, Vec<String>>, last: &str) -> Vec<String> {
    fn visit(
        name: &str,
        needs: &BTreeMap<String, Vec<String>>,
        seen: &mut BTreeSet<String>,
        order: &mut Vec<String>,
    ) {
        if !seen.insert(name.to_owned()) {
            return;
        }
        for needed in needs.get(name).into_iter().flatten() {
            visit(needed, needs, seen, order);
        }
        order.push(name.to_owned());
    }
    let mut order = Vec::new();
    visit(last, needs, &mut BTreeSet::new(), &mut order);
    order
}

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
            let shown = format!("{keyword} {}", name.unwrap_or_default());
            all.push((keyword.to_owned(), shown));
        }
        if let Some((code, _)) = all.last_mut() {
            code.extend(rest.split(|c: char| c.is_whitespace() || "|;".contains(c)));
        }
    }
    all.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(paths: &[&str]) -> Vec<SourceFile> {
        let files = paths.iter().map(|path| SourceFile::new(path, ""));
        files.collect()
    }

    #[test]
    fn modules_come_after_what_they_need() {
        for (needs, main, order) in [
            ("main b a|b a|a", "main", &["a", "b", "main"][..]),
            // A circle ends.
            ("a b|b a", "a", &["b", "a"]),
        ] {
            let needs = needs.split('|').map(|names| {
                let mut names = names.split(' ').map(str::to_owned);
                (names.next().expect("a module"), names.collect())
            });
            assert_eq!(in_order(&needs.collect(), main), order);
        }
    }

    #[test]
    fn nearer_of_two_same_named_modules_is_used() {
        let all = "types/types.ml src/assignment.ml lib/help.ml src/help.ml lib/help.mli";
        let all = files(&all.split(' ').collect::<Vec<_>>());
        let modules = modules_of(&all, "assignment.ml");
        let help = &modules["help"];
        assert_eq!(help.files().collect::<Vec<_>>(), ["src/help.ml"]);
        let types = modules["types"].implementation.as_deref();
        assert_eq!(types, Some("types/types.ml"));
    }

    #[test]
    fn two_assignments_at_one_depth_are_refused() {
        let all = files(&["a/assignment.ml", "b/assignment.ml"]);
        let all: Vec<&SourceFile> = all.iter().collect();
        let refused = choose_main(&all, "assignment.ml").expect_err("two of them");
        assert!(refused.contains("a/assignment.ml and b/assignment.ml"));
    }

    #[test]
    fn a_library_becomes_a_module_of_aliases() {
        let lib = "; mine\n(library\n (name lib) (libraries types))";
        let src = "(library (name assignment) (libraries types lib))";
        let all = [
            SourceFile::new("lib/dune", lib),
            SourceFile::new("lib/search.ml", ""),
            SourceFile::new("lib/board.ml", ""),
            SourceFile::new("lib/board.mli", ""),
            SourceFile::new("src/dune", src),
            SourceFile::new("src/assignment.ml", ""),
            SourceFile::new("flat/dune", "(library (name flat) (wrapped false))"),
            SourceFile::new("flat/loose.ml", ""),
            SourceFile::new("bin/dune", "(executable (name main))"),
            SourceFile::new("bin/main.ml", ""),
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
        note(&SourceFile::new("types/types.ml", text), OWN)
    }

    #[test]
    fn differences_beyond_blanks_comments_and_order_are_named() {
        let theirs = "type player={position:position;current:int}(* (* a *) b *)\n\ntype camel =\n\
                      | H of position (* x *)\n  |V of position;;";
        assert_eq!(note_on(theirs), None);
        assert_eq!(note_on(""), None);
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
