//! A submission that is already a program.

#![expect(
    clippy::disallowed_methods,
    reason = "it is the judge's own program, and files that the judge writes"
)]

use crate::read::archive;
use crate::read::names::{GAME_FILE, dashless};
use crate::read::source::{DOCUMENTS, SourceFile, has_ending, mode};
use crate::read::submission::Submission;
use model::advice::{self, is_utf_16};
use model::competition;
use model::draw::hash;
use model::fault::quote;
use model::language::Language;
use model::text::for_shell;
use sandbox::SYSTEM;
use std::fs;
use std::io::{self, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path, PathBuf};

const PROGRAM_STEM: &str = "bot";

/// Finds the executable named `bot`, or the only one. The error says why there is none, if known.
pub(crate) fn find(files: &[SourceFile]) -> Result<usize, Option<String>> {
    let runs = |(_, file): &(usize, &SourceFile)| file.executable && file.is_flat();
    let executables: Vec<(usize, &SourceFile)> = files.iter().enumerate().filter(runs).collect();
    let is_named = |file: &SourceFile| is_named_as_program(&file.path);
    let named = executables.iter().find(|(_, file)| is_named(file));
    match (named, executables.as_slice()) {
        (Some((index, _)), _) | (None, [(index, _)]) => Ok(*index),
        (None, []) => Err(none(files, files.iter().find(|file| is_named(file)))),
        (None, several) => {
            let all: Vec<&str> = several.iter().map(|(_, file)| file.path.as_str()).collect();
            Err(Some(format!(
                "has several executables ({}); rename the one that is your bot to {PROGRAM_STEM}",
                all.join(", ")
            )))
        }
    }
}

pub(crate) const NOTHING: &str = "contains neither a course's source files nor an executable";

pub(crate) fn is_named_as_program(path: impl AsRef<Path>) -> bool {
    let stem = path.as_ref().file_stem();
    stem.is_some_and(|stem| stem == PROGRAM_STEM)
}

/// Platforms keep no modes.
pub(crate) fn restore_modes(files: &mut [SourceFile]) {
    if files.iter().all(|file| !file.executable) {
        for file in files {
            file.executable = archive::looks_like_a_program(&file.bytes);
        }
    }
}

pub(crate) fn find_without_modes(files: &mut [SourceFile]) -> Option<usize> {
    if files.iter().any(|file| file.executable) {
        return None;
    }
    restore_modes(files);
    find(files).ok().or_else(|| {
        for file in files {
            file.executable = false;
        }
        None
    })
}

pub(crate) fn needs_description(files: &[SourceFile]) -> Option<&'static str> {
    let is_meant_to_run = |file: &SourceFile| {
        archive::looks_like_a_program(&file.bytes)
            || advice::on_file(&file.path, &file.bytes).is_some()
    };
    (sources_alone(files).next().is_some() && !files.iter().any(is_meant_to_run)).then_some(
        "add a judge.toml that says how it is built and run, such as build = \"make\" and run = \"./bot\"",
    )
}

/// Returns the lines of a `judge.toml` for the only source, if its text speaks of `ready` or nothing
/// `else` is meant.
pub(crate) fn usual_manifest(files: &[SourceFile], is_else_meant: bool) -> Option<String> {
    let is_other = |file: &SourceFile| {
        [competition::FILE_NAME, GAME_FILE].contains(&file.path.as_str())
            || archive::looks_like_a_program(&file.bytes)
    };
    let mut sources = sources_alone(files);
    let (Some(source), None) = (sources.next(), sources.next()) else {
        return None;
    };
    let speaks = || source.bytes.windows(5).any(|word| word == b"ready");
    let is_meant = source.is_flat() && !source.is_empty() && (!is_else_meant || speaks());
    if !is_meant || is_utf_16(&source.bytes) || files.iter().any(is_other) {
        return None;
    }
    Language::of_file(&source.path)?.manifest_of(&source.path)
}

fn sources_alone(files: &[SourceFile]) -> impl Iterator<Item = &SourceFile> {
    files
        .iter()
        .filter(|file| Language::is_program_alone(&file.path))
}

/// Quotes a path as an operand of a command, never as a flag.
fn operand(path: &str) -> String {
    for_shell(&dashless(path))
}

/// Returns why there is no program, if anything looks like one, such as `bot` by its name.
fn none(files: &[SourceFile], bot: Option<&SourceFile>) -> Option<String> {
    let looks = |file: &&SourceFile| archive::looks_like_a_program(&file.bytes);
    let mut flat = files.iter().filter(|file| file.is_flat()).filter(looks);
    let only = flat.next().filter(|_| flat.next().is_none());
    let bot_there = bot.filter(looks);
    if let Some(SourceFile { path, .. }) = bot_there.filter(|bot| bot.is_flat()).or(only) {
        let operand = operand(path);
        return Some(format!("{path} is not executable; run: chmod +x {operand}"));
    }
    if let Some(bot) = bot_there {
        let path = quote(&bot.path);
        return Some(format!(
            "{NOTHING}: {path} must be in the submission's top folder"
        ));
    }
    let has_advice = |file: &&SourceFile| {
        let is_reported = advice::on_file(&file.path, &file.bytes).is_some();
        is_reported && file.is_flat() && !has_ending(&file.path, DOCUMENTS)
    };
    let file = bot.or_else(|| files.iter().find(has_advice))?;
    let reason = interpreter(file).err().unwrap_or_default();
    Some(format!("{NOTHING}: {reason}"))
}

/// Checks that the kernel can execute a program. The message does not reveal whether a `closed`
/// folder has an interpreter.
pub(crate) fn check(program: &SourceFile, closed: &[PathBuf]) -> Result<(), String> {
    match interpreter(program)? {
        Some(interpreter) if !is_of_the_system(Path::new(&interpreter), closed) => Err(format!(
            "the first line of {} names {}, which is not a program of this machine's system",
            program.path,
            quote(interpreter)
        )),
        _ => Ok(()),
    }
}

/// Returns the interpreter of a script; `None` for a native ELF file. The C library would run anything
/// else as a shell script, which fails in every game.
pub(crate) fn interpreter(program: &SourceFile) -> Result<Option<String>, String> {
    let SourceFile { path, bytes, .. } = program;
    if bytes.starts_with(b"\x7fELF") {
        let own = own_header().ok();
        let native = own.as_ref().and_then(|own| machine(own)) == machine(bytes);
        let other =
            || format!("{path} was compiled for another kind of machine; build it on this one");
        return native.then_some(None).ok_or_else(other);
    }
    let Some(line) = first_line_of_script(bytes) else {
        let shown = quote(path);
        return Err(match advice::on_file(path, bytes) {
            Some(advice) => format!("{shown} {advice}"),
            None => format!(
                "{shown} is neither a program for this machine nor a script whose first line names its interpreter, \
                 for example #!/usr/bin/env python3"
            ),
        });
    };
    if line.ends_with(b"\r") {
        return Err(format!(
            "{path} has Windows line endings, so its first line does not name an interpreter; run: sed -i 's/\\r$//' {}",
            operand(path)
        ));
    }
    let line = String::from_utf8_lossy(line);
    let interpreter = line.split_whitespace().next().unwrap_or_default();
    Ok(Some(interpreter.to_owned()))
}

pub(crate) fn first_line_of_script(bytes: &[u8]) -> Option<&[u8]> {
    let script = bytes.strip_prefix(b"#!")?;
    script.split(|&byte| byte == b'\n').next()
}

/// Returns whether everybody may run a program of the system. An author learns nothing about other
/// places, not even whether a file exists there.
pub(crate) fn is_of_the_system(path: &Path, closed: &[PathBuf]) -> bool {
    let is_there = |path: &Path| {
        SYSTEM.iter().any(|folder| path.starts_with(folder))
            && !closed.iter().any(|folder| path.starts_with(folder))
    };
    if path.components().any(|part| part == Component::ParentDir) || !is_there(path) {
        return false;
    }
    let is_open = |path: &Path| {
        let meta = fs::metadata(path);
        meta.is_ok_and(|meta| meta.permissions().mode() & 0o001 != 0)
    };
    path.canonicalize()
        .is_ok_and(|real| is_there(&real) && real.is_file() && real.ancestors().all(is_open))
}

const HEADER_BYTES: usize = 20;

fn own_header() -> io::Result<[u8; HEADER_BYTES]> {
    let mut header = [0; HEADER_BYTES];
    fs::File::open("/proc/self/exe")?.read_exact(&mut header)?;
    Ok(header)
}

fn machine(elf: &[u8]) -> Option<(&[u8], &[u8])> {
    Some((elf.get(4..6)?, elf.get(18..20)?))
}

/// `interpreter` identifies the interpreter, unless it is the system's.
pub(crate) fn content_hash(
    submission: &Submission,
    program: usize,
    interpreter: &[String],
) -> String {
    let mut parts: Vec<&[u8]> = vec![b"executable", submission.files[program].path.as_bytes()];
    parts.extend(interpreter.iter().map(String::as_bytes));
    push_files(&mut parts, &submission.files);
    hash(&parts)
}

pub(crate) fn push_files<'a>(parts: &mut Vec<&'a [u8]>, files: &'a [SourceFile]) {
    for file in files {
        parts.extend([file.path.as_bytes(), mode(file.executable), &file.bytes]);
    }
}

pub(crate) fn write_files(files: &[SourceFile], folder: &Path) -> io::Result<()> {
    for file in files {
        let path = folder.join(&file.path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        let mut out = fs::File::create(&path)?;
        out.write_all(&file.bytes)?;
        let mode = if file.executable { 0o755 } else { 0o644 };
        out.set_permissions(PermissionsExt::from_mode(mode))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_in_closed_folder_count_as_missing() {
        let script = |path: &str| SourceFile {
            path: "bot".to_owned(),
            bytes: format!("#!{path}\n").into_bytes(),
            executable: true,
        };
        let shell = Path::new("/usr/bin/env").canonicalize().expect("there");
        let there = shell.to_str().expect("text");
        let folder = shell.parent().expect("a folder").to_owned();
        let gone = folder.join("no-such-program");
        let gone = gone.to_str().expect("text");
        assert_eq!(check(&script(there), &[]), Ok(()));
        let closed = [folder];
        let reported = |path: &str| {
            let refused = check(&script(path), &closed).expect_err("it is closed");
            refused.replace(path, "…")
        };
        assert_eq!(reported(there), reported(gone));
        assert!(interpreter(&script(there)).is_ok_and(|found| found.as_deref() == Some(there)));
    }
}
