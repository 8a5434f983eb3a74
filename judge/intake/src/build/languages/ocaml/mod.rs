//! OCaml sources: only the modules that the assignment needs are compiled, as dune would do.

mod modules;

use self::modules::{
    Module, NOTES, choose_main, is_generated, library_modules, module_of, modules_needed, note,
    refuse_linked,
};
use super::KitLanguage;
use crate::build::build_folder::{BuildFolder, words};
use crate::build::built_program::BuiltProgram;
use crate::build::failed_builds::{BuildError, BuildFailure, built};
use crate::build::toolchains::Toolchains;
use crate::build::toolchains::found::{Toolchain, ask, version};
use crate::read::names::{base_name, dashless, folder_of};
use crate::read::source::{SourceFile, has_ending, kit_files, kit_text, without_mark};
use crate::read::submission::Submission;
use engines::{Kit, Sign};
use model::artifact::{KIT_STARTUP_FREE_MS, OpenToolchain};
use std::collections::BTreeSet;
use std::path::Path;

const FINDER: &str = "ocamlfind";

const PROGRAM: &str = "bot";

/// The compiler's flags; debugging information gives traces of exceptions.
const FLAGS: &str = "ocamlopt -g -linkpkg -o bot -package";

const KIT_LIBRARY: &str = "unix";

/// The kit's files of notes and of the wire, linked first, and its files of the calls, linked last.
const FIRST: &[&str] = &[NOTES, "judge_wire.ml"];
const LAST: &[&str] = &["judge_moves.ml", "judge_ask.ml", "judge_main.ml"];

const COUNTER: &str = "judge_tokens.byte";
const COUNTER_FLAGS: &str =
    "ocamlc -I +compiler-libs ocamlcommon.cma -o judge_tokens.byte judge_tokens.ml";

const LEXER: &str = "ocamlcommon.cma";

const TYPES: &str = "types";

/// The folder in which dune keeps copies of all sources.
const BUILT: &str = "_build/";

pub(super) struct OCaml;

impl KitLanguage for OCaml {
    fn toolchain(&self, tools: &Toolchains, libraries: &[String]) -> Result<Toolchain, BuildError> {
        let finder = tools.find(FINDER).map_err(BuildFailure::lacking)?;
        let compiler = tools.find("ocamlopt").map_err(BuildFailure::lacking)?;
        let library = version(&compiler.path, "-where")?;
        let lexer = Path::new(&library).join("compiler-libs").join(LEXER);
        if !lexer.exists() {
            let reason = format!(
                "{} is missing; run: apt-get install ocaml-compiler-libs",
                lexer.display()
            );
            return Err(BuildFailure::lacking(reason).into());
        }
        for library in libraries {
            self.has_library(tools, library)?;
        }
        let version = version(&compiler.path, "-version")?;
        let flags = flags(libraries).join(" ");
        let both = [&finder.opened, &compiler.opened].into_iter();
        let mut opened: Vec<OpenToolchain> = both.flatten().cloned().collect();
        opened.dedup();
        Ok(Toolchain {
            identity: format!(
                "{} {version} {flags}{}",
                finder.path.display(),
                compiler.in_identity()
            ),
            versions: vec![format!("OCaml {version}")],
            opened,
            programs: vec![(FINDER, finder.path)],
        })
    }

    fn has_library(&self, tools: &Toolchains, library: &str) -> Result<(), BuildError> {
        let finder = tools.find(FINDER).map_err(BuildFailure::lacking)?;
        if ask(&finder.path, &["query", library])?.status.success() {
            return Ok(());
        }
        let reason = format!(
            "the OCaml library {library} is not installed; run: apt-get install lib{library}-ocaml-dev"
        );
        Err(BuildFailure::lacking(reason).into())
    }

    fn choose(&self, submission: &mut Submission, kit: &Kit) -> Result<Vec<SourceFile>, String> {
        let Sign::Anywhere(wanted) = kit.sign else {
            return Err("the kit names no main file".to_owned());
        };
        let sources: Vec<&SourceFile> = submission
            .files
            .iter()
            .filter(|file| is_source(file))
            .collect();
        let main = choose_main(&sources, wanted)?;
        let interface = format!("{}i", main.path);
        let text_of = |module: &str| {
            kit.files
                .iter()
                .find(|(name, _)| module_of(name) == module)
                .map_or("", |(_, text)| text)
        };
        let mut chosen: Vec<SourceFile> = Vec::new();
        for file in &sources {
            let module = module_of(&file.path);
            if module == TYPES || (module == module_of(wanted) && has_ending(&file.path, &["mli"]))
            {
                submission.warnings.extend(note(file, text_of(&module)));
            } else if module == module_of(wanted) && file.path != main.path {
                submission.warnings.push(format!(
                    "left out {}: {} is used instead",
                    file.path, main.path
                ));
            } else if kit_text(kit, &file.path).is_some() {
                submission
                    .warnings
                    .push(format!("{} was replaced by the judge's copy", file.path));
            } else {
                chosen.push((*file).clone());
            }
        }
        chosen.extend(library_modules(&submission.files, &chosen));
        for mut file in kit_files(kit) {
            if module_of(&file.path) == module_of(wanted) {
                file.path.clone_from(&interface);
            }
            chosen.push(file);
        }
        for file in &mut chosen {
            file.bytes = without_mark(&file.bytes).to_vec();
        }
        Ok(chosen)
    }

    fn build(&self, place: &BuildFolder<'_>) -> Result<BuiltProgram, BuildError> {
        let finder = place.toolchain.program(FINDER);
        let modules = modules_needed(place, finder)?;
        refuse_linked(&modules, place.kit).map_err(BuildFailure::brief)?;
        let files: Vec<&str> = modules.iter().flat_map(Module::files).collect();
        // The compiler's words on a broken source are better than the counter's.
        let counted = built(count_tokens(place, &files))?;
        // A module of the author's replaces a library's module of the same name.
        let is_own = |library: &String| files.iter().any(|path| module_of(path) == *library);
        let mut libraries = place.libraries.to_owned();
        libraries.retain(|library| !is_own(library));
        let mut args = flags(&libraries);
        let folders: BTreeSet<&str> = files.iter().map(|path| folder_of(path)).collect();
        for folder in folders {
            args.extend(["-I".to_owned(), format!("./{folder}")]);
        }
        let own = files.iter().filter(|path| **path != NOTES);
        let linked = FIRST.iter().chain(own).chain(LAST);
        args.extend(linked.map(|path| dashless(path)));
        let output = place.step(finder, &args)?;
        let tokens = counted?.lines().last().and_then(|line| line.parse().ok());
        place.keep_only(PROGRAM)?;
        Ok(BuiltProgram {
            tokens,
            output,
            startup_free_ms: Some(KIT_STARTUP_FREE_MS),
            ..BuiltProgram::plain(PROGRAM)
        })
    }
}

/// Only modules of a library that the program uses are linked.
fn flags(libraries: &[String]) -> Vec<String> {
    let mut packages = vec![KIT_LIBRARY];
    let libraries = libraries.iter().map(String::as_str);
    packages.extend(libraries.filter(|library| *library != KIT_LIBRARY));
    [words(FLAGS), vec![packages.join(",")]].concat()
}

fn is_source(file: &SourceFile) -> bool {
    let built = file.path.starts_with(BUILT) || file.path.contains("/_build/");
    !built && !is_generated(&file.path) && has_ending(&file.path, &["ml", "mli"])
}

fn count_tokens(place: &BuildFolder<'_>, files: &[&str]) -> Result<String, BuildError> {
    let authors = |path: &&&str| {
        let mut courses = place.course.iter();
        kit_text(place.kit, base_name(path)).is_none()
            && !courses.any(|file| file.name == **path)
            && !is_generated(path)
    };
    let counter = place.kit_part(COUNTER, FINDER, COUNTER_FLAGS)?;
    place.write_part(COUNTER, &counter)?;
    let authors: Vec<String> = files
        .iter()
        .filter(authors)
        .map(|path| dashless(path))
        .collect();
    place.step(&place.folder.join(COUNTER), &authors)
}
