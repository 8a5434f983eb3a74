//! Numbers in LEB128: seven bits a byte, the lowest first; the eighth says that more follow.

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
