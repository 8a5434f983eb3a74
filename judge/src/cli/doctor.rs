//! `judge doctor`: what this machine can do, and what it would need to do more.

use super::exit::Done;
use clap::Args;
use error::JudgeError;
use sandbox::{Channel, Isolation, Mechanism};
use serde::Serialize;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

#[derive(Args)]
pub(super) struct DoctorArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Accept a machine that cannot sandbox programs
    #[arg(long)]
    weak_isolation: bool,
}

/// All that was found out.
#[derive(Serialize)]
struct DoctorFindings {
    isolation: Isolation,
    mechanisms: Vec<Mechanism>,
    channels: Vec<Channel>,
    toolchains: Vec<ToolchainFinding>,
    libraries: Vec<LibraryFinding>,
}

/// A library that submissions of a course may use, unless its competition says otherwise.
#[derive(Serialize)]
struct LibraryFinding {
    game: &'static str,
    language: &'static str,
    library: &'static str,
    /// What to do where it is not installed.
    missing: Option<String>,
}

/// A compiler or interpreter that submissions may need.
#[derive(Serialize)]
struct ToolchainFinding {
    program: &'static str,
    /// What it says of itself; none if it is not installed.
    version: Option<String>,
    /// The package that has it on Debian and Ubuntu.
    package: &'static str,
    /// Only programs of the protocol need it, and no course.
    optional: bool,
}

/// Program, the argument that makes it tell its version, package, whether it is optional.
const TOOLCHAINS: [(&str, &str, &str, bool); 6] = [
    ("g++", "--version", "g++", false),
    ("ghc", "--version", "ghc", false),
    ("ocamlfind", "ocamlopt -version", "ocaml-findlib", false),
    ("python3", "--version", "python3", false),
    ("rustc", "--version", "rustc", true),
    ("node", "--version", "nodejs", true),
];

/// Where submissions find programs: nowhere else, whatever the user's PATH is.
const FOLDERS: [&str; 3] = ["/usr/local/bin", "/usr/bin", "/bin"];

impl DoctorArgs {
    /// Looks and tells.
    ///
    /// # Errors
    /// When programs cannot be shut in here.
    pub(super) fn execute(&self) -> Result<Done, JudgeError> {
        let isolation = Isolation::find();
        let findings = DoctorFindings {
            mechanisms: isolation.mechanisms(),
            channels: isolation.channels(),
            toolchains: TOOLCHAINS.map(toolchain).into(),
            libraries: libraries()?,
            isolation,
        };
        if self.json {
            let text = serde_json::to_string_pretty(&findings).expect("plain data");
            say!("{text}");
        } else {
            say!("{}", findings.shown().trim_end());
        }
        findings.isolation.admit(self.weak_isolation)?;
        Ok(Done::Success)
    }
}

impl DoctorFindings {
    fn shown(&self) -> String {
        let mechanisms = self.mechanisms.iter().map(|mechanism| {
            let Mechanism { name, detail, .. } = mechanism;
            if mechanism.present {
                format!("  yes {name}: {detail}\n")
            } else {
                format!("  no  {name}: needs {detail}\n")
            }
        });
        let toolchains = self.toolchains.iter().map(|toolchain| {
            let ToolchainFinding {
                program,
                package,
                optional,
                ..
            } = toolchain;
            let optional = if *optional { " (optional)" } else { "" };
            match &toolchain.version {
                Some(version) => format!("  yes {program}{optional}: {version}\n"),
                None => format!("  no  {program}{optional}: run: apt-get install {package}\n"),
            }
        });
        let channels = self
            .channels
            .iter()
            .map(|Channel { brief, detail }| format!("  {brief}: {detail}\n"));
        let (mechanisms, channels, toolchains) = (
            mechanisms.collect::<String>(),
            channels.collect::<String>(),
            toolchains.collect::<String>(),
        );
        format!(
            "isolation: {}\n{mechanisms}bots can still learn about each other from:\n{channels}toolchains:\n{toolchains}\
             libraries that submissions may use (a competition's key libraries changes the list):\n{}",
            self.isolation,
            self.shown_libraries()
        )
    }
}

impl DoctorFindings {
    /// Lists the libraries, those of a game in one line.
    fn shown_libraries(&self) -> String {
        let mut shown = String::new();
        for of_game in self.libraries.chunk_by(|a, b| a.game == b.game) {
            let LibraryFinding { game, language, .. } = &of_game[0];
            let (missing, there): (Vec<_>, Vec<_>) =
                of_game.iter().partition(|one| one.missing.is_some());
            if !there.is_empty() {
                let names: Vec<&str> = there.iter().map(|one| one.library).collect();
                let names = names.join(", ");
                let _ = writeln!(shown, "  yes {game} ({language}): {names}");
            }
            for words in missing.iter().filter_map(|one| one.missing.as_deref()) {
                let _ = writeln!(shown, "  no  {game} ({language}): {words}");
            }
        }
        shown
    }
}

/// Looks for the libraries that the kits name.
fn libraries() -> Result<Vec<LibraryFinding>, JudgeError> {
    let mut found = Vec::new();
    for entry in engines::GAMES {
        for kit in entry.kits {
            for library in kit.libraries {
                found.push(LibraryFinding {
                    game: entry.info.slug,
                    language: kit.language,
                    library,
                    missing: intake::lacks_library(kit, library)?,
                });
            }
        }
    }
    Ok(found)
}

fn toolchain(
    (program, question, package, optional): (&'static str, &str, &'static str, bool),
) -> ToolchainFinding {
    let path = FOLDERS.map(|folder| Path::new(folder).join(program));
    let path = path.iter().find(|path| path.exists());
    let answer = path.and_then(|path| {
        let command = Command::new(path).args(question.split(' ')).output().ok()?;
        let text = String::from_utf8_lossy(&command.stdout).into_owned();
        text.lines().next().map(str::to_owned)
    });
    ToolchainFinding {
        program,
        version: answer,
        package,
        optional,
    }
}
