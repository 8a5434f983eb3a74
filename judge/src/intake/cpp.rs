//! C++ sources, compiled together with the judge's own main.

use super::prepare::BuildFailure;
use super::{SourceFile, Submission};
use crate::error::JudgeError;
use crate::fault::Exit;
use crate::sandbox::{Build, BuildEnd, Isolation, run_build};
use engines::Kit;
use std::fs::{self, File};
use std::io::ErrorKind;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The program that comes out.
pub(super) const PROGRAM: &str = "bot";

/// What the compiler is told; `-static` makes a process start in half the time.
const FLAGS: &[&str] = &["-std=gnu++20", "-O2", "-pthread", "-static", "-o", PROGRAM];

/// What compilers print where the disk, and not the source, is to blame.
const DISK_FULL: &str = "No space left on device";

/// How long a build may take.
const BUILD_TIME_MAX: Duration = Duration::from_secs(120);

/// What the build depends on besides the sources: the compiler and its flags.
///
/// # Errors
/// When there is no compiler; the message names the package.
pub(super) fn toolchain() -> Result<String, String> {
    let compiler = compiler()?;
    let version = std::process::Command::new(&compiler)
        .arg("--version")
        .output();
    let version = version.map_err(|e| format!("cannot run {}: {e}", compiler.display()))?;
    let first_line = String::from_utf8_lossy(&version.stdout);
    let first_line = first_line.lines().next().unwrap_or_default();
    Ok(format!("{first_line} {}", FLAGS.join(" ")))
}

fn compiler() -> Result<PathBuf, String> {
    ["/usr/local/bin/g++", "/usr/bin/g++", "/bin/g++"]
        .iter()
        .map(PathBuf::from)
        .find(|path| path.exists())
        .ok_or_else(|| "g++ is not installed; run: apt-get install g++".to_owned())
}

/// Chooses the files that are compiled: flat `.h` and `.cpp` files and the kit's own. Adds a
/// warning, with the reason, for everything that is left out or replaced.
pub(super) fn choose(submission: &mut Submission, kit: &Kit) -> Vec<SourceFile> {
    let mut chosen = Vec::new();
    for file in &submission.files {
        let own = kit.files.iter().find(|(name, _)| *name == file.path);
        if let Some(warning) = warning(file, own.map(|(_, text)| *text)) {
            submission.warnings.push(warning);
        }
        if file.is_flat() && is_source(&file.path) && own.is_none() {
            chosen.push(file.clone());
        }
    }
    chosen.extend(kit.files.iter().map(|(name, text)| SourceFile {
        path: (*name).to_owned(),
        bytes: text.as_bytes().to_vec(),
        executable: false,
    }));
    chosen
}

fn is_source(path: &str) -> bool {
    has_ending(path, &["h", "hpp", "cpp", "cc"])
}

fn has_ending(path: &str, endings: &[&str]) -> bool {
    let ending = Path::new(path).extension();
    ending.is_some_and(|e| endings.iter().any(|known| e == *known))
}

fn warning(file: &SourceFile, own: Option<&str>) -> Option<String> {
    let path = &file.path;
    let text = String::from_utf8_lossy(&file.bytes);
    if !file.is_flat() {
        return Some(format!(
            "left out {path}: all files must lie in one folder, without subfolders"
        ));
    }
    if !is_source(path) {
        return Some(format!(
            "left out {path}: only .h and .cpp files are compiled"
        ));
    }
    if let Some(own) = own {
        let changed = essence(&text) != essence(own);
        return changed
            .then(|| format!("{path} was replaced by the judge's own, from which it differs"));
    }
    defines_main(&text).then(|| {
        format!("{path} seems to define main; the judge has its own, so take yours out if the build fails")
    })
}

/// Reduces a header to what matters: no comments, blanks or includes.
fn essence(text: &str) -> String {
    let mut rest = text;
    let mut code = String::new();
    while let Some(start) = rest.find("/*") {
        code.push_str(&rest[..start]);
        rest = rest[start..]
            .find("*/")
            .map_or("", |end| &rest[start + end + 2..]);
    }
    code.push_str(rest);
    let lines = code
        .lines()
        .map(|line| line.split("//").next().unwrap_or_default());
    let lines = lines.filter(|line| !line.trim_start().starts_with("#include"));
    lines
        .flat_map(str::chars)
        .filter(|c| !c.is_whitespace())
        .collect()
}

fn defines_main(text: &str) -> bool {
    text.lines().any(|line| {
        let words = line.trim_start();
        let after = words
            .strip_prefix("int")
            .or_else(|| words.strip_prefix("auto"))
            .unwrap_or_default();
        let name = after.trim_start();
        name.len() < after.len()
            && name
                .strip_prefix("main")
                .is_some_and(|rest| rest.trim_start().starts_with('('))
    })
}

/// Compiles the files that lie in `folder`; the program is left there. Gives what the compiler
/// said.
///
/// # Errors
/// When the compiler cannot be run for reasons of ours, a full disk among them, or `stop` is
/// set meanwhile.
pub(super) fn build(
    files: &[SourceFile],
    folder: &Path,
    isolation: &Isolation,
    stop: &AtomicBool,
) -> Result<Result<String, BuildFailure>, JudgeError> {
    let compiler = match compiler() {
        Ok(compiler) => compiler,
        Err(missing) => return Ok(Err(BuildFailure::brief(missing))),
    };
    let units = files.iter().map(|file| file.path.as_str());
    let units = units.filter(|path| has_ending(path, &["cpp", "cc"]));
    // "./" keeps a file whose name begins with a dash from being taken for an option.
    let units = units.map(|path| format!("./{path}"));
    let flags = FLAGS.iter().map(|flag| (*flag).to_owned());
    let args: Vec<String> = flags.chain(units).collect();
    let build = Build {
        program: &compiler,
        args: &args,
        folder,
        limit: BUILD_TIME_MAX,
        stop,
    };
    let run = run_build(&build, isolation)?;
    let output = String::from_utf8_lossy(&run.output).into_owned();
    if output.contains(DISK_FULL) {
        return Err(JudgeError::io(
            "build in",
            folder,
            ErrorKind::StorageFull.into(),
        ));
    }
    let reason = match run.end {
        BuildEnd::Exit(Exit::Code(0)) => return Ok(Ok(output)),
        BuildEnd::Exit(Exit::Code(code)) => format!("g++ exited with {code}"),
        BuildEnd::Exit(Exit::Signal(signal)) => format!("g++ was ended by signal {signal}"),
        BuildEnd::Time => format!("g++ did not end within {} s", BUILD_TIME_MAX.as_secs()),
        BuildEnd::Output => "g++ wrote too many messages".to_owned(),
    };
    Ok(Err(BuildFailure { reason, output }))
}

/// Removes everything but the program, and makes that executable: a linker in the sandbox
/// cannot.
pub(super) fn strip(folder: &Path) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            fs::remove_dir_all(entry.path())?;
        } else if entry.file_name() != PROGRAM {
            fs::remove_file(entry.path())?;
        }
    }
    let program = File::options()
        .read(true)
        .custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK)
        .open(folder.join(PROGRAM))?;
    program.set_permissions(fs::Permissions::from_mode(0o755))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_of_the_course_text_is_no_changed_header() {
        let own = "#pragma once\n#include <string>\nstruct A { int f(); };\n";
        let theirs = "#pragma once\n#include <vector>\n\n// NO NOT CHANGE\nstruct A {\n  /** text */\n  int f( );\n};";
        assert_eq!(essence(own), essence(theirs));
        assert_ne!(
            essence(own),
            essence("#pragma once\nstruct A { long f(); };")
        );
    }

    #[test]
    fn a_main_is_noticed_however_it_is_spelled() {
        assert!(defines_main("int main() {}"));
        assert!(defines_main("  int   main (int argc, char** argv) {"));
        assert!(!defines_main("int mainLoop() {}"));
        assert!(!defines_main("domain int x;"));
        assert!(!defines_main("intmain()"));
    }
}
