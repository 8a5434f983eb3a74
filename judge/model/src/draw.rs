//! The randomness of a run, derived from one secret by labels; and [`hash`].
//!
//! A label names what is drawn and never an entrant, so that nobody can seek luck by changing a program.
//!
//! `derive(key, label)` is HMAC-SHA-256 (RFC 2104). The secret gives `ROUND/states/N`, the key of
//! an initial state, and `ROUND/resamples`. The key of a state gives `board`, `dealing`, `seats/N`
//! and, for the later legs of a match between processes that remember, `legs/N/seats/N`.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use engines::Seat;
use hmac::{Hmac, KeyInit, Mac};
use serde::{Deserialize, Serialize, Serializer};
use sha2::{Digest, Sha256};

/// 256 random bits; as text, 64 hexadecimal digits. Debug output does not show them.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Secret([u8; 32]);

impl Secret {
    /// Makes a secret from random bits.
    pub const fn new(bits: [u8; 32]) -> Self {
        Self(bits)
    }

    /// Returns the bits for a label. Nobody can predict them without the secret.
    #[must_use]
    pub fn derive(&self, label: &str) -> Self {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).expect("any length will do");
        mac.update(label.as_bytes());
        Self(mac.finalize().into_bytes().into())
    }

    /// Returns the bits.
    pub const fn bits(&self) -> &[u8; 32] {
        &self.0
    }

    /// Returns the first 64 bits as a number.
    pub fn number(&self) -> u64 {
        u64::from_le_bytes(self.0.first_chunk().copied().expect("32 bytes"))
    }

    /// Returns the text.
    pub fn text(&self) -> String {
        hexadecimal(&self.0)
    }

    /// Returns the commitment to publish before the secret, as `printf %s SECRET | sha256sum` prints it.
    pub fn commitment(&self) -> String {
        hexadecimal(&Sha256::digest(self.text()))
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

impl Serialize for Secret {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text())
    }
}

impl TryFrom<String> for Secret {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, &'static str> {
        let bits = from_hexadecimal(text.as_bytes());
        bits.map(Self)
            .ok_or("a secret has 64 hexadecimal digits, 0-9 and a-f")
    }
}

/// The default seed of single games and checks.
pub const PRACTICE_SEED: u64 = 1;

/// The draw of one round of a run.
#[derive(Clone, Debug)]
pub struct Draw {
    secret: Secret,
    round: String,
    numbers: Secret,
}

impl Draw {
    /// Makes a draw from a secret. `numbers` is never revealed: with it one could infer from the groups who
    /// is behind a public name.
    pub fn new(secret: Secret, round: &str, numbers: Secret) -> Self {
        Self {
            secret,
            round: round.into(),
            numbers,
        }
    }

    /// Makes a draw from a seed, which anybody can repeat.
    pub fn public(seed: u64, round: &str) -> Self {
        let secret = Secret(Sha256::digest(format!("judge seed {seed}")).into());
        let numbers = secret.derive("numbers");
        Self::new(secret, round, numbers)
    }

    /// Returns the draw of an initial state, counted from 0.
    pub fn state(&self, state: u32) -> StateDraw {
        let label = format!("{}/states/{state}", self.round);
        StateDraw(self.secret.derive(&label))
    }

    /// Returns the seed of the resamples for confidence intervals; it may be published.
    pub fn resample_seed(&self) -> u64 {
        let label = format!("{}/resamples", self.round);
        self.secret.derive(&label).number()
    }

    /// Returns the key by which entrants are sorted before they are dealt into groups.
    pub fn sort_key(&self, entrant: &str) -> [u8; 32] {
        self.numbers.derive(entrant).0
    }
}

/// The draw of one initial state.
#[derive(Clone, Debug)]
pub struct StateDraw(Secret);

impl StateDraw {
    /// Returns the seed of the initial position.
    pub fn setup_seed(&self) -> u64 {
        self.0.derive("board").number()
    }

    /// Returns the seed for dealing entrants into groups.
    pub fn group_seed(&self) -> [u8; 32] {
        self.0.derive("dealing").0
    }

    /// Returns the seeds of the bots, by seat.
    pub fn luck(&self, seats: usize) -> BotSeeds {
        self.luck_of_leg(seats, 0)
    }

    /// Returns the seeds of the bots in a leg ([`crate::fixture::leg`]), by seat.
    pub fn luck_of_leg(&self, seats: usize, leg: usize) -> BotSeeds {
        let seed = |seat| match leg {
            0 => self.0.derive(&format!("seats/{seat}")),
            _ => self.0.derive(&format!("legs/{leg}/seats/{seat}")),
        };
        BotSeeds {
            draw: self.digest(),
            seeds: (0..seats).map(seed).collect(),
        }
    }

    /// Returns a text that identifies this draw and reveals nothing: 32 hexadecimal digits.
    pub fn digest(&self) -> String {
        hash(&[b"draw", &self.0.0])
    }
}

/// The seeds of the bots in a game.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BotSeeds {
    /// The digest of the draw, [`StateDraw::digest`].
    pub draw: String,
    /// The seeds, by seat.
    pub seeds: Vec<Secret>,
}

impl BotSeeds {
    /// Returns the number that a seat's bot receives to seed its randomness.
    pub fn seed(&self, seat: Seat) -> u32 {
        let bits = self.seeds[seat.index()].bits();
        u32::from_le_bytes(bits.first_chunk().copied().expect("32 bytes"))
    }
}

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// Writes bytes in hexadecimal digits.
pub fn hexadecimal(bytes: &[u8]) -> String {
    let digit = |four: u8| char::from(DIGITS[usize::from(four)]);
    bytes
        .iter()
        .flat_map(|byte| [digit(byte >> 4), digit(byte & 15)])
        .collect()
}

/// Reads what [`hexadecimal`] has written; none if the text is anything else.
pub(crate) fn from_hexadecimal<const N: usize>(text: &[u8]) -> Option<[u8; N]> {
    let (pairs, []) = text.as_chunks::<2>() else {
        return None;
    };
    if pairs.len() != N {
        return None;
    }
    let mut bytes = [0; N];
    for (byte, pair) in bytes.iter_mut().zip(pairs) {
        let [high, low] = pair.map(|digit| VALUES[usize::from(digit)]);
        if high == NO_DIGIT || low == NO_DIGIT {
            return None;
        }
        *byte = high << 4 | low;
    }
    Some(bytes)
}

/// The values of digits, by byte. A table, because each game's id is parsed several times.
const VALUES: [u8; 256] = {
    let (mut values, mut value) = ([NO_DIGIT; 256], 0);
    while value < 16 {
        values[DIGITS[value as usize] as usize] = value;
        value += 1;
    }
    values
};

const NO_DIGIT: u8 = u8::MAX;

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

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;
    use std::collections::HashSet;

    /// The first test case of RFC 4231. Its key of 20 bytes is equal to the same key with zeros
    /// after it.
    #[test]
    fn labels_derive_by_hmac() {
        let mut key = [0; 32];
        key[..20].fill(0x0b);
        assert_eq!(
            Secret::new(key).derive("Hi There").text(),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        );
    }

    #[test]
    fn commitment_is_sha_256_of_text() {
        let secret = Secret::new([0xab; 32]);
        assert_eq!(secret.text(), "ab".repeat(32));
        let digest = hexadecimal(&Sha256::digest("ab".repeat(32)));
        assert_eq!(secret.commitment(), digest);
    }

    #[test]
    fn a_secret_is_read_from_its_text_alone() {
        let secret = Secret::new(core::array::from_fn(|n| {
            u8::try_from(n * 8).expect("small")
        }));
        let json = serde_json::to_string(&secret).expect("plain data");
        let read: Secret = serde_json::from_str(&json).expect("a secret");
        assert_eq!(read, secret);
        for wrong in [
            "",
            "ab",
            &"g".repeat(64),
            &"AB".repeat(32),
            &"ab".repeat(33),
        ] {
            let json = format!("{wrong:?}");
            assert!(serde_json::from_str::<Secret>(&json).is_err(), "{wrong}");
        }
        assert_eq!(format!("{secret:?}"), "Secret(…)");
    }

    #[test]
    fn every_label_has_bits_of_its_own() {
        let draws = [
            Draw::public(1, "final"),
            Draw::public(2, "final"),
            Draw::public(1, "practice/1"),
            Draw::new(Secret::new([1; 32]), "final", Secret::new([2; 32])),
        ];
        let mut seen = HashSet::new();
        for draw in &draws {
            assert!(seen.insert(draw.resample_seed().to_string()));
            for state in [0, 1, 11] {
                let state = draw.state(state);
                let luck = state.luck(4);
                let legs = (1..4).flat_map(|leg| state.luck_of_leg(4, leg).seeds);
                let bits = luck
                    .seeds
                    .iter()
                    .cloned()
                    .chain(legs)
                    .map(|bits| bits.text());
                let more = [
                    state.setup_seed().to_string(),
                    hexadecimal(&state.group_seed()),
                    luck.draw.clone(),
                ];
                assert!(bits.chain(more).all(|bits| seen.insert(bits)));
            }
        }
    }
}
