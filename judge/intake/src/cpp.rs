//! C++ sources, compiled together with the judge's own main.

use super::failure::BuildFailure;
use super::language::{BuiltProgram, Language, kit_files};
use super::source::SourceFile;
use super::source::has_ending;
use super::submission::Submission;
use super::toolchain::{FoundToolchain, Toolchain, find_program, version};
use super::workshop::Workshop;
use engines::Kit;
use error::JudgeError;

/// The compiler, and the package that it is in.
const COMPILER: &str = "g++";

/// The program that comes out.
const PROGRAM: &str = "bot";

/// What the compiler is told; `-static` makes a process start in half the time.
const FLAGS: &[&str] = &["-std=gnu++20", "-O2", "-pthread", "-static", "-o", PROGRAM];

/// C++ by g++.
pub(super) struct Cpp;

impl Language for Cpp {
    fn name(&self) -> &'static str {
        "cpp"
    }

    fn toolchain(&self) -> Result<FoundToolchain, JudgeError> {
        let compiler = match find_program(COMPILER, COMPILER) {
            Ok(compiler) => compiler,
            Err(missing) => return Ok(Err(missing)),
        };
        let version = version(&compiler, "--version")?;
        Ok(Ok(Toolchain {
            identity: format!("{version} {}", FLAGS.join(" ")),
            programs: vec![(COMPILER, compiler)],
        }))
    }

    fn choose(&self, submission: &mut Submission, kit: &Kit) -> Result<Vec<SourceFile>, String> {
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
        chosen.extend(kit_files(kit));
        Ok(chosen)
    }

    fn build(
        &self,
        workshop: &Workshop<'_>,
    ) -> Result<Result<BuiltProgram, BuildFailure>, JudgeError> {
        let units = workshop.files.iter().map(|file| file.path.as_str());
        let units = units.filter(|path| has_ending(path, &["cpp", "cc"]));
        // "./" keeps a file whose name begins with a dash from being taken for an option.
        let units = units.map(|path| format!("./{path}"));
        let flags = FLAGS.iter().map(|flag| (*flag).to_owned());
        let args: Vec<String> = flags.chain(units).collect();
        let output = match workshop.step(workshop.toolchain.program(COMPILER), &args)? {
            Ok(output) => output,
            Err(failure) => return Ok(Err(failure)),
        };
        workshop.keep_only(PROGRAM)?;
        Ok(Ok(BuiltProgram {
            output,
            // It is linked statically, and the kit opens none.
            without_paths: true,
            ..BuiltProgram::plain(PROGRAM)
        }))
    }
}

fn is_source(path: &str) -> bool {
    has_ending(path, &["h", "hpp", "cpp", "cc"])
}

/// Returns whether a file is for people: nobody expects it to be compiled.
fn is_text(path: &str) -> bool {
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    ["md", "txt"].contains(&ending.to_ascii_lowercase().as_str())
}

fn warning(file: &SourceFile, own: Option<&str>) -> Option<String> {
    let path = &file.path;
    let text = String::from_utf8_lossy(&file.bytes);
    if !file.is_flat() {
        return Some(format!(
            "left out {path}: all files must be in one folder, without subfolders"
        ));
    }
    if is_text(path) {
        return None;
    }
    if !is_source(path) {
        return Some(format!(
            "left out {path}: only .h and .cpp files are compiled"
        ));
    }
    if let Some(own) = own {
        let changed = essence(&text) != essence(own);
        return changed
            .then(|| format!("{path} differs from the judge's copy, which was used instead"));
    }
    defines_main(&text).then(|| {
        format!(
            "{path} seems to define main; the judge has its own, so remove yours if the build fails"
        )
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
