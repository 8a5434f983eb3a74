//! Names for content: hashes as text.

use alloc::string::String;
use sha2::{Digest, Sha256};

/// Writes bytes in hexadecimal digits.
pub fn hexadecimal(bytes: &[u8]) -> String {
    let digit = |four: u8| char::from(b"0123456789abcdef"[usize::from(four)]);
    let digits = bytes.iter();
    digits
        .flat_map(|byte| [digit(byte >> 4), digit(byte & 15)])
        .collect()
}

/// Hashes parts so that where one ends and the next begins counts; 32 hexadecimal digits.
pub fn hash(parts: &[&[u8]]) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    let digest = hasher.finalize();
    hexadecimal(&digest[..16])
}
