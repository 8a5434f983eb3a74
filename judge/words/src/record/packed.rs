//! Results of many games in memory, in about 50 bytes each. Only games that the rules ended without
//! a fault are packed, because the bots' text in faults has no bound.

use super::{End, MatchResult, SeatRecord};
use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use engines::{GameResult, Outcome, SeatOutcome};

/// Packed results, one after the other.
#[derive(Clone, Debug, Default)]
pub struct PackedResults {
    bytes: Vec<u8>,
    /// The names, hashes and other texts that most games share.
    texts: Vec<Arc<str>>,
    numbers: BTreeMap<Arc<str>, u64>,
}

/// Maximum number of texts. Games with further ones are not packed: bots may use another name in
/// every game.
const TEXTS_MAX: usize = 1 << 16;

const RESULTS: [GameResult; 3] = [GameResult::Won, GameResult::Drawn, GameResult::Lost];

impl PackedResults {
    /// Adds a result. Returns its position, or none if it is not packed.
    pub fn add(&mut self, result: &MatchResult) -> Option<u32> {
        let at = self.bytes.len();
        let place = u32::try_from(at).ok()?;
        if result.end != End::Rules || !result.faults.is_empty() {
            return None;
        }
        if self.write(result).is_none() {
            self.bytes.truncate(at);
            return None;
        }
        Some(place)
    }

    /// Reads the result at a position. `fixture` is its fixture's id.
    pub fn get(&self, at: u32, fixture: &str) -> MatchResult {
        let mut reader = Reader {
            bytes: &self.bytes[at as usize..],
            texts: &self.texts,
        };
        reader.result(fixture)
    }

    /// Writes a result. Returns none if there are too many texts.
    fn write(&mut self, result: &MatchResult) -> Option<()> {
        self.number(result.state.into());
        self.number(result.seats.len() as u64);
        for seat in &result.seats {
            self.seat(seat)?;
        }
        self.number(result.plies as u64);
        self.bytes
            .extend_from_slice(&result.transcript.to_le_bytes());
        for seat in &result.outcome.seats {
            let is = |known: &GameResult| *known == seat.result;
            let number = RESULTS.iter().position(is).expect("one of three");
            self.number(number as u64);
            self.number(seat.placement.into());
            self.signed(seat.points);
            self.signed(seat.tie_break);
        }
        self.text(&result.outcome.reason)?;
        self.number(result.overloaded.into());
        self.number(result.machine.is_some().into());
        if let Some(machine) = &result.machine {
            self.text(machine)?;
        }
        Some(())
    }

    fn seat(&mut self, seat: &SeatRecord) -> Option<()> {
        self.text(&seat.entrant)?;
        self.text(&seat.artifact)?;
        self.number(seat.says.is_some().into());
        if let Some(says) = &seat.says {
            self.text(says)?;
        }
        self.number(seat.seed.into());
        self.number(seat.cpu_us);
        self.number(seat.off_turn_us);
        self.number(seat.wall_us);
        self.number(seat.uncharged_us);
        self.number(seat.startup_wall_us);
        self.number(seat.idle_us);
        self.number(seat.suspended.into());
        Some(())
    }

    /// Writes the number of a text. A new text gets a new number.
    fn text(&mut self, text: &str) -> Option<()> {
        let known = self.numbers.get(text).copied();
        let number = known.or_else(|| self.learn(text))?;
        self.number(number);
        Some(())
    }

    fn learn(&mut self, text: &str) -> Option<u64> {
        let next = self.texts.len();
        (next < TEXTS_MAX).then(|| {
            let text: Arc<str> = text.into();
            self.texts.push(Arc::clone(&text));
            self.numbers.insert(text, next as u64);
            next as u64
        })
    }

    /// Writes seven bits a byte, the lowest first. The eighth bit says that more follow (LEB128).
    fn number(&mut self, mut number: u64) {
        while number > 0x7f {
            self.bytes.push(number.to_le_bytes()[0] | 0x80);
            number >>= 7;
        }
        self.bytes.push(number.to_le_bytes()[0]);
    }

    /// Writes the sign as the lowest bit, so that small numbers stay short.
    fn signed(&mut self, number: i64) {
        self.number(((number << 1) ^ (number >> 63)).cast_unsigned());
    }
}

/// Reads packed results.
struct Reader<'a> {
    bytes: &'a [u8],
    texts: &'a [Arc<str>],
}

impl Reader<'_> {
    fn result(&mut self, fixture: &str) -> MatchResult {
        let state = self.number();
        let count = self.number();
        let seats: Vec<SeatRecord> = (0..count).map(|_| self.seat()).collect();
        let plies = self.number();
        let (transcript, rest) = self.bytes.split_first_chunk().expect("8 bytes");
        self.bytes = rest;
        let results = (0..count).map(|_| SeatOutcome {
            result: RESULTS[self.number::<usize>()],
            placement: self.number(),
            points: self.signed(),
            tie_break: self.signed(),
        });
        let outcome = Outcome {
            seats: results.collect(),
            reason: Cow::Owned(self.text()),
        };
        MatchResult {
            fixture: fixture.into(),
            state,
            seats,
            plies,
            transcript: u64::from_le_bytes(*transcript),
            faults: Vec::new(),
            end: End::Rules,
            outcome,
            overloaded: self.flag(),
            machine: self.flag().then(|| self.text()),
        }
    }

    fn seat(&mut self) -> SeatRecord {
        SeatRecord {
            entrant: self.text(),
            artifact: self.text(),
            says: self.flag().then(|| self.text()),
            seed: self.number(),
            cpu_us: self.number(),
            off_turn_us: self.number(),
            wall_us: self.number(),
            uncharged_us: self.number(),
            startup_wall_us: self.number(),
            idle_us: self.number(),
            suspended: self.flag(),
        }
    }

    fn text(&mut self) -> String {
        let number: usize = self.number();
        (*self.texts[number]).into()
    }

    fn flag(&mut self) -> bool {
        self.number::<u64>() != 0
    }

    fn number<N: TryFrom<u64>>(&mut self) -> N {
        let (mut number, mut shift) = (0, 0);
        loop {
            let (&byte, rest) = self.bytes.split_first().expect("a number was written");
            self.bytes = rest;
            number |= u64::from(byte & 0x7f) << shift;
            shift += 7;
            if byte & 0x80 == 0 {
                return N::try_from(number).ok().expect("it was of this type");
            }
        }
    }

    fn signed(&mut self) -> i64 {
        let number: u64 = self.number();
        (number >> 1).cast_signed() ^ -(number & 1).cast_signed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::Cause;
    use alloc::string::ToString;
    use engines::Seat;

    fn result(number: u64) -> MatchResult {
        let seat = |name: &str| SeatRecord {
            entrant: name.to_string(),
            artifact: "x".repeat(32),
            seed: u32::MAX,
            says: (number.is_multiple_of(2)).then(|| "I".to_string()),
            cpu_us: number,
            off_turn_us: number / 3,
            wall_us: u64::MAX - number,
            uncharged_us: 0,
            startup_wall_us: 127,
            idle_us: number / 7,
            suspended: number.is_multiple_of(3),
        };
        let outcome = |result, points| SeatOutcome {
            result,
            placement: 2,
            points,
            tie_break: i64::MIN,
        };
        MatchResult {
            fixture: number.to_string(),
            state: 7,
            seats: [seat("ann"), seat("bob")].to_vec(),
            plies: 128,
            transcript: number.wrapping_mul(0x9e37_79b9_7f4a_7c15),
            faults: Vec::new(),
            end: End::Rules,
            outcome: Outcome {
                seats: [
                    outcome(GameResult::Won, i64::MAX),
                    outcome(GameResult::Drawn, -1),
                    outcome(GameResult::Lost, 64),
                ][(number % 2) as usize..][..2]
                    .to_vec(),
                reason: "why".into(),
            },
            overloaded: number.is_multiple_of(5),
            machine: number.is_multiple_of(7).then(|| "m".to_string()),
        }
    }

    #[test]
    fn results_are_read_as_they_were_added() {
        let mut packed = PackedResults::default();
        let all: Vec<MatchResult> = [0, 1, 2, 127, 128, 300_000, u64::MAX].map(result).to_vec();
        let places: Vec<u32> = all.iter().filter_map(|one| packed.add(one)).collect();
        assert_eq!(places.len(), all.len());
        for (one, at) in all.iter().zip(places) {
            assert_eq!(packed.get(at, &one.fixture), *one);
        }
    }

    #[test]
    fn what_has_no_bound_is_not_packed() {
        let mut packed = PackedResults::default();
        let mut faulty = result(1);
        faulty.end = End::Fault {
            cause: Cause::Crash,
            seat: Seat::new(0),
        };
        assert_eq!(packed.add(&faulty), None);
        for number in 0..TEXTS_MAX {
            packed.learn(&number.to_string());
        }
        assert_eq!(packed.add(&result(1)), None);
        assert!(packed.bytes.is_empty());
    }
}
