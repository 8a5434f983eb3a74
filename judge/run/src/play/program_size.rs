//! Reads how much memory a program takes before it has run.

use object::Endianness;
use object::elf;
use object::read::elf::{FileHeader, ProgramHeader};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Length of a file's beginning that has the list of its parts, in bytes.
const HEAD_BYTES: u64 = 4 << 10;

/// Returns the size of a program's variables, in bytes: those that the limit on its memory counts
/// from the start. None for files that are no 64-bit programs.
#[expect(clippy::disallowed_methods, reason = "it is an artifact of ours")]
pub(super) fn variable_bytes(program: &Path) -> Option<u64> {
    let mut head = Vec::new();
    File::open(program)
        .ok()?
        .take(HEAD_BYTES)
        .read_to_end(&mut head)
        .ok()?;
    variable_bytes_in(&head)
}

fn variable_bytes_in(head: &[u8]) -> Option<u64> {
    let header = elf::FileHeader64::<Endianness>::parse(head).ok()?;
    let endian = header.endian().ok()?;
    let parts = header.program_headers(endian, head).ok()?.iter();
    let is_variable = |part: &&elf::ProgramHeader64<Endianness>| match part.p_type(endian) {
        elf::PT_TLS => true,
        elf::PT_LOAD => part.p_flags(endian).contains(elf::PF_W),
        _ => false,
    };
    Some(
        parts
            .filter(is_variable)
            .map(|part| part.p_memsz(endian))
            .fold(0, u64::saturating_add),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the head of a program with parts of these types, flags and sizes.
    fn program(parts: &[(u8, u8, u64)]) -> Vec<u8> {
        let mut head = vec![0; 64];
        // A 64-bit program for machines with the lowest byte first.
        head[..7].copy_from_slice(b"\x7fELF\x02\x01\x01");
        // The list of parts begins after the header; the length and number of its entries.
        (head[0x20], head[0x36]) = (64, 56);
        head[0x38] = u8::try_from(parts.len()).expect("few");
        for (kind, flags, bytes) in parts {
            let mut entry = [0; 56];
            (entry[0], entry[4]) = (*kind, *flags);
            entry[0x28..0x30].copy_from_slice(&bytes.to_le_bytes());
            head.extend(entry);
        }
        head
    }

    #[test]
    fn variables_count_and_code_does_not() {
        let gib = 1 << 30;
        let parts = [(1, 5, gib), (1, 6, 3 * gib), (7, 4, gib), (4, 4, gib)];
        assert_eq!(variable_bytes_in(&program(&parts)), Some(4 * gib));
        assert_eq!(variable_bytes_in(&program(&parts)[..200]), None);
        assert_eq!(variable_bytes_in(b"#!/bin/sh"), None);
        let own = variable_bytes(Path::new("/proc/self/exe"));
        assert!(own.is_some_and(|bytes| bytes > 0 && bytes < gib));
    }
}
