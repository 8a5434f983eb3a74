//! Reads how much memory a program takes before it has run.

use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Length of a file's beginning that has the list of its parts, in bytes.
const HEAD_BYTES: u64 = 4 << 10;

const MAGIC: &[u8] = b"\x7fELF\x02\x01";
/// Places in the header, of 8, 2 and 2 bytes: where the parts' list begins, the length of each
/// entry, and their number.
const LIST: [usize; 3] = [0x20, 0x36, 0x38];
/// Places in an entry: its type, its flags, and its size in memory.
const ENTRY: [usize; 3] = [0, 4, 0x28];
const LOADED: u64 = 1;
const OF_THREADS: u64 = 7;
const WRITABLE: u64 = 2;

/// Returns the size of a program's variables, in bytes: those that the limit on its memory counts
/// from the start. None for files that are no 64-bit programs.
pub(super) fn variable_bytes(program: &Path) -> Option<u64> {
    let mut head = Vec::new();
    let file = File::open(program).ok()?;
    file.take(HEAD_BYTES).read_to_end(&mut head).ok()?;
    variable_bytes_in(&head)
}

fn variable_bytes_in(head: &[u8]) -> Option<u64> {
    let number = |at: usize, bytes: usize| {
        let digits = head.get(at..at.checked_add(bytes)?)?.iter().rev();
        Some(digits.fold(0_u64, |number, digit| number << 8 | u64::from(*digit)))
    };
    if !head.starts_with(MAGIC) {
        return None;
    }
    let begin = usize::try_from(number(LIST[0], 8)?).ok()?;
    let (length, count) = (number(LIST[1], 2)?, number(LIST[2], 2)?);
    let mut total: u64 = 0;
    for index in 0..count {
        let at = begin.checked_add(usize::try_from(index * length).ok()?)?;
        let (kind, flags) = (number(at + ENTRY[0], 4)?, number(at + ENTRY[1], 4)?);
        if kind == OF_THREADS || kind == LOADED && flags & WRITABLE != 0 {
            total = total.saturating_add(number(at + ENTRY[2], 8)?);
        }
    }
    Some(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the head of a program with parts of these types, flags and sizes.
    fn program(parts: &[(u8, u8, u64)]) -> Vec<u8> {
        let mut head = vec![0; 64];
        head[..MAGIC.len()].copy_from_slice(MAGIC);
        head[LIST[0]] = 64;
        head[LIST[1]] = 56;
        head[LIST[2]] = u8::try_from(parts.len()).expect("few");
        for (kind, flags, bytes) in parts {
            let mut entry = [0; 56];
            (entry[ENTRY[0]], entry[ENTRY[1]]) = (*kind, *flags);
            entry[ENTRY[2]..][..8].copy_from_slice(&bytes.to_le_bytes());
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
