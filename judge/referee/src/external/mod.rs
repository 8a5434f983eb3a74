//! Rules that a program serves by the referee protocol (`protocol.md`, "The referee as a service").
//! The judge is its client: [`open`] makes [`rulebook::rules::Rules`] of a [`Server`]. Who starts
//! the program, and how it is confined and timed, is the caller's. Whatever it does wrong is a
//! [`rulebook::JudgeError::Game`] and nobody's fault.

mod about;
mod answer;
pub mod check;
mod picture;
mod position;
#[cfg(test)]
mod tests;

use about::About;
use answer::{Answer, Refusal};
use engines::quote::safe_sentence;
use engines::{GameInfo, Refused, Seat, plain};
use model::artifact::Artifact;
use model::fault::quote;
use model::fixture::PliesLimit;
use position::ExternalPosition;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use rulebook::rules::{Position, Rules, RulesError};
use rulebook::{JudgeError, Result};
use serde_json::value::RawValue;
use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt::{self, Debug};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Files that the judge adds to games in the language of their ending, by name.
pub const HELPERS: &[(&str, &str)] = &[
    ("judge_game.py", include_str!("judge_game.py")),
    ("judge_game.js", include_str!("judge_game.js")),
    ("judge_game.hpp", include_str!("judge_game.hpp")),
];

/// In bytes without the newline.
pub(crate) const LINE_BYTES_MAX: usize = 1 << 20;

/// A running program that answers requests.
pub trait Server {
    /// Sends a request and gets the answer, each a line without its newline. Returns the reason in
    /// words if there is none; the program is then of no further use.
    fn ask(&mut self, request: &[u8], answer: &mut Vec<u8>) -> Result<Result<(), String>>;

    /// Returns the last line that the program has written to standard error, for staff.
    fn complaints(&mut self) -> String {
        String::new()
    }
}

/// Starts a [`Server`]. Each thread that uses the rules has one of its own.
pub trait Connect: Debug + Send + Sync {
    /// Starts the program.
    fn connect(&self) -> Result<Box<dyn Server>>;
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
    fn connection(&self) -> Result<Rc<Connection>> {
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
    ) -> Result<Result<T, Refusal>> {
        let mut line = self.answer.borrow_mut();
        line.clear();
        let asked = self
            .server
            .borrow_mut()
            .as_mut()
            .map(|server| server.ask(request.as_bytes(), &mut line));
        let Some(asked) = asked else {
            return Err(self.fail("it has failed before", ""));
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
        return Refused(safe_sentence(&refusal.message)).into();
    }
    unexpected(connection, refusal, request).into()
}

fn unexpected(connection: &Rc<Connection>, refusal: &Refusal, request: &str) -> JudgeError {
    let Refusal { kind, message, .. } = refusal;
    let reason = format!("it refuses what it may not refuse ({kind}): {message}");
    connection.fail(&safe_sentence(&reason), request)
}

/// A game's program, and how it is reached.
#[derive(Debug)]
pub struct GameProgram {
    /// The program. Its hash is part of the game's identity.
    pub artifact: Artifact,
    /// Starts it.
    pub connect: Arc<dyn Connect>,
    /// The file or folder that it was read from; none for a run's copy.
    pub place: Option<PathBuf>,
}

#[derive(Debug)]
struct ExternalRules {
    about: Arc<About>,
    artifact: Artifact,
    place: Option<PathBuf>,
    route: Route,
    /// The setups drawn so far, by configuration and seed: a schedule is made more than once, and each
    /// time has the same games.
    drawn: Mutex<HashMap<(String, u64), Box<RawValue>>>,
}

/// Starts a game's program, and asks it about its game.
pub fn open(program: GameProgram) -> Result<Arc<dyn Rules>> {
    static OPENED: AtomicU64 = AtomicU64::new(0);
    let mut route = Route {
        game: "this game".to_owned(),
        number: OPENED.fetch_add(1, Ordering::Relaxed),
        connect: program.connect,
    };
    let connection = route.connection()?;
    let request = "{\"about\":{}}";
    let about = connection
        .ask(request, |answer| match answer {
            Answer::About(about) => About::read(about.get()),
            _ => Err("its answer is not about the game".to_owned()),
        })?
        .map_err(|refused| connection.fail(&safe_sentence(&refused.message), request))?;
    about.info.slug.clone_into(&mut route.game);
    connection.rename(about.info.slug);
    Ok(Arc::new(ExternalRules {
        about: Arc::new(about),
        artifact: program.artifact,
        place: program.place,
        route,
        drawn: Mutex::default(),
    }))
}

impl ExternalRules {
    fn setup_of(&self, opening: &str) -> Result<Box<RawValue>, RulesError> {
        let connection = self.route.connection()?;
        let request = format!("{{\"position\":{{{opening}}}}}");
        connection
            .ask(&request, |answer| {
                let setup = answer.position()?.setup.ok_or("its answer has no setup")?;
                answer::check(setup.get()).map_err(|reason| format!("its setup has {reason}"))?;
                Ok(setup.to_owned())
            })?
            .map_err(|refusal| refused(&connection, &refusal, &["config", "setup"], &request))
    }
}

impl Rules for ExternalRules {
    fn info(&self) -> &GameInfo {
        &self.about.info
    }

    fn program(&self) -> Option<&Artifact> {
        Some(&self.artifact)
    }

    fn place(&self) -> Option<&Path> {
        self.place.as_deref()
    }

    fn limit(&self) -> Option<PliesLimit> {
        Some(self.about.limit)
    }

    fn baselines(&self) -> Vec<(&str, &str)> {
        vec![RANDOM]
    }

    fn configure(&self, settings: &str) -> Result<Box<RawValue>, RulesError> {
        if !self.about.knows("config") {
            let plain: serde_json::Map<String, serde_json::Value> =
                serde_json::from_str(settings).map_err(|e| Refused(e.to_string()))?;
            return match plain.keys().next() {
                None => Ok(self.about.config.clone()),
                Some(key) => Err(Refused(format!("unknown setting {key}")).into()),
            };
        }
        let connection = self.route.connection()?;
        // Numbers in settings may be fractions.
        let settings: serde_json::Value = plain::read(settings).map_err(Refused)?;
        let request = format!("{{\"config\":{{\"settings\":{settings}}}}}");
        connection
            .ask(&request, |answer| match answer {
                Answer::Config(config) => Ok(config.to_owned()),
                _ => Err("its answer is no config".to_owned()),
            })?
            .map_err(|refusal| refused(&connection, &refusal, &["config"], &request))
    }

    fn draw(&self, config: &RawValue, seed: u64) -> Result<Box<RawValue>, RulesError> {
        let key = (config.get().to_owned(), seed);
        let known = || self.drawn.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(setup) = known().get(&key) {
            return Ok(setup.clone());
        }
        let opening = format!("\"seed\":{seed},\"config\":{config},\"want\":[]");
        let setup = self.setup_of(&opening)?;
        known().insert(key, setup.clone());
        Ok(setup)
    }

    fn spell_setup(&self, setup: &RawValue) -> Result<Box<RawValue>, RulesError> {
        if self.about.knows("setup") {
            return self.setup_of(&format!("\"setup\":{setup},\"want\":[\"setup\"]"));
        }
        // To reach the position is to check the setup.
        self.start(setup)?;
        Ok(setup.to_owned())
    }

    fn start(&self, setup: &RawValue) -> Result<Box<dyn Position>, RulesError> {
        let connection = self.route.connection()?;
        let started = ExternalPosition::start(&connection, &self.about, setup)?;
        Ok(Box::new(started))
    }

    fn choose(
        &self,
        baseline: &str,
        _: Seat,
        _: &RawValue,
        legal: &RawValue,
        seed: u64,
    ) -> Result<String, RulesError> {
        if self.baselines().iter().any(|(name, _)| *name == baseline) {
            return Ok(choose_any(legal, seed)?);
        }
        let slug = self.about.info.slug;
        Err(Refused(format!("{slug} has no bot named {baseline}")).into())
    }
}

const RANDOM: (&str, &str) = ("random", "plays a uniformly random legal move");

/// Chooses one of the moves in `legal`, a JSON list, by a seed. Returns it as JSON.
pub fn choose_any(legal: &RawValue, seed: u64) -> Result<String, Refused> {
    let legal: Vec<&RawValue> = plain::read(legal.get()).map_err(Refused)?;
    if legal.is_empty() {
        return Err(Refused("there is no legal move to choose from".to_owned()));
    }
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    Ok(legal[rng.random_range(..legal.len())].get().to_owned())
}
