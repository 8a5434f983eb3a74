//! The object file of a submission in C++. No code in it may run before the kit's first question.

use model::fault::quote;
use object::Endianness;
use object::elf;
use object::read::elf::{FileHeader, ProgramHeader, SectionHeader, Sym};

/// Beginning of the names by which a kit calls a submission; only these and [`MAIN`] are visible.
const ENTRIES: &str = "judge_";

/// Main function of a program. The kit has one, so that the linker complains of a second one.
const MAIN: &str = "main";

/// Its name is a valid name in C, so that the linker gives the kit its beginning and end.
const CONSTRUCTORS: &str = "judge_constructors";

/// Linker script that puts constructors of global objects where the kit finds them, by priority and
/// then in order. Elsewhere the C library would run them before `main`.
pub(super) const LAYOUT: &str = "SECTIONS {
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
pub(super) fn check(bytes: &[u8]) -> Result<(), String> {
    complaints(bytes)
        .map_err(|_| "g++ has made a file that cannot be read".to_owned())?
        .map_or(Ok(()), Err)
}

/// Size of all that the linked program loads from its file, in MiB. Each start of a bot that lives for a turn
/// flushes all of it, and a fork copies what the submission writes.
const LOADED_MIB_MAX: u64 = 32;

/// Checks the size of a linked program. Variables without values are not in its file.
pub(super) fn check_size(program: &[u8]) -> Result<(), String> {
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
