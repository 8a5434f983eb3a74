//! A finished game without its moves, which is all that tables need of it. A line of the
//! journal is read as one without keeping a move: most of a line is moves.

use super::{End, MatchRecord, NO_SEATS, SeatRecord, VERSION, check_id, id};
use crate::fault::Fault;
use crate::fixture::Terms;
use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::hash::Hasher as _;
#[expect(deprecated, reason = "there is no other without the standard library")]
use core::hash::SipHasher;
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
        // Once here, and not again for every text.
        let line = str::from_utf8(line).map_err(serde_json::Error::custom)?;
        if let Some((before, turns, behind)) = cut(line)
            && let Ok(before) = serde_json::from_str(&before)
            && let Ok(behind) = serde_json::from_str(&behind)
        {
            return Self::put_together(before, turns, behind, terms);
        }
        let whole: Whole<'_> = serde_json::from_str(line)?;
        let turns = serde_json::from_str(whole.turns.get())?;
        let (before, behind) = whole.parts();
        Self::put_together(before, turns, behind, terms)
    }

    fn put_together(
        before: BeforeTurns<'_>,
        turns: Turns,
        behind: BehindTurns,
        terms: &Terms,
    ) -> Result<Self, serde_json::Error> {
        let seats = before.seats.len();
        let there = |seat: Seat| seat.index() < seats;
        let is_consistent = before.v == VERSION
            && behind.outcome.seats.len() == seats
            && turns.seats <= seats
            && behind.faults.iter().all(|fault| there(fault.seat))
            && behind.end.charged().is_none_or(there);
        if !is_consistent {
            return Err(serde_json::Error::custom(NO_SEATS));
        }
        let expected = id(
            terms,
            before.state,
            &before.seats,
            before.setup,
            &before.draw,
        );
        check_id(&before.fixture, &expected)?;
        Ok(Self {
            fixture: before.fixture,
            state: before.state,
            seats: before.seats,
            plies: turns.plies,
            transcript: turns.transcript(before.setup),
            faults: behind.faults,
            end: behind.end,
            outcome: behind.outcome,
            overloaded: behind.overloaded,
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

/// The fields of [`MatchRecord`] as they stand before its turns.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BeforeTurns<'a> {
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
}

/// Those behind them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BehindTurns {
    faults: Vec<Fault>,
    end: End,
    outcome: Outcome,
    #[serde(default)]
    overloaded: bool,
}

/// All of them, in any order.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Whole<'a> {
    v: u32,
    fixture: String,
    #[serde(borrow)]
    game: Cow<'a, str>,
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

impl<'a> Whole<'a> {
    fn parts(self) -> (BeforeTurns<'a>, BehindTurns) {
        let before = BeforeTurns {
            v: self.v,
            fixture: self.fixture,
            _game: self.game,
            state: self.state,
            setup: self.setup,
            draw: self.draw,
            seats: self.seats,
        };
        let behind = BehindTurns {
            faults: self.faults,
            end: self.end,
            outcome: self.outcome,
            overloaded: self.overloaded,
        };
        (before, behind)
    }
}

/// What stands around the turns of a line as the judge writes it. It stands in no text, where
/// quotes are escaped.
const SEATS_TURNS: &str = "}],\"turns\":";
const TURNS_FAULTS: &str = ",\"faults\":";

/// Cuts a line as the judge writes it into an object with what stands before its turns, the turns,
/// and an object with what stands behind them. None where it is written otherwise, or that is not
/// sure.
fn cut(line: &str) -> Option<(String, Turns, String)> {
    let (before, rest) = line.split_once(SEATS_TURNS)?;
    let (turns, behind) = Turns::cut(rest)?;
    let behind = behind.strip_prefix(TURNS_FAULTS)?;
    let before = [before, "}]}"].concat();
    let behind = ["{", &TURNS_FAULTS[1..], behind].concat();
    Some((before, turns, behind))
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

    /// Reads the list of turns that a text begins with, as the judge writes it; returns what
    /// follows.
    fn cut(text: &str) -> Option<(Self, &str)> {
        let mut turns = Self::new();
        let mut cutter = Cutter { text, at: 0 };
        cutter.pass(b'[')?;
        if cutter.next() == Some(b']') {
            return Some((turns, &text[1 + cutter.at..]));
        }
        loop {
            cutter.pass(b'[')?;
            let seat = Seat::try_from(u8::try_from(cutter.number()?).ok()?).ok()?;
            cutter.pass(b',')?;
            let mv = cutter.value(DEPTH_MAX)?;
            cutter.pass(b',')?;
            let _cpu_us = cutter.number()?;
            cutter.pass(b',')?;
            let _wall_us = cutter.number()?;
            cutter.pass(b']')?;
            turns.add(seat, (mv != "null").then_some(mv));
            if cutter.next() == Some(b']') {
                return Some((turns, &text[1 + cutter.at..]));
            }
            cutter.pass(b',')?;
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

/// Deeper moves are left to another reader.
const DEPTH_MAX: u32 = 8;

/// Passes over JSON without blanks around values, escapes in texts, or numbers that are not whole;
/// none of its functions returns anything for what is otherwise, or no JSON.
struct Cutter<'a> {
    text: &'a str,
    /// In bytes.
    at: usize,
}

impl<'a> Cutter<'a> {
    fn next(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn pass(&mut self, byte: u8) -> Option<()> {
        (self.next()? == byte).then(|| self.at += 1)
    }

    fn number(&mut self) -> Option<u64> {
        let start = self.at;
        let mut number: u64 = 0;
        while let Some(byte @ b'0'..=b'9') = self.next() {
            number = number.checked_mul(10)?.checked_add((byte - b'0').into())?;
            self.at += 1;
        }
        let digits = &self.text.as_bytes()[start..self.at];
        let is_whole = !matches!(self.next(), Some(b'.' | b'e' | b'E'));
        (is_whole && matches!(digits, [_] | [b'1'..=b'9', ..])).then_some(number)
    }

    /// Passes over a value, and returns it.
    fn value(&mut self, depth: u32) -> Option<&'a str> {
        let inner = depth.checked_sub(1)?;
        let start = self.at;
        match self.next()? {
            b'[' => self.list(b']', |own| own.value(inner).map(|_| ()))?,
            b'{' => self.list(b'}', |own| {
                own.quoted()?;
                own.pass(b':')?;
                own.value(inner).map(|_| ())
            })?,
            b'"' => self.quoted()?,
            b'-' => {
                self.at += 1;
                self.number()?;
            }
            b'0'..=b'9' => {
                self.number()?;
            }
            _ => {
                let words = ["null", "true", "false"];
                let rest = self.text.get(start..)?;
                let word = words.iter().find(|word| rest.starts_with(**word))?;
                self.at += word.len();
            }
        }
        self.text.get(start..self.at)
    }

    /// Passes over a list or an object, from its first bracket on.
    fn list(&mut self, end: u8, element: impl Fn(&mut Self) -> Option<()>) -> Option<()> {
        self.at += 1;
        if self.next()? == end {
            self.at += 1;
            return Some(());
        }
        loop {
            element(self)?;
            if self.next()? == end {
                self.at += 1;
                return Some(());
            }
            self.pass(b',')?;
        }
    }

    fn quoted(&mut self) -> Option<()> {
        self.pass(b'"')?;
        let is_special = |byte: u8| byte == b'"' || byte == b'\\' || byte < b' ';
        let mut rest = self.text.as_bytes()[self.at..].iter();
        self.at += rest.position(|byte| is_special(*byte))?;
        self.pass(b'"')
    }
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
        // (a move, whether it is JSON, whether it is cut)
        let rows = [
            ("[1,2]", true, true),
            ("null", true, true),
            ("true", true, true),
            ("-10", true, true),
            (r#"{"a":"],[","b":[[],{}]}"#, true, true),
            ("\"é]\"", true, true),
            (r#""\"""#, true, false),
            ("-1.5e3", true, false),
            ("[1, 2]", true, false),
            (" null", true, false),
            ("[[[[[[[[[]]]]]]]]]", true, false),
            ("01", false, false),
            ("-", false, false),
            ("nul", false, false),
            ("[1,]", false, false),
            ("[,1]", false, false),
            ("[1", false, false),
            ("[1}", false, false),
            (r#"{"a"}"#, false, false),
            (r"{1:2}", false, false),
            (r#"{"a":1,}"#, false, false),
            ("\"\n\"", false, false),
            ("", false, false),
        ];
        for (mv, is_json, is_cut) in rows {
            for list in [
                format!("[[0,{mv},5,6]]"),
                format!("[[0,{mv},5,6],[1,{mv},7,8]]"),
            ] {
                let slow: Option<Turns> = serde_json::from_str(&list).ok();
                assert_eq!(slow.is_some(), is_json, "{list}");
                let text = format!("{list},");
                let own = Turns::cut(&text);
                assert_eq!(own.is_some(), is_cut, "{list}");
                if let (Some((own, rest)), Some(slow)) = (own, slow) {
                    assert_eq!(own.moves, slow.moves, "{list}");
                    assert_eq!((own.seats, own.plies), (slow.seats, slow.plies), "{list}");
                    assert_eq!(rest, ",");
                }
            }
        }
        assert!(Turns::cut("[]").is_some_and(|(none, _)| none.plies == 0));
    }

    #[test]
    fn a_line_is_read_alike_however_it_is_written() {
        let own = line(LINE);
        assert!(cut(&own).is_some(), "as the judge writes it");
        let turns = own.find(",\"turns\"").expect("there");
        let faults = own.find(",\"faults\"").expect("there");
        let (head, list) = (&own[..turns], &own[turns..faults]);
        let moved = format!(
            "{head}{}{list}}}",
            own[faults..].strip_suffix('}').expect("an object")
        );
        let spaced = own.replace("],\"turns\":", "], \"turns\" : ");
        for other in [moved, spaced] {
            assert!(cut(&other).is_none());
            let (read, made) = both(&other);
            assert!(read.is_some());
            assert_eq!((read, made), both(&own));
        }
        let twice = format!("{head}{list}{list}{}", &own[faults..]);
        assert_eq!(both(&twice), (None, None));
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
            (r#"[1,"pass",2,3]"#, r"1"),
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
