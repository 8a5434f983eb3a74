//! Haskell sources: one file, compiled under Safe Haskell together with the judge's own main.

use super::failure::BuildFailure;
use super::language::{Language, Program, kit_files};
use super::source::base_name;
use super::toolchain::{Found, Toolchain, ask, find_program, version};
use super::workshop::Workshop;
use super::{SourceFile, Submission, haskell_pragmas};
use crate::error::JudgeError;
use engines::{Kit, Sign};

/// The compiler, and the package that it is in.
const COMPILER: &str = "ghc";

/// The program that comes out.
const PROGRAM: &str = "bot";

/// The kit's file that has `main`.
const MAIN: &str = "JudgeMain.hs";

/// What the compiler is told; `-v0` leaves errors and warnings.
const FLAGS: &[&str] = &["--make", "-v0", "-O2", "-i.", "-o", PROGRAM, MAIN];

/// What stands before the submission's first line, and not on a line of its own, so that the
/// compiler's line numbers are the author's. Foreign functions could be C code of the author's,
/// which would run unseen.
const SAFE: &str = "{-# LANGUAGE Safe, NoForeignFunctionInterface #-} ";

/// Asks the program to check what the compiler cannot see: it writes the nickname as a line of
/// JSON, or its last line says what is wrong.
const CHECK: &str = "--check";

/// What stands before the nickname.
const NICKNAME: &str = "nickname: ";

/// The packages that submissions may use besides base: (Debian package, library).
const LIBRARIES: &[(&str, &str)] = &[("libghc-random-dev", "random")];

/// Haskell by GHC.
pub(super) struct Haskell;

impl Language for Haskell {
    fn name(&self) -> &'static str {
        "haskell"
    }

    fn toolchain(&self) -> Result<Found, JudgeError> {
        let tools = find_program(COMPILER, COMPILER)
            .and_then(|compiler| Ok((compiler, find_program("ghc-pkg", COMPILER)?)));
        let (compiler, registry) = match tools {
            Ok(tools) => tools,
            Err(missing) => return Ok(Err(missing)),
        };
        let version = version(&compiler, "--version")?;
        for (package, library) in LIBRARIES {
            let described = ask(&registry, &["--global", "describe", library])?;
            if !described.status.success() {
                return Ok(Err(format!(
                    "the library {library} is not installed; run: apt-get install {package}"
                )));
            }
        }
        Ok(Ok(Toolchain {
            identity: format!("{version} {}", FLAGS.join(" ")),
            programs: vec![(COMPILER, compiler)],
        }))
    }

    fn choose(&self, submission: &mut Submission, kit: &Kit) -> Result<Vec<SourceFile>, String> {
        let Sign::Anywhere(wanted) = kit.sign else {
            return Err("the kit names no file to begin with".to_owned());
        };
        let named = submission.files.iter();
        let named = named.filter(|file| base_name(&file.path) == wanted);
        let mut named: Vec<&SourceFile> = named.collect();
        named.sort_by_key(|file| file.path.matches('/').count());
        let Some(main) = named.first() else {
            return Err(format!("{wanted} is missing"));
        };
        let text = main
            .bytes
            .strip_prefix(b"\xef\xbb\xbf")
            .unwrap_or(&main.bytes);
        haskell_pragmas::check(text)?;
        let safe = SourceFile {
            path: wanted.to_owned(),
            bytes: [SAFE.as_bytes(), text].concat(),
            executable: false,
        };
        if let Some(other) = named.get(1) {
            submission.warnings.push(format!(
                "left out {}: {} is nearer to the submission's folder",
                other.path, main.path
            ));
        }
        Ok([safe].into_iter().chain(kit_files(kit)).collect())
    }

    fn build(&self, workshop: &Workshop<'_>) -> Result<Result<Program, BuildFailure>, JudgeError> {
        let args: Vec<String> = FLAGS.iter().map(|flag| (*flag).to_owned()).collect();
        let output = match workshop.step(workshop.toolchain.program(COMPILER), &args)? {
            Ok(output) => output,
            Err(failure) => return Ok(Err(failure)),
        };
        workshop.keep_only(PROGRAM)?;
        let program = workshop.folder.join(PROGRAM);
        let checked = match workshop.step(&program, &[CHECK.to_owned()])? {
            Ok(checked) => checked,
            Err(failure) => return Ok(Err(failure.in_its_last_words())),
        };
        let Some(nickname) = nickname(&checked) else {
            let reason = "the check of author and nickname gave no single nickname".to_owned();
            let output = checked;
            return Ok(Err(BuildFailure { reason, output }));
        };
        Ok(Ok(Program {
            args: vec![nickname.to_owned()],
            output,
            ..Program::plain(PROGRAM)
        }))
    }
}

/// Finds the nickname in what the check wrote, among what the author's functions traced.
fn nickname(checked: &str) -> Option<&str> {
    let mut found = checked
        .lines()
        .filter_map(|line| line.strip_prefix(NICKNAME));
    let only = found.next().filter(|_| found.next().is_none())?;
    serde_json::from_str::<String>(only).ok().map(|_| only)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nickname_is_found_among_traces_and_not_taken_from_them() {
        let checked = "a trace\nnickname: \"Anna\"\nanother\n";
        assert_eq!(nickname(checked), Some("\"Anna\""));
        for odd in ["", "nickname: Anna\n", "nickname: \"a\"\nnickname: \"b\"\n"] {
            assert_eq!(nickname(odd), None, "{odd}");
        }
    }
}
