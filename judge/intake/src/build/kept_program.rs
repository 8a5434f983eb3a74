//! The kept program of an entrant, in a folder named by the hash of everything that it was made from.
//! A file next to the folder, which the program cannot read, holds its command.

#![expect(
    clippy::disallowed_methods,
    reason = "it is a program of the machine's that the judge runs anyway, or a kept one"
)]

use crate::build::built_program::{BuiltProgram, Product};
use crate::build::toolchains::Toolchains;
use crate::read::executable;
use crate::read::source::SourceFile;
use model::artifact::Artifact;
use rulebook::JudgeError;
use sandbox::SYSTEM;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Number of first bytes that show whether the kernel can execute a program.
pub(crate) const HEAD_BYTES: u64 = 4096;

/// Finds the program that a run built, by its hash. Returns `None` if it is gone or changed.
pub fn find_kept_program(hash: &str, run: &Path) -> Result<Option<Artifact>, JudgeError> {
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
    let head = head(path).map_err(lacks)?;
    if !path.starts_with(&artifact.directory) {
        if artifact
            .toolchains
            .iter()
            .flat_map(|one| &one.folders)
            .map(String::as_str)
            .chain(SYSTEM.iter().copied())
            .any(|place| path.starts_with(place))
        {
            return Ok(());
        }
        return Err(format!(
            "{} is neither in the program's folder nor of the system",
            artifact.program
        ));
    }
    let name = path.file_name().unwrap_or_default();
    let program = SourceFile {
        path: name.to_string_lossy().into_owned(),
        bytes: head,
        executable: true,
    };
    executable::check(&program, closed)
}

fn head(path: &Path) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    File::open(path)?.take(HEAD_BYTES).read_to_end(&mut head)?;
    Ok(head)
}

/// `#!/usr/bin/env python3` names the Python in PATH. Scripts that call others find the system's.
pub(crate) fn noted(program: BuiltProgram, bytes: &[u8], tools: &Toolchains) -> BuiltProgram {
    let found = called_by_env(bytes).and_then(|name| {
        let found = tools.find(&name).ok()?;
        let version = tools.version_of(&name, &found);
        Some((found.opened?, version))
    });
    match found {
        Some((opened, version)) => BuiltProgram {
            toolchains: vec![opened],
            versions: version
                .into_iter()
                .chain(program.versions.clone())
                .collect(),
            ..program
        },
        None => program,
    }
}

pub(crate) fn called_by_env(bytes: &[u8]) -> Option<String> {
    let line = bytes
        .strip_prefix(b"#!")?
        .split(|&byte| byte == b'\n')
        .next()?;
    let mut words = std::str::from_utf8(line).ok()?.split_whitespace();
    Path::new(words.next()?)
        .file_name()
        .filter(|name| *name == "env")?;
    let name = words.find(|word| !word.starts_with('-') && !word.contains('='))?;
    (!name.contains('/')).then(|| name.to_owned())
}

/// Returns texts that identify a program's interpreter; empty if it is the system's.
pub(crate) fn identity(program: &BuiltProgram) -> Vec<String> {
    if program.toolchains.is_empty() {
        return Vec::new();
    }
    program
        .toolchains
        .iter()
        .flat_map(|one| [&one.programs].into_iter().chain(&one.folders).cloned())
        .chain(program.versions.clone())
        .collect()
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
