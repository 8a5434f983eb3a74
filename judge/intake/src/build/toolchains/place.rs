//! The real place of a program that was found, and the folders to open for it.

use super::trust;
use crate::build::toolchain::SYSTEM_PROGRAMS;
use model::artifact::OpenToolchain;
use std::path::{Path, PathBuf};
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
        let own = programs.and_then(Path::parent);
        let environment = own.filter(|own| own.join("pyvenv.cfg").exists());
        Some(environment.map_or_else(|| folder.to_owned(), |own| own.display().to_string()))
    }
}

pub(super) fn place(program: &Path, closed: &[PathBuf]) -> Result<FoundProgram, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", program.display());
    let real = program.canonicalize().map_err(failed)?;
    if trust::is_among(&real, closed) {
        return Err(format!("{} {}", real.display(), trust::AMONG));
    }
    let name = program.file_name().unwrap_or_default().to_string_lossy();
    let is_venv = program
        .ancestors()
        .nth(2)
        .is_some_and(|folder| folder.join("pyvenv.cfg").exists());
    let is_python = name.starts_with("python");
    if is_python && (is_venv || !trust::is_of_system(&real)) {
        return python(program, closed);
    }
    if trust::is_of_system(&real) {
        return in_system(program, &real);
    }
    let real = if real.file_name().is_some_and(|own| own == RUSTUP) {
        of_rustup(program, &name)?
    } else {
        real
    };
    let programs = real.parent().unwrap_or(Path::new("/"));
    let prefix = programs.parent().filter(|_| programs.ends_with(PROGRAMS));
    let Some(prefix) = prefix else {
        return Err(format!(
            "{} does not belong to a toolchain: it is not in a folder {PROGRAMS}",
            program.display()
        ));
    };
    trust::check_prefix(prefix, closed)?;
    let open = opened(programs, &[prefix.to_owned()])?;
    Ok(FoundProgram {
        path: real,
        opened: Some(open),
    })
}

fn in_system(program: &Path, real: &Path) -> Result<FoundProgram, String> {
    let folder = program.parent().unwrap_or(Path::new("/"));
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let usual = SYSTEM_PROGRAMS.iter().map(Path::new);
    let usual = usual.filter_map(|usual| usual.canonicalize().ok());
    if usual.into_iter().any(|usual| usual == folder) {
        return Ok(FoundProgram::plain(program.to_owned()));
    }
    // A link from a home folder leads nowhere in the sandbox.
    let (path, programs) = if trust::is_of_system(&folder) {
        (program, folder.as_path())
    } else {
        (real, real.parent().unwrap_or(Path::new("/")))
    };
    Ok(FoundProgram {
        path: path.to_owned(),
        opened: Some(opened(programs, &[])?),
    })
}

fn python(program: &Path, closed: &[PathBuf]) -> Result<FoundProgram, String> {
    let mute = || format!("{} does not say where it is installed", program.display());
    let said = trust::asked(program, &["-I", "-c", PYTHON_FOLDERS]).ok_or_else(mute)?;
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
        if !trust::is_of_system(&real) {
            trust::check_prefix(&real, closed)?;
            folders.push((*folder).to_owned());
        }
    }
    folders.dedup();
    let programs = interpreter.parent().unwrap_or(Path::new("/"));
    if folders.is_empty() {
        let real = interpreter.canonicalize().map_err(|_| mute())?;
        return in_system(interpreter, &real);
    }
    Ok(FoundProgram {
        path: (*interpreter).to_owned(),
        opened: Some(opened(programs, &folders)?),
    })
}

fn of_rustup(program: &Path, name: &str) -> Result<PathBuf, String> {
    let compiler = program.with_file_name("rustc");
    let folder = trust::asked(&compiler, &["--print", "sysroot"])
        .filter(|folder| Path::new(folder).is_absolute());
    let own = folder.map(|folder| Path::new(&folder).join(PROGRAMS).join(name));
    let real = own.filter(|own| trust::is_program(own));
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
