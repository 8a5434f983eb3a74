use super::{Connect, LINE_BYTES_MAX, Server};
use crate::external::answer::{Answer, Refusal};
use engines::Refused;
use model::fault::quote;
use rulebook::JudgeError;
use rulebook::rules::RulesError;
use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt::{self, Debug};
use std::rc::Rc;
use std::sync::Arc;

/// The program of one game, reached from any thread.
#[derive(Clone, Debug)]
pub(crate) struct Route {
    pub(crate) game: String,
    /// Counts the opened games of this process.
    pub(crate) number: u64,
    pub(crate) connect: Arc<dyn Connect>,
}

thread_local! {
    /// By the numbers of their games.
    static OPEN: RefCell<HashMap<u64, Rc<Connection>>> = RefCell::default();
}

pub(crate) struct Connection {
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
            let reason = format!("{reason}: {}", quote(&*line));
            self.fail(&reason, request)
        })
    }

    /// Takes over the game's slug, once known.
    pub(crate) fn rename(&self, slug: &str) {
        slug.clone_into(&mut self.game.borrow_mut());
    }

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

/// Returns a refusal of input, or a failure if the refusal is of another kind.
pub(crate) fn refused(
    connection: &Rc<Connection>,
    refusal: &Refusal,
    kinds: &[&str],
    request: &str,
) -> RulesError {
    if kinds.contains(&refusal.kind.as_str()) {
        return Refused::because(engines::quote::safe_sentence(&refusal.message)).into();
    }
    unexpected(connection, refusal, request).into()
}

pub(crate) fn unexpected(
    connection: &Rc<Connection>,
    refusal: &Refusal,
    request: &str,
) -> JudgeError {
    let Refusal { kind, message, .. } = refusal;
    let reason = format!("it refuses what it may not refuse ({kind}): {message}");
    connection.fail(&engines::quote::safe_sentence(&reason), request)
}
