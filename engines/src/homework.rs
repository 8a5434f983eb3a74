//! What a course's own test of a submission asks, as data: its functions by themselves, and
//! games against a weak player.

use crate::Frame;
use alloc::boxed::Box;
use alloc::string::String;
use core::fmt::{self, Debug};
use rand_chacha::ChaCha8Rng;
use serde_json::Value;

/// What a course's own test asks of a submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Homework {
    /// The functions of the course's interface, in its order.
    pub functions: &'static [Function],
    /// Games.
    pub duel: Option<Duel>,
}

impl Homework {
    /// A course that asks for nothing but games.
    pub const NONE: Self = Self {
        functions: &[],
        duel: None,
    };

    /// Lists the names of all that is asked, each of which gets a mark.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + use<> {
        let functions = self.functions.iter().map(|function| function.name);
        functions.chain(self.duel.map(|duel| duel.name))
    }
}

/// Games against a built-in bot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Duel {
    /// What the course calls it.
    pub name: &'static str,
    /// The built-in bot's name.
    pub opponent: &'static str,
    /// Whether one game is played, in a seat that the seed draws; otherwise several in each.
    pub drawn_seat: bool,
    /// Whether most of the games must be won; otherwise they must be played by the rules.
    pub to_be_won: bool,
}

/// A function that is tested by itself: the kit's program answers `ask` by calling it.
#[derive(Clone, Copy)]
pub struct Function {
    /// Its name.
    pub name: &'static str,
    /// Draws a question about it.
    pub draw: fn(&mut ChaCha8Rng) -> Question,
}

/// Functions of one table are told apart by their names.
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

/// Says what is wrong with an answer, in words.
pub type Marking = Box<dyn Fn(&Value) -> Result<(), String>>;

/// A question about a function, and its right answer.
pub struct Question {
    /// The arguments, as the content of an `ask` message without the function's name.
    pub arguments: Value,
    /// The call in words.
    pub words: String,
    /// What it is about.
    pub frame: Frame,
    /// Marks an answer.
    pub verdict: Marking,
}

impl Debug for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Question({})", self.words)
    }
}
