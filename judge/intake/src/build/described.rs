//! A submission whose `judge.toml` describes how it is built and run.

use crate::build::build_folder::{BuildTime, first_error, open_own};
use crate::build::built_program::{BuiltProgram, called_by_env, head};
use crate::build::failed_builds::{BuildError, BuildFailure, built};
use crate::build::toolchains::found::SYSTEM_PROGRAMS;
use crate::build::toolchains::{FoundProgram, Toolchains, lacks_program, not_installed_in};
use crate::read::executable;
use crate::read::source::SourceFile;
use crate::read::submission::Submission;
use model::artifact::OpenToolchain;
use model::competition::BuildLimits;
use model::draw::hash;
use model::entrant::{About, Blame};
use model::fault::quote;
use model::{advice, language};
use rulebook::IoContext;
use rulebook::nearest::did_you_mean;
use sandbox::Builder;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::io::{self, ErrorKind};
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path, PathBuf};

pub(crate) fn program(
    about: &About,
    files: &[SourceFile],
    closed: &[PathBuf],
    tools: &Toolchains,
) -> Result<BuiltProgram, BuildFailure> {
    let words = about.run.as_deref().unwrap_or_default();
    let (first, args) = words.split_first().expect("an empty command is refused");
    let found = find(first, files, about.build.is_some(), closed, tools)
        .map_err(|reason| refused("judge.toml: run", first, &reason, tools))?;
    let is_outside = found.opened.is_some();
    let version = is_outside
        .then(|| tools.version_of(first, &found))
        .flatten();
    let called = called_by(about.build.as_deref().unwrap_or_default(), tools);
    let program = BuiltProgram {
        args: args.to_vec(),
        toolchains: found.opened.into_iter().collect(),
        versions: version.into_iter().chain(called).collect(),
        ..BuiltProgram::plain(&found.path.to_string_lossy())
    };
    let own = files
        .iter()
        .find(|file| found.path == Path::new(&file.path));
    Ok(match own {
        Some(own) => program.noting(&own.bytes, tools),
        None => program,
    })
}

fn called_by(command: &[String], tools: &Toolchains) -> Vec<String> {
    let splits = |c: char| !(c.is_ascii_alphanumeric() || "+-_.".contains(c));
    let words: BTreeSet<&str> = command.iter().flat_map(|text| text.split(splits)).collect();
    language::packaged()
        .into_iter()
        .filter(|program| words.contains(program.name))
        .filter_map(|program| {
            let found = tools.find(program.name).ok()?;
            tools.version_of(program.name, &found)
        })
        .collect()
}

pub(crate) fn make(
    about: &About,
    files: &[SourceFile],
    program: &BuiltProgram,
    folder: &Path,
    builder: Builder<'_>,
    limits: BuildLimits,
    tools: &Toolchains,
) -> Result<BuiltProgram, BuildError> {
    executable::write_files(files, folder).or_io("write", folder)?;
    if let Some(command) = &about.build {
        build(command, folder, builder, limits, tools)?;
    }
    check_program(folder, &program.path, &builder.isolation.closed)?;
    Ok(program.clone())
}

pub(crate) fn check_called(
    script: &SourceFile,
    closed: &[PathBuf],
    tools: &Toolchains,
) -> Result<(), BuildFailure> {
    if let Some(name) = called_by_env(&script.bytes)
        && tools.find(&name).is_err()
        && let Err(reason) = find(&name, &[], false, closed, tools)
    {
        let place = format!("the first line of {}", quote(&script.path));
        return Err(refused(&place, &name, &reason, tools));
    }
    Ok(())
}

/// If the first word is a known program, this machine lacks it.
fn refused(place: &str, word: &str, reason: &str, tools: &Toolchains) -> BuildFailure {
    lacks_program(tools, word).map_or_else(
        || BuildFailure::brief(format!("{place} {reason}")),
        BuildFailure::lacking,
    )
}

fn find(
    word: &str,
    files: &[SourceFile],
    is_built: bool,
    closed: &[PathBuf],
    tools: &Toolchains,
) -> Result<FoundProgram, String> {
    let shown = quote(word);
    let path = Path::new(word);
    if path.is_absolute() {
        return executable::is_of_the_system(path, closed)
            .then(|| FoundProgram::plain(path.to_owned()))
            .ok_or_else(|| {
                format!("names {shown}, which is not a program of this machine's system")
            });
    }
    let parts = path.components();
    if parts.clone().any(|part| part == Component::ParentDir) {
        return Err(format!(
            "names {shown}, which is outside the submission's folder"
        ));
    }
    let own: PathBuf = parts.filter(|part| *part != Component::CurDir).collect();
    let is_path = word.contains('/');
    if is_built && is_path || files.iter().any(|file| own == Path::new(&file.path)) {
        return Ok(FoundProgram::plain(own));
    }
    if is_path {
        return Err(format!("names {shown}, which is not in the submission"));
    }
    if language::package_of(word).is_some()
        && let Ok(found) = tools.find(word)
    {
        return Ok(found);
    }
    let places = SYSTEM_PROGRAMS.map(|folder| Path::new(folder).join(word));
    if let Some(place) = places.into_iter().find(|path| path.is_file()) {
        return Ok(FoundProgram::plain(place));
    }
    let known = language::packaged().into_iter();
    let meant = did_you_mean(word, known.map(|program| program.name));
    Err(format!(
        "names {shown}, which is neither in the submission nor in {}{meant}; write ./{shown} for a program that the build makes",
        SYSTEM_PROGRAMS.join(", ")
    ))
}

pub(crate) fn content_hash(
    submission: &Submission,
    program: &BuiltProgram,
    tools: &Toolchains,
) -> String {
    let mut identities = program.identity();
    if submission.about.build.is_some() {
        // The toolchains that its commands call are unknown.
        let outside = tools.outside().into_iter();
        let identity = |(found, name): (FoundProgram, &str)| {
            let version = tools.version_of(name, &found).unwrap_or_default();
            format!("{} {version}", found.folder().unwrap_or_default())
        };
        identities = outside.map(identity).collect();
    }
    let mut parts: Vec<&[u8]> = vec![b"described"];
    parts.extend(identities.iter().map(String::as_bytes));
    hash_of(parts, &submission.about, &submission.files)
}

pub(crate) fn hash_of<'a>(
    mut parts: Vec<&'a [u8]>,
    about: &'a About,
    files: &'a [SourceFile],
) -> String {
    for command in [&about.build, &about.run] {
        parts.push(b"command");
        parts.extend(command.iter().flatten().map(String::as_bytes));
    }
    parts.push(b"files");
    executable::push_files(&mut parts, files);
    hash(&parts)
}

fn build(
    command: &[String],
    folder: &Path,
    builder: Builder<'_>,
    limits: BuildLimits,
    tools: &Toolchains,
) -> Result<(), BuildError> {
    let found = find(&command[0], &[], true, &builder.isolation.closed, tools)
        .map_err(|reason| refused("judge.toml: build", &command[0], &reason, tools))?;
    let program = folder.join(found.path);
    if !program.is_file() {
        let shown = quote(&command[0]);
        let reason = format!("judge.toml: build names {shown}, which is not in the submission");
        return Err(BuildFailure::brief(reason).into());
    }
    let outside = tools.outside().into_iter();
    let opened: Vec<OpenToolchain> = outside.filter_map(|(found, _)| found.opened).collect();
    let isolation = builder.isolation.with_toolchains(&opened);
    let builder = Builder {
        isolation: &isolation,
        ..builder
    };
    let step = (&*program, &command[1..]);
    let name = "the build command";
    let run = BuildTime::begin(limits).step(builder, step, folder, name, first_error);
    let Err(mut failure) = built(run)? else {
        return Ok(());
    };
    if let Some(missing) = not_installed_in(tools, &failure.output) {
        failure.blame = Blame::Lacking;
        (failure.reason, failure.builds_max) = (missing, 1);
    } else if let Some(advice) = advice::on_build(&failure.output) {
        let _ = write!(failure.reason, "; {advice}");
    }
    Err(failure.into())
}

fn check_program(folder: &Path, path: &Path, closed: &[PathBuf]) -> Result<(), BuildFailure> {
    if path.is_absolute() {
        return Ok(());
    }
    let shown = quote(path.to_string_lossy().as_bytes());
    let missing = |_| {
        BuildFailure::brief(format!(
            "judge.toml: run names {shown}, which is not a file in the submission's folder after the build"
        ))
    };
    let program = make_executable(folder, path).map_err(missing)?;
    executable::check(&SourceFile::new(&shown, program), closed).map_err(BuildFailure::brief)
}

/// Makes a file in `folder` executable, following links that stay inside it, and reads its head.
fn make_executable(folder: &Path, path: &Path) -> io::Result<Vec<u8>> {
    let own = folder.join(path).canonicalize()?;
    if !own.starts_with(folder.canonicalize()?) {
        return Err(ErrorKind::NotFound.into());
    }
    let file = open_own(&own)?;
    if !file.metadata()?.is_file() {
        return Err(ErrorKind::NotFound.into());
    }
    file.set_permissions(PermissionsExt::from_mode(0o755))?;
    head(file)
}
