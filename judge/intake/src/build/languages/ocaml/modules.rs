//! The modules of OCaml sources, and the order of their dependencies.

use crate::build::build_folder::BuildFolder;
use crate::build::failed_builds::BuildError;
use crate::read::left_out::folder_of;
use crate::read::names::base_name;
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

/// Returns a path such that a name that begins with a dash is not read as an option.
pub(super) fn dashless(path: &str) -> String {
    if path.starts_with('-') {
        format!("./{path}")
    } else {
        path.to_owned()
    }
}

/// Returns the name of a file's module, with a small first letter.
pub(super) fn module_of(path: &str) -> String {
    let name = base_name(path).split('.').next();
    let mut name = name.unwrap_or_default().to_owned();
    if let Some(first) = name.get_mut(..1) {
        first.make_ascii_lowercase();
    }
    name
}

pub(super) fn capital(module: &str) -> String {
    let mut name = module.to_owned();
    if let Some(first) = name.get_mut(..1) {
        first.make_ascii_uppercase();
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

#[cfg(test)]
mod tests {
    use super::*;

    fn files(paths: &[&str]) -> Vec<SourceFile> {
        let files = paths.iter().map(|path| SourceFile::new(path, ""));
        files.collect()
    }

    #[test]
    fn modules_come_after_what_they_need() {
        let needs = [("main", vec!["b", "a"]), ("b", vec!["a"]), ("a", vec![])];
        let owned = |(name, all): (&str, Vec<&str>)| {
            let all = all.into_iter().map(str::to_owned).collect();
            (name.to_owned(), all)
        };
        let needs = needs.into_iter().map(owned).collect();
        assert_eq!(in_order(&needs, "main"), ["a", "b", "main"]);
    }

    #[test]
    fn a_circle_of_modules_ends() {
        let needs = [("a", "b"), ("b", "a")].map(|(a, b)| (a.to_owned(), vec![b.to_owned()]));
        let needs = needs.into();
        assert_eq!(in_order(&needs, "a"), ["b", "a"]);
    }

    #[test]
    fn nearer_of_two_same_named_modules_is_used() {
        let all = files(&[
            "types/types.ml",
            "src/assignment.ml",
            "lib/help.ml",
            "src/help.ml",
            "lib/help.mli",
        ]);
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
}
