//! The compilers and interpreters of this machine, found once in a run for each language.

use crate::build::failed_builds::BUILDS_MAX;
use model::artifact::OpenToolchain;
use rulebook::JudgeError;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The system's folders of programs, which are in the PATH of every sandboxed program.
pub(crate) const SYSTEM_PROGRAMS: [&str; 3] = ["/usr/local/bin", "/usr/bin", "/bin"];

#[derive(Clone, Debug)]
pub(crate) struct Toolchain {
    /// Everything that a build depends on besides the sources: the compiler's version and flags.
    pub(crate) identity: String,
    pub(crate) versions: Vec<String>,
    /// Parts of it outside the system's usual folders; build steps see them.
    pub(crate) opened: Vec<OpenToolchain>,
    /// Whether programs need it to run.
    pub(crate) interprets: bool,
    pub(crate) programs: Vec<(&'static str, PathBuf)>,
}

impl Toolchain {
    pub(crate) fn program(&self, name: &str) -> &Path {
        let mut programs = self.programs.iter();
        let found = programs.find(|(known, _)| *known == name);
        &found.expect("the language has named it").1
    }
}

pub(crate) fn find_program(name: &str, package: &str) -> Result<PathBuf, String> {
    SYSTEM_PROGRAMS
        .iter()
        .map(|folder| Path::new(folder).join(name))
        .find(|path| path.exists())
        .ok_or_else(|| format!("{name} is not installed; run: apt-get install {package}"))
}

pub(crate) fn version(compiler: &Path, argument: &str) -> Result<String, JudgeError> {
    let output = ask(compiler, &[argument])?;
    let said = String::from_utf8_lossy(&output.stdout);
    let line = said.lines().next().unwrap_or_default();
    if output.status.success() && !line.is_empty() {
        return Ok(line.to_owned());
    }
    Err(JudgeError::input(format!(
        "{} {argument} does not print a version ({}); rerun the same command, or reinstall the compiler",
        compiler.display(),
        output.status
    )))
}

/// Runs a program of the toolchain, at most [`BUILDS_MAX`] times if it is killed.
pub(crate) fn ask(program: &Path, args: &[&str]) -> Result<Output, JudgeError> {
    let mut runs = 0;
    loop {
        let output = Command::new(program)
            .args(args)
            .output()
            .map_err(|source| JudgeError::Launch {
                program: program.to_owned(),
                source,
            })?;
        if output.status.code().is_some() {
            return Ok(output);
        }
        runs += 1;
        if runs == BUILDS_MAX {
            return Err(JudgeError::Build {
                reason: format!(
                    "{} was killed ({}); rerun the same command",
                    program.display(),
                    output.status
                ),
                of_one_place: false,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_program_is_named_with_its_package() {
        let missing = find_program("no-such-compiler", "some-package");
        let words = "no-such-compiler is not installed; run: apt-get install some-package";
        assert_eq!(missing, Err(words.to_owned()));
    }

    #[test]
    fn failing_or_silent_compiler_has_no_version() {
        let version = |script: &str| version(Path::new(script), "--version");
        let dies = version("/bin/false").expect_err("it fails");
        assert!(dies.to_string().contains("/bin/false --version"), "{dies}");
        let missing = version("/no/compiler").expect_err("it is not there");
        assert!(matches!(missing, JudgeError::Launch { .. }), "{missing}");
        let mute = ask(Path::new("/bin/sh"), &["-c", "kill -9 $$"]).expect_err("it is killed");
        assert!(mute.to_string().contains("was killed"), "{mute}");
        assert!(!matches!(mute, JudgeError::Input(_)), "it is ours");
        let folder = tempfile::tempdir().expect("a temporary folder");
        let shown = folder.path().display();
        let once = format!("cd {shown}; mkdir one && kill -9 $$; echo 1.2");
        let reported = ask(Path::new("/bin/sh"), &["-c", &once]).expect("it is asked again");
        assert_eq!(reported.stdout, b"1.2\n");
    }
}
