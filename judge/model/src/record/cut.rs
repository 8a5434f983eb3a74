//! A fast cutter for usual lines of games. The JSON reader gives the same result for all lines.

use super::{End, RecordLine, SeatRecord, Turns};
use crate::game_id::GameId;
use alloc::borrow::Cow;
use alloc::string::ToString;
use alloc::vec::Vec;
use engines::{GameResult, Outcome, Seat, SeatOutcome};
use serde_json::value::RawValue;

pub(super) fn plain(line: &str) -> Option<RecordLine<'_>> {
    let mut cutter = Cutter { text: line, at: 0 };
    let own = &mut cutter;
    own.words("{\"v\":")?;
    let v = own.whole()?;
    own.words(",\"fixture\":")?;
    let fixture = GameId::parse(own.quoted_text()?.as_bytes())?;
    own.words(",\"game\":")?;
    let game = own.quoted_text()?;
    own.words(",\"state\":")?;
    let state = own.whole()?;
    own.words(",\"setup\":")?;
    let setup = own.raw()?;
    own.words(",\"draw\":")?;
    let draw = own.quoted_text()?;
    own.words(",\"seats\":")?;
    let seats = own.all(Cutter::seat)?;
    own.words(",\"turns\":")?;
    let turns = turns(own)?;
    own.words(",\"faults\":[],\"end\":\"rules\",\"outcome\":{\"seats\":")?;
    let outcomes = own.all(Cutter::outcome)?;
    own.words(",\"reason\":")?;
    let reason = own.quoted_text()?.to_string();
    own.words("}")?;
    let machine = match own.words(",\"machine\":") {
        Some(()) => Some(own.quoted_text()?.to_string()),
        None => None,
    };
    own.words("}")?;
    (own.at == line.len()).then(|| RecordLine {
        v,
        fixture,
        _game: Cow::Borrowed(game),
        state,
        setup,
        draw: Cow::Borrowed(draw),
        seats,
        turns,
        faults: Vec::new(),
        end: End::Rules,
        outcome: Outcome {
            seats: outcomes,
            reason: Cow::Owned(reason),
        },
        overloaded: false,
        machine,
    })
}

fn turns(own: &mut Cutter<'_>) -> Option<Turns> {
    let mut turns = Turns::new();
    own.list(b'[', b']', |own| {
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

const DEPTH_MAX: u32 = 8;

/// Reads JSON without blanks, escapes or fractions; none for all other text.
struct Cutter<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cutter<'a> {
    fn words(&mut self, words: &str) -> Option<()> {
        self.text
            .as_bytes()
            .get(self.at..)?
            .starts_with(words.as_bytes())
            .then(|| self.at += words.len())
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

    fn seat(&mut self) -> Option<SeatRecord> {
        self.words("{\"entrant\":")?;
        let entrant = self.quoted_text()?.to_string();
        self.words(",\"artifact\":")?;
        let artifact = self.quoted_text()?.to_string();
        self.words(",\"seed\":")?;
        let seed = self.whole()?;
        let bot_name = match self.words(",\"says\":") {
            Some(()) => Some(self.quoted_text()?.to_string()),
            None => None,
        };
        self.words(",\"cpu_us\":")?;
        let cpu_us = self.number()?;
        self.words(",\"off_turn_us\":")?;
        let off_turn_us = self.number()?;
        self.words(",\"wall_us\":")?;
        let wall_us = self.number()?;
        self.words(",\"uncharged_us\":")?;
        let uncharged_us = self.number()?;
        self.words(",\"startup_wall_us\":")?;
        let startup_wall_us = self.number()?;
        let idle_us = match self.words(",\"idle_us\":") {
            Some(()) => self.number()?,
            None => 0,
        };
        self.words("}")?;
        Some(SeatRecord {
            entrant,
            artifact,
            seed,
            bot_name,
            cpu_us,
            off_turn_us,
            wall_us,
            uncharged_us,
            startup_wall_us,
            idle_us,
            suspended: false,
            not_started: false,
        })
    }

    fn outcome(&mut self) -> Option<SeatOutcome> {
        self.words("{\"result\":")?;
        let result = match self.quoted_text()? {
            "won" => GameResult::Won,
            "drawn" => GameResult::Drawn,
            "lost" => GameResult::Lost,
            _ => return None,
        };
        self.words(",\"placement\":")?;
        let placement = self.whole()?;
        self.words(",\"points\":")?;
        let points = self.signed()?;
        self.words(",\"tie_break\":")?;
        let tie_break = self.signed()?;
        self.words("}")?;
        Some(SeatOutcome {
            result,
            placement,
            points,
            tie_break,
        })
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

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;

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
                let slow: Option<Turns> = serde_json::from_str(&list).ok();
                assert_eq!(slow.is_some(), is_json, "{list}");
                let text = format!("{list},");
                let mut cutter = Cutter { text: &text, at: 0 };
                let own = turns(&mut cutter);
                assert_eq!(own.is_some(), is_cut, "{list}");
                if let (Some(own), Some(slow)) = (own, slow) {
                    assert_eq!(own, slow, "{list}");
                    assert_eq!(cutter.next(), Some(b','));
                }
            }
        }
        let mut cutter = Cutter { text: "[]", at: 0 };
        assert_eq!(turns(&mut cutter), Some(Turns::new()));
    }
}
