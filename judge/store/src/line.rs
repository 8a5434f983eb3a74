//! One line of the journal: a record, a machine, a moment, the output of bots, or a break. Two MACs
//! follow the content: that of the line before, and its own, which covers everything before it:
//!
//! `{"v":5,"fixture":…,"after":"MAC OF THE LINE BEFORE","mac":"OWN MAC"}`
//!
//! A line's own MAC reveals a forged or damaged line. Both together reveal missing lines between
//! two. A MAC is the first half of an HMAC-SHA-256, in hexadecimal digits.

use hmac::{Hmac, KeyInit, Mac as _};
use model::FORMAT;
use model::draw::Secret;
use model::game_id::GameId;
use sha2::Sha256;

pub(super) type Mac = [u8; 32];

pub(super) const BEGINNING: Mac = [b'0'; 32];

const AFTER: &[u8] = b",\"after\":\"";
const OWN: &[u8] = b"\",\"mac\":\"";
const END: &[u8] = b"\"}";
const TAIL: usize = AFTER.len() + BEGINNING.len() + OWN.len() + BEGINNING.len() + END.len();

/// Maximum length of a line in bytes, including its newline. A game of 20,000 turns takes 2 MB of
/// moves, and 60 MB if each turn were a fault with its full text. Tests read beyond the limit.
pub const LINE_BYTES_MAX: u64 = if cfg!(test) { 1 << 20 } else { 64 << 20 };

#[derive(Clone, Debug)]
pub(super) struct Signer(Hmac<Sha256>);

pub(super) struct SignedLine {
    pub(super) kind: Kind,
    pub(super) after: Mac,
    mac: Mac,
}

impl SignedLine {
    /// Returns the MAC that the line after it names.
    pub(super) const fn next(&self) -> Mac {
        match self.kind {
            Kind::Break(resumes) => resumes,
            Kind::Game(_) | Kind::Machine | Kind::Moment | Kind::StderrLine => self.mac,
        }
    }
}

pub(super) enum Kind {
    Game(GameId),
    /// Lines are missing here, and the next line comes after the one with this MAC.
    Break(Mac),
    Machine,
    Moment,
    /// The output of bots in the game whose line follows, in the journal of a part.
    StderrLine,
}

const GAME: &str = "\"fixture\":\"";
const BREAK: &str = "\"resumes\":";
const MACHINE: &str = "\"machine\":\"";
const MOMENT: &str = "\"moment\":";
const WRITTEN: &str = "\"wrote\":\"";
const ID_DIGITS: usize = 32;

impl Signer {
    pub(super) fn new(key: &Secret) -> Self {
        Self(Hmac::new_from_slice(key.bits()).expect("any length will do"))
    }

    pub(super) fn sign(&self, content: &mut Vec<u8>, after: &Mac) -> Mac {
        content.pop_if(|last| *last == b'}').expect("an object");
        content.extend_from_slice(AFTER);
        content.extend_from_slice(after);
        let mac = self.mac(content);
        content.extend_from_slice(OWN);
        content.extend_from_slice(&mac);
        content.extend_from_slice(END);
        mac
    }

    fn mac(&self, bytes: &[u8]) -> Mac {
        let mut mac = self.0.clone();
        mac.update(bytes);
        let bytes = mac.finalize().into_bytes();
        let digit = |four: u8| b"0123456789abcdef"[usize::from(four)];
        let mut text = BEGINNING;
        for (pair, byte) in text.chunks_exact_mut(2).zip(&bytes) {
            pair.copy_from_slice(&[digit(byte >> 4), digit(byte & 15)]);
        }
        text
    }

    /// Returns a line that marks a gap before the line that follows the one with the MAC `resumes`.
    pub(super) fn note_break(&self, resumes: &Mac, after: &Mac) -> (Vec<u8>, Mac) {
        let resumes = str::from_utf8(resumes).expect("digits");
        let text = format!("{{\"v\":{FORMAT},{BREAK}\"{resumes}\"}}");
        let mut line = text.into_bytes();
        let mac = self.sign(&mut line, after);
        (line, mac)
    }

    pub(super) fn check(&self, line: &[u8]) -> Result<SignedLine, &'static str> {
        if line.trim_ascii().is_empty() {
            return Err("it is blank");
        }
        let (content, after, mac) = split(line).ok_or("it has no MAC signature at its end")?;
        let signed = &line[..content.len() + AFTER.len() + after.len()];
        if self.mac(signed) != *mac {
            return Err("its MAC signature does not match");
        }
        let strange = "it is signed, but this version of judge does not know its kind";
        Ok(SignedLine {
            kind: kind(content).ok_or(strange)?,
            after: *after,
            mac: *mac,
        })
    }
}

pub(super) fn split(line: &[u8]) -> Option<(&[u8], &Mac, &Mac)> {
    let (content, tail) = line.split_at_checked(line.len().checked_sub(TAIL)?)?;
    let (after, tail) = tail.strip_prefix(AFTER)?.split_first_chunk()?;
    let (mac, tail) = tail.strip_prefix(OWN)?.split_first_chunk()?;
    (tail == END).then_some((content, after, mac))
}

fn kind(content: &[u8]) -> Option<Kind> {
    let version = format!("{{\"v\":{FORMAT},");
    let rest = content.strip_prefix(version.as_bytes())?;
    if let Some(rest) = rest.strip_prefix(GAME.as_bytes()) {
        let (id, rest) = rest.split_at_checked(ID_DIGITS)?;
        return rest
            .starts_with(b"\"")
            .then(|| GameId::parse(id))?
            .map(Kind::Game);
    }
    if rest.starts_with(MACHINE.as_bytes()) {
        return Some(Kind::Machine);
    }
    if rest.starts_with(MOMENT.as_bytes()) {
        return Some(Kind::Moment);
    }
    if rest.starts_with(WRITTEN.as_bytes()) {
        return Some(Kind::StderrLine);
    }
    rest.strip_prefix(BREAK.as_bytes())?
        .strip_prefix(b"\"")?
        .strip_suffix(b"\"")?
        .try_into()
        .ok()
        .map(Kind::Break)
}

/// Applies `read` to the content of a line with a valid MAC. The content is a JSON object.
pub(super) fn with_content<T>(line: &mut [u8], read: impl FnOnce(&[u8]) -> T) -> T {
    let end = line.len() - TAIL;
    let behind = std::mem::replace(&mut line[end], b'}');
    let read = read(&line[..=end]);
    line[end] = behind;
    read
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONTENT: &[u8] = br#"{"v":5,"fixture":"0123456789abcdef0123456789abcdef","x":1}"#;

    fn signer() -> Signer {
        Signer::new(&Secret::new([7; 32]))
    }

    fn signed() -> Vec<u8> {
        let mut line = CONTENT.to_vec();
        signer().sign(&mut line, &[b'a'; 32]);
        line
    }

    #[test]
    fn a_line_is_read_as_it_was_signed() {
        let mut line = signed();
        let read = signer().check(&line).expect("valid");
        let id = GameId::parse(b"0123456789abcdef0123456789abcdef");
        assert!(matches!(read.kind, Kind::Game(own) if Some(own) == id));
        let content = with_content(&mut line, <[u8]>::to_vec);
        assert_eq!((read.after, content), ([b'a'; 32], CONTENT.to_vec()));
        assert_eq!(line, signed());
        assert!(serde_json::from_slice::<serde_json::Value>(&line).is_ok());
    }

    #[test]
    fn no_changed_bit_and_no_other_key_passes() {
        let line = signed();
        for (place, bit) in (0..line.len()).flat_map(|place| (0..8).map(move |bit| (place, bit))) {
            let mut changed = line.clone();
            changed[place] ^= 1 << bit;
            assert!(signer().check(&changed).is_err(), "byte {place}, bit {bit}");
        }
        let other = Signer::new(&Secret::new([8; 32]));
        assert!(other.check(&line).is_err());
        for length in 0..line.len() {
            assert!(signer().check(&line[..length]).is_err());
        }
    }

    #[test]
    fn a_break_says_where_the_chain_goes_on() {
        let (line, mac) = signer().note_break(&[b'b'; 32], &[b'a'; 32]);
        let read = signer().check(&line).expect("valid");
        assert!(matches!(read.kind, Kind::Break(resumes) if resumes == [b'b'; 32]));
        assert_eq!((read.after, read.mac), ([b'a'; 32], mac));
    }
}
