//! Whether a build step failed because of a disturbance: one of its processes was killed by no
//! limit of ours, or the disk was full meanwhile. Then the build is started again.

use model::fault::Exit;
use sandbox::BuildEnd;

/// Maximum number of times that a build is started if it is killed each time.
pub(crate) const BUILDS_MAX: usize = 3;

/// The same where only the build's output indicates a disturbance.
const BUILDS_MAX_IF_SAID: usize = 2;

const SIGKILL: i32 = 9;

/// Exit code of a shell whose command was killed.
const KILLED_IN_SHELL: i32 = 128 + SIGKILL;

/// Output of compilers and shells after a program of theirs was killed, or the disk was full. The
/// words may be the author's own: they decide only whether the build is started once more, and a
/// failure with another cause happens again.
const SAID: &[&str] = &[
    "No space left on device",
    // g++ and gcc; collect2 about its linker
    "Killed signal terminated program",
    "terminated with signal 9",
    // ghc
    "(Exit code: -9)",
    // ocamlopt, which prints only this where its shell was killed; ocamlfind; dune
    "Assembler error, input left in file",
    "Error during linking (exit code 255)",
    "got signal and exited",
    "got signal KILL",
    // cargo; go
    "signal: 9",
    "signal: killed",
];

/// Last word of a line that shells and make print.
const KILLED: &str = "Killed";

/// Returns the maximum number of builds that end in this way, before their author is informed.
pub(crate) fn builds_max(end: BuildEnd, output: &str) -> usize {
    match end {
        BuildEnd::Exit(Exit::Signal(SIGKILL)) => BUILDS_MAX,
        BuildEnd::Exit(Exit::Code(KILLED_IN_SHELL)) => BUILDS_MAX_IF_SAID,
        BuildEnd::Exit(_) if says_so(output) => BUILDS_MAX_IF_SAID,
        BuildEnd::Exit(_)
        | BuildEnd::Time
        | BuildEnd::Cpu
        | BuildEnd::Output
        | BuildEnd::Memory
        | BuildEnd::Disk => 1,
    }
}

fn says_so(output: &str) -> bool {
    SAID.iter().any(|said| output.contains(said))
        || output.lines().any(|line| line.trim_end().ends_with(KILLED))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn disturbance_is_detected_from_signal_code_or_output() {
        // Original words, from builds in which a process was killed.
        let failed = |code| BuildEnd::Exit(Exit::Code(code));
        let cases = [
            (BuildEnd::Exit(Exit::Signal(9)), "", BUILDS_MAX),
            (BuildEnd::Exit(Exit::Signal(11)), "", 1),
            (failed(137), "", BUILDS_MAX_IF_SAID),
            (failed(1), "Bot.h:1:1: error: no\n", 1),
            // A limit of ours has ended it.
            (BuildEnd::Memory, "Killed\n", 1),
            (BuildEnd::Time, "", 1),
        ];
        for (end, output, builds) in cases {
            assert_eq!(builds_max(end, output), builds, "{end:?} {output}");
        }
        for output in [
            "g++: fatal error: Killed signal terminated program cc1plus\ncompilation terminated.\n",
            "collect2: fatal error: ld terminated with signal 9 [Killed]\n",
            "ocamlopt got signal and exited\n",
            "Killed\nFile \"a.ml\", line 1:\nError: Assembler error, input left in file /tmp/a.s\n",
            "make: *** [Makefile:2: all] Killed\n",
            "/tmp/a.s: fatal error: writing: No space left on device\n",
        ] {
            for end in [failed(1), failed(2)] {
                assert_eq!(builds_max(end, output), BUILDS_MAX_IF_SAID, "{output}");
            }
        }
    }
}
