//! Haskell sources: one file, compiled under Safe Haskell together with the judge's own main.

use super::{KitLanguage, syntax_of};
use crate::build::build_folder::BuildFolder;
use crate::build::built_program::{BuiltProgram, Says};
use crate::build::failed_builds::{BuildError, BuildFailure, built};
use crate::build::toolchains::Toolchains;
use crate::build::toolchains::found::{Toolchain, ask, version};
use crate::read::names::{base_name, folder_of};
use crate::read::source::{SourceFile, has_ending, kit_files, kit_text, without_mark};
use crate::read::submission::Submission;
use engines::{Kit, Sign};
use model::artifact::KIT_STARTUP_FREE_MS;
use model::fault::quote;

const COMPILER: &str = "ghc";

const PROGRAM: &str = "bot";

/// `-v0` leaves errors and warnings. `-V0` omits the timer, which would tick at the author's expense
/// while the kit waits. A submission cannot change flags: its pragmas choose warnings and `-O` only.
const FLAGS: &str = "--make -v0 -O2 -i. -hide-all-packages -package base -o bot \
                     -with-rtsopts=-V0 JudgeMain.hs";

const LIST: &[&str] = &["--global", "list", "--simple-output", "--names-only"];

/// It is on the source's first line, so that the compiler's line numbers are the author's. Foreign
/// functions could be C code of the author's, which would run unchecked.
const SAFE: &str = "{-# LANGUAGE Safe, NoForeignFunctionInterface #-} ";

/// The program then checks itself, and prints nickname and author as JSON, or an error at last.
const CHECK: &str = "--check";

const NICKNAME: &str = "nickname: ";
const AUTHOR: &str = "author: ";

const TRACE: &str = "Debug.Trace";

pub(super) struct Haskell;

impl KitLanguage for Haskell {
    fn toolchain(&self, tools: &Toolchains, libraries: &[String]) -> Result<Toolchain, BuildError> {
        let found = tools.find(COMPILER).map_err(BuildFailure::lacking)?;
        let version = version(&found.path, "--version")?;
        check_installed(tools, libraries)?;
        Ok(Toolchain {
            identity: format!(
                "{version} {}{}",
                flags(libraries).join(" "),
                found.in_identity()
            ),
            versions: vec![version],
            opened: found.opened.into_iter().collect(),
            programs: vec![(COMPILER, found.path)],
        })
    }

    fn has_library(&self, tools: &Toolchains, library: &str) -> Result<(), BuildError> {
        check_installed(tools, &[library.to_owned()])
    }

    fn choose(&self, submission: &mut Submission, kit: &Kit) -> Result<Vec<SourceFile>, String> {
        let Sign::Anywhere(wanted) = kit.sign else {
            return Err("the kit names no main file".to_owned());
        };
        let mut named: Vec<&SourceFile> = submission
            .files
            .iter()
            .filter(|file| base_name(&file.path) == wanted)
            .collect();
        named.sort_by_key(|file| file.path.matches('/').count());
        let Some(main) = named.first() else {
            return Err(format!("{wanted} is missing"));
        };
        let mut chosen = vec![shut_in(wanted, &main.bytes)?];
        if let Some(other) = named.get(1) {
            submission.warnings.push(format!(
                "left out {}: {} is closer to the top of the submission",
                other.path, main.path
            ));
        }
        let (modules, notes) = sibling_modules(&submission.files, &main.path, kit);
        submission.warnings.extend(notes);
        chosen.extend(modules);
        let tracing = chosen.iter().filter(|module| imports(&module.bytes, TRACE));
        submission.warnings.extend(tracing.map(|module| {
            let path = &module.path;
            format!("{path} imports {TRACE}, which prints; the course forbids side effects")
        }));
        chosen.extend(kit_files(kit));
        Ok(chosen)
    }

    fn build(&self, place: &BuildFolder<'_>) -> Result<BuiltProgram, BuildError> {
        let args = flags(place.libraries);
        let output = place.step(place.toolchain.program(COMPILER), &args)?;
        place.keep_only(PROGRAM)?;
        let checked = built(place.step(&place.folder.join(PROGRAM), &[CHECK.to_owned()]))?
            .map_err(BuildFailure::in_its_last_words)?;
        let (Some(nickname), Some(author)) =
            (reported(NICKNAME, &checked), reported(AUTHOR, &checked))
        else {
            let reason = "the check did not find exactly one nickname and one author";
            return Err(BuildFailure::with(reason.to_owned(), checked).into());
        };
        Ok(BuiltProgram {
            args: vec![serde_json::to_string(&nickname).expect("a text")],
            output,
            says: Says {
                nickname: Some(nickname),
                author: Some(quote(author)).filter(|author| !author.trim().is_empty()),
            },
            startup_free_ms: Some(KIT_STARTUP_FREE_MS),
            ..BuiltProgram::plain(PROGRAM)
        })
    }
}

fn check_installed(tools: &Toolchains, libraries: &[String]) -> Result<(), BuildError> {
    if libraries.is_empty() {
        return Ok(());
    }
    let registry = tools.find("ghc-pkg").map_err(BuildFailure::lacking)?;
    let listed = ask(&registry.path, LIST)?;
    let status = listed.status;
    if !status.success() {
        let reason = format!("ghc-pkg list failed ({status}); reinstall ghc");
        return Err(BuildFailure::lacking(reason).into());
    }
    let listed = String::from_utf8_lossy(&listed.stdout);
    let is_absent = |library: &&String| !listed.split_whitespace().any(|one| one == **library);
    match libraries.iter().find(is_absent) {
        None => Ok(()),
        Some(library) => Err(BuildError::Failure(BuildFailure::lacking(format!(
            "the Haskell library {library} is not installed; run: apt-get install libghc-{library}-dev"
        )))),
    }
}

fn flags(libraries: &[String]) -> Vec<String> {
    let packages = libraries
        .iter()
        .flat_map(|library| ["-package", library.as_str()]);
    let flags = FLAGS.split(' ').chain(packages);
    flags.map(str::to_owned).collect()
}

fn shut_in(path: &str, bytes: &[u8]) -> Result<SourceFile, String> {
    if model::advice::is_utf_16(bytes) {
        let path = quote(path);
        return Err(format!("{path} is UTF-16; save it as UTF-8"));
    }
    let text = without_mark(bytes);
    check(text)?;
    Ok(SourceFile::new(path, [SAFE.as_bytes(), text].concat()))
}

/// Takes the modules next to `main` or below, with notes on files that are left out or replaced.
fn sibling_modules(files: &[SourceFile], main: &str, kit: &Kit) -> (Vec<SourceFile>, Vec<String>) {
    let (mut modules, mut notes) = (Vec::new(), Vec::new());
    for file in files.iter().filter(|file| file.path != main) {
        let inside = file.path.strip_prefix(folder_of(main));
        let Some(path) = inside.filter(|path| has_ending(path, &["hs"])) else {
            continue;
        };
        let shown = &file.path;
        match (kit_text(kit, path), shut_in(path, &file.bytes)) {
            (Some(own), _) if essence(&file.bytes) == essence(own.as_bytes()) => {}
            (Some(_), _) => notes.push(format!(
                "{shown} differs from the judge's copy, which was used instead"
            )),
            (None, Ok(module)) => {
                let wanted = base_name(main);
                notes.push(format!(
                    "{shown} is a second module; the course asks for one file, {wanted}"
                ));
                modules.push(module);
            }
            (None, Err(reason)) => notes.push(format!("left out {shown}: {reason}")),
        }
    }
    (modules, notes)
}

/// Returns a module's code without comments, blanks, its header and derived classes.
fn essence(bytes: &[u8]) -> String {
    let code = syntax_of("haskell").without_comments(bytes);
    let body = match code.split_once("where") {
        Some((header, body)) if header.trim_start().starts_with("module") => body,
        _ => &code,
    };
    let dense: String = body.split_whitespace().collect();
    let mut pieces = dense.split("deriving(");
    let first = pieces.next().unwrap_or_default().to_owned();
    pieces.fold(first, |code, piece| {
        code + piece.split_once(')').map_or(piece, |(_, rest)| rest)
    })
}

fn imports(bytes: &[u8], wanted: &str) -> bool {
    let text = String::from_utf8_lossy(bytes);
    text.lines().any(|line| {
        let mut words = line.split(|c: char| c.is_whitespace() || c == '(');
        words.next() == Some("import")
            && words.find(|word| {
                !word.is_empty() && !["safe", "qualified"].contains(word) && !word.starts_with('"')
            }) == Some(wanted)
    })
}

fn reported(name: &str, checked: &str) -> Option<String> {
    let mut found = checked.lines().filter_map(|line| line.strip_prefix(name));
    let only = found.next().filter(|_| found.next().is_none())?;
    serde_json::from_str(only).ok()
}

const BEGIN: &str = "{-#";
const END: &str = "#-}";

/// Extensions that include text or code from outside, unless GHC itself refuses them in Safe Haskell.
const FORBIDDEN: &str = "CPP TemplateHaskell QuasiQuotes ForeignFunctionInterface CApiFFI \
                         InterruptibleFFI JavaScriptFFI GHCForeignImportPrim UnliftedFFITypes";

fn check(text: &[u8]) -> Result<(), String> {
    let text = String::from_utf8_lossy(text);
    let mut rest: &str = &text;
    while let Some(at) = rest.find(BEGIN) {
        rest = &rest[at + BEGIN.len()..];
        check_one(rest.split(END).next().unwrap_or(rest))?;
    }
    Ok(())
}

fn check_one(pragma: &str) -> Result<(), String> {
    let pragma = pragma.trim_start();
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let (name, words) = pragma.split_at(pragma.find(|c| !is_part(c)).unwrap_or(pragma.len()));
    if !name.is_ascii() {
        // GHC takes some of these letters for others: `İ` for `i`.
        return Err(format!(
            "the pragma {} has non-ASCII letters; write it in ASCII",
            quote(name)
        ));
    }
    match name.to_ascii_uppercase().as_str() {
        "OPTIONS_HADDOCK" => Ok(()),
        "LANGUAGE" => check_language(words),
        "INCLUDE" => Err("it has an INCLUDE pragma, which is not allowed; remove it".to_owned()),
        options if options.starts_with("OPTIONS") => {
            match words.split_whitespace().find(|flag| !is_harmless(flag)) {
                Some(flag) => Err(format!(
                    "it sets the compiler option {}, but only warnings (-W...) and optimisation (-O, -O1, -O2) are allowed; remove it",
                    quote(flag)
                )),
                None => Ok(()),
            }
        }
        _ => Ok(()),
    }
}

fn check_language(words: &str) -> Result<(), String> {
    if words.contains("{-") || words.contains("--") {
        return Err("it has a comment inside a LANGUAGE pragma; remove the comment".to_owned());
    }
    let mut names = words.split(|c: char| !c.is_alphanumeric());
    match names.find(|name| FORBIDDEN.split(' ').any(|known| known == *name)) {
        Some(name) => Err(format!(
            "it uses the extension {name}, which is forbidden because it runs code from outside; remove it"
        )),
        None => Ok(()),
    }
}

/// Returns whether a flag only chooses warnings or the level of optimisation.
fn is_harmless(flag: &str) -> bool {
    let is_plain = |name: &str| {
        name.bytes()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, b'-' | b'='))
    };
    let warns = ["-W", "-fwarn-", "-fno-warn-"];
    let mut names = warns.iter().filter_map(|start| flag.strip_prefix(start));
    matches!(flag, "-w" | "-O" | "-O0" | "-O1" | "-O2") || names.any(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn byte_order_mark_is_stripped_utf_16_refused() {
        let marked = shut_in("A.hs", b"\xef\xbb\xbfmodule A where").expect("plain");
        assert_eq!(marked.bytes, format!("{SAFE}module A where").into_bytes());
        let refused = shut_in("A.hs", b"\xff\xfem\0").expect_err("no compiler reads it");
        assert_eq!(refused, "A.hs is UTF-16; save it as UTF-8");
    }

    #[test]
    fn given_module_copy_differs_only_by_code() {
        let own = b"{-# LANGUAGE Safe #-}\n-- | Types.\nmodule Reversi (A (..)) where\n\ndata A = B | C\n  deriving (Eq, Show)\n";
        let same = b"module Reversi where\ndata A = B  | C deriving (Eq)\n";
        assert_eq!(essence(own), essence(same));
        let more = b"module Reversi where\ndata A = B | C deriving (Eq)\nf = 1\n";
        assert_ne!(essence(own), essence(more));
    }

    #[test]
    fn an_import_is_found_however_it_is_written() {
        for line in [
            "import Debug.Trace",
            "import qualified Debug.Trace as T",
            "import safe Debug.Trace(trace)",
            "import \"base\" Debug.Trace (trace)",
        ] {
            let text = format!("module A where\n{line}\n");
            assert!(imports(text.as_bytes(), TRACE), "{line}");
        }
        let others = b"-- import Debug.Trace\nimport Debug.Tracer\n";
        assert!(!imports(others, TRACE));
    }

    #[test]
    fn only_one_quoted_nickname_is_found_among_traces() {
        let checked = "a trace\nnickname: \"Anna\"\nanother\n";
        assert_eq!(reported(NICKNAME, checked).as_deref(), Some("Anna"));
        for odd in ["", "nickname: Anna\n", "nickname: \"a\"\nnickname: \"b\"\n"] {
            assert_eq!(reported(NICKNAME, odd), None, "{odd}");
        }
    }

    /// In a row, `⏎` is a line's end and `⇥` a tab.
    #[test]
    fn pragmas_running_programs_are_refused_in_any_spelling() {
        for row in include_str!("pragmas.txt").lines() {
            let (verdict, text) = row.split_once(" =>").expect("a row");
            let text = text.trim_start().replace('⏎', "\n").replace('⇥', "\t");
            assert_eq!(check(text.as_bytes()).is_ok(), verdict == "taken", "{text}");
        }
    }
}
