//! Results in about 35 bytes each, of games without a fault: the bots' text in faults has no bound.

use super::{End, MatchResult, SeatRecord};
use crate::game_id::GameId;
use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use engines::{GameResult, Outcome, SeatOutcome};

/// Packs results into bytes, and keeps the parts that many of them share.
#[derive(Clone, Debug, Default)]
pub struct ResultPacker {
    starts: SharedParts,
    players: SharedParts,
    verdicts: SharedParts,
}

#[derive(Clone, Debug, Default)]
struct SharedParts {
    parts: Vec<Arc<[u8]>>,
    numbers: BTreeMap<Arc<[u8]>, u64>,
}

/// Maximum number of different starts: a competition has no more states.
const STARTS_MAX: usize = 1_000_000;
/// Maximum number of players and of verdicts: bots may use another name in every game.
const PARTS_MAX: usize = 1 << 16;

const RESULTS: [GameResult; 3] = [GameResult::Won, GameResult::Drawn, GameResult::Lost];

impl SharedParts {
    fn number(&mut self, part: &[u8], parts_max: usize) -> Option<u64> {
        if let Some(&known) = self.numbers.get(part) {
            return Some(known);
        }
        let next = self.parts.len();
        (next < parts_max).then(|| {
            let part: Arc<[u8]> = part.into();
            self.parts.push(Arc::clone(&part));
            self.numbers.insert(part, next as u64);
            next as u64
        })
    }
}

impl ResultPacker {
    /// Appends a result to `out`. Returns whether it did: if not, `out` is unchanged.
    pub fn pack(&mut self, result: &MatchResult, out: &mut Vec<u8>) -> bool {
        let old = out.len();
        let is_plain = result.end == End::Rules && result.faults.is_empty();
        let is_packed = is_plain && self.write(result, out).is_some();
        if !is_packed {
            out.truncate(old);
        }
        is_packed
    }

    /// Reads the packed result at the start of `bytes`. `fixture` is its fixture's id.
    pub fn unpack(&self, bytes: &[u8], fixture: GameId) -> MatchResult {
        let mut bytes = Reader(bytes);
        let mut verdict = bytes.shared(&self.verdicts);
        let mut start = bytes.shared(&self.starts);
        let plies = bytes.number();
        let (transcript, rest) = bytes.0.split_first_chunk().expect("8 bytes");
        bytes.0 = rest;
        let state = start.number();
        let count: usize = verdict.number();
        let (mut seats, mut outcomes) = (Vec::with_capacity(count), Vec::with_capacity(count));
        for _ in 0..count {
            let mut player = bytes.shared(&self.players);
            let mask: u64 = bytes.number();
            let (cpu_us, wall_us) = (bytes.number(), bytes.number());
            let points = unzigzag(bytes.number());
            let mut rare = |at: u32| match mask >> at & 1 {
                0 => 0,
                _ => bytes.number(),
            };
            let (startup_wall_us, uncharged_us) = (rare(0), rare(1));
            let (off_turn_us, idle_us, tie_break) = (rare(2), rare(3), unzigzag(rare(4)));
            seats.push(SeatRecord {
                entrant: player.text(),
                artifact: player.text(),
                bot_name: player.flag().then(|| player.text()),
                seed: start.number(),
                cpu_us,
                off_turn_us,
                wall_us,
                uncharged_us,
                startup_wall_us,
                idle_us,
                suspended: rare(SUSPENDED) != 0,
                // That is a fault.
                not_started: false,
            });
            outcomes.push(SeatOutcome {
                result: RESULTS[verdict.number::<usize>()],
                placement: verdict.number(),
                points,
                tie_break,
            });
        }
        MatchResult {
            fixture,
            state,
            seats,
            plies,
            transcript: u64::from_le_bytes(*transcript),
            faults: Vec::new(),
            end: End::Rules,
            outcome: Outcome {
                seats: outcomes,
                reason: Cow::Owned(verdict.text()),
            },
            overloaded: verdict.flag(),
            machine: verdict.flag().then(|| verdict.text()),
        }
    }

    fn write(&mut self, result: &MatchResult, out: &mut Vec<u8>) -> Option<()> {
        let mut part = Vec::new();
        push_varint(&mut part, result.seats.len() as u64);
        for seat in &result.outcome.seats {
            push_varint(&mut part, seat.result as u64);
            push_varint(&mut part, seat.placement.into());
        }
        text(&mut part, &result.outcome.reason);
        push_varint(&mut part, result.overloaded.into());
        option(&mut part, result.machine.as_deref());
        push_varint(out, self.verdicts.number(&part, PARTS_MAX)?);
        part.clear();
        push_varint(&mut part, result.state.into());
        for seat in &result.seats {
            push_varint(&mut part, seat.seed.into());
        }
        push_varint(out, self.starts.number(&part, STARTS_MAX)?);
        push_varint(out, result.plies as u64);
        out.extend_from_slice(&result.transcript.to_le_bytes());
        for (seat, outcome) in result.seats.iter().zip(&result.outcome.seats) {
            part.clear();
            text(&mut part, &seat.entrant);
            text(&mut part, &seat.artifact);
            option(&mut part, seat.bot_name.as_deref());
            push_varint(out, self.players.number(&part, PARTS_MAX)?);
            let rare = [
                seat.startup_wall_us,
                seat.uncharged_us,
                seat.off_turn_us,
                seat.idle_us,
                zigzag(outcome.tie_break),
                seat.suspended.into(),
            ];
            push_varint(
                out,
                rare.iter()
                    .zip(0..)
                    .map(|(&rare, at)| u64::from(rare != 0) << at)
                    .sum(),
            );
            push_varint(out, seat.cpu_us);
            push_varint(out, seat.wall_us);
            push_varint(out, zigzag(outcome.points));
            for rare in rare.into_iter().filter(|&rare| rare != 0) {
                push_varint(out, rare);
            }
        }
        Some(())
    }
}

const SUSPENDED: u32 = 5;

/// Makes the sign the lowest bit, which keeps small numbers short.
const fn zigzag(number: i64) -> u64 {
    ((number << 1) ^ (number >> 63)).cast_unsigned()
}

const fn unzigzag(number: u64) -> i64 {
    (number >> 1).cast_signed() ^ -(number & 1).cast_signed()
}

fn text(out: &mut Vec<u8>, text: &str) {
    push_varint(out, text.len() as u64);
    out.extend_from_slice(text.as_bytes());
}

fn option(out: &mut Vec<u8>, value: Option<&str>) {
    push_varint(out, value.is_some().into());
    if let Some(value) = value {
        text(out, value);
    }
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn shared(&mut self, all: &'a SharedParts) -> Self {
        Self(&all.parts[self.number::<usize>()])
    }

    fn text(&mut self) -> String {
        let length = self.number();
        let (text, rest) = self.0.split_at(length);
        self.0 = rest;
        str::from_utf8(text).expect("it was a text").into()
    }

    fn flag(&mut self) -> bool {
        self.number::<u64>() != 0
    }

    fn number<N: TryFrom<u64>>(&mut self) -> N {
        N::try_from(take_varint(&mut self.0))
            .ok()
            .expect("it was of this type")
    }
}

/// Appends a number in LEB128: seven bits a byte, the lowest first; the eighth says that more follow.
pub fn push_varint(out: &mut Vec<u8>, mut number: u64) {
    while number > 0x7f {
        out.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    out.push(number.to_le_bytes()[0]);
}

/// Takes a number that [`push_varint`] has written off the start of `bytes`.
pub fn take_varint(bytes: &mut &[u8]) -> u64 {
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
    use crate::fault::Cause;
    use alloc::string::ToString;
    use engines::Seat;

    fn result(number: u64) -> MatchResult {
        let seat = |name: &str| SeatRecord {
            entrant: name.to_string(),
            artifact: "x".repeat(32),
            seed: u32::MAX,
            bot_name: (number.is_multiple_of(2)).then(|| "I".to_string()),
            cpu_us: number,
            off_turn_us: number / 3,
            wall_us: u64::MAX - number,
            uncharged_us: 0,
            startup_wall_us: 127,
            idle_us: number / 7,
            suspended: number.is_multiple_of(3),
            not_started: false,
        };
        let outcome = |result, points| SeatOutcome {
            result,
            placement: 2,
            points,
            tie_break: if number == 1 { 0 } else { i64::MIN },
        };
        let (won, lost) = (GameResult::Won, GameResult::Lost);
        let drawn = outcome(GameResult::Drawn, -1);
        let outcomes = [outcome(won, i64::MAX), drawn, outcome(lost, 64)];
        MatchResult {
            fixture: GameId(u128::from(number).to_le_bytes()),
            state: 7,
            seats: [seat("ann"), seat("bob")].to_vec(),
            plies: 128,
            transcript: number.wrapping_mul(0x9e37_79b9_7f4a_7c15),
            faults: Vec::new(),
            end: End::Rules,
            outcome: Outcome {
                seats: outcomes[(number % 2) as usize..][..2].to_vec(),
                reason: "why".into(),
            },
            overloaded: number.is_multiple_of(5),
            machine: number.is_multiple_of(7).then(|| "m".to_string()),
        }
    }

    #[test]
    fn results_are_read_as_they_were_packed() {
        let mut packer = ResultPacker::default();
        let (mut bytes, mut places) = (Vec::new(), Vec::new());
        let all: Vec<MatchResult> = [0, 1, 2, 127, 128, 300_000, u64::MAX].map(result).to_vec();
        for one in &all {
            places.push(bytes.len());
            assert!(packer.pack(one, &mut bytes));
        }
        for (one, at) in all.iter().zip(places) {
            assert_eq!(packer.unpack(&bytes[at..], one.fixture), *one);
        }
    }

    #[test]
    fn what_has_no_bound_is_not_packed() {
        let mut packer = ResultPacker::default();
        let mut faulty = result(1);
        faulty.end = End::Fault {
            cause: Cause::Crash,
            seat: Seat::new(0),
        };
        let mut bytes = Vec::from(*b"before");
        assert!(!packer.pack(&faulty, &mut bytes));
        for number in 0..PARTS_MAX {
            packer
                .players
                .number(number.to_string().as_bytes(), PARTS_MAX);
        }
        assert!(!packer.pack(&result(1), &mut bytes));
        assert_eq!(bytes, b"before");
    }
}
