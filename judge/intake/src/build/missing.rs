//! Programs that are not installed, for which no author is to blame, and their Debian packages.

use crate::build::failed_builds::built;
use crate::build::languages;
use crate::build::toolchains::Toolchains;
use engines::Kit;
use model::competition::CourseKit;
use model::language::package_of;
use rulebook::JudgeError;

/// Returns the message that a known program is not installed, with its package.
pub fn lacks_program(tools: &Toolchains, program: &str) -> Option<String> {
    package_of(program)?;
    tools.find(program).err()
}

/// Finds a missing program in a build's output, which is not trusted: the machine is asked.
pub(crate) fn not_installed_in(tools: &Toolchains, output: &str) -> Option<String> {
    output
        .lines()
        .filter_map(called)
        .find_map(|program| lacks_program(tools, program))
}

/// Returns the program that a shell, make or env reports as missing: others say so of files.
fn called(line: &str) -> Option<&str> {
    let parts: Vec<&str> = line.trim_end().split(": ").collect();
    let program = match parts.as_slice() {
        [_, line, program, "not found"] if line.parse::<usize>().is_ok() => program,
        [_, .., program, "command not found" | "Command not found"] => program,
        [caller, program, "No such file or directory"] => {
            let name = caller.rsplit('/').next().unwrap_or(caller);
            let calls = name == "env" || name == "make" || name.starts_with("make[");
            calls.then_some(program)?
        }
        _ => return None,
    };
    Some(program.trim_matches(['\'', '\u{2018}', '\u{2019}']))
}

/// Advice for a program that is installed elsewhere.
pub const TOOLCHAINS_ELSEWHERE: &str = "if it is installed elsewhere, add its folder to PATH or to [toolchains] in \
                                        the competition's file; judge doctor lists what judge finds";

/// Returns the tool that submissions of a course lack on this machine, with its package.
pub fn lacks_for_kit(tools: &Toolchains, kit: &'static Kit) -> Result<Option<String>, JudgeError> {
    let libraries = CourseKit::default().libraries_of(kit.libraries);
    let found = built(languages::of(kit).toolchain(tools, &libraries))?;
    Ok(found.err().map(|failure| failure.reason))
}

/// Returns the message that a library of a kit's language is not installed, with its package.
pub fn lacks_library(
    tools: &Toolchains,
    kit: &'static Kit,
    library: &str,
) -> Result<Option<String>, JudgeError> {
    let found = built(languages::of(kit).has_library(tools, library))?;
    Ok(found.err().map(|failure| failure.reason))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_program_is_found_in_shell_output() {
        let tools = Toolchains::default();
        // Debian 12 does not have this program, so scripts/honest installs it nowhere.
        let program = "julia";
        let missing = "julia is not installed; run: apt-get install julia";
        for said in [
            "/bin/sh: 1: julia: not found\n",
            "building\nbash: line 1: julia: command not found\r\n",
            "make: julia: No such file or directory\nmake: *** [all] Error 127\n",
            "make[1]: julia: No such file or directory\n",
            "/usr/bin/env: \u{2018}julia\u{2019}: No such file or directory\n",
            "./build.sh: 3: julia: not found\n",
        ] {
            let found = not_installed_in(&tools, said);
            assert_eq!(found.as_deref(), Some(missing), "{said}");
        }
        let found = lacks_program(&tools, program);
        assert_eq!(found.as_deref(), Some(missing));
    }

    #[test]
    fn present_or_unknown_programs_are_not_reported_missing() {
        for said in [
            "sh: 1: sh: not found",
            "sh: 1: my-tool: not found",
            "cat: x: No such file or directory",
            "cat: julia: No such file or directory",
            "gcc: error: julia: No such file or directory",
            "error: julia: not found",
            "",
        ] {
            let found = not_installed_in(&Toolchains::default(), said);
            assert_eq!(found, None, "{said}");
        }
    }
}
