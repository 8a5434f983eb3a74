//! The folder in which a submission is built, and the build steps in it.

#![expect(
    clippy::disallowed_methods,
    reason = "a build step that has ended has written it, in a folder of the judge's"
)]

use crate::build::built_program::BuiltProgram;
use crate::build::failed_builds::{BuildError, BuildFailure, builds_max};
use crate::build::program_store::ProgramStore;
use crate::build::room;
use crate::build::toolchains::found::Toolchain;
use crate::read::executable;
use crate::read::source::{SourceFile, kit_files};
use engines::Kit;
use model::competition::{BuildLimits, CourseFile};
use model::draw::hash;
use model::fault::{Exit, quote};
use rulebook::{IoContext, JudgeError, Result};
use sandbox::{
    Build, BuildEnd, Builder, FOLDER_BYTES_MAX, FOLDER_DEPTH_MAX, FOLDER_ENTRIES_MAX, Limits,
};
use std::cell::Cell;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;
use std::time::{Duration, Instant};

/// Words of g++ before the text of a failed assertion.
const ASSERTED: &str = "static assertion failed: ";

pub(crate) struct BuildFolder<'a> {
    pub(crate) files: &'a [SourceFile],
    pub(crate) kit: &'a Kit,
    pub(crate) course: &'a [CourseFile],
    pub(crate) libraries: &'a [String],
    pub(crate) folder: &'a Path,
    pub(crate) toolchain: &'a Toolchain,
    pub(crate) builder: Builder<'a>,
    /// Keeps what the kit alone makes.
    pub(crate) programs: &'a ProgramStore,
    pub(crate) time: BuildTime,
}

impl BuildFolder<'_> {
    pub(crate) fn step(&self, program: &Path, args: &[String]) -> Result<String, BuildError> {
        let name = program.file_name().unwrap_or_default().to_string_lossy();
        let plain = |output: &str| self.plain_words(output).or_else(|| first_error(output));
        self.time
            .step(self.builder, (program, args), self.folder, &name, plain)
    }

    /// Returns a compiler's first complaint in plain words: the kit's hint, or an assertion's text.
    fn plain_words(&self, output: &str) -> Option<String> {
        let first = first_complaint(output);
        let hints = self.kit.hints;
        let is_asserted = |(said, _): &&(&str, &str)| output.contains(&format!("{ASSERTED}{said}"));
        let text = match hints.iter().position(|(said, _)| first.contains(said)) {
            Some(at) => hints[..at].iter().find(is_asserted).unwrap_or(&hints[at]).1,
            None => first.split_once(ASSERTED)?.1,
        };
        let line = text.lines().next().unwrap_or_default();
        let libraries = match self.libraries {
            [] => "none".to_owned(),
            libraries => libraries.join(", "),
        };
        Some(line.replace("{libraries}", &libraries))
    }

    /// Makes the program executable, which a linker cannot where there are no namespaces.
    pub(crate) fn keep_only(&self, program: &str) -> Result {
        let failed = |e| JudgeError::io("write", self.folder, e);
        for entry in fs::read_dir(self.folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            if entry.file_type().map_err(failed)?.is_dir() {
                fs::remove_dir_all(entry.path()).map_err(failed)?;
            } else if entry.file_name() != program {
                fs::remove_file(entry.path()).map_err(failed)?;
            }
        }
        open_own(&self.folder.join(program))
            .and_then(|program| program.set_permissions(PermissionsExt::from_mode(0o755)))
            .map_err(failed)
    }

    /// Returns a file that one step makes of the kit alone. A run makes it once, without submitted
    /// files, and keeps it as it keeps programs. `args` write the file.
    pub(crate) fn kit_part(
        &self,
        file: &str,
        program: &str,
        args: &str,
    ) -> Result<Vec<u8>, BuildError> {
        let args = words(args);
        let files: Vec<SourceFile> = kit_files(self.kit).collect();
        let mut parts = vec![self.toolchain.identity.as_bytes(), file.as_bytes()];
        parts.extend(args.iter().map(String::as_bytes));
        let hash = hash_with(parts, &files);
        let made = self.programs.keep(&hash, None, None, |folder| {
            let own = BuildFolder {
                files: &files,
                folder,
                time: BuildTime::begin(self.time.limits),
                ..*self
            };
            own.furnish()?;
            own.step(self.toolchain.program(program), &args)?;
            own.keep_only(file)?;
            Ok(BuiltProgram::plain(file))
        })?;
        let kept = made.artifact.program;
        Ok(fs::read(&kept).or_io("read", kept)?)
    }

    /// Replaces whatever a step left there. OCaml's counter is executed.
    pub(crate) fn write_part(&self, file: &str, bytes: &[u8]) -> Result {
        let path = self.folder.join(file);
        if path.symlink_metadata().is_ok() {
            sandbox::remove(&path)?;
        }
        let mut part = File::create_new(&path).or_io("write", &path)?;
        part.write_all(bytes)
            .and_then(|()| part.set_permissions(PermissionsExt::from_mode(0o755)))
            .or_io("write", &path)
    }

    pub(crate) fn furnish(&self) -> Result {
        executable::write_files(self.files, self.folder).or_io("write", self.folder)
    }
}

/// Opens what a build step left there: no link, and no pipe that would wait for a writer.
pub(crate) fn open_own(path: &Path) -> io::Result<File> {
    File::options()
        .read(true)
        .custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK)
        .open(path)
}

pub(crate) fn words(args: &str) -> Vec<String> {
    args.split(' ').map(str::to_owned).collect()
}

/// Name under which g++ reports that the linker has failed.
const LINKER: &str = "collect2:";

/// Returns the first complaint with the lines that belong to it, or all lines where none is marked.
fn first_complaint(output: &str) -> &str {
    const MARK: &str = " error: ";
    let Some(start) = output.find(MARK) else {
        return output;
    };
    // The linker explains the error before g++ reports the failure.
    if output[..start].ends_with(LINKER) {
        return &output[..start];
    }
    let line = output[..start].rfind('\n').map_or(0, |end| end + 1);
    let behind = start + MARK.len();
    let next = output[behind..].find(MARK);
    &output[line..next.map_or(output.len(), |next| behind + next)]
}

const ERROR_CHARS_MAX: usize = 200;

/// GHC puts the text under the place, OCaml the place above the text.
pub(crate) fn first_error(output: &str) -> Option<String> {
    let lines: Vec<&str> = output.lines().map(str::trim).collect();
    let at = lines.iter().position(|line| is_error(line))?;
    let error = lines[at];
    let mut above = lines[..at].iter().rev();
    let place = above.find(|line| line.starts_with("File \""));
    let below = lines[at + 1..].iter().find(|line| !line.is_empty());
    let parts: Vec<&str> = [
        place.copied().filter(|_| error.starts_with("Error")),
        Some(error),
        below.copied().filter(|_| error.ends_with([':', ']'])),
    ]
    .into_iter()
    .flatten()
    .collect();
    let text = parts.join(" ");
    let cut: String = text.chars().take(ERROR_CHARS_MAX).collect();
    let more = if cut.len() < text.len() { "…" } else { "" };
    Some(format!("{}{more}", quote(cut)))
}

fn is_error(line: &str) -> bool {
    let begins = ["error:", "error[", "Error:"];
    line.contains(" error:") || begins.iter().any(|begin| line.starts_with(begin))
}

/// Hashes what is built, after the other parts. The modes of its files do not matter.
pub(crate) fn hash_with<'a>(mut parts: Vec<&'a [u8]>, files: &'a [SourceFile]) -> String {
    for file in files {
        parts.extend([file.path.as_bytes(), &file.bytes]);
    }
    hash(&parts)
}

#[derive(Debug)]
pub(crate) struct BuildTime {
    limits: BuildLimits,
    began: Instant,
    spent: Cell<Duration>,
}

impl BuildTime {
    pub(crate) fn begin(limits: BuildLimits) -> Self {
        Self {
            limits,
            began: Instant::now(),
            spent: Cell::default(),
        }
    }

    /// Runs a step within the remaining time, and returns its output; `plain` explains a failure.
    pub(crate) fn step(
        &self,
        builder: Builder<'_>,
        (program, args): (&Path, &[String]),
        folder: &Path,
        name: &str,
        plain: impl Fn(&str) -> Option<String>,
    ) -> Result<String, BuildError> {
        let run = builder.run(Build {
            program: program.to_owned(),
            args: args.to_vec(),
            folder: folder.to_owned(),
            limit: Duration::from_millis(self.limits.wall_ms).saturating_sub(self.began.elapsed()),
            cpu: Duration::from_millis(self.limits.cpu_ms).saturating_sub(self.spent.get()),
            reserves: false,
        })?;
        self.spent.set(self.spent.get() + run.cpu);
        if run.end == BuildEnd::Exit(Exit::Code(0)) {
            return Ok(run.output);
        }
        room::check(folder)?;
        let mut reason = format!("{name} {}", self.failure(run.end));
        if matches!(run.end, BuildEnd::Exit(_))
            && let Some(words) = plain(&run.output)
        {
            let _ = write!(reason, ": {words}");
        }
        Err(BuildFailure {
            builds_max: builds_max(run.end, &run.output),
            ..BuildFailure::with(reason, run.output)
        }
        .into())
    }

    fn failure(&self, end: BuildEnd) -> String {
        let seconds = |ms| Duration::from_millis(ms).as_secs_f64();
        match end {
            BuildEnd::Exit(Exit::Code(code)) => format!("exited with {code}"),
            BuildEnd::Exit(Exit::Signal(signal)) => format!("was killed by signal {signal}"),
            BuildEnd::Time => format!("did not finish within {} s", seconds(self.limits.wall_ms)),
            BuildEnd::Cpu => format!(
                "used more than {} s of CPU time",
                seconds(self.limits.cpu_ms)
            ),
            BuildEnd::Output => "printed too much".to_owned(),
            BuildEnd::Memory => format!(
                "used more than {} MiB of memory",
                Limits::BUILD.memory_bytes_max >> 20
            ),
            BuildEnd::Disk => format!(
                "wrote more than {} MiB, more than {FOLDER_ENTRIES_MAX} files and folders, or folders nested more than {FOLDER_DEPTH_MAX} deep",
                FOLDER_BYTES_MAX >> 20
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_error_is_quoted_with_place_and_text() {
        // `⏎` is a line's end in the output.
        for row in include_str!("first_errors.txt").lines() {
            let (output, error) = row.split_once(" => ").expect("a row");
            let found = first_error(&output.replace('⏎', "\n"));
            assert_eq!(found.as_deref(), Some(error));
        }
        assert_eq!(first_error("make: *** [all] Error 1\n"), None);
        let long = first_error(&format!("a: error: {}", "x".repeat(999)));
        assert!(long.is_some_and(|line| line.ends_with("x…") && line.len() < 250));
    }

    #[test]
    fn first_complaint_ends_where_next_begins() {
        let output = "In file\nA.h:1:2: error: no x\n  more\nA.h:3:4: error: no y\n";
        let first = "A.h:1:2: error: no x\n  more\nA.h:3:4:";
        assert_eq!(first_complaint(output), first);
        assert_eq!(first_complaint("Error: all"), "Error: all");
        let linked = "ld: undefined reference to `f()'\ncollect2: error: ld returned 1";
        assert!(first_complaint(linked).contains("undefined reference"));
    }
}
