//! `judge doctor`: reports the machine's abilities, and the requirements for more.

use super::exit::Done;
use super::out::{self, Form};
use crate::starter;
use clap::Args;
use intake::{ProgramCache, Toolchains};
use model::artifact::IsolationLevel;
use model::language::Language;
use rulebook::JudgeError;
use run::commands::path_for_shell;
use run::{CompetitionSpec, toolchains};
use sandbox::{Channel, Isolation, Mechanism};
use serde::Serialize;
use std::collections::BTreeSet;
use std::fmt::{self, Write as _};
use std::path::PathBuf;

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
    named: Vec<NamedFinding>,
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
struct NamedFinding {
    program: String,
    version: Option<String>,
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
    program: &'static str,
    /// The version that the program prints; `None` if it is not installed.
    version: Option<String>,
    /// The folder of its toolchain, if outside the system's usual folders.
    folder: Option<String>,
    /// The reason why an installed program cannot be used, or the package to install.
    missing: Option<String>,
    /// The package of Debian and Ubuntu with the program.
    package: &'static str,
    /// Whether only programs of the protocol need it, and no course.
    optional: bool,
}

impl DoctorArgs {
    pub(super) fn execute(&self) -> Result<Done, JudgeError> {
        let mut isolation = Isolation::find();
        let tools = self.toolchains(&mut isolation)?;
        let found = toolchains_found(&tools);
        let distrusted = tools.distrusted();
        let distrusted = distrusted.map(|(folder, why)| (folder.display().to_string(), why.into()));
        let findings = DoctorFindings {
            level: isolation.level(),
            remedy: isolation.remedy(),
            mechanisms: isolation.mechanisms(),
            channels: isolation.channels(),
            named: named(&tools, &found),
            toolchains: found,
            distrusted: distrusted.collect(),
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
            say!("{}", findings.shown(self.verbose).trim_end());
        }
        findings.isolation.admit(self.weak_isolation)?;
        Ok(Done::Success)
    }

    fn toolchains(&self, isolation: &mut Isolation) -> Result<Toolchains, JudgeError> {
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
    format!("  {there} {what}\n")
}

impl DoctorFindings {
    fn shown(&self, is_verbose: bool) -> String {
        let mut text = self.summary();
        text.push('\n');
        if let Some(command) = &self.remedy {
            writeln!(text, "to seal programs off: {command}").expect("writing to memory");
        }
        writeln!(text, "isolation: {}", self.isolation).expect("writing to memory");
        for one in &self.mechanisms {
            text += &line(one.present, format_args!("{}: {}", one.name, one.detail));
        }
        text += "bots can still learn about each other from:\n";
        if is_verbose {
            for Channel { brief, detail } in &self.channels {
                writeln!(text, "  {brief}: {detail}").expect("writing to memory");
            }
        } else {
            let kinds = self.channels.len();
            writeln!(
                text,
                "  {kinds} kinds of things (judge doctor --verbose lists them)"
            )
            .expect("writing to memory");
        }
        text += "toolchains:\n";
        for one in &self.toolchains {
            let optional = if one.optional { " (optional)" } else { "" };
            let missing = || one.missing.as_deref().unwrap_or("says no version");
            let folder = one.folder.as_ref().filter(|_| one.version.is_some());
            let folder = folder.map_or_else(String::new, |folder| format!(" ({folder})"));
            let found = one.version.as_deref().unwrap_or_else(missing);
            text += &line(
                one.version.is_some(),
                format_args!("{}{optional}: {found}{folder}", one.program),
            );
        }
        for one in &self.named {
            let version = one.version.as_deref().unwrap_or("says no version");
            let folder = one.folder.as_deref().unwrap_or("of the system");
            text += &line(true, format_args!("{}: {version} ({folder})", one.program));
        }
        for (folder, why) in &self.distrusted {
            text += &line(false, format_args!("{folder} in PATH: not searched: {why}"));
        }
        text += "libraries that submissions may use (a competition's key libraries changes the list):\n";
        text += &self.shown_libraries();
        if let Some(CacheFinding { folder, bytes }) = &self.cache {
            let (mib, folder) = (bytes.div_ceil(1 << 20), path_for_shell(folder));
            writeln!(
                text,
                "programs that are not built again: {mib} MiB; to remove them: rm -r {folder}"
            )
            .expect("writing to memory");
        }
        text
    }

    fn summary(&self) -> String {
        let can = match self.level {
            IsolationLevel::Sealed => "this machine can run tournaments",
            IsolationLevel::Weak => {
                "this machine runs tournaments only with --weak-isolation; check, play and match work"
            }
        };
        let without = |one: &&ToolchainFinding| one.version.is_none();
        let programs = self.toolchains.iter().filter(without);
        let programs: Vec<&str> = programs.map(|one| one.program).collect();
        let is_listed = |one: &&LibraryFinding| {
            let compiler = Language::named(one.language).and_then(Language::main_program);
            one.missing.is_some() && !compiler.is_some_and(|it| programs.contains(&it.name))
        };
        let libraries = self.libraries.iter().filter(is_listed);
        let libraries = libraries.map(|one| one.library);
        let lacks: Vec<&str> = programs.iter().copied().chain(libraries).collect();
        if lacks.is_empty() {
            return can.to_owned();
        }
        format!("{can}; for some submissions it lacks {}", lacks.join(", "))
    }

    fn shown_libraries(&self) -> String {
        let mut shown = String::new();
        for of_game in self.libraries.chunk_by(|a, b| a.game == b.game) {
            let LibraryFinding { game, language, .. } = &of_game[0];
            let (missing, there): (Vec<_>, Vec<_>) =
                of_game.iter().partition(|one| one.missing.is_some());
            if !there.is_empty() {
                let names: Vec<&str> = there.iter().map(|one| one.library).collect();
                let names = names.join(", ");
                shown += &line(true, format_args!("{game} ({language}): {names}"));
            }
            // Without their compiler, all libraries of a language lack the same.
            let words = missing.iter().filter_map(|one| one.missing.as_deref());
            for words in words.collect::<BTreeSet<&str>>() {
                shown += &line(false, format_args!("{game} ({language}): {words}"));
            }
        }
        shown
    }
}

fn libraries(tools: &Toolchains) -> Result<Vec<LibraryFinding>, JudgeError> {
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

/// Looks for the programs that the competition names, except those already in `known`.
fn named(tools: &Toolchains, known: &[ToolchainFinding]) -> Vec<NamedFinding> {
    let ours = |name: &&str| known.iter().all(|one| one.program != *name);
    let names = tools.named().filter(ours);
    let found = names.filter_map(|name| {
        let found = tools.find(name).ok()?;
        Some(NamedFinding {
            program: name.to_owned(),
            version: tools.version_of(name, &found),
            folder: found.shown_folder(),
        })
    });
    found.collect()
}

fn toolchains_found(tools: &Toolchains) -> Vec<ToolchainFinding> {
    let languages = starter::languages_of_all().into_iter();
    let found = languages.filter_map(|name| toolchain(tools, Language::named(name)?));
    let mut found: Vec<ToolchainFinding> = found.collect();
    found.sort_by_key(|one| one.optional);
    found
}

/// Looks for a language's main program as a build would; `None` if every system has it.
fn toolchain(tools: &Toolchains, language: &Language) -> Option<ToolchainFinding> {
    let program = language.main_program()?;
    let package = program.package?;
    let (found, missing) = match tools.find(program.name) {
        Ok(found) => (Some(found), None),
        Err(missing) => (None, Some(missing)),
    };
    let mut kits = rulebook::rules::built_in().flat_map(|rules| rules.kits());
    Some(ToolchainFinding {
        program: program.name,
        version: found
            .as_ref()
            .and_then(|found| tools.version_of(program.name, found)),
        folder: found.and_then(|found| found.shown_folder()),
        missing,
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
        assert_eq!(shown, "  no  reversi (haskell): ghc is not installed\n");
        assert!(findings.summary().ends_with("it lacks array, text"));
        let findings = DoctorFindings {
            toolchains: vec![ToolchainFinding {
                program: "ghc",
                version: None,
                folder: None,
                missing: None,
                package: "ghc",
                optional: false,
            }],
            ..findings
        };
        assert!(findings.summary().ends_with("it lacks ghc"));
    }
}
