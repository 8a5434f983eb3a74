//! Parses the line of a game without faults, faster than serde, which gives the same result for all lines.

use super::{End, MatchResult, SeatRecord, Turns, id};
use crate::FORMAT;
use crate::fixture::Terms;
use crate::game_id::GameId;
use alloc::borrow::Cow;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use engines::{GameResult, Outcome, Seat, SeatOutcome};
use serde_json::value::RawValue;

/// Returns the result in a line of a game without faults; none for any other line, which serde reads.
pub(super) fn parse_fault_free(line: &str, terms: &Terms) -> Option<MatchResult> {
    let mut reader = FaultFreeReader { text: line, at: 0 };
    let own = &mut reader;
    let v: u32 = own.after("{\"v\":")?.whole()?;
    let fixture = GameId::parse(own.after(",\"fixture\":")?.quoted_text()?.as_bytes())?;
    let _game = own.after(",\"game\":")?.quoted_text()?;
    let state = own.after(",\"state\":")?.whole()?;
    let setup = own.after(",\"setup\":")?.raw()?;
    let draw = own.after(",\"draw\":")?.quoted_text()?;
    let seats = own.after(",\"seats\":")?.all(FaultFreeReader::seat)?;
    let turns = own.after(",\"turns\":")?.turns()?;
    let outcome = Outcome {
        seats: own
            .after(",\"faults\":[],\"end\":\"rules\",\"outcome\":{\"seats\":")?
            .all(FaultFreeReader::outcome)?,
        reason: Cow::Owned(own.after(",\"reason\":")?.string()?),
    };
    let machine = own
        .after("}")?
        .optional(",\"machine\":", FaultFreeReader::string)?;
    own.after("}")?;
    let is_sound = own.at == line.len()
        && v == FORMAT
        && outcome.seats.len() == seats.len()
        && turns.seats <= seats.len();
    let is_own = is_sound && fixture == id(terms, state, &seats, setup, draw);
    is_own.then(|| MatchResult {
        fixture,
        state,
        seats,
        plies: turns.plies,
        transcript: turns.transcript(setup),
        faults: Vec::new(),
        end: End::Rules,
        outcome,
        overloaded: false,
        machine,
    })
}

const DEPTH_MAX: u32 = 8;

/// Reads JSON without blanks, escapes or fractions; none for all other text.
struct FaultFreeReader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> FaultFreeReader<'a> {
    /// Passes these words.
    fn after(&mut self, words: &str) -> Option<&mut Self> {
        let rest = self.text.as_bytes().get(self.at..)?;
        if !rest.starts_with(words.as_bytes()) {
            return None;
        }
        self.at += words.len();
        Some(self)
    }

    /// Reads a value that may be missing with the words before it.
    #[expect(clippy::option_option, reason = "it fits or not, and is there or not")]
    fn optional<T>(
        &mut self,
        words: &str,
        read: impl Fn(&mut Self) -> Option<T>,
    ) -> Option<Option<T>> {
        match self.after(words) {
            Some(own) => read(own).map(Some),
            None => Some(None),
        }
    }

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

    fn whole<N: TryFrom<u64>>(&mut self) -> Option<N> {
        self.number()?.try_into().ok()
    }

    fn signed(&mut self) -> Option<i64> {
        let is_negative = self.pass(b'-').is_some();
        let number: i64 = self.whole()?;
        match (is_negative, number) {
            (false, number) => Some(number),
            // -0 is a float.
            (true, 0) => None,
            (true, number) => Some(-number),
        }
    }

    fn quoted_text(&mut self) -> Option<&'a str> {
        let start = self.at + 1;
        self.quoted()?;
        self.text.get(start..self.at - 1)
    }

    fn string(&mut self) -> Option<String> {
        self.quoted_text().map(ToString::to_string)
    }

    fn raw(&mut self) -> Option<&'a RawValue> {
        let rest = self.text.get(self.at..)?;
        let mut values = serde_json::Deserializer::from_str(rest).into_iter();
        let value: &RawValue = values.next()?.ok()?;
        self.at += values.byte_offset();
        Some(value)
    }

    fn value(&mut self, depth: u32) -> Option<&'a str> {
        let inner = depth.checked_sub(1)?;
        let start = self.at;
        match self.next()? {
            b'[' => self.list(b'[', b']', |own| own.value(inner).map(|_| ()))?,
            b'{' => self.list(b'{', b'}', |own| {
                own.quoted()?;
                own.pass(b':')?;
                own.value(inner).map(|_| ())
            })?,
            b'"' => self.quoted()?,
            b'-' | b'0'..=b'9' => {
                let _minus = self.pass(b'-');
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

    fn turns(&mut self) -> Option<Turns> {
        let mut turns = Turns::new();
        self.list(b'[', b']', |own| {
            own.pass(b'[')?;
            let seat = Seat::try_from(own.whole::<u8>()?).ok()?;
            own.pass(b',')?;
            let mv = own.value(DEPTH_MAX)?;
            own.pass(b',')?;
            let _cpu_us = own.number()?;
            own.pass(b',')?;
            let _wall_us = own.number()?;
            own.pass(b']')?;
            turns.add(seat, (mv != "null").then_some(mv));
            Some(())
        })?;
        Some(turns)
    }

    fn seat(&mut self) -> Option<SeatRecord> {
        let seat = SeatRecord {
            entrant: self.after("{\"entrant\":")?.string()?,
            artifact: self.after(",\"artifact\":")?.string()?,
            seed: self.after(",\"seed\":")?.whole()?,
            bot_name: self.optional(",\"says\":", Self::string)?,
            cpu_us: self.after(",\"cpu_us\":")?.number()?,
            off_turn_us: self.after(",\"off_turn_us\":")?.number()?,
            wall_us: self.after(",\"wall_us\":")?.number()?,
            uncharged_us: self.after(",\"uncharged_us\":")?.number()?,
            startup_wall_us: self.after(",\"startup_wall_us\":")?.number()?,
            idle_us: self.optional(",\"idle_us\":", Self::number)?.unwrap_or(0),
            suspended: false,
            not_started: false,
        };
        self.pass(b'}').map(|()| seat)
    }

    fn outcome(&mut self) -> Option<SeatOutcome> {
        let outcome = SeatOutcome {
            result: match self.after("{\"result\":")?.quoted_text()? {
                "won" => GameResult::Won,
                "drawn" => GameResult::Drawn,
                "lost" => GameResult::Lost,
                _ => return None,
            },
            placement: self.after(",\"placement\":")?.whole()?,
            points: self.after(",\"points\":")?.signed()?,
            tie_break: self.after(",\"tie_break\":")?.signed()?,
        };
        self.pass(b'}').map(|()| outcome)
    }

    fn all<T>(&mut self, element: impl Fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let mut all = Vec::with_capacity(2);
        self.list(b'[', b']', |own| {
            all.push(element(own)?);
            Some(())
        })?;
        Some(all)
    }

    fn list(
        &mut self,
        begin: u8,
        end: u8,
        mut element: impl FnMut(&mut Self) -> Option<()>,
    ) -> Option<()> {
        self.pass(begin)?;
        if self.pass(end).is_some() {
            return Some(());
        }
        loop {
            element(self)?;
            if self.pass(end).is_some() {
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

#[cfg(test)]
mod tests {
    use super::super::TurnRecord;
    use super::*;

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
            ("{1:2}", false, false),
            (r#"{"a":1,}"#, false, false),
            ("\"\n\"", false, false),
            ("", false, false),
        ];
        for (mv, is_json, is_cut) in rows {
            for list in [
                format!("[[0,{mv},5,6]]"),
                format!("[[0,{mv},5,6],[1,{mv},7,8]]"),
            ] {
                let slow: Option<Vec<TurnRecord>> = serde_json::from_str(&list).ok();
                assert_eq!(slow.is_some(), is_json, "{list}");
                let text = format!("{list},");
                let mut reader = FaultFreeReader { text: &text, at: 0 };
                let own = reader.turns();
                assert_eq!(own.is_some(), is_cut, "{list}");
                if let (Some(own), Some(slow)) = (own, slow) {
                    assert_eq!(own, Turns::of(&slow), "{list}");
                    assert_eq!(reader.next(), Some(b','));
                }
            }
        }
        let mut reader = FaultFreeReader { text: "[]", at: 0 };
        assert_eq!(reader.turns(), Some(Turns::of(&[])));
    }
}
