//! What every language of the courses has: how its sources are chosen and made into a program.

use super::prepare::BuildFailure;
use super::{SourceFile, Submission, cpp, executable, haskell, ocaml, python};
use crate::error::JudgeError;
use crate::fault::Exit;
use crate::sandbox::{Build, BuildEnd, FOLDER_BYTES_MAX, Isolation, run_build};
use engines::Kit;
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use std::fs::{self, File};
use std::io::ErrorKind;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// A language that kits are written for.
pub(super) trait Language: Sync {
    /// The name by which kits ask for it.
    fn name(&self) -> &'static str;

    /// Gives what a build depends on besides the sources: the compiler and its flags.
    ///
    /// # Errors
    /// When there is no compiler; the message names the package.
    fn toolchain(&self) -> Result<String, String>;

    /// Chooses the files that the program is made from, the kit's own included. Adds a
    /// warning, with the reason, for everything that is replaced.
    ///
    /// # Errors
    /// When the files cannot make a program, in plain words.
    fn choose(&self, submission: &mut Submission, kit: &Kit) -> Result<Vec<SourceFile>, String>;

    /// Makes the program in the workshop's folder, where the chosen files are.
    ///
    /// # Errors
    /// When a compiler cannot be run for reasons of ours, or is stopped.
    fn build(&self, workshop: &Workshop<'_>) -> Result<Result<Program, BuildFailure>, JudgeError>;
}

/// The languages that the judge can build.
const LANGUAGES: [&dyn Language; 4] =
    [&cpp::Cpp, &ocaml::OCaml, &haskell::Haskell, &python::Python];

/// Finds the language that a kit is written for.
pub(super) fn of(kit: &Kit) -> &'static dyn Language {
    LANGUAGES
        .into_iter()
        .find(|language| language.name() == kit.language)
        .expect("a test goes through all kits")
}

/// What a build gave.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Program {
    /// The program: a file of the folder, or an interpreter's absolute path.
    pub(super) path: PathBuf,
    /// Its arguments.
    pub(super) args: Vec<String>,
    /// The size of the author's sources in lexer tokens, where the language has a count.
    pub(super) tokens: Option<u64>,
    /// What the compiler said although all went well: warnings.
    pub(super) output: String,
}

impl Program {
    /// A program that is a file of its folder and takes no arguments.
    pub(super) fn plain(path: &str) -> Self {
        Self {
            path: PathBuf::from(path),
            args: Vec::new(),
            tokens: None,
            output: String::new(),
        }
    }
}

/// How long a build step may take.
const STEP_TIME_MAX: Duration = Duration::from_secs(180);

/// What compilers print where the disk, and not the source, is to blame.
const DISK_FULL: &str = "No space left on device";

/// A folder in which a submission is built, with what is known of the build so far.
pub(super) struct Workshop<'a> {
    /// The files that lie in the folder.
    pub(super) files: &'a [SourceFile],
    /// The kit that they are built with.
    pub(super) kit: &'a Kit,
    /// The folder.
    pub(super) folder: &'a Path,
    /// How compilers are shut in.
    pub(super) isolation: &'a Isolation,
    /// Set from outside to end them at once.
    pub(super) stop: &'a AtomicBool,
}

impl Workshop<'_> {
    /// Runs one build step and gives what it wrote.
    ///
    /// # Errors
    /// When it cannot be run for reasons of ours, a full disk among them, or is stopped.
    pub(super) fn step(
        &self,
        program: &Path,
        args: &[String],
    ) -> Result<Result<String, BuildFailure>, JudgeError> {
        let build = Build {
            program,
            args,
            folder: self.folder,
            limit: STEP_TIME_MAX,
            stop: self.stop,
        };
        let run = run_build(&build, self.isolation)?;
        let output = String::from_utf8_lossy(&run.output).into_owned();
        if output.contains(DISK_FULL) {
            let source = ErrorKind::StorageFull.into();
            return Err(JudgeError::io("build in", self.folder, source));
        }
        let name = program.file_name().unwrap_or_default().to_string_lossy();
        let mut reason = match run.end {
            BuildEnd::Exit(Exit::Code(0)) => return Ok(Ok(output)),
            BuildEnd::Exit(Exit::Code(code)) => format!("{name} exited with {code}"),
            BuildEnd::Exit(Exit::Signal(signal)) => format!("{name} was ended by signal {signal}"),
            BuildEnd::Time => format!("{name} did not end within {} s", STEP_TIME_MAX.as_secs()),
            BuildEnd::Output => format!("{name} wrote too many messages"),
            BuildEnd::Disk => format!(
                "{name} wrote more than {} MiB, or very many files",
                FOLDER_BYTES_MAX >> 20
            ),
        };
        if let Some(words) = self.plain_words(&output) {
            let _ = write!(reason, ": {words}");
        }
        Ok(Err(BuildFailure { reason, output }))
    }

    /// Finds what a compiler's first complaint means in plain words: what the kit says of it,
    /// or the text of an assertion of its own.
    fn plain_words(&self, output: &str) -> Option<String> {
        let first = first_complaint(output);
        let hint = self.kit.hints.iter().find(|(said, _)| first.contains(said));
        let asserted = || {
            first
                .split_once("static assertion failed: ")
                .map(|(_, text)| text)
        };
        let words = hint.map(|(_, words)| *words).or_else(asserted)?;
        Some(words.lines().next().unwrap_or_default().to_owned())
    }

    /// Leaves nothing in the folder but one program, and makes that executable: a linker in
    /// the sandbox cannot.
    ///
    /// # Errors
    /// When the folder cannot be changed.
    pub(super) fn keep_only(&self, program: &str) -> Result<(), JudgeError> {
        let failed = |e| JudgeError::io("write", self.folder, e);
        for entry in fs::read_dir(self.folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            if entry.file_type().map_err(failed)?.is_dir() {
                fs::remove_dir_all(entry.path()).map_err(failed)?;
            } else if entry.file_name() != program {
                fs::remove_file(entry.path()).map_err(failed)?;
            }
        }
        let program = File::options()
            .read(true)
            .custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK)
            .open(self.folder.join(program))
            .map_err(failed)?;
        program
            .set_permissions(fs::Permissions::from_mode(0o755))
            .map_err(failed)
    }

    /// Writes the chosen files into the folder.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub(super) fn furnish(&self) -> Result<(), JudgeError> {
        executable::write_files(self.files, self.folder)
            .map_err(|e| JudgeError::io("write", self.folder, e))
    }
}

/// Gives the first complaint with the lines that belong to it, or all where none is marked.
fn first_complaint(output: &str) -> &str {
    const MARK: &str = " error: ";
    let Some(start) = output.find(MARK) else {
        return output;
    };
    let line = output[..start].rfind('\n').map_or(0, |end| end + 1);
    let behind = start + MARK.len();
    let next = output[behind..].find(MARK);
    &output[line..next.map_or(output.len(), |next| behind + next)]
}

/// Finds a program of the system by its name.
///
/// # Errors
/// When it is not installed; the message names the Debian package.
pub(super) fn find_program(name: &str, package: &str) -> Result<PathBuf, String> {
    // Not through PATH: what a user has put there may lie where the sandbox does not reach.
    ["/usr/local/bin", "/usr/bin", "/bin"]
        .iter()
        .map(|folder| Path::new(folder).join(name))
        .find(|path| path.exists())
        .ok_or_else(|| format!("{name} is not installed; run: apt-get install {package}"))
}

/// Asks a compiler for its version; gives the first line of the answer.
///
/// # Errors
/// When it cannot be run.
pub(super) fn version(compiler: &Path, argument: &str) -> Result<String, String> {
    let output = std::process::Command::new(compiler).arg(argument).output();
    let output = output.map_err(|e| format!("cannot run {}: {e}", compiler.display()))?;
    let said = String::from_utf8_lossy(&output.stdout);
    Ok(said.lines().next().unwrap_or_default().to_owned())
}

/// Gives the kit's files as they are written beside a submission's.
pub(super) fn kit_files(kit: &Kit) -> impl Iterator<Item = SourceFile> {
    kit.files.iter().map(|(name, text)| SourceFile {
        path: (*name).to_owned(),
        bytes: text.as_bytes().to_vec(),
        executable: false,
    })
}

/// Tells whether a file's name has one of these endings.
pub(super) fn has_ending(path: &str, endings: &[&str]) -> bool {
    let ending = Path::new(path).extension();
    ending.is_some_and(|own| endings.iter().any(|known| own == *known))
}

/// Gives the last part of a path.
pub(super) fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Gives the folder of a path with the `/` behind it; empty for the submission's own.
pub(super) fn folder_of(path: &str) -> &str {
    path.rfind('/').map_or("", |end| &path[..=end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kit_is_written_for_a_language_that_can_be_built() {
        let kits = || engines::GAMES.iter().flat_map(|entry| entry.kits);
        assert!(kits().count() >= LANGUAGES.len());
        for kit in kits() {
            assert_eq!(of(kit).name(), kit.language);
        }
    }

    #[test]
    fn the_first_complaint_ends_where_the_next_one_begins() {
        let output = "In file\nA.h:1:2: error: no x\n  more\nA.h:3:4: error: no y\n";
        assert_eq!(
            first_complaint(output),
            "A.h:1:2: error: no x\n  more\nA.h:3:4:"
        );
        assert_eq!(first_complaint("Error: all"), "Error: all");
    }

    #[test]
    fn a_missing_program_is_named_with_its_package() {
        let missing =
            find_program("no-such-compiler", "some-package").expect_err("it is not there");
        assert_eq!(
            missing,
            "no-such-compiler is not installed; run: apt-get install some-package"
        );
    }
}
