//! A thread's connection to a program with rules, and the bounds of the JSON that passes.

use super::{Connect, LINE_BYTES_MAX, Server};
use crate::external::answer::{Answer, Refusal};
use engines::Refused;
use model::fault::quote;
use rulebook::JudgeError;
use rulebook::rules::RulesError;
use serde_json::Number;
use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt::{self, Debug};
use std::rc::Rc;
use std::sync::Arc;

/// Reaches the program of one game, from any thread.
#[derive(Clone, Debug)]
pub(crate) struct Route {
    /// The game's slug, for messages.
    pub(crate) game: String,
    /// The number of the opened game in this process.
    pub(crate) number: u64,
    pub(crate) connect: Arc<dyn Connect>,
}

thread_local! {
    /// This thread's connections, by the numbers of their games.
    static OPEN: RefCell<HashMap<u64, Rc<Connection>>> = RefCell::default();
}

/// A running program and the buffers of its lines.
pub(crate) struct Connection {
    game: RefCell<String>,
    /// None after a failure. Nothing is asked of that process again.
    server: RefCell<Option<Box<dyn Server>>>,
    answer: RefCell<Vec<u8>>,
}

impl Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection")
            .field("game", &self.game)
            .finish_non_exhaustive()
    }
}

impl Route {
    /// Returns this thread's connection, and starts the program if it does not run.
    pub(crate) fn connection(&self) -> Result<Rc<Connection>, JudgeError> {
        let open = OPEN.with_borrow(|open| open.get(&self.number).cloned());
        if let Some(open) = open.filter(|open| open.server.borrow().is_some()) {
            return Ok(open);
        }
        let fresh = Rc::new(Connection {
            game: RefCell::new(self.game.clone()),
            server: RefCell::new(Some(self.connect.connect()?)),
            answer: RefCell::default(),
        });
        OPEN.with_borrow_mut(|open| open.insert(self.number, Rc::clone(&fresh)));
        Ok(fresh)
    }
}

/// Ends the programs that this thread has started. The next request starts one again.
pub fn disconnect() {
    OPEN.with_borrow_mut(HashMap::clear);
}

impl Connection {
    /// Asks, and passes the answer to `take`.
    pub(crate) fn ask<T>(
        &self,
        request: &str,
        take: impl FnOnce(Answer<'_>) -> Result<T, String>,
    ) -> Result<Result<T, Refusal>, JudgeError> {
        let mut line = self.answer.borrow_mut();
        line.clear();
        let asked = match self.server.borrow_mut().as_mut() {
            Some(server) => server.ask(request.as_bytes(), &mut line),
            None => return Err(self.failure("it has failed before", "")),
        };
        match asked {
            Ok(Ok(())) => {}
            Ok(Err(reason)) => return Err(self.fail(&reason, request)),
            Err(error) => {
                *self.server.borrow_mut() = None;
                return Err(error);
            }
        }
        if line.len() > LINE_BYTES_MAX {
            let reason = format!("its answer has more than {LINE_BYTES_MAX} bytes");
            return Err(self.fail(&reason, request));
        }
        let taken = match Answer::read(&line) {
            Ok(Answer::Error(refusal)) => return Ok(Err(refusal)),
            Ok(answer) => take(answer),
            Err(reason) => Err(reason),
        };
        taken.map(Ok).map_err(|reason| {
            let reason = format!("{reason}: {}", quote(&line));
            self.fail(&reason, request)
        })
    }

    /// Takes over the game's slug, once it is known.
    pub(crate) fn rename(&self, slug: &str) {
        slug.clone_into(&mut self.game.borrow_mut());
    }

    /// Ends the program, and returns the error.
    pub(crate) fn fail(&self, reason: &str, request: &str) -> JudgeError {
        let complaints = self
            .server
            .borrow_mut()
            .take()
            .map(|mut server| server.complaints())
            .filter(|text| !text.trim().is_empty())
            .map_or_else(String::new, |text| {
                format!("; its last words on standard error: {}", text.trim())
            });
        self.failure(&format!("{reason}{complaints}"), request)
    }

    fn failure(&self, reason: &str, request: &str) -> JudgeError {
        let asked = match request {
            "" => String::new(),
            request => format!(" (asked: {})", quote(request.as_bytes())),
        };
        JudgeError::Game {
            game: self.game.borrow().clone(),
            reason: format!("{reason}{asked}"),
        }
    }
}

/// Returns a refusal of input, or a failure if the program should not refuse in this way.
pub(crate) fn refused(
    connection: &Rc<Connection>,
    refusal: &Refusal,
    kinds: &[&str],
    request: &str,
) -> RulesError {
    if kinds.contains(&refusal.kind.as_str()) {
        return Refused::because(engines::quote::told(&refusal.message)).into();
    }
    unexpected(connection, refusal, request).into()
}

/// Returns the failure of a program that refuses what it may not refuse.
pub(crate) fn unexpected(
    connection: &Rc<Connection>,
    refusal: &Refusal,
    request: &str,
) -> JudgeError {
    let Refusal { kind, message, .. } = refusal;
    let reason = format!("it refuses what it may not refuse ({kind}): {message}");
    connection.fail(&engines::quote::told(&reason), request)
}

/// Maximum depth of lists and objects.
pub(crate) const DEPTH_MAX: usize = 64;

/// Checks JSON, well-formed or not: its depth, its numbers, and its escapes.
pub(crate) fn check(text: &str) -> Result<(), String> {
    let bytes = text.as_bytes();
    let (mut depth, mut at) = (0_usize, 0);
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'"' => at = after_string(text, at)?,
            b'[' | b'{' => {
                depth += 1;
                if depth > DEPTH_MAX {
                    return Err(format!("lists nested more than {DEPTH_MAX} deep"));
                }
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            b'-' | b'0'..=b'9' => {
                let rest = &bytes[at..];
                let is_end =
                    |byte: &u8| !matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
                let end = at + rest.iter().position(is_end).unwrap_or(rest.len());
                check_number(&text[at - 1..end])?;
                at = end;
            }
            _ => {}
        }
    }
    Ok(())
}

/// Maximum length of whole numbers that are sure to have at most 64 bits.
const SMALL_DIGITS: usize = 18;

/// Checks a number: a whole one has at most 64 bits, and any other is finite.
fn check_number(text: &str) -> Result<(), String> {
    if text.len() <= SMALL_DIGITS && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Ok(());
    }
    let is_whole = !text.contains(['.', 'e', 'E']);
    let number: Option<Number> = serde_json::from_str(text).ok();
    match number {
        Some(number) if !is_whole || !number.is_f64() || text == "-0" => Ok(()),
        _ => Err(format!(
            "the number {}, which is too large",
            quote(text.as_bytes())
        )),
    }
}

/// Returns the place after the end of a string whose content begins at `at`.
fn after_string(text: &str, mut at: usize) -> Result<usize, String> {
    let bytes = text.as_bytes();
    let unit = |at: usize| {
        let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok()
    };
    loop {
        let rest = &bytes[at.min(bytes.len())..];
        at += memchr::memchr2(b'"', b'\\', rest).unwrap_or(rest.len());
        match bytes.get(at) {
            None => return Err("a string without an end".to_owned()),
            Some(b'"') => return Ok(at + 1),
            Some(_) => match unit(at) {
                Some(0xd800..=0xdbff) if matches!(unit(at + 6), Some(0xdc00..=0xdfff)) => at += 12,
                Some(0xd800..=0xdfff) => {
                    return Err("half a character (a lone surrogate)".to_owned());
                }
                Some(_) => at += 6,
                None => at += 2,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_parser_of_a_bot_may_choke_on_is_refused() {
        let deep = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        for right in [
            r#"{"a":[1,-0,1.5,1e3,18446744073709551615,-9223372036854775808]}"#,
            r#"["\ud83d\ude00","\\ud800","[[","\"]","é",true,null]"#,
            &deep(64),
        ] {
            assert_eq!(check(right), Ok(()), "{right}");
        }
        for wrong in [
            "1e999",
            "[18446744073709551616]",
            r#""\ud800""#,
            r#"["\ude00\ud83d"]"#,
            &deep(65),
        ] {
            assert!(check(wrong).is_err(), "{wrong}");
        }
    }
}
