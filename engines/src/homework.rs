//! A course's competitions, advice for its authors, and its own test, as data.

use crate::Frame;
use alloc::boxed::Box;
use alloc::string::String;
use core::fmt::{self, Debug};
use rand_chacha::ChaCha8Rng;
use serde_json::Value;

/// A course's own test of a submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Homework {
    /// The functions of the course's interface, in its order.
    pub functions: &'static [Function],
    /// The games, if the course asks for any.
    pub duel: Option<Duel>,
}

impl Homework {
    /// A course that asks for nothing but games.
    pub const NONE: Self = Self {
        functions: &[],
        duel: None,
    };

    /// Lists the names of all parts of the test. Each part gets a mark.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.functions
            .iter()
            .map(|function| function.name)
            .chain(self.duel.map(|duel| duel.name))
    }
}

/// Games against a built-in bot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Duel {
    /// The course's name for the games.
    pub name: &'static str,
    /// The built-in bot's name.
    pub opponent: &'static str,
    /// Whether there is one game, in a seat that the seed draws, instead of several in each seat.
    pub drawn_seat: bool,
    /// Whether the submission must win most of the games. Otherwise it must only keep the rules.
    pub to_be_won: bool,
}

/// A function that is tested alone: the kit's program calls it to answer `ask`.
#[derive(Clone, Copy)]
pub struct Function {
    /// Its name.
    pub name: &'static str,
    /// Draws a question about it.
    pub draw: fn(&mut ChaCha8Rng) -> Question,
}

/// Compares names, which differ within one table.
impl PartialEq for Function {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Function {}

impl Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Function({})", self.name)
    }
}

/// A check of an answer that returns the mistake in words.
pub type Marking = Box<dyn Fn(&Value) -> Result<(), String>>;

/// A question about a function, with the check of its answer.
pub struct Question {
    /// The arguments, as the content of an `ask` message without the function's name.
    pub arguments: Value,
    /// The call in words.
    pub words: String,
    /// The position that the question is about.
    pub frame: Frame,
    /// The check of an answer.
    pub verdict: Marking,
}

impl Debug for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Question({})", self.words)
    }
}

/// Advice in the words of one course's interface. The kit speaks the protocol for its authors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Advice {
    /// The result that a turn must give.
    pub answer: &'static str,
    /// How a submission learns its remaining time.
    pub time: &'static str,
    /// The source to draw random numbers from, so that games can be repeated.
    pub chance: &'static str,
}

/// A competition file from a game's folder. The rules do not read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CourseText {
    /// The name on the command line, such as `crazy-camel`.
    pub name: &'static str,
    /// The file, as TOML.
    pub text: &'static str,
}
