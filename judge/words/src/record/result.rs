//! A finished game without its moves, which is all that tables need of it. A line of the
//! journal is read as one without keeping a move: most of a line is moves.

use super::{End, MatchRecord, NO_SEATS, SeatRecord, VERSION, check_id, id};
use crate::fault::Fault;
use crate::fixture::Terms;
use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
#[expect(deprecated, reason = "there is no other without the standard library")]
use core::hash::SipHasher;
use core::hash::Hasher as _;
use engines::{Outcome, Seat};
use serde::Deserialize;
use serde::de::{Deserializer, Error as _, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// What came of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchResult {
    /// The fixture's id.
    pub fixture: String,
    /// The number of the initial state, from 0.
    pub state: u32,
    /// Who sat where and what it took, in seat order.
    pub seats: Vec<SeatRecord>,
    /// Legal moves.
    pub plies: usize,
    /// A number that tells different games apart, by their initial states and moves. It is
    /// worth nothing beyond this process.
    pub transcript: u64,
    /// Every fault, in order.
    pub faults: Vec<Fault>,
    /// The one cause of the end.
    pub end: End,
    /// The result.
    pub outcome: Outcome,
    /// See [`MatchRecord::overloaded`].
    pub overloaded: bool,
}

impl MatchRecord {
    /// Returns what tables need of it.
    pub fn result(&self) -> MatchResult {
        MatchResult::from(self)
    }
}

impl MatchResult {
    /// Reads a record as [`MatchRecord::read`] does, and refuses what that refuses.
    ///
    /// # Errors
    /// As there.
    pub fn read(line: &[u8], terms: &Terms) -> Result<Self, serde_json::Error> {
        let (line, turns) = RecordLine::read(line)?;
        let expected = id(terms, line.state, &line.seats, line.setup, &line.draw);
        check_id(&line.fixture, &expected)?;
        Ok(Self {
            fixture: line.fixture,
            state: line.state,
            seats: line.seats,
            plies: turns.plies,
            transcript: turns.transcript(line.setup),
            faults: line.faults,
            end: line.end,
            outcome: line.outcome,
            overloaded: line.overloaded,
        })
    }

    /// Returns whether this one of its faults is what ended the game.
    pub fn ended_by(&self, fault: &Fault) -> bool {
        self.end.charged().is_some() && self.faults.last() == Some(fault)
    }

    /// Returns whether an entrant played in it.
    pub fn has(&self, entrant: &str) -> bool {
        self.seats.iter().any(|seat| seat.entrant == entrant)
    }
}

impl From<&MatchRecord> for MatchResult {
    fn from(record: &MatchRecord) -> Self {
        let mut turns = Turns::default();
        for turn in &record.turns {
            turns.add(turn.seat, turn.mv.as_deref().map(RawValue::get));
        }
        Self {
            fixture: record.fixture.clone(),
            state: record.state,
            seats: record.seats.clone(),
            plies: turns.plies,
            transcript: turns.transcript(&record.setup),
            faults: record.faults.clone(),
            end: record.end,
            outcome: record.outcome.clone(),
            overloaded: record.overloaded,
        }
    }
}

/// The fields of [`MatchRecord`].
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RecordLine<'a> {
    v: u32,
    fixture: String,
    #[serde(rename = "game", borrow)]
    _game: Cow<'a, str>,
    state: u32,
    #[serde(borrow)]
    setup: &'a RawValue,
    #[serde(borrow)]
    draw: Cow<'a, str>,
    seats: Vec<SeatRecord>,
    #[serde(borrow)]
    turns: &'a RawValue,
    faults: Vec<Fault>,
    end: End,
    outcome: Outcome,
    #[serde(default)]
    overloaded: bool,
}

impl<'a> RecordLine<'a> {
    fn read(line: &'a [u8]) -> Result<(Self, Turns), serde_json::Error> {
        // Once here, and not again for every move.
        let text = str::from_utf8(line).map_err(serde_json::Error::custom)?;
        let line: RecordLine<'_> = serde_json::from_str(text)?;
        let turns = Turns::read(line.turns)?;
        let seats = line.seats.len();
        let there = |seat: Seat| seat.index() < seats;
        let consistent = line.v == VERSION
            && line.outcome.seats.len() == seats
            && turns.seats <= seats
            && line.faults.iter().all(|fault| there(fault.seat))
            && line.end.charged().is_none_or(there);
        if !consistent {
            return Err(serde_json::Error::custom(NO_SEATS));
        }
        Ok((line, turns))
    }
}

/// A turn as it stands in the journal, without a copy of its move.
#[derive(Deserialize)]
struct TurnLine<'a>(Seat, #[serde(borrow)] Option<&'a RawValue>, u64, u64);

/// What is left of the turns of a game.
#[derive(Default)]
struct Turns {
    /// The least number of seats that they can be of.
    seats: usize,
    plies: usize,
    /// A line for each.
    moves: String,
}

/// Room for the moves of most games.
const MOVES_BYTES: usize = 512;

impl Turns {
    fn new() -> Self {
        Self {
            moves: String::with_capacity(MOVES_BYTES),
            ..Self::default()
        }
    }

    fn add(&mut self, seat: Seat, mv: Option<&str>) {
        self.seats = self.seats.max(seat.index() + 1);
        self.plies += usize::from(mv.is_some());
        self.moves.push_str(mv.unwrap_or_default());
        self.moves.push('\n');
    }

    /// Reads a list of turns.
    fn read(list: &RawValue) -> Result<Self, serde_json::Error> {
        Self::cut(list.get()).map_or_else(|| serde_json::from_str(list.get()), Ok)
    }

    /// Cuts a list of turns, which is JSON, as the judge writes it: without blanks. None where it
    /// is anything else, for a slower reader to say what.
    fn cut(list: &str) -> Option<Self> {
        let mut turns = Self::new();
        let mut rest = list.strip_prefix('[')?;
        if rest == "]" {
            return Some(turns);
        }
        loop {
            let (seat, after) = number(rest.strip_prefix('[')?)?;
            let seat = Seat::try_from(u8::try_from(seat).ok()?).ok()?;
            let after = after.strip_prefix(',')?;
            let (mv, after) = after.split_at(value_length(after)?);
            let (_cpu_us, after) = number(after.strip_prefix(',')?)?;
            let (_wall_us, after) = number(after.strip_prefix(',')?)?;
            turns.add(seat, (mv != "null").then_some(mv));
            rest = match after.strip_prefix(']')? {
                "]" => return Some(turns),
                more => more.strip_prefix(',')?,
            };
        }
    }

    #[expect(deprecated, reason = "there is no other without the standard library")]
    fn transcript(self, setup: &RawValue) -> u64 {
        let mut hasher = SipHasher::new();
        hasher.write(setup.get().as_bytes());
        hasher.write(b"\n");
        hasher.write(self.moves.as_bytes());
        hasher.finish()
    }
}

/// Reads the whole number that a text begins with; returns what follows.
fn number(text: &str) -> Option<(u64, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = text.split_at(digits);
    Some((number.parse().ok()?, rest))
}

/// Returns the length of the value that a list goes on with, in bytes. The list is JSON; none
/// where there are blanks around values, or escapes in a text.
fn value_length(list: &str) -> Option<usize> {
    let (mut depth, mut in_text) = (0_usize, false);
    for (at, byte) in list.bytes().enumerate() {
        match byte {
            b'\\' => return None,
            b'"' => in_text = !in_text,
            _ if in_text => {}
            b' ' | b'\t' | b'\n' | b'\r' => return None,
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.checked_sub(1)?,
            b',' if depth == 0 => return Some(at),
            _ => {}
        }
    }
    None
}

impl<'de> Deserialize<'de> for Turns {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        struct OneByOne;

        impl<'de> Visitor<'de> for OneByOne {
            type Value = Turns;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of turns")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Turns, A::Error> {
                let mut turns = Turns::new();
                while let Some(TurnLine(seat, mv, _cpu_us, _wall_us)) = list.next_element()? {
                    turns.add(seat, mv.map(RawValue::get));
                }
                Ok(turns)
            }
        }

        source.deserialize_seq(OneByOne)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = r#"{"v":3,"fixture":"f","game":"g\n","state":3,"setup":{"a":[1]},"draw":"d","seats":[{"entrant":"ann","artifact":"x","seed":5,"cpu_us":7,"off_turn_us":1,"wall_us":9,"uncharged_us":2,"startup_wall_us":3},{"entrant":"b\"ob","artifact":"y","seed":6,"says":"B","cpu_us":0,"off_turn_us":0,"wall_us":0,"uncharged_us":0,"startup_wall_us":0}],"turns":[[0,[1,2],5,6],[1,"pass",2,3],[0,null,2,3]],"faults":[{"seat":0,"ply":2,"phase":"turn","cause":"crash","detail":"gone","exit":{"signal":11},"cpu_us":1,"wall_us":1}],"end":{"fault":{"cause":"crash","seat":0}},"outcome":{"seats":[{"result":"lost","placement":2,"points":-1,"tie_break":0},{"result":"won","placement":1,"points":1,"tie_break":0}],"reason":"r"}}"#;

    fn terms() -> Terms {
        let entry = &engines::GAMES[0];
        let conditions = serde_json::json!({
            "game": entry.info.slug, "config": {}, "time": entry.info.time, "mode": "cpu",
            "backstop_ms": 1, "startup_ms": 1, "lifetime": "game", "memory_mib": 1,
        });
        let conditions = serde_json::from_value(conditions).expect("plain data");
        Terms::new(entry, &conditions)
    }

    /// The line with its own id.
    fn line(line: &str) -> String {
        let Ok(record) = serde_json::from_str::<MatchRecord>(line) else {
            return line.into();
        };
        let seats = record
            .seats
            .iter()
            .map(|seat| (&*seat.entrant, &*seat.artifact));
        let seats: Vec<(&str, &str)> = seats.collect();
        let id = terms().id(record.state, &seats, &record.setup, &record.draw);
        line.replacen("\"fixture\":\"f\"", &format!("\"fixture\":\"{id}\""), 1)
    }

    fn both(line: &str) -> (Option<MatchResult>, Option<MatchResult>) {
        let record = MatchRecord::read(line.as_bytes(), &terms()).ok();
        (
            MatchResult::read(line.as_bytes(), &terms()).ok(),
            record.as_ref().map(MatchResult::from),
        )
    }

    #[test]
    fn a_line_gives_what_the_whole_record_gives() {
        let (read, made) = both(&line(LINE));
        assert_eq!(read, made);
        let result = read.expect("it is a record");
        assert_eq!(
            (result.plies, result.seats[1].entrant.as_str()),
            (2, "b\"ob")
        );
        assert!(result.ended_by(&result.faults[0]));
    }

    #[test]
    fn turns_are_read_alike_however_they_are_written() {
        let moves = [
            "[1,2]",
            "null",
            r#"{"a":"],\u0022[","b":[[],{}]}"#,
            r#"",\\""#,
            "\"é]\"",
            "-1.5e3",
            "true",
        ];
        let lists = moves.map(|mv| [format!("[[0,{mv},5,6]]"), format!("[ [0, {mv} ,5,6],[1,{mv},7,8]]")]);
        for list in lists.iter().flatten().map(String::as_str).chain(["[]", "[ ]"]) {
            let raw: &RawValue = serde_json::from_str(list).expect("JSON");
            let own = Turns::read(raw).expect("turns");
            let slow: Turns = serde_json::from_str(list).expect("turns");
            assert_eq!(own.moves, slow.moves, "{list}");
            assert_eq!((own.seats, own.plies), (slow.seats, slow.plies), "{list}");
        }
    }

    #[test]
    fn a_line_of_before_is_written_as_it_was_read() {
        let record: MatchRecord = serde_json::from_str(LINE).expect("a record");
        assert_eq!(serde_json::to_string(&record).expect("plain data"), LINE);
        let turn = &record.turns[1];
        assert_eq!((turn.seat.index(), turn.cpu_us, turn.wall_us), (1, 2, 3));
        assert_eq!(turn.mv.as_ref().map(|mv| mv.get()), Some("\"pass\""));
    }

    #[test]
    fn a_line_is_refused_where_the_whole_record_is() {
        for (old, new) in [
            (r#""v":3"#, r#""v":2"#),
            (r#""setup":{"a":[1]}"#, r#""setup":{"a":[1}"#),
            (r#"[1,"pass",2,3]"#, r#"[2,"pass",2,3]"#),
            (r#"[1,"pass",2,3]"#, r#"[1,"pass",2]"#),
            (r#"[1,"pass",2,3]"#, r#"[1,"pass",2,3,4]"#),
            (r#"[1,"pass",2,3]"#, r#"[1,"pass",-2,3]"#),
            (r#"[1,"pass",2,3]"#, r#"[1,"pass",2,18446744073709551616]"#),
            (r#"[1,"pass",2,3]"#, r#"[8,"pass",2,3]"#),
            (r#"[1,"pass",2,3]"#, r#"[1,"pass",2,3],"#),
            (r#"[1,"pass",2,3]"#, r#"1"#),
            (r#"[1,"pass",2,3]"#, r#"[1,["pass",2,3]"#),
            (r#""seat":0,"ply""#, r#""seat":3,"ply""#),
            (r#""game":"g\n""#, r#""game":7"#),
            (r#""state":3,"#, ""),
            (r#""state":3"#, r#""state":3,"extra":1"#),
            (r#""cause":"crash","seat":0"#, r#""cause":"crash","seat":2"#),
            (
                r#"{"result":"lost","placement":2,"points":-1,"tie_break":0},"#,
                "",
            ),
        ] {
            let damaged = line(&LINE.replacen(old, new, 1));
            assert_ne!(damaged, LINE, "{old}");
            assert_eq!(both(&damaged), (None, None), "{new}");
        }
    }

    #[test]
    fn a_line_is_refused_where_its_id_does_not_fit_what_was_played() {
        let line = line(LINE);
        for (old, new) in [
            (r#""state":3"#, r#""state":4"#),
            (r#"{"a":[1]}"#, r#"{"a":[2]}"#),
            (r#""draw":"d""#, r#""draw":"e""#),
            (r#""entrant":"ann""#, r#""entrant":"eve""#),
            (r#""artifact":"y""#, r#""artifact":"z""#),
        ] {
            let forged = line.replacen(old, new, 1);
            assert_ne!(forged, line, "{old}");
            assert_eq!(both(&forged), (None, None), "{new}");
        }
    }

    #[test]
    fn transcripts_tell_initial_states_and_moves_apart() {
        let transcript = |old: &str, new: &str| {
            let line = line(&LINE.replacen(old, new, 1));
            let read = MatchResult::read(line.as_bytes(), &terms());
            read.expect("a record").transcript
        };
        let own = transcript("", "");
        assert_eq!(transcript("5,6]", "50,60]"), own, "times are no moves");
        assert_ne!(transcript("[1,2]", "[1,3]"), own);
        assert_ne!(transcript("[0,null", "[0,1"), own);
        assert_ne!(transcript(r#"{"a":[1]}"#, r#"{"a":[2]}"#), own);
    }
}
