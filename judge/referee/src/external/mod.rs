//! Rules that a program serves by the referee protocol (`protocol.md`, "The referee as a service").
//! The judge is its client: [`open`] makes [`rulebook::rules::Rules`] of a [`Server`]. Who starts
//! the program, and how it is confined and timed, is the caller's. Whatever it does wrong is a
//! [`rulebook::JudgeError::Game`] and nobody's fault.

mod about;
mod answer;
pub mod check;
mod picture;
mod position;
mod rules_of;
#[cfg(test)]
mod tests;

use answer::{Answer, Refusal};
use engines::Refused;
use engines::quote::safe_sentence;
use model::fault::quote;
use rulebook::JudgeError;
use rulebook::rules::RulesError;
use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt::{self, Debug};
use std::rc::Rc;
use std::sync::Arc;

/// Files that the judge adds to games in the language of their ending, by name.
pub const HELPERS: &[(&str, &str)] = &[
    ("judge_game.py", include_str!("judge_game.py")),
    ("judge_game.js", include_str!("judge_game.js")),
    ("judge_game.hpp", include_str!("judge_game.hpp")),
];

pub use rules_of::{GameProgram, choose_any, open};

/// In bytes without the newline.
pub(crate) const LINE_BYTES_MAX: usize = 1 << 20;

/// A running program that answers requests.
pub trait Server {
    /// Sends a request and gets the answer, each a line without its newline. Returns the reason in
    /// words if there is none; the program is then of no further use.
    fn ask(
        &mut self,
        request: &[u8],
        answer: &mut Vec<u8>,
    ) -> Result<Result<(), String>, JudgeError>;

    /// Returns the last line that the program has written to standard error, for staff.
    fn complaints(&mut self) -> String {
        String::new()
    }
}

/// Starts a [`Server`]. Each thread that uses the rules has one of its own.
pub trait Connect: Debug + Send + Sync {
    /// Starts the program.
    fn connect(&self) -> Result<Box<dyn Server>, JudgeError>;
}

/// The program of one game, reached from any thread.
#[derive(Clone, Debug)]
struct Route {
    game: String,
    /// Counts the opened games of this process.
    number: u64,
    connect: Arc<dyn Connect>,
}

thread_local! {
    /// By the numbers of their games.
    static OPEN: RefCell<HashMap<u64, Rc<Connection>>> = RefCell::default();
}

struct Connection {
    game: RefCell<String>,
    /// None after a failure: nothing is asked of that process again.
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
    /// Starts the program if it does not run.
    fn connection(&self) -> Result<Rc<Connection>, JudgeError> {
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
    fn ask<T>(
        &self,
        request: &str,
        take: impl FnOnce(Answer<'_>) -> Result<T, String>,
    ) -> Result<Result<T, Refusal>, JudgeError> {
        let mut line = self.answer.borrow_mut();
        line.clear();
        let asked = match self.server.borrow_mut().as_mut() {
            Some(server) => server.ask(request.as_bytes(), &mut line),
            None => return Err(self.fail("it has failed before", "")),
        };
        if asked.is_err() {
            *self.server.borrow_mut() = None;
        }
        asked?.map_err(|reason| self.fail(&reason, request))?;
        if line.len() > LINE_BYTES_MAX {
            let reason = format!("its answer has more than {LINE_BYTES_MAX} bytes");
            return Err(self.fail(&reason, request));
        }
        let taken = Answer::read(&line).and_then(|answer| match answer {
            Answer::Error(refusal) => Ok(Err(refusal)),
            answer => take(answer).map(Ok),
        });
        taken.map_err(|reason| self.fail(&format!("{reason}: {}", quote(&*line)), request))
    }

    /// Takes over the game's slug, once known.
    fn rename(&self, slug: &str) {
        slug.clone_into(&mut self.game.borrow_mut());
    }

    fn fail(&self, reason: &str, request: &str) -> JudgeError {
        let server = self.server.borrow_mut().take();
        let last = server.map_or_else(String::new, |mut server| server.complaints());
        let complaints = match last.trim() {
            "" => String::new(),
            text => format!("; its last words on standard error: {text}"),
        };
        let asked = match request {
            "" => String::new(),
            request => format!(" (asked: {})", quote(request.as_bytes())),
        };
        JudgeError::Game {
            game: self.game.borrow().clone(),
            reason: format!("{reason}{complaints}{asked}"),
        }
    }
}

/// Returns a refusal of input, or a failure if the refusal is of another kind.
fn refused(
    connection: &Rc<Connection>,
    refusal: &Refusal,
    kinds: &[&str],
    request: &str,
) -> RulesError {
    if kinds.contains(&refusal.kind.as_str()) {
        return Refused::because(safe_sentence(&refusal.message)).into();
    }
    unexpected(connection, refusal, request).into()
}

fn unexpected(
    connection: &Rc<Connection>,
    refusal: &Refusal,
    request: &str,
) -> JudgeError {
    let Refusal { kind, message, .. } = refusal;
    let reason = format!("it refuses what it may not refuse ({kind}): {message}");
    connection.fail(&safe_sentence(&reason), request)
}
