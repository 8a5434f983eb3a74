//! The interpreter that a script names, if it belongs to a toolchain outside the system's folders.

use super::built_program::BuiltProgram;
use super::toolchains::Toolchains;
use model::artifact::Artifact;
use model::language::version_question;
use model::toolchain::OpenToolchain;
use std::path::{Path, PathBuf};

/// Adds the interpreter that the script's first line needs: `#!/usr/bin/env python3` names the
/// Python in PATH. Scripts that call others in their text find the system's.
pub(super) fn noted(program: BuiltProgram, bytes: &[u8], tools: &Toolchains) -> BuiltProgram {
    let found = called_by_env(bytes).and_then(|name| {
        let found = tools.find(&name).ok()?;
        let version = tools.version(&found.path, version_question(&name));
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

/// Returns the present version of a kept program's interpreter; empty if it has none. `bytes` are
/// the first bytes of the program.
pub(super) fn versions(artifact: &Artifact, bytes: &[u8], tools: &Toolchains) -> Vec<String> {
    let path = Path::new(&artifact.program);
    if !path.starts_with(&artifact.directory) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        return tools
            .version(path, version_question(&name))
            .into_iter()
            .collect();
    }
    noted(BuiltProgram::plain(""), bytes, tools).versions
}

/// Returns the program that a script calls through `env`.
pub(super) fn called_by_env(bytes: &[u8]) -> Option<String> {
    let line = bytes
        .strip_prefix(b"#!")?
        .split(|&byte| byte == b'\n')
        .next()?;
    let line = std::str::from_utf8(line).ok()?;
    let mut words = line.split_whitespace();
    Path::new(words.next()?)
        .file_name()
        .filter(|name| *name == "env")?;
    let name = words.find(|word| !word.starts_with('-') && !word.contains('='))?;
    (!name.contains('/')).then(|| name.to_owned())
}

/// Returns texts that identify a program's interpreter; empty if it is the system's.
pub(super) fn identity(program: &BuiltProgram) -> Vec<String> {
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

/// Returns texts that identify toolchains.
pub(super) fn identities(
    toolchains: &[(OpenToolchain, PathBuf, &'static str)],
    tools: &Toolchains,
) -> Vec<String> {
    toolchains
        .iter()
        .map(|(opened, program, name)| tools.identity(opened, program, name))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_env_is_told_to_look_for_is_found_in_the_first_line() {
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
