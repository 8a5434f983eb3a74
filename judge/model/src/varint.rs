//! Numbers in as few bytes as they need (LEB128): seven bits a byte, the lowest first. The eighth
//! bit says that more follow.

use alloc::vec::Vec;

/// Appends a number.
pub fn push(out: &mut Vec<u8>, mut number: u64) {
    while number > 0x7f {
        out.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    out.push(number.to_le_bytes()[0]);
}

/// Takes a number that [`push`] has written off the start of `bytes`.
pub fn take(bytes: &mut &[u8]) -> u64 {
    let (mut number, mut shift) = (0, 0);
    loop {
        let (&byte, rest) = bytes.split_first().expect("a number was written");
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        shift += 7;
        if byte & 0x80 == 0 {
            return number;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_taken_as_they_were_pushed() {
        let numbers = [0, 1, 127, 128, 16_383, 16_384, u64::MAX];
        let mut bytes = Vec::new();
        for number in numbers {
            push(&mut bytes, number);
        }
        assert_eq!(bytes.len(), 1 + 1 + 1 + 2 + 2 + 3 + 10);
        let mut rest = &bytes[..];
        for number in numbers {
            assert_eq!(take(&mut rest), number);
        }
        assert!(rest.is_empty());
    }
}
