//! The rules of a game as an owned value whose calls may fail, because rules can be a program.
//! Built-in games are [`engines`] behind [`of`], [`find`] and [`built_in`]; [`add`] adds others.
//! A [`crate::error::JudgeError`] is no bot's fault: the game is played again.

mod built_in;

use crate::error::{JudgeError, Result};
use engines::erased::MoveRefused;
use engines::{
    CourseText, Forfeit, Frame, GameInfo, Kit, Measure, Notation, Outcome, Palette, Refused, Seat,
    Seats,
};
use model::artifact::Artifact;
use model::fixture::PliesLimit;
use serde_json::value::RawValue;
use std::fmt::Debug;
use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock};

pub use built_in::{built_in, find, of, terms_of};

/// The rules of one game.
pub trait Rules: Debug + Send + Sync {
    /// Returns the facts about the game that need no position.
    fn info(&self) -> &GameInfo;
    /// Returns the program that serves the rules; none for built-in games.
    fn program(&self) -> Option<&Artifact> {
        None
    }
    /// Returns the file or folder that the program was read from; none for a run's copy.
    fn place(&self) -> Option<&Path> {
        None
    }
    /// Returns the end of games that are not over before; none where the rules end every game.
    fn limit(&self) -> Option<PliesLimit> {
        None
    }
    /// Returns the notation in which people read the board and type moves.
    fn notation(&self) -> &Notation {
        &self.info().notation
    }
    /// Returns the game's section of the protocol.
    fn protocol(&self) -> &str {
        self.info().protocol
    }
    /// Returns the competitions that come with the game. The first is the default.
    fn courses(&self) -> &'static [CourseText] {
        self.info().courses
    }
    /// Returns the kits: the code that the judge adds to a submission in a course's language.
    fn kits(&self) -> &'static [Kit] {
        self.info().kits
    }
    /// Lists the parts of the homework that get a mark, in the order of the course.
    fn homework_parts(&self) -> Vec<&'static str> {
        let mut parts = Vec::new();
        for name in self.kits().iter().flat_map(|kit| kit.homework.names()) {
            if !parts.contains(&name) {
                parts.push(name);
            }
        }
        parts
    }
    /// Returns the colours of pieces and board.
    fn palette(&self) -> &Palette {
        &self.info().palette
    }
    /// Returns the count for spectators; see [`Position::measure`].
    fn measure(&self) -> Option<&Measure> {
        self.info().measure.as_ref()
    }
    /// Lists the built-in bots with one sentence each, the weakest first.
    fn baselines(&self) -> Vec<(&str, &str)>;

    /// Completes a configuration (a JSON object with any of the game's settings) with the defaults.
    fn configure(&self, settings: &str) -> Result<Box<RawValue>, RulesError>;

    /// Draws the initial state for a configuration and a seed.
    fn draw(&self, config: &RawValue, seed: u64) -> Result<Box<RawValue>, RulesError>;

    /// Rewrites a setup in the form of [`Rules::draw`]: the same spacing, field order and defaults.
    fn spell_setup(&self, setup: &RawValue) -> Result<Box<RawValue>, RulesError>;

    /// Sets up the first position.
    fn start(&self, setup: &RawValue) -> Result<Box<dyn Position>, RulesError>;

    /// Asks a built-in bot to choose among `legal` (a JSON list of moves). Returns its move as JSON.
    fn choose(
        &self,
        baseline: &str,
        seat: Seat,
        view: &RawValue,
        legal: &RawValue,
        seed: u64,
    ) -> Result<String, RulesError>;
}

/// A position of some game, by the contract of [`engines::Game`]. An error is always a failure of the rules.
pub trait Position: Debug {
    /// Returns the number of seats in this game.
    fn seats(&self) -> Result<usize>;
    /// Returns the seats that owe a move; empty exactly when the game is over.
    fn to_move(&self) -> Result<Seats>;
    /// Appends the seat's view as JSON.
    fn write_view(&self, seat: Seat, out: &mut Vec<u8>) -> Result;
    /// Appends the seat's legal moves as a JSON list.
    fn write_legal_moves(&self, seat: Seat, out: &mut Vec<u8>) -> Result;
    /// Lists the seat's legal moves, each as JSON.
    fn legal_moves(&self, seat: Seat) -> Result<Vec<String>>;
    /// Plays a move, and returns it in the game's own spelling. A refused move has a reason and no effect.
    fn play(&mut self, seat: Seat, mv: &str) -> Result<Result<String, MoveRefused>>;
    /// Returns whether the game carries out moves that break a rule, as far as it can.
    fn carries_out_broken_moves(&self) -> Result<bool>;
    /// Plays a move that breaks a rule, as far as the game carries it out. Returns it in the game's own
    /// spelling; none, with the position unchanged, if the game carries out nothing of it.
    fn play_broken(&mut self, seat: Seat, mv: &str) -> Result<Option<String>>;
    /// Plays a recorded move: a legal one, or one carried out in part. Returns it spelled, or why it is neither.
    fn play_recorded(&mut self, seat: Seat, mv: &str) -> Result<Result<String, MoveRefused>> {
        let refused = match self.play(seat, mv)? {
            Ok(spelled) => return Ok(Ok(spelled)),
            Err(refused) => refused,
        };
        Ok(self.play_broken(seat, mv)?.ok_or(refused))
    }
    /// Plays a turn without carrying out anything.
    fn forfeit(&mut self, seat: Seat, why: Forfeit) -> Result;
    /// Returns the result once the game is over.
    fn outcome(&self) -> Result<Option<Outcome>>;
    /// Returns what is wrong with the outcome although games are scored by it, for a check of the rules.
    fn complaint(&self) -> Option<String> {
        None
    }
    /// Returns the range of points that each seat can still end with, inclusive.
    fn points_range(&self) -> Result<RangeInclusive<i64>>;
    /// Returns the complete position, to be drawn.
    fn frame(&self) -> Result<Frame>;
    /// Returns the cell of the picture that a bot's mark names, as (column, row). It asks no program.
    fn cell(&self, at: &str) -> Option<(usize, usize)> {
        engines::plain::read(at).ok()
    }
    /// Returns a picture of the information that a seat receives, and nothing more.
    fn seen(&self, seat: Seat) -> Result<Frame>;
    /// Returns the measure of each seat from the first on, perhaps not of all; `None` for a seat without one.
    fn measure(&self) -> Result<Vec<Option<u32>>>;
    /// Spells a legal move, given as JSON, as a person would type it; any other text stays unchanged.
    fn spell(&self, seat: Seat, mv: &str) -> Result<String>;
    /// Reads a move that a person has typed. Returns it as JSON, or names the expected form.
    fn read(&self, seat: Seat, text: &str) -> Result<Result<String, Refused>>;
    /// Counts the positions `depth` plies ahead.
    fn perft(&self, depth: u32) -> Result<u64>;
    /// Copies the position.
    fn copy(&self) -> Result<Box<dyn Position>>;
}

/// The opened games by their names, the last one first.
static OPENED: RwLock<Vec<(String, Arc<dyn Rules>)>> = RwLock::new(Vec::new());

/// Makes an opened game known by a name, and by its slug. The last one of a name counts.
pub fn add(name: &str, rules: &Arc<dyn Rules>) {
    let mut opened = OPENED.write().unwrap_or_else(PoisonError::into_inner);
    opened.retain(|(known, _)| known != name);
    opened.insert(0, (name.to_owned(), Arc::clone(rules)));
}

/// Forgets all opened games. The last owner of the rules removes their files.
pub fn forget_opened() {
    OPENED
        .write()
        .unwrap_or_else(PoisonError::into_inner)
        .clear();
}

pub(crate) fn by_name(name: &str) -> Option<Arc<dyn Rules>> {
    find_opened(|known, rules| known == name || rules.info().slug == name)
}

pub(crate) fn by_program(slug: &str, hash: &str) -> Option<Arc<dyn Rules>> {
    let is_it = |rules: &dyn Rules| rules.program().is_some_and(|own| own.hash == hash);
    find_opened(|_, rules| rules.info().slug == slug && is_it(rules))
}

fn find_opened(is_it: impl Fn(&str, &dyn Rules) -> bool) -> Option<Arc<dyn Rules>> {
    let opened = OPENED.read().unwrap_or_else(PoisonError::into_inner);
    let mut fit = opened.iter().filter(|(name, rules)| is_it(name, &**rules));
    fit.next().map(|(_, rules)| Arc::clone(rules))
}

/// The reason why a call of the rules has no result.
#[derive(Debug)]
pub enum RulesError {
    /// The rules do not allow the input.
    Refused(Refused),
    /// The rules failed, whatever the input.
    Failed(JudgeError),
}

impl RulesError {
    /// Makes the error for input that the judge itself gave to the rules. `what` names it.
    pub fn of(self, what: &'static str) -> JudgeError {
        self.reported(|reason| JudgeError::Rules { what, reason })
    }

    /// Makes the error for input from somebody else. `tell` says what is wrong with it.
    pub fn reported(self, tell: impl FnOnce(Refused) -> JudgeError) -> JudgeError {
        match self {
            Self::Refused(refused) => tell(refused),
            Self::Failed(error) => error,
        }
    }
}

impl From<Refused> for RulesError {
    fn from(refused: Refused) -> Self {
        Self::Refused(refused)
    }
}

impl From<JudgeError> for RulesError {
    fn from(error: JudgeError) -> Self {
        Self::Failed(error)
    }
}
