//! The result of a build.

#![expect(
    clippy::disallowed_methods,
    reason = "it is a program of the machine's that the judge runs anyway, or a kept one"
)]

use crate::build::toolchains::Toolchains;
use crate::read::executable;
use crate::read::places::file_name;
use crate::read::source::SourceFile;
use model::artifact::{Artifact, OpenToolchain};
use rulebook::Result;
use sandbox::SYSTEM;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use system::files::text_of;
use system::kept_folder;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BuiltProgram {
    /// The program: a file in the folder, or an interpreter's absolute path.
    pub(crate) path: PathBuf,
    pub(crate) args: Vec<String>,
    pub(crate) tokens: Option<u64>,
    /// See [`Artifact::startup_free_ms`](model::artifact::Artifact::startup_free_ms).
    pub(crate) startup_free_ms: Option<u64>,
    pub(crate) output: String,
    pub(crate) says: Says,
    /// Whether it needs no file at run time.
    pub(crate) without_paths: bool,
    pub(crate) forks: bool,
    pub(crate) toolchains: Vec<OpenToolchain>,
    pub(crate) versions: Vec<String>,
}

/// Names that a submission declares, where the course's interface asks for them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Says {
    pub(crate) nickname: Option<String>,
    /// For staff only.
    pub(crate) author: Option<String>,
}

impl BuiltProgram {
    pub(crate) fn plain(path: &str) -> Self {
        Self {
            path: PathBuf::from(path),
            ..Self::default()
        }
    }

    /// `#!/usr/bin/env python3` names the Python in PATH. Scripts that call others find the system's.
    pub(crate) fn noting(mut self, script: &[u8], tools: &Toolchains) -> Self {
        if let Some(name) = called_by_env(script)
            && let Ok(found) = tools.find(&name)
            && let version = tools.version_of(&name, &found)
            && let Some(opened) = found.opened
        {
            self.toolchains = vec![opened];
            self.versions.splice(0..0, version);
        }
        self
    }

    /// Returns texts that identify its interpreter; empty if it is the system's.
    pub(crate) fn identity(&self) -> Vec<String> {
        let toolchains = self.toolchains.iter();
        let mut all: Vec<String> = toolchains
            .flat_map(|one| [&one.programs].into_iter().chain(&one.folders).cloned())
            .collect();
        if !all.is_empty() {
            all.extend(self.versions.clone());
        }
        all
    }
}

#[derive(Debug)]
pub(crate) struct Product {
    pub(crate) artifact: Artifact,
    pub(crate) output: String,
    pub(crate) says: Says,
}

impl Product {
    /// Finds a program in the folder `artifacts` by its hash, unless it is gone or changed.
    pub(crate) fn find(artifacts: &Path, hash: &str) -> Result<Option<Self>> {
        let program = kept_folder::recall::<BuiltProgram>(&artifacts.join(hash))?.intact();
        program
            .map(|program| Self::of(program, artifacts, hash))
            .transpose()
    }

    pub(crate) fn of(program: BuiltProgram, artifacts: &Path, hash: &str) -> Result<Self> {
        let directory = artifacts.join(hash);
        Ok(Self {
            artifact: Artifact {
                hash: hash.to_owned(),
                program: text_of(&directory.join(program.path))?,
                args: program.args,
                tokens: program.tokens,
                without_paths: program.without_paths,
                startup_free_ms: program.startup_free_ms,
                forks: program.forks,
                toolchains: program.toolchains,
                versions: program.versions,
                directory: text_of(&directory)?,
            },
            output: program.output,
            says: program.says,
        })
    }
}

/// Number of first bytes that show whether the kernel can execute a program.
const HEAD_BYTES: u64 = 4096;

/// Finds the program that a run built, by its hash. Returns `None` if it is gone or changed.
pub fn find_kept_program(hash: &str, run: &Path) -> Result<Option<Artifact>> {
    let product = Product::find(&run.join("artifacts"), hash)?;
    Ok(product.map(|product| product.artifact))
}

/// Checks that this machine can execute a kept program, which another machine may have built.
/// `closed` are the folders that programs may not see, and `toolchains` those of this machine.
pub fn can_run(
    artifact: &Artifact,
    closed: &[PathBuf],
    toolchains: &Toolchains,
) -> Result<(), String> {
    toolchains.check(&artifact.toolchains)?;
    let path = Path::new(&artifact.program);
    let lacks = |_| format!("{} does not exist on this machine", artifact.program);
    let head = File::open(path).and_then(head).map_err(lacks)?;
    if !path.starts_with(&artifact.directory) {
        let folders = artifact.toolchains.iter().flat_map(|one| &one.folders);
        let mut places = folders.map(String::as_str).chain(SYSTEM.iter().copied());
        return if places.any(|place| path.starts_with(place)) {
            Ok(())
        } else {
            Err(format!(
                "{} is neither in the program's folder nor of the system",
                artifact.program
            ))
        };
    }
    executable::check(&SourceFile::new(&file_name(path), head), closed)
}

pub(crate) fn head(file: File) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    file.take(HEAD_BYTES).read_to_end(&mut head)?;
    Ok(head)
}

pub(crate) fn called_by_env(bytes: &[u8]) -> Option<String> {
    let line = executable::first_line_of_script(bytes)?;
    let mut words = std::str::from_utf8(line).ok()?.split_whitespace();
    Path::new(words.next()?)
        .file_name()
        .filter(|name| *name == "env")?;
    let name = words.find(|word| !word.starts_with('-') && !word.contains('='))?;
    (!name.contains('/')).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn env_shebang_names_its_interpreter() {
        for (text, name) in [
            ("#!/usr/bin/env python3\nimport sys", Some("python3")),
            ("#! /usr/bin/env -S node --jitless\n", Some("node")),
            ("#!/usr/bin/env LANG=C ruby", Some("ruby")),
            ("#!/usr/bin/env ./own\n", None),
            ("#!/usr/bin/python3\n", None),
            ("#!\n", None),
            ("import sys", None),
        ] {
            assert_eq!(called_by_env(text.as_bytes()).as_deref(), name, "{text}");
        }
    }
}
