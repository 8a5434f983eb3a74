//! C++ sources, linked to the judge's main as one object file whose names are its own.

#![expect(
    clippy::disallowed_methods,
    reason = "a build step that has ended has written it, in a folder of the judge's"
)]

use super::{KitLanguage, syntax_of};
use crate::build::build_folder::{BuildFolder, words};
use crate::build::built_program::BuiltProgram;
use crate::build::failed_builds::{BuildError, BuildFailure};
use crate::build::toolchains::Toolchains;
use crate::build::toolchains::found::{Toolchain, find_program, version};
use crate::read::source::{SourceFile, has_ending, kit_files, kit_text};
use crate::read::submission::{ANONYMOUS, Submission};
use engines::Kit;
use model::artifact::KIT_STARTUP_FREE_MS;
use model::fault::quote;
use object::read::elf::{FileHeader, ProgramHeader, SectionHeader, Sym};
use object::{Endianness, elf};
use rulebook::IoContext;
use std::fs;

const COMPILER: &str = "g++";

const PROGRAM: &str = "bot";

/// The tool that makes an object file's names local, and its package.
const LOCALISER: (&str, &str) = ("objcopy", "binutils");

/// The unit of a kit that is compiled separately; all others belong to the submission.
const KIT_MAIN: &str = "main.cpp";

const OBJECT: &str = "submission.o";

const LAYOUT_FILE: &str = "layout.ld";

const FLAGS: &str = "-std=gnu++20 -O2 -pthread";

/// One object file, which has templates and inline functions once (`--force-group-allocation`), no
/// tentative definitions (`-d`), no symbols unique in a process, and no code left to compile.
const OBJECT_FLAGS: &str = "-fno-gnu-unique -fno-use-linker-plugin -nostdlib -r \
                            -Wl,--force-group-allocation,-d,-T,layout.ld -o submission.o";

const LOCALISER_FLAGS: &str =
    "--wildcard --keep-global-symbol=judge_* --keep-global-symbol=main submission.o";

const KIT_OBJECT: &str = "main.o";

/// The kit needs no newer standard, whose strings take g++ half as long again.
const KIT_FLAGS: &str = "-std=gnu++17 -O2 -pthread -c -o main.o ./main.cpp";

/// Flags that make the program from the two object files; `-static` halves the start of a process.
const LINK_FLAGS: &str = "-pthread -static -o bot main.o submission.o";

/// The libraries of the sanitizers cannot be in a static program, but may be static themselves.
const SANITIZER_FLAGS: &str = "-std=gnu++20 -O1 -g -pthread -fno-omit-frame-pointer \
                               -fsanitize=address,undefined -fno-sanitize-recover=undefined \
                               -static-libasan -static-libubsan -o bot ./judge_sanitizers.cpp";

/// Otherwise the sanitizers read their options from `/proc`, which the sandbox closes. The search
/// for leaks needs `/proc` too. The stack also shows where an uncaught exception was thrown.
const OPTIONS_FILE: &str = "judge_sanitizers.cpp";
const OPTIONS: &str = "extern \"C\" const char* __asan_default_options() {\n    \
     return \"detect_leaks=0:handle_abort=1:color=never\";\n}\n\
     extern \"C\" const char* __ubsan_default_options() {\n    \
     return \"print_stacktrace=1:color=never\";\n}\n";

pub(super) struct Cpp;

impl KitLanguage for Cpp {
    fn toolchain(&self, tools: &Toolchains, _: &[String]) -> Result<Toolchain, BuildError> {
        // Not through PATH: a program may load files next to its compiler, and only the system's files
        // exist when it runs.
        let found = tools.search(COMPILER, &[]).map_err(BuildFailure::lacking)?;
        let localiser = find_program(LOCALISER.0, LOCALISER.1).map_err(BuildFailure::lacking)?;
        let own_version = version(&found.path, "--version")?;
        let its_version = version(&localiser, "--version")?;
        let flags = [FLAGS, OBJECT_FLAGS, LOCALISER_FLAGS, KIT_FLAGS, LINK_FLAGS].join(" ");
        Ok(Toolchain {
            identity: format!("{own_version} {its_version} {flags} {LAYOUT}"),
            versions: vec![own_version],
            opened: found.opened.into_iter().collect(),
            programs: vec![(COMPILER, found.path), (LOCALISER.0, localiser)],
        })
    }

    fn choose(&self, submission: &mut Submission, kit: &Kit) -> Result<Vec<SourceFile>, String> {
        let mut chosen = Vec::new();
        for file in &submission.files {
            let own = kit_text(kit, &file.path);
            submission.warnings.extend(warning(file, own));
            if file.is_flat() && is_source(&file.path) && own.is_none() {
                chosen.push(file.clone());
            }
        }
        chosen.extend(kit_files(kit));
        Ok(chosen)
    }

    fn build(&self, place: &BuildFolder<'_>) -> Result<BuiltProgram, BuildError> {
        let main = place.kit_part(KIT_OBJECT, COMPILER, KIT_FLAGS)?;
        let layout = place.folder.join(LAYOUT_FILE);
        fs::write(&layout, LAYOUT).or_io("write", &layout)?;
        let step = |program, args: &[String]| place.step(place.toolchain.program(program), args);
        let args = [words(FLAGS), words(OBJECT_FLAGS), units(place.files)].concat();
        let mut output = step(COMPILER, &args)?;
        output += &step(LOCALISER.0, &words(LOCALISER_FLAGS))?;
        let object = place.folder.join(OBJECT);
        let bytes = fs::read(&object).or_io("read", &object)?;
        check_object(&bytes).map_err(|reason| BuildFailure::with(reason, output.clone()))?;
        place.write_part(KIT_OBJECT, &main)?;
        output += &step(COMPILER, &words(LINK_FLAGS))?;
        let program = place.folder.join(PROGRAM);
        let bytes = fs::read(&program).or_io("read", &program)?;
        check_size(&bytes).map_err(|reason| BuildFailure::with(reason, output.clone()))?;
        place.keep_only(PROGRAM)?;
        Ok(BuiltProgram {
            output,
            // It is linked statically, and the kit opens no file.
            without_paths: true,
            startup_free_ms: Some(KIT_STARTUP_FREE_MS),
            forks: true,
            ..BuiltProgram::plain(PROGRAM)
        })
    }

    fn build_with_sanitizers(
        &self,
        place: &BuildFolder<'_>,
    ) -> Result<Option<&'static str>, BuildError> {
        let main = place.kit_part(KIT_OBJECT, COMPILER, KIT_FLAGS)?;
        place.write_part(KIT_OBJECT, &main)?;
        let options = place.folder.join(OPTIONS_FILE);
        fs::write(&options, OPTIONS).or_io("write", &options)?;
        // The kit's object comes last: of a library's functions that both have, the linker takes the
        // submission's, which the sanitizers watch.
        let args = [
            words(SANITIZER_FLAGS),
            units(place.files),
            vec![KIT_OBJECT.to_owned()],
        ]
        .concat();
        place.step(place.toolchain.program(COMPILER), &args)?;
        Ok(Some(PROGRAM))
    }
}

fn units(files: &[SourceFile]) -> Vec<String> {
    let units = files
        .iter()
        .map(|file| file.path.as_str())
        .filter(|path| has_ending(path, &["cpp", "cc"]) && *path != KIT_MAIN);
    // "./" keeps a file whose name begins with a dash from being taken for an option.
    units.map(|path| format!("./{path}")).collect()
}

const OPENERS: &str = "ifstream ofstream std::fstream fopen( std::filesystem";

/// The document that `judge new` puts next to each starter. Authors need no note on it.
const OF_STARTERS: &str = "PROTOCOL.md";

fn is_source(path: &str) -> bool {
    has_ending(path, &["h", "hpp", "cpp", "cc"])
}

fn warning(file: &SourceFile, own: Option<&str>) -> Option<String> {
    let path = &file.path;
    let text = String::from_utf8_lossy(&file.bytes);
    if !file.is_flat() {
        return Some(format!(
            "left out {path}: all files must be in one folder, without subfolders"
        ));
    }
    if [OF_STARTERS, ANONYMOUS].contains(&path.as_str()) {
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
    let word = opens_files(&text)?;
    Some(format!(
        "{path} uses {word}, and bots see no files: put the table into the source"
    ))
}

fn essence(text: &str) -> String {
    let lines = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("#include"))
        .flat_map(|line| [line, "\n"]);
    let bare = syntax_of("cpp").bare(lines.collect::<String>().as_bytes());
    String::from_utf8_lossy(&bare).into_owned()
}

fn opens_files(text: &str) -> Option<&'static str> {
    let code = essence(text);
    OPENERS.split(' ').find(|word| code.contains(word))
}

/// Beginning of the names by which a kit calls a submission; only these and [`MAIN`] are visible.
const ENTRIES: &str = "judge_";

/// Main function of a program. The kit has one, so that the linker complains of a second one.
const MAIN: &str = "main";

/// Its name is a valid name in C, so that the linker gives the kit its beginning and end.
const CONSTRUCTORS: &str = "judge_constructors";

/// Linker script that puts constructors of global objects where the kit finds them, by priority and
/// then in order. Elsewhere the C library would run them before `main`.
const LAYOUT: &str = "SECTIONS {
    judge_constructors : { *(SORT_BY_INIT_PRIORITY(.init_array.*)) *(.init_array) }
}
";

/// The sections that g++ makes. A dot and more may follow each name. Any other section may be one
/// where the C library, the linker or the kernel finds something to run before `main`.
const SECTIONS: &str = ".bss .comment .data .eh_frame .fini_array .gcc_except_table .note .rodata \
                        .tbss .tdata .text";

const DEBUG: &str = ".debug_";

const KINDS: &[elf::SectionType] = &[
    elf::SHT_PROGBITS,
    elf::SHT_NOTE,
    elf::SHT_NOBITS,
    elf::SHT_INIT_ARRAY,
    elf::SHT_FINI_ARRAY,
    // .eh_frame, on x86-64
    elf::SHT_X86_64_UNWIND,
];

/// Checks an object file that was linked with [`LAYOUT`], and whose other names are local.
fn check_object(bytes: &[u8]) -> Result<(), String> {
    complaints(bytes)
        .map_err(|_| "g++ has made a file that cannot be read".to_owned())?
        .map_or(Ok(()), Err)
}

/// Size of all that the linked program loads from its file, in MiB. Each start of a bot that lives for a turn
/// flushes all of it, and a fork copies what the submission writes.
const LOADED_MIB_MAX: u64 = 32;

/// Checks the size of a linked program. Variables without values are not in its file.
fn check_size(program: &[u8]) -> Result<(), String> {
    let loaded = loaded_bytes(program)
        .map_err(|_| "g++ has made a program that cannot be read".to_owned())?;
    if loaded <= LOADED_MIB_MAX << 20 {
        return Ok(());
    }
    Err(format!(
        "its code and data take {} MiB in the program, and {LOADED_MIB_MAX} MiB are allowed, because each start of the \
         bot may flush them; compute large tables when the bot starts",
        loaded.div_ceil(1 << 20)
    ))
}

fn loaded_bytes(program: &[u8]) -> object::read::Result<u64> {
    let header = elf::FileHeader64::<Endianness>::parse(program)?;
    let endian = header.endian()?;
    Ok(header
        .program_headers(endian, program)?
        .iter()
        .filter(|segment| segment.p_type(endian) == elf::PT_LOAD)
        .fold(0, |bytes: u64, segment| {
            bytes.saturating_add(segment.p_filesz(endian))
        }))
}

fn complaints(bytes: &[u8]) -> object::read::Result<Option<String>> {
    let header = elf::FileHeader64::<Endianness>::parse(bytes)?;
    let endian = header.endian()?;
    let sections = header.sections(endian, bytes)?;
    let symbols = sections.symbols(endian, bytes, elf::SHT_SYMTAB)?;
    for symbol in symbols.iter() {
        let name = symbol.name(endian, symbols.strings())?;
        if let Some(complaint) = of_symbol(name, symbol, endian) {
            return Ok(Some(complaint));
        }
    }
    let machine = header.e_machine(endian);
    for section in sections.iter() {
        let name = quote(sections.section_name(endian, section)?);
        let in_memory = section.sh_flags(endian).contains(elf::SHF_ALLOC);
        if !is_known(&name, section.sh_type(endian), in_memory) {
            return Ok(Some(format!(
                "it has a section {name}, but only sections that g++ makes itself are linked, because others may run \
                 before the judge asks anything; remove the attribute or the asm that names it"
            )));
        }
        let Some((relocations, _)) = section.rela(endian, bytes)? else {
            continue;
        };
        if relocations
            .iter()
            .map(|one| one.r_type(endian, false))
            .any(|kind| is_for_start_up(machine, kind))
        {
            return Ok(Some(format!(
                "{name} has a relocation that takes effect before the judge asks anything; remove the .reloc directive"
            )));
        }
    }
    Ok(None)
}

fn of_symbol(name: &[u8], symbol: &elf::Sym64<Endianness>, endian: Endianness) -> Option<String> {
    let quoted = quote(name);
    if symbol.st_type() == elf::STT_GNU_IFUNC {
        return Some(format!(
            "{quoted} is an IFUNC, which runs before the judge asks anything; make it an ordinary function"
        ));
    }
    if symbol.is_undefined(endian) {
        return None;
    }
    let is_seen = name.starts_with(ENTRIES.as_bytes()) || name == MAIN.as_bytes();
    let is_linked = [elf::STB_GLOBAL, elf::STB_WEAK].contains(&symbol.st_bind());
    let is_own = symbol.st_bind() == elf::STB_LOCAL || is_seen && is_linked;
    (!is_own || symbol.is_common(endian)).then(|| {
        format!("{quoted} is shared with the judge's files; remove the asm that declares it unique or common")
    })
}

/// `in_memory` means that the section is loaded with the program.
fn is_known(name: &str, kind: elf::SectionType, in_memory: bool) -> bool {
    let of_the_file = [
        elf::SHT_NULL,
        elf::SHT_SYMTAB,
        elf::SHT_STRTAB,
        elf::SHT_RELA,
        elf::SHT_SYMTAB_SHNDX,
    ];
    if of_the_file.contains(&kind) {
        return !in_memory;
    }
    let is_listed = SECTIONS.split(' ').any(|known| {
        name.strip_prefix(known)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    });
    let known = is_listed || name.starts_with(DEBUG) || name == CONSTRUCTORS;
    known && KINDS.contains(&kind)
}

/// These are resolved at the start of a program. g++ makes none in object files.
fn is_for_start_up(machine: elf::Machine, kind: elf::RelocationType) -> bool {
    match machine {
        elf::EM_X86_64 => {
            (elf::R_X86_64_COPY.0..=elf::R_X86_64_RELATIVE.0).contains(&kind.0)
                || (elf::R_X86_64_IRELATIVE.0..=elf::R_X86_64_RELATIVE64.0).contains(&kind.0)
        }
        elf::EM_AARCH64 => (elf::R_AARCH64_COPY.0..=elf::R_AARCH64_IRELATIVE.0).contains(&kind.0),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;
    use std::process::Command;

    fn run(program: &str, args: &str, folder: &Path) {
        let mut command = Command::new(program);
        let run = command.args(words(args)).current_dir(folder).output();
        let run = run.expect(program);
        assert!(run.status.success(), "{args:?}: {run:?}");
    }

    fn object(folder: &Path, source: &str) -> Vec<u8> {
        fs::write(folder.join(LAYOUT_FILE), LAYOUT).expect("writable");
        fs::write(folder.join("unit.cpp"), source).expect("writable");
        let args = format!("{FLAGS} {OBJECT_FLAGS} ./unit.cpp");
        run(COMPILER, &args, folder);
        run(LOCALISER.0, LOCALISER_FLAGS, folder);
        fs::read(folder.join(OBJECT)).expect("it was made")
    }

    #[test]
    fn every_omitted_file_gets_note() {
        for (path, reason) in [
            ("notes.txt", Some("only .h and .cpp files are compiled")),
            ("README.md", Some("only .h and .cpp files are compiled")),
            ("data.json", Some("only .h and .cpp files are compiled")),
            ("doc/plan.md", Some("all files must be in one folder")),
            ("Cat.h", None),
            ("PROTOCOL.md", None),
            ("anonymous", None),
        ] {
            let file = SourceFile::new(path, "");
            let note = warning(&file, None);
            let is_reported = note.as_ref().is_some_and(|note| {
                note.starts_with(&format!("left out {path}: "))
                    && note.contains(reason.unwrap_or_default())
            });
            assert_eq!(is_reported, reason.is_some(), "{path}: {note:?}");
        }
    }

    #[test]
    fn what_runs_before_main_or_is_shared_is_refused() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let honest = object(folder.path(), "static int x = [] { return 1; }();");
        assert_eq!(check_object(&honest), Ok(()));
        let refuses = |source: &str, words: &str| {
            let refused = check_object(&object(folder.path(), source)).expect_err(words);
            assert!(refused.starts_with(words), "{refused}");
        };
        for section in ".init .ctors __libc_atexit __libc_IO_vtables __libc_subfreeres .interp \
                        .gnu.linkonce.t.abort .rela.iplt mine"
            .split(' ')
        {
            let source = format!("asm(\".section {section},\\\"a\\\"\\n.quad 0\\n.text\");");
            refuses(&source, &format!("it has a section {section}, but only"));
        }
        for (source, words) in [
            (
                "static void first() {}\n\
                 __attribute__((section(\".preinit_array\"), used))\n\
                 static void (*before)() = first;",
                "it has a section .preinit_array, but only",
            ),
            (
                "static int chosen() { return 1; }\n\
                 extern \"C\" { static int (*choose())() { return chosen; }\n\
                 int either() __attribute__((ifunc(\"choose\"))); }\n\
                 static int either_way = either();",
                "either is an IFUNC, which runs before",
            ),
            (
                "asm(\".type only,@gnu_unique_object\\n.globl only\\nonly: .quad 0\");",
                "only is shared with the judge's files",
            ),
            (
                "asm(\".data\\n.reloc ., R_X86_64_IRELATIVE, 0\\n.quad 0\\n.text\");",
                ".rela.data has a relocation that takes effect before",
            ),
        ] {
            refuses(source, words);
        }
    }

    #[test]
    fn data_over_32_mib_is_refused_bss_ignored() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let size = |variable: &str| {
            let source = format!("asm(\"{variable}\"); int main() {{}}");
            fs::write(folder.path().join("unit.cpp"), source).expect("writable");
            run(COMPILER, "unit.cpp -o bot", folder.path());
            check_size(&fs::read(folder.path().join(PROGRAM)).expect("it was made"))
        };
        assert_eq!(size(".data\\n.fill 0x1f00000,1,1\\n.text"), Ok(()));
        assert_eq!(size(".lcomm a,0x10000000"), Ok(()));
        let refused = size(".data\\n.fill 0x2000000,1,1\\n.text").expect_err("too large");
        let words = "its code and data take 33 MiB in the program, and 32 MiB are allowed";
        assert!(refused.starts_with(words), "{refused}");
    }

    #[test]
    fn course_text_header_counts_as_unchanged() {
        let own = "#pragma once\n#include <string>\nstruct A { int f(); };\n";
        let theirs = "#pragma once\n#include <vector>\n\n// NO NOT CHANGE\nstruct A {\n  /** text */\n  int f( );\n};";
        assert_eq!(essence(own), essence(theirs));
        let other = "#pragma once\nstruct A { long f(); };";
        assert_ne!(essence(own), essence(other));
    }

    #[test]
    fn opening_a_file_is_noticed_outside_of_comments() {
        assert_eq!(opens_files("std :: ifstream in(\"a\");"), Some("ifstream"));
        assert_eq!(opens_files("FILE* f = fopen (name, mode);"), Some("fopen("));
        let none = "#include <fstream>\n// an ifstream\nint offset;";
        assert_eq!(opens_files(none), None);
    }
}
