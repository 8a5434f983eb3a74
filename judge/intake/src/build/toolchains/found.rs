//! Programs that were found: how they are asked, where they really are, and the folders that are opened for them to
//! strangers' programs.

#![expect(clippy::disallowed_methods, reason = "it is a file of the system's")]

use crate::build::failed_builds::BUILDS_MAX;
use model::artifact::OpenToolchain;
use rulebook::{JudgeError, Result, refuse};
use sandbox::SYSTEM;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Output};
use system::files::text_of;

/// Prints the interpreter itself, its environment's folder and its base's: the program found may be a
/// script that chooses one (pyenv), or an environment (venv).
const PYTHON_FOLDERS: &str =
    "import sys; print(sys.executable); print(sys.prefix); print(sys.base_prefix)";

/// The target of the links that are rustup's programs.
const RUSTUP: &str = "rustup";

const PROGRAMS: &str = "bin";

/// A program of a toolchain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundProgram {
    /// The program itself.
    pub path: PathBuf,
    /// The folders to open for it; `None` for a program of the system.
    pub opened: Option<OpenToolchain>,
}

impl FoundProgram {
    pub(crate) fn plain(path: PathBuf) -> Self {
        Self { path, opened: None }
    }

    /// Distinguishes it from the system's program, whose version may be the same.
    pub(crate) fn in_identity(&self) -> String {
        let folder = self.folder();
        folder.map_or_else(String::new, |folder| format!(" {folder}"))
    }

    /// Returns the folder of its toolchain, if that is not the system's usual place.
    pub fn folder(&self) -> Option<&str> {
        let opened = self.opened.as_ref()?;
        Some(opened.folders.first().unwrap_or(&opened.programs))
    }

    /// Returns the folder that people know: of an environment, not of its base.
    pub fn shown_folder(&self) -> Option<String> {
        let folder = self.folder()?;
        let programs = self.path.parent().filter(|own| own.ends_with(PROGRAMS));
        let is_environment = |own: &&Path| own.join("pyvenv.cfg").exists();
        let environment = programs.and_then(Path::parent).filter(is_environment);
        Some(environment.map_or_else(|| folder.to_owned(), |own| own.display().to_string()))
    }
}

pub(super) fn place(program: &Path, closed: &[PathBuf]) -> Result<FoundProgram, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", program.display());
    let real = program.canonicalize().map_err(failed)?;
    if is_among(&real, closed) {
        return Err(format!("{} {}", real.display(), AMONG));
    }
    let name = program.file_name().unwrap_or_default().to_string_lossy();
    let is_venv = program
        .ancestors()
        .nth(2)
        .is_some_and(|folder| folder.join("pyvenv.cfg").exists());
    if name.starts_with("python") && (is_venv || !is_of_system(&real)) {
        return python(program, closed);
    }
    if is_of_system(&real) {
        return in_system(program, &real);
    }
    let real = if real.file_name().is_some_and(|own| own == RUSTUP) {
        of_rustup(program, &name)?
    } else {
        real
    };
    let programs = folder_of(&real);
    let Some(prefix) = programs.parent().filter(|_| programs.ends_with(PROGRAMS)) else {
        return Err(format!(
            "{} does not belong to a toolchain: it is not in a folder {PROGRAMS}",
            program.display()
        ));
    };
    check_prefix(prefix, closed)?;
    let open = opened(programs, &[prefix.to_owned()])?;
    Ok(FoundProgram {
        path: real,
        opened: Some(open),
    })
}

fn in_system(program: &Path, real: &Path) -> Result<FoundProgram, String> {
    let place = folder_of(program);
    let folder = place.canonicalize().unwrap_or_else(|_| place.to_owned());
    let is_usual = |usual: &str| {
        Path::new(usual)
            .canonicalize()
            .is_ok_and(|usual| usual == folder)
    };
    if SYSTEM_PROGRAMS.into_iter().any(is_usual) {
        return Ok(FoundProgram::plain(program.to_owned()));
    }
    // A link from a home folder leads nowhere in the sandbox.
    let (path, programs) = if is_of_system(&folder) {
        (program, folder.as_path())
    } else {
        (real, folder_of(real))
    };
    Ok(FoundProgram {
        path: path.to_owned(),
        opened: Some(opened(programs, &[])?),
    })
}

fn python(program: &Path, closed: &[PathBuf]) -> Result<FoundProgram, String> {
    let mute = || format!("{} does not say where it is installed", program.display());
    let said = asked(program, &["-I", "-c", PYTHON_FOLDERS]).ok_or_else(mute)?;
    let lines: Vec<&Path> = said.lines().map(Path::new).collect();
    let [interpreter, own @ ..] = lines.as_slice() else {
        return Err(mute());
    };
    if own.len() != 2 || lines.iter().any(|line| !line.is_absolute()) {
        return Err(mute());
    }
    let mut folders: Vec<PathBuf> = Vec::new();
    for folder in own {
        let real = folder.canonicalize().map_err(|_| mute())?;
        if !is_of_system(&real) {
            check_prefix(&real, closed)?;
            folders.push((*folder).to_owned());
        }
    }
    folders.dedup();
    if folders.is_empty() {
        let real = interpreter.canonicalize().map_err(|_| mute())?;
        return in_system(interpreter, &real);
    }
    Ok(FoundProgram {
        path: (*interpreter).to_owned(),
        opened: Some(opened(folder_of(interpreter), &folders)?),
    })
}

fn folder_of(program: &Path) -> &Path {
    program.parent().unwrap_or(Path::new("/"))
}

fn of_rustup(program: &Path, name: &str) -> Result<PathBuf, String> {
    let folder = asked(&program.with_file_name("rustc"), &["--print", "sysroot"])
        .filter(|folder| Path::new(folder).is_absolute());
    let own = folder.map(|folder| Path::new(&folder).join(PROGRAMS).join(name));
    let real = own.filter(|own| is_program(own));
    real.and_then(|own| own.canonicalize().ok())
        .ok_or_else(|| format!("rustup has no toolchain with {name}; run: rustup default stable"))
}

fn opened(programs: &Path, folders: &[PathBuf]) -> Result<OpenToolchain, String> {
    let text = |path: &Path| {
        let text = text_of(path).map_err(|error| error.to_string())?;
        if text.contains(':') {
            return Err(format!("{text} has a colon in its name"));
        }
        Ok(text)
    };
    Ok(OpenToolchain {
        programs: text(programs)?,
        folders: folders
            .iter()
            .map(|path| text(path))
            .collect::<Result<_, _>>()?,
    })
}

pub(super) const AMONG: &str = "is inside submissions or runs";

/// Folders of the system's root that belong to everybody, and are nobody's toolchain.
const SHARED: [&str; 12] = [
    "/", "/home", "/root", "/etc", "/var", "/tmp", "/proc", "/sys", "/dev", "/run", "/mnt",
    "/media",
];

/// Folders below a home folder that contain more than a toolchain.
const PERSONAL: [&str; 6] = [".local", ".config", ".cache", ".cargo", ".ssh", ".gnupg"];

pub(super) fn check_folder(folder: &Path, closed: &[PathBuf]) -> Result<(), &'static str> {
    if !folder.is_absolute() || folder.components().any(|part| part == Component::ParentDir) {
        return Err("is not an absolute path");
    }
    let real = folder.canonicalize().map_err(|_| "is not there")?;
    if is_among(&real, closed) {
        return Err(AMONG);
    }
    Ok(())
}

pub(super) fn is_among(real: &Path, closed: &[PathBuf]) -> bool {
    closed.iter().any(|closed| real.starts_with(closed))
}

pub(super) fn is_program(path: &Path) -> bool {
    let meta = fs::metadata(path);
    meta.is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

pub(super) fn is_of_system(path: &Path) -> bool {
    let real = |folder: &&str| Path::new(folder).canonicalize();
    let mut folders = SYSTEM.iter().filter_map(|folder| real(folder).ok());
    folders.any(|folder| path.starts_with(folder))
}

pub(super) fn check_prefix(folder: &Path, closed: &[PathBuf]) -> Result<(), String> {
    let shown = folder.display();
    let homes = homes();
    let holds_home = homes.iter().any(|home| home.starts_with(folder));
    let is_personal = |home: &PathBuf| PERSONAL.iter().any(|name| home.join(name) == folder);
    if holds_home
        || SHARED.iter().any(|shared| Path::new(shared) == folder)
        || homes.iter().any(is_personal)
    {
        return Err(format!(
            "{shown} holds more than a toolchain, so submissions get no access to it"
        ));
    }
    let meets = |closed: &PathBuf| closed.starts_with(folder) || folder.starts_with(closed);
    if closed.iter().any(meets) {
        return Err(format!(
            "{shown} holds submissions or runs, so submissions get no access to it"
        ));
    }
    Ok(())
}

/// Lists the home folders of users in `/etc/passwd`, by their number. The C library knows more users,
/// but would have to load parts of itself for that, which a static program cannot do.
pub(crate) fn homes_of(is_meant: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    fs::read_to_string("/etc/passwd")
        .unwrap_or_default()
        .lines()
        .map(|line| line.split(':').collect::<Vec<_>>())
        .filter(|fields| fields.get(2).is_some_and(|user| is_meant(user)))
        .filter_map(|fields| fields.get(5).map(PathBuf::from))
        .collect()
}

fn homes() -> Vec<PathBuf> {
    let mut homes = homes_of(|_| true);
    homes.extend(std::env::var_os("HOME").map(PathBuf::from));
    homes
        .iter()
        .filter_map(|home| home.canonicalize().ok())
        .filter(|home| home.parent().is_some())
        .collect()
}

pub(super) fn asked(program: &Path, args: &[&str]) -> Option<String> {
    let said = ask(program, args).ok()?;
    let text = String::from_utf8(said.stdout).ok()?;
    said.status.success().then(|| text.trim().to_owned())
}

/// The system's folders of programs, which are in the PATH of every sandboxed program.
pub(crate) const SYSTEM_PROGRAMS: [&str; 3] = ["/usr/local/bin", "/usr/bin", "/bin"];

#[derive(Clone, Debug)]
pub(crate) struct Toolchain {
    /// Everything that a build depends on besides the sources: the compiler's version and flags.
    pub(crate) identity: String,
    pub(crate) versions: Vec<String>,
    /// Parts of it outside the system's usual folders; build steps see them.
    pub(crate) opened: Vec<OpenToolchain>,
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

pub(crate) fn version(compiler: &Path, argument: &str) -> Result<String> {
    let output = ask(compiler, &[argument])?;
    let said = String::from_utf8_lossy(&output.stdout);
    let line = said.lines().next().unwrap_or_default();
    if output.status.success() && !line.is_empty() {
        return Ok(line.to_owned());
    }
    refuse(format!(
        "{} {argument} does not print a version ({}); rerun the same command, or reinstall the compiler",
        compiler.display(),
        output.status
    ))
}

/// Runs a program of the toolchain, at most [`BUILDS_MAX`] times if it is killed.
pub(crate) fn ask(program: &Path, args: &[&str]) -> Result<Output> {
    let mut status = None;
    for _ in 0..BUILDS_MAX {
        let run = Command::new(program).args(args).output();
        let output = run.map_err(|source| JudgeError::Launch {
            program: program.to_owned(),
            source,
        })?;
        if output.status.code().is_some() {
            return Ok(output);
        }
        status = Some(output.status);
    }
    let (program, status) = (program.display(), status.unwrap_or_default());
    Err(JudgeError::Build {
        reason: format!("{program} was killed ({status}); rerun the same command"),
        of_one_place: false,
    })
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
