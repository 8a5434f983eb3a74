//! OCaml sources, in the course's dune layout or as single files. Only the modules that the
//! assignment needs are compiled, in the order of their dependencies, as dune would.

use super::language::{
    Language, Program, Workshop, base_name, find_program, folder_of, has_ending, kit_files, version,
};
use super::prepare::BuildFailure;
use super::{SourceFile, Submission};
use crate::error::JudgeError;
use engines::{Kit, Sign};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The program that comes out.
const PROGRAM: &str = "bot";

/// What the compiler is told: debugging information gives traces of exceptions.
const FLAGS: &[&str] = &[
    "ocamlopt", "-g", "-package", "unix", "-linkpkg", "-o", PROGRAM,
];

/// The kit's files of the wire, linked before everything else; of the calls, linked last; and
/// what the toplevel is told to count tokens.
const FIRST: &str = "judge_wire.ml";
const LAST: &[&str] = &["judge_moves.ml", "judge_ask.ml", "judge_main.ml"];
const COUNT: &[&str] = &["-I", "+compiler-libs", LEXER, "judge_tokens.ml"];

/// The compiler's own modules, for the toplevel.
const LEXER: &str = "ocamlcommon.cma";

/// The kit's file that a submission's own takes the place of.
const TYPES: &str = "types";

/// Where dune keeps copies of all sources.
const BUILT: &str = "_build/";

/// OCaml by ocamlopt.
pub(super) struct OCaml;

impl Language for OCaml {
    fn name(&self) -> &'static str {
        "ocaml"
    }

    fn toolchain(&self) -> Result<String, String> {
        let finder = find_program("ocamlfind", "ocaml-findlib")?;
        let compiler = find_program("ocamlopt", "ocaml-nox")?;
        find_program("ocaml", "ocaml-nox")?;
        let library = version(&compiler, "-where")?;
        let lexer = Path::new(&library).join("compiler-libs").join(LEXER);
        if !lexer.exists() {
            return Err(format!(
                "{} is not there; run: apt-get install ocaml-compiler-libs",
                lexer.display()
            ));
        }
        let version = version(&compiler, "-version")?;
        Ok(format!(
            "{} {version} {}",
            finder.display(),
            FLAGS.join(" ")
        ))
    }

    fn choose(&self, submission: &mut Submission, kit: &Kit) -> Result<Vec<SourceFile>, String> {
        let Sign::Anywhere(wanted) = kit.sign else {
            return Err("the kit names no file to begin with".to_owned());
        };
        let sources: Vec<&SourceFile> = submission
            .files
            .iter()
            .filter(|file| is_source(file))
            .collect();
        let main = choose_main(&sources, wanted)?;
        let own = |file: &SourceFile| kit.files.iter().any(|(name, _)| *name == file.path);
        let interface = format!("{}i", main.path);
        let brings_types = sources.iter().any(|file| module_of(&file.path) == TYPES);
        let mut chosen: Vec<SourceFile> = Vec::new();
        for file in &sources {
            let module = module_of(&file.path);
            let kits_own = own(file) && module != TYPES;
            let other = module == module_of(wanted) && file.path != main.path;
            if !kits_own && !other {
                chosen.push((*file).clone());
            }
        }
        for mut file in kit_files(kit) {
            let module = module_of(&file.path);
            if module == TYPES && brings_types {
                continue;
            }
            if module == module_of(wanted) {
                file.path.clone_from(&interface);
            }
            chosen.push(file);
        }
        Ok(chosen)
    }

    fn build(&self, workshop: &Workshop<'_>) -> Result<Result<Program, BuildFailure>, JudgeError> {
        let tools = find_program("ocamlfind", "ocaml-findlib")
            .and_then(|finder| Ok((finder, find_program("ocaml", "ocaml-nox")?)));
        let (finder, toplevel) = match tools {
            Ok(tools) => tools,
            Err(missing) => return Ok(Err(BuildFailure::brief(missing))),
        };
        let modules = match modules_needed(workshop, &finder)? {
            Ok(modules) => modules,
            Err(failure) => return Ok(Err(failure)),
        };
        let files: Vec<&str> = modules.iter().flat_map(Module::files).collect();
        let mut args: Vec<String> = FLAGS.iter().map(|flag| (*flag).to_owned()).collect();
        let folders: BTreeSet<&str> = files.iter().map(|path| folder_of(path)).collect();
        for folder in folders {
            args.extend(["-I".to_owned(), format!("./{folder}")]);
        }
        args.extend(
            [FIRST]
                .iter()
                .chain(&files)
                .chain(LAST)
                .map(|path| dashless(path)),
        );
        let output = match workshop.step(&finder, &args)? {
            Ok(output) => output,
            Err(failure) => return Ok(Err(failure)),
        };
        let authors = |path: &&&str| {
            let given = workshop
                .kit
                .files
                .iter()
                .any(|(name, _)| *name == base_name(path));
            !given && module_of(path) != TYPES
        };
        let mut args: Vec<String> = COUNT.iter().map(|word| (*word).to_owned()).collect();
        args.extend(files.iter().filter(authors).map(|path| dashless(path)));
        let tokens = match workshop.step(&toplevel, &args)? {
            Ok(counted) => counted.lines().last().and_then(|line| line.parse().ok()),
            Err(failure) => return Ok(Err(failure)),
        };
        workshop.keep_only(PROGRAM)?;
        Ok(Ok(Program {
            tokens,
            output,
            ..Program::plain(PROGRAM)
        }))
    }
}

fn is_source(file: &SourceFile) -> bool {
    let built = file.path.starts_with(BUILT) || file.path.contains("/_build/");
    !built && has_ending(&file.path, &["ml", "mli"])
}

/// Finds the course's file: in `src`, or nearest to the submission's folder.
fn choose_main<'a>(files: &[&'a SourceFile], wanted: &str) -> Result<&'a SourceFile, String> {
    let depth = |file: &SourceFile| file.path.matches('/').count();
    let named = || files.iter().filter(|file| base_name(&file.path) == wanted);
    if let Some(file) = named().find(|file| file.path == format!("src/{wanted}")) {
        return Ok(file);
    }
    let nearest = named().map(|file| depth(file)).min();
    let nearest: Vec<_> = named()
        .filter(|file| Some(depth(file)) == nearest)
        .collect();
    match nearest.as_slice() {
        [file] => Ok(file),
        [] => Err(format!("{wanted} is missing")),
        [one, other, ..] => Err(format!(
            "{} and {} are both there; hand in one of them",
            one.path, other.path
        )),
    }
}

/// Gives a path so that a name that begins with a dash is not taken for an option.
fn dashless(path: &str) -> String {
    if path.starts_with('-') {
        format!("./{path}")
    } else {
        path.to_owned()
    }
}

/// Gives the name of the module that a file has, with a small first letter.
fn module_of(path: &str) -> String {
    let stem = base_name(path).split('.').next().unwrap_or_default();
    let mut letters = stem.chars();
    let first = letters.next().map(|letter| letter.to_ascii_lowercase());
    first.into_iter().chain(letters).collect()
}

/// The files of one module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Module {
    interface: Option<String>,
    implementation: Option<String>,
}

impl Module {
    fn files(&self) -> impl Iterator<Item = &str> {
        let both = self.interface.iter().chain(&self.implementation);
        both.map(String::as_str)
    }
}

/// Finds the modules that the assignment needs, each after those that it needs itself.
fn modules_needed(
    workshop: &Workshop<'_>,
    finder: &Path,
) -> Result<Result<Vec<Module>, BuildFailure>, JudgeError> {
    let Sign::Anywhere(wanted) = workshop.kit.sign else {
        return Ok(Ok(Vec::new()));
    };
    let all = modules_of(workshop.files, wanted);
    let mut needs: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut ahead = vec![module_of(wanted)];
    while !ahead.is_empty() {
        let files = ahead.iter().flat_map(|name| all[name].files());
        let args = ["ocamldep", "-modules"].map(str::to_owned).into_iter();
        let args: Vec<String> = args.chain(files.map(dashless)).collect();
        let output = match workshop.step(finder, &args)? {
            Ok(output) => output,
            Err(failure) => return Ok(Err(failure)),
        };
        for name in ahead.drain(..) {
            needs.entry(name).or_default();
        }
        for line in output.lines() {
            let Some((path, names)) = line.split_once(':') else {
                continue;
            };
            let names = names.split_whitespace().map(module_of);
            let known: Vec<String> = names.filter(|name| all.contains_key(name)).collect();
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
    Ok(Ok(order.iter().map(|name| all[name].clone()).collect()))
}

/// Gathers the files by module: of two with one name the one beside the assignment, or nearer
/// to the submission's folder. An interface belongs to what lies beside it.
fn modules_of(files: &[SourceFile], wanted: &str) -> BTreeMap<String, Module> {
    let home = files.iter().find(|file| base_name(&file.path) == wanted);
    let home = home.map_or("", |file| folder_of(&file.path));
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

/// Sorts the modules that `last` needs so that each comes after those that it needs. A circle
/// is left for the compiler to complain of.
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
        let file = |path: &&str| SourceFile {
            path: (*path).to_owned(),
            bytes: Vec::new(),
            executable: false,
        };
        paths.iter().map(file).collect()
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
        let needs = [("a", "b"), ("b", "a")];
        let needs = needs
            .map(|(name, other)| (name.to_owned(), vec![other.to_owned()]))
            .into();
        assert_eq!(in_order(&needs, "a"), ["b", "a"]);
    }

    #[test]
    fn of_two_modules_with_one_name_the_nearer_one_is_taken() {
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
        assert_eq!(
            modules["types"].implementation.as_deref(),
            Some("types/types.ml")
        );
    }

    #[test]
    fn two_assignments_at_one_depth_are_refused_by_name() {
        let all = files(&["a/assignment.ml", "b/assignment.ml"]);
        let all: Vec<&SourceFile> = all.iter().collect();
        let refused = choose_main(&all, "assignment.ml").expect_err("two of them");
        assert!(refused.contains("a/assignment.ml and b/assignment.ml"));
    }
}
