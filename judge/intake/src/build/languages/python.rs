//! Python sources, run as submitted by the system's own interpreter.

#![expect(
    clippy::disallowed_methods,
    reason = "it is an interpreter that intake trusts"
)]

use super::KitLanguage;
use crate::build::build_folder::BuildFolder;
use crate::build::built_program::{BuiltProgram, head};
use crate::build::failed_builds::{BuildError, BuildFailure, built, split_last_line};
use crate::build::toolchains::found::{Toolchain, ask, version};
use crate::build::toolchains::{FoundProgram, Toolchains};
use crate::read::source::{SourceFile, has_ending, kit_files, kit_text};
use crate::read::submission::Submission;
use engines::Kit;
use serde::Deserialize;
use std::fs::File;
use std::path::{Path, PathBuf};

const INTERPRETER: &str = "python3";

/// Ignores the environment, the user's packages and the current folder. Writes no compiled files.
const FLAGS: [&str; 2] = ["-I", "-B"];

/// The kit's file that finds the program to run. Its arguments are the libraries that may be used,
/// and its last line is a JSON list of arguments.
const CHECK: &str = "judge_check.py";

/// The file that names the author's chosen class to [`CHECK`].
const CHOICE: &str = "judge_class.txt";

/// Finds a module without importing it.
const FIND: &str =
    "import importlib.util, sys; sys.exit(not importlib.util.find_spec(sys.argv[1]))";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Lacking {
    lacks: String,
}

pub(super) struct Python;

impl KitLanguage for Python {
    fn toolchain(&self, tools: &Toolchains, libraries: &[String]) -> Result<Toolchain, BuildError> {
        let FoundProgram {
            path: interpreter,
            opened,
        } = interpreter(tools).map_err(BuildFailure::lacking)?;
        let version = version(&interpreter, "--version")?;
        let flags = FLAGS.join(" ");
        Ok(Toolchain {
            identity: format!(
                "{version} {} {flags} {}",
                interpreter.display(),
                libraries.join(" ")
            ),
            versions: vec![version],
            opened: opened.into_iter().collect(),
            programs: vec![(INTERPRETER, interpreter)],
        })
    }

    fn has_library(&self, tools: &Toolchains, library: &str) -> Result<(), BuildError> {
        let interpreter = interpreter(tools).map_err(BuildFailure::lacking)?.path;
        let found = ask(&interpreter, &[FLAGS[0], FLAGS[1], "-c", FIND, library])?;
        if found.status.success() {
            return Ok(());
        }
        Err(not_installed(library, &interpreter).into())
    }

    fn choose(&self, submission: &mut Submission, kit: &Kit) -> Result<Vec<SourceFile>, String> {
        let mut chosen = Vec::new();
        for file in &submission.files {
            let path = &file.path;
            if is_compiled(path) {
                let note = format!("left out {path}: only sources are run");
                submission.warnings.push(note);
            } else if path == CHOICE || kit_text(kit, path).is_some() {
                let note = format!("{path} was replaced by the judge's copy");
                submission.warnings.push(note);
            } else {
                chosen.push(file.clone());
            }
        }
        chosen.extend(kit_files(kit));
        let class = submission.about.class.as_deref();
        chosen.extend(class.map(|class| SourceFile::new(CHOICE, class)));
        Ok(chosen)
    }

    fn build(&self, place: &BuildFolder<'_>) -> Result<BuiltProgram, BuildError> {
        let interpreter = place.toolchain.program(INTERPRETER);
        let flags = FLAGS.map(str::to_owned);
        let args = [&flags[..], &[CHECK.to_owned()], place.libraries].concat();
        let output =
            built(place.step(interpreter, &args))?.map_err(BuildFailure::in_its_last_words)?;
        let (warnings, last) = split_last_line(&output);
        if let Ok(Lacking { lacks }) = serde_json::from_str(last) {
            return Err(not_installed(&lacks, interpreter).into());
        }
        let Ok(found) = serde_json::from_str::<Vec<String>>(last) else {
            let reason = "python3 did not report what to run".to_owned();
            return Err(BuildFailure::with(reason, output).into());
        };
        Ok(BuiltProgram {
            args: [&flags[..], &found].concat(),
            output: warnings.to_owned(),
            forks: true,
            toolchains: place.toolchain.opened.clone(),
            ..BuiltProgram::plain(&interpreter.to_string_lossy())
        })
    }
}

/// Returns what to install for an interpreter. Most of Debian's packages have the modules' names.
fn not_installed(library: &str, interpreter: &Path) -> BuildFailure {
    let command = if interpreter.starts_with("/usr") {
        format!("apt-get install python3-{}", library.to_ascii_lowercase())
    } else {
        format!("{} -m pip install {library}", interpreter.display())
    };
    BuildFailure::lacking(format!(
        "the Python module {library} is not installed; run: {command}"
    ))
}

fn is_compiled(path: &str) -> bool {
    has_ending(path, &["pyc", "pyo"]) || path.split('/').any(|part| part == "__pycache__")
}

/// Finds the interpreter itself, not a script that looks for one, where the sandbox can show it.
fn interpreter(tools: &Toolchains) -> Result<FoundProgram, String> {
    let found = tools.find(INTERPRETER)?;
    if found.opened.is_some() {
        return Ok(found);
    }
    let is_open = |real: &PathBuf| real.starts_with("/usr") || real.starts_with("/opt");
    let real = found.path.canonicalize().ok().filter(is_open);
    real.into_iter()
        .chain([PathBuf::from("/usr/bin/python3")])
        .find(|path| is_native(path))
        .map(FoundProgram::plain)
        .ok_or_else(|| {
            let path = found.path.display();
            format!("{path} is not the system's Python; run: apt-get install python3")
        })
}

fn is_native(path: &Path) -> bool {
    File::open(path)
        .and_then(head)
        .is_ok_and(|head| head.starts_with(b"\x7fELF"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_is_no_interpreter() {
        assert!(is_native(Path::new("/proc/self/exe")));
        assert!(!is_native(Path::new("/proc/self/stat")));
    }
}
