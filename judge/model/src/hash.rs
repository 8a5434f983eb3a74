//! Hashes as text, which name content.

use alloc::string::String;
use sha2::{Digest, Sha256};

/// Writes bytes in hexadecimal digits.
pub fn hexadecimal(bytes: &[u8]) -> String {
    let digit = |four: u8| char::from(b"0123456789abcdef"[usize::from(four)]);
    bytes
        .iter()
        .flat_map(|byte| [digit(byte >> 4), digit(byte & 15)])
        .collect()
}

/// Hashes parts in 32 hexadecimal digits. The boundaries between parts change the hash.
pub fn hash(parts: &[&[u8]]) -> String {
    let mut hash = PartsHash::default();
    for part in parts {
        hash.add(part);
    }
    hexadecimal(&hash.finish())
}

/// An unfinished [`hash`], so that the common beginning of many hashes is added once.
#[derive(Clone, Debug, Default)]
pub(crate) struct PartsHash(Sha256);

impl PartsHash {
    pub(crate) fn add(&mut self, part: &[u8]) {
        self.0.update((part.len() as u64).to_le_bytes());
        self.0.update(part);
    }

    pub(crate) fn finish(self) -> [u8; 16] {
        *self.0.finalize().first_chunk().expect("it has 32 bytes")
    }
}
