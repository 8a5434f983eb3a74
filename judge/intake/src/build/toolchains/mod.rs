//! Search for compilers and interpreters in a competition's folders, PATH, and the system's. Nothing
//! among submissions or runs is searched, and no home folder is opened.

pub(crate) mod found;

pub use found::FoundProgram;

use crate::build::toolchains::found::{
    ask, check_folder, check_prefix, find_program, is_program, place,
};
use model::artifact::{OpenToolchain, READ};
use model::language::{self, Program, package_of};
use rulebook::{JudgeError, Result};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Places of this machine's compilers and interpreters.
#[derive(Debug, Default)]
pub struct Toolchains {
    named: BTreeMap<String, PathBuf>,
    path: Vec<PathBuf>,
    /// The other folders of PATH, each with the reason.
    distrusted: Vec<(PathBuf, &'static str)>,
    read: Vec<PathBuf>,
    /// Folders with submissions or runs: no toolchain contains one or is in one.
    closed: Vec<PathBuf>,
    found: Mutex<BTreeMap<String, FoundProgram>>,
    versions: Mutex<BTreeMap<PathBuf, Option<String>>>,
}

impl Toolchains {
    /// `named` are a competition's folders, and `closed` those with submissions and runs.
    pub fn new(
        path: Option<&OsStr>,
        named: &BTreeMap<String, String>,
        closed: &[PathBuf],
    ) -> Result<Self> {
        let mut toolchains = Self {
            closed: closed.to_vec(),
            ..Self::default()
        };
        for folder in path.map(std::env::split_paths).into_iter().flatten() {
            let is_absent = folder.is_absolute() && !folder.exists();
            if is_absent || toolchains.path.contains(&folder) {
                continue;
            }
            match check_folder(&folder, closed) {
                Ok(()) => toolchains.path.push(folder),
                Err(why) => toolchains.distrusted.push((folder, why)),
            }
        }
        for (program, folder) in named {
            let wrong =
                |why: String| JudgeError::input(format!("[toolchains] {program}: {folder}: {why}"));
            if program == READ {
                for path in std::env::split_paths(folder) {
                    let real = path.canonicalize().map_err(|e| wrong(e.to_string()))?;
                    check_prefix(&real, closed).map_err(wrong)?;
                    toolchains.read.push(path);
                }
                continue;
            }
            let folder = Path::new(folder);
            check_folder(folder, closed).map_err(|why| wrong(why.to_owned()))?;
            toolchains
                .probe(program, folder)
                .unwrap_or_else(|| Err(format!("has no program {program}")))
                .map_err(wrong)?;
            toolchains.named.insert(program.clone(), folder.to_owned());
        }
        Ok(toolchains)
    }

    /// Lists the paths that the competition opens to every program.
    pub fn read(&self) -> &[PathBuf] {
        &self.read
    }

    /// Lists the programs that the competition names.
    pub fn named(&self) -> impl Iterator<Item = &str> {
        self.named.keys().map(String::as_str)
    }

    /// Lists the folders of PATH that are not searched, each with the reason.
    pub fn distrusted(&self) -> impl Iterator<Item = (&Path, &str)> {
        self.distrusted
            .iter()
            .map(|(folder, why)| (folder.as_path(), *why))
    }

    /// Finds a program: where the competition says, or as a shell would, or among the system's.
    pub fn find(&self, name: &str) -> Result<FoundProgram, String> {
        if let Some(known) = self.found.lock().expect("nobody panics").get(name) {
            return Ok(known.clone());
        }
        let found = self.search(name, &self.path)?;
        let mut known = self.found.lock().expect("nobody panics");
        known.insert(name.to_owned(), found.clone());
        Ok(found)
    }

    pub(crate) fn search(&self, name: &str, path: &[PathBuf]) -> Result<FoundProgram, String> {
        let package = package_of(name).unwrap_or(name);
        let mut unfit = None;
        for folder in self.named_for(name).chain(path) {
            match self.probe(name, folder) {
                Some(Ok(found)) => return Ok(found),
                Some(Err(why)) => unfit = unfit.or(Some(why)),
                None => {}
            }
        }
        find_program(name, package)
            .map(FoundProgram::plain)
            .map_err(|missing| match unfit {
                None => missing,
                Some(why) => format!(
                    "{why}; name its own folder in the competition's [toolchains], or: {missing}"
                ),
            })
    }

    fn named_for(&self, name: &str) -> impl Iterator<Item = &PathBuf> {
        let own = self.named.get(name).into_iter();
        own.chain(self.named.iter().filter_map(move |(other, folder)| {
            language::are_together(other, name).then_some(folder)
        }))
    }

    /// Returns `None` if the program does not exist in the folder, or cannot be run.
    fn probe(&self, name: &str, folder: &Path) -> Option<Result<FoundProgram, String>> {
        let program = folder.join(name);
        is_program(&program).then(|| place(&program, &self.closed))
    }

    /// Asks a found program for its version, once. `None` if it gives no answer.
    pub fn version_of(&self, name: &str, found: &FoundProgram) -> Option<String> {
        let mut versions = self.versions.lock().expect("nobody panics");
        if let Some(known) = versions.get(&found.path) {
            return known.clone();
        }
        let said = ask(&found.path, language::version_question(name)).ok();
        let version = said.filter(|said| said.status.success()).and_then(|said| {
            // Java prints it where others print errors.
            let is_java = said.stdout.is_empty();
            let bytes = if is_java { said.stderr } else { said.stdout };
            let text = String::from_utf8_lossy(&bytes);
            let line = text.lines().next()?.trim();
            (!line.is_empty()).then(|| line.to_owned())
        });
        versions.insert(found.path.clone(), version.clone());
        version
    }

    pub(crate) fn outside(&self) -> Vec<(FoundProgram, &'static str)> {
        let mut all: Vec<(FoundProgram, &'static str)> = Vec::new();
        for &Program { name, .. } in language::packaged() {
            let is_anywhere = |folder: &PathBuf| folder.join(name).exists();
            if !self.named_for(name).chain(&self.path).any(is_anywhere) {
                continue;
            }
            if let Ok(found) = self.find(name)
                && found.opened.is_some()
                && all.iter().all(|(known, _)| known.opened != found.opened)
            {
                all.push((found, name));
            }
        }
        all.sort_by_key(|(_, name)| self.place_in_path(name));
        all
    }

    fn place_in_path(&self, name: &str) -> usize {
        let mut folders = self.named_for(name).chain(&self.path);
        folders
            .position(|folder| is_program(&folder.join(name)))
            .unwrap_or(usize::MAX)
    }

    /// The author of a note on a program's needs may have wished to see something else.
    pub(crate) fn check(&self, opened: &[OpenToolchain]) -> Result<(), String> {
        if opened.is_empty() {
            return Ok(());
        }
        let own = self.outside();
        let is_own =
            |one: &OpenToolchain| own.iter().any(|(own, _)| own.opened.as_ref() == Some(one));
        match opened.iter().find(|one| !is_own(one)) {
            None => Ok(()),
            Some(other) => Err(format!(
                "its toolchain in {} is not among those of this machine: put that folder into PATH, or name it in the \
                 competition's [toolchains]",
                other.programs
            )),
        }
    }
}

/// Returns the message that a known program is not installed, with its package.
pub fn lacks_program(tools: &Toolchains, program: &str) -> Option<String> {
    package_of(program)?;
    tools.find(program).err()
}

/// Finds a missing program in a build's output, which is not trusted: the machine is asked.
pub(crate) fn not_installed_in(tools: &Toolchains, output: &str) -> Option<String> {
    output
        .lines()
        .filter_map(called)
        .find_map(|program| lacks_program(tools, program))
}

/// Returns the program that a shell, make or env reports as missing: others say so of files.
fn called(line: &str) -> Option<&str> {
    let parts: Vec<&str> = line.trim_end().split(": ").collect();
    let calls = |caller: &str| {
        let name = caller.rsplit('/').next().unwrap_or(caller);
        name == "env" || name == "make" || name.starts_with("make[")
    };
    let program = match parts.as_slice() {
        [_, line, program, "not found"] if line.parse::<usize>().is_ok() => program,
        [_, .., program, "command not found" | "Command not found"] => program,
        [caller, program, "No such file or directory"] if calls(caller) => program,
        _ => return None,
    };
    Some(program.trim_matches(['\'', '\u{2018}', '\u{2019}']))
}

/// Advice for a program that is installed elsewhere.
pub const TOOLCHAINS_ELSEWHERE: &str = "if it is installed elsewhere, add its folder to PATH or to [toolchains] in \
                                        the competition's file; judge doctor lists what judge finds";

#[cfg(test)]
mod tests;
