//! `judge doctor`: reports the machine's abilities, and the requirements for more.

use super::exit::Done;
use super::new::languages_of_all;
use super::out::{self, Form};
use crate::terminal::joined;
use clap::Args;
use intake::{FoundProgram, ProgramCache, Toolchains};
use model::artifact::IsolationLevel;
use model::language::Language;
use rulebook::Result;
use run::commands::path_for_shell;
use run::{CompetitionSpec, toolchains};
use sandbox::{Channel, Isolation, Mechanism};
use serde::Serialize;
use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};

#[derive(Args)]
pub(super) struct DoctorArgs {
    #[command(flatten)]
    form: Form,
    /// Also look for the toolchains that this competition names
    #[arg(long, value_name = "FILE")]
    competition: Option<String>,
    /// Accept a machine that isolates programs weakly
    #[arg(long)]
    weak_isolation: bool,
    /// Also list what bots can still learn about each other
    #[arg(long)]
    verbose: bool,
}

#[derive(Serialize)]
struct DoctorFindings {
    level: IsolationLevel,
    /// The command after which isolation is sealed, if a setting forbids it.
    remedy: Option<String>,
    isolation: Isolation,
    mechanisms: Vec<Mechanism>,
    channels: Vec<Channel>,
    toolchains: Vec<ToolchainFinding>,
    named: Vec<ProgramFinding>,
    /// The folders of PATH that are not searched, with the reasons.
    distrusted: Vec<(String, String)>,
    libraries: Vec<LibraryFinding>,
    /// Programs that are not built again; `None` where they cannot be kept.
    cache: Option<CacheFinding>,
}

#[derive(Serialize)]
struct CacheFinding {
    folder: PathBuf,
    bytes: u64,
}

#[derive(Serialize)]
struct ProgramFinding {
    program: String,
    /// The version that the program prints; `None` if it is not installed.
    version: Option<String>,
    /// The folder of its toolchain, if outside the system's usual folders.
    folder: Option<String>,
}

/// A library that submissions of a course may use, unless its competition says otherwise.
#[derive(Serialize)]
struct LibraryFinding {
    game: &'static str,
    language: &'static str,
    library: &'static str,
    missing: Option<String>,
}

#[derive(Serialize)]
struct ToolchainFinding {
    #[serde(flatten)]
    found: ProgramFinding,
    /// The reason why an installed program cannot be used, or the package to install.
    missing: Option<String>,
    /// The package of Debian and Ubuntu with the program.
    package: &'static str,
    /// Whether only programs of the protocol need it, and no course.
    optional: bool,
}

impl DoctorArgs {
    pub(super) fn execute(&self) -> Result<Done> {
        let mut isolation = Isolation::find();
        let tools = self.toolchains(&mut isolation)?;
        let mut found: Vec<ToolchainFinding> = languages_of_all()
            .into_iter()
            .filter_map(Language::named)
            .filter_map(|language| toolchain(&tools, language))
            .collect();
        found.sort_by_key(|one| one.optional);
        let is_known = |name: &str| found.iter().any(|one| one.found.program == name);
        let named = tools.named().filter(|name| !is_known(name));
        let distrusted = |(folder, why): (&Path, &str)| (folder.display().to_string(), why.into());
        let findings = DoctorFindings {
            level: isolation.level(),
            remedy: isolation.remedy(),
            mechanisms: isolation.mechanisms(),
            channels: isolation.channels(),
            named: named
                .filter_map(|name| Some(program(&tools, name, Some(&tools.find(name).ok()?))))
                .collect(),
            toolchains: found,
            distrusted: tools.distrusted().map(distrusted).collect(),
            libraries: libraries(&tools)?,
            cache: ProgramCache::of_user().map(|cache| CacheFinding {
                bytes: cache.bytes(),
                folder: cache.folder().to_owned(),
            }),
            isolation,
        };
        if self.form.is_json() {
            out::json(&findings);
        } else {
            say!("{}", findings.shown(self.verbose).join("\n"));
        }
        findings.isolation.admit(self.weak_isolation)?;
        Ok(Done::Success)
    }

    fn toolchains(&self, isolation: &mut Isolation) -> Result<Toolchains> {
        let spec = CompetitionSpec {
            named: self.competition.clone(),
            ..CompetitionSpec::default()
        };
        let named = spec.read_named()?.map(|loaded| loaded.toolchains);
        toolchains(&named.unwrap_or_default(), isolation)
    }
}

fn line(is_there: bool, what: fmt::Arguments<'_>) -> String {
    let there = if is_there { "yes" } else { "no " };
    format!("  {there} {what}")
}

impl DoctorFindings {
    fn shown(&self, is_verbose: bool) -> Vec<String> {
        let mut lines = vec![self.summary()];
        lines.extend(
            self.remedy
                .iter()
                .map(|command| format!("to seal programs off: {command}")),
        );
        lines.push(format!("isolation: {}", self.isolation));
        for one in &self.mechanisms {
            lines.push(line(
                one.present,
                format_args!("{}: {}", one.name, one.detail),
            ));
        }
        lines.push("bots can still learn about each other from:".to_owned());
        if is_verbose {
            for Channel { brief, detail } in &self.channels {
                lines.push(format!("  {brief}: {detail}"));
            }
        } else {
            lines.push(format!(
                "  {} kinds of things (judge doctor --verbose lists them)",
                self.channels.len()
            ));
        }
        lines.push("toolchains:".to_owned());
        for one in &self.toolchains {
            let ProgramFinding {
                program,
                version,
                folder,
            } = &one.found;
            let optional = if one.optional { " (optional)" } else { "" };
            let missing = one.missing.as_deref().unwrap_or("says no version");
            let found = match (version, folder) {
                (None, _) => missing.to_owned(),
                (Some(version), None) => version.clone(),
                (Some(version), Some(folder)) => format!("{version} ({folder})"),
            };
            lines.push(line(
                version.is_some(),
                format_args!("{program}{optional}: {found}"),
            ));
        }
        for one in &self.named {
            let version = one.version.as_deref().unwrap_or("says no version");
            let folder = one.folder.as_deref().unwrap_or("of the system");
            lines.push(line(
                true,
                format_args!("{}: {version} ({folder})", one.program),
            ));
        }
        for (folder, why) in &self.distrusted {
            lines.push(line(
                false,
                format_args!("{folder} in PATH: not searched: {why}"),
            ));
        }
        lines.push(
            "libraries that submissions may use (a competition's key libraries changes the list):"
                .to_owned(),
        );
        lines.extend(self.shown_libraries());
        if let Some(CacheFinding { folder, bytes }) = &self.cache {
            let (mib, folder) = (bytes.div_ceil(1 << 20), path_for_shell(folder));
            lines.push(format!(
                "programs that are not built again: {mib} MiB; to remove them: rm -r {folder}"
            ));
        }
        lines
    }

    fn summary(&self) -> String {
        let can = match self.level {
            IsolationLevel::Sealed => "this machine can run tournaments",
            IsolationLevel::Weak => {
                "this machine runs tournaments only with --weak-isolation; check, play and match work"
            }
        };
        let mut lacks: Vec<&str> = self
            .toolchains
            .iter()
            .map(|one| &one.found)
            .filter(|one| one.version.is_none())
            .map(|one| one.program.as_str())
            .collect();
        let is_listed = |one: &&LibraryFinding| {
            let compiler = Language::named(one.language).and_then(Language::main_program);
            one.missing.is_some() && !compiler.is_some_and(|it| lacks.contains(&it.name))
        };
        let libraries: Vec<&str> = self
            .libraries
            .iter()
            .filter(is_listed)
            .map(|one| one.library)
            .collect();
        lacks.extend(libraries);
        if lacks.is_empty() {
            return can.to_owned();
        }
        format!("{can}; for some submissions it lacks {}", lacks.join(", "))
    }

    fn shown_libraries(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for of_game in self.libraries.chunk_by(|a, b| a.game == b.game) {
            let LibraryFinding { game, language, .. } = &of_game[0];
            let there = of_game.iter().filter(|one| one.missing.is_none());
            let names = joined(there.map(|one| one.library), ", ");
            if !names.is_empty() {
                lines.push(line(true, format_args!("{game} ({language}): {names}")));
            }
            // Without their compiler, all libraries of a language lack the same.
            let missing = of_game.iter().filter_map(|one| one.missing.as_ref());
            for words in missing.collect::<BTreeSet<_>>() {
                lines.push(line(false, format_args!("{game} ({language}): {words}")));
            }
        }
        lines
    }
}

fn libraries(tools: &Toolchains) -> Result<Vec<LibraryFinding>> {
    let mut found = Vec::new();
    for rules in rulebook::rules::built_in() {
        for kit in rules.kits() {
            for library in kit.libraries {
                found.push(LibraryFinding {
                    game: rules.info().slug,
                    language: kit.language,
                    library,
                    missing: intake::lacks_library(tools, kit, library)?,
                });
            }
        }
    }
    Ok(found)
}

fn program(tools: &Toolchains, name: &str, found: Option<&FoundProgram>) -> ProgramFinding {
    ProgramFinding {
        program: name.to_owned(),
        version: found.and_then(|found| tools.version_of(name, found)),
        folder: found.and_then(FoundProgram::shown_folder),
    }
}

/// Looks for a language's main program as a build would; `None` if every system has it.
fn toolchain(tools: &Toolchains, language: &Language) -> Option<ToolchainFinding> {
    let main = language.main_program()?;
    let package = main.package?;
    let found = tools.find(main.name);
    let mut kits = rulebook::rules::built_in().flat_map(|rules| rules.kits());
    Some(ToolchainFinding {
        found: program(tools, main.name, found.as_ref().ok()),
        missing: found.err(),
        package,
        optional: !kits.any(|kit| kit.language == language.name),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_missing_requirement_of_libraries_is_stated_once() {
        let library = |library| LibraryFinding {
            game: "reversi",
            language: "haskell",
            library,
            missing: Some("ghc is not installed".to_owned()),
        };
        let findings = DoctorFindings {
            level: IsolationLevel::Sealed,
            remedy: None,
            isolation: Isolation::find(),
            mechanisms: Vec::new(),
            channels: Vec::new(),
            toolchains: Vec::new(),
            named: Vec::new(),
            distrusted: Vec::new(),
            libraries: ["array", "text"].map(library).into(),
            cache: None,
        };
        let shown = findings.shown_libraries();
        assert_eq!(shown, ["  no  reversi (haskell): ghc is not installed"]);
        assert!(findings.summary().ends_with("it lacks array, text"));
        let findings = DoctorFindings {
            toolchains: vec![ToolchainFinding {
                found: ProgramFinding {
                    program: "ghc".to_owned(),
                    version: None,
                    folder: None,
                },
                missing: None,
                package: "ghc",
                optional: false,
            }],
            ..findings
        };
        assert!(findings.summary().ends_with("it lacks ghc"));
    }
}
