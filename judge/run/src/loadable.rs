//! The part of an executable that the kernel and the dynamic loader read.

/// Positions and sizes in the header of a 64-bit ELF file, in bytes.
mod header {
    use std::ops::Range;

    pub(super) const IDENTITY: &[u8] = b"\x7fELF\x02\x01";
    pub(super) const SEGMENTS_AT: Range<usize> = 32..40;
    pub(super) const SECTIONS_AT: Range<usize> = 40..48;
    pub(super) const SEGMENT_BYTES: Range<usize> = 54..56;
    pub(super) const SEGMENTS: Range<usize> = 56..58;
    pub(super) const SECTIONS_AND_NAMES: Range<usize> = 60..64;
}

/// Positions in the entry of a segment, in bytes.
mod segment {
    use std::ops::Range;

    pub(super) const AT: Range<usize> = 8..16;
    pub(super) const BYTES: Range<usize> = 32..40;
}

/// Returns an executable without the sections behind its last segment: debug information and
/// symbols. A file of another form is returned unchanged.
pub(crate) fn loadable(mut program: Vec<u8>) -> Vec<u8> {
    if let Some(end) = end_of_segments(&program) {
        program.truncate(end);
        program[header::SECTIONS_AT].fill(0);
        program[header::SECTIONS_AND_NAMES].fill(0);
    }
    program
}

/// Returns the end of the last segment, as far as the file is well-formed.
fn end_of_segments(program: &[u8]) -> Option<usize> {
    if !program.starts_with(header::IDENTITY) {
        return None;
    }
    let table = number(program, header::SEGMENTS_AT)?;
    let bytes = number(program, header::SEGMENT_BYTES)?;
    let count = number(program, header::SEGMENTS)?;
    let table_end = table.checked_add(bytes.checked_mul(count)?)?;
    let ends = program.get(table..table_end)?.chunks_exact(bytes.max(1));
    let ends =
        ends.map(|entry| number(entry, segment::AT)?.checked_add(number(entry, segment::BYTES)?));
    let ends: Option<Vec<usize>> = ends.collect();
    let end = ends?.into_iter().max()?.max(table_end);
    (header::SECTIONS_AND_NAMES.end <= end && end <= program.len()).then_some(end)
}

/// Reads a little-endian number.
fn number(bytes: &[u8], place: std::ops::Range<usize>) -> Option<usize> {
    let bytes = bytes.get(place)?;
    let number = bytes
        .iter()
        .rev()
        .fold(0, |number, &byte| number << 8 | u64::from(byte));
    usize::try_from(number).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes a file with one segment that ends at `end`, and `after` bytes behind it.
    fn program(end: u64, after: usize) -> Vec<u8> {
        let mut program = vec![7; 64];
        program[..6].copy_from_slice(header::IDENTITY);
        program[header::SEGMENTS_AT].copy_from_slice(&64_u64.to_le_bytes());
        program[header::SEGMENT_BYTES].copy_from_slice(&56_u16.to_le_bytes());
        program[header::SEGMENTS].copy_from_slice(&1_u16.to_le_bytes());
        let mut entry = vec![0; 56];
        entry[segment::AT].copy_from_slice(&64_u64.to_le_bytes());
        entry[segment::BYTES].copy_from_slice(&(end - 64).to_le_bytes());
        program.extend(entry);
        program.resize(200 + after, 9);
        program
    }

    #[test]
    fn what_is_behind_the_last_segment_is_left_out() {
        let kept = loadable(program(200, 50));
        assert_eq!(kept.len(), 200);
        assert_eq!(kept[header::SECTIONS_AT], [0; 8]);
        assert_eq!(kept[header::SECTIONS_AND_NAMES], [0; 4]);
        assert_eq!(kept[64..], program(200, 0)[64..]);
    }

    #[test]
    fn a_file_of_another_form_stays_as_it_is() {
        let whole = program(200, 50);
        let other_class = [&b"\x7fELF\x01"[..], &whole[5..]].concat();
        let beyond = program(251, 50);
        for file in [
            b"#!/bin/sh\n".to_vec(),
            other_class,
            whole[..100].to_vec(),
            beyond,
        ] {
            assert_eq!(loadable(file.clone()), file);
        }
    }
}
