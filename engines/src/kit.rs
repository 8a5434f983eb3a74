//! A course's interface for one language, its competitions, and its own test, as data.

use crate::prelude::*;
use crate::{Frame, Seat};
use core::fmt::{self, Debug, Display};
use rand_chacha::ChaCha8Rng;
use serde_json::Value;

/// The harness that submissions in one language are built with, as inert text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kit {
    /// The language's short name, such as `cpp`.
    pub language: &'static str,
    /// The sign by which the judge recognises a submission for this kit.
    pub sign: Sign,
    /// The files that the judge adds, as (file name, text). They replace files of the same name.
    pub files: &'static [(&'static str, &'static str)],
    /// The functions of a submission that the judge calls.
    pub calls: Calls,
    /// The information for which the course's interface has no words.
    pub blind: Blind,
    /// The libraries that submissions may use besides the language's own, by the language's names
    /// for them. A competition may replace this list with its own. Empty where there is no choice.
    pub libraries: &'static [&'static str],
    /// A compiler's words about common mistakes, each with a plain explanation. In the explanation,
    /// `{libraries}` stands for the libraries that submissions may use.
    pub hints: &'static [(&'static str, &'static str)],
    /// Advice for authors, in place of the advice for authors of programs.
    pub advice: Advice,
    /// The course's files besides those that its students write, as (path, text).
    pub project: &'static [(&'static str, &'static str)],
    /// The files with which `judge new` starts an author, as (path, text). They form a submission
    /// that builds and plays a legal move. The words "Begin here" mark the open exercises.
    pub starter: &'static [(&'static str, &'static str)],
    /// The starter with its exercises solved, for staff. Empty without the feature `solved`, which
    /// is off in the builds for students.
    pub solved: &'static [(&'static str, &'static str)],
    /// The questions of the course's own test of a submission, beyond games.
    pub homework: Homework,
}

pub(crate) const fn solved(
    files: &'static [(&'static str, &'static str)],
) -> &'static [(&'static str, &'static str)] {
    if cfg!(feature = "solved") { files } else { &[] }
}

/// The functions of a submission that a kit calls, by the names that the author knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Calls {
    /// The function called when a game begins, if any.
    pub start: Option<&'static str>,
    /// The functions called in a turn: one name for each seat, or one for all seats.
    pub turn: &'static [&'static str],
    /// The functions called before that in a seat's first turn; empty if none.
    pub before_first: &'static [&'static str],
}

impl Calls {
    /// Names the function that returns a seat's move in a turn.
    pub fn in_turn(&self, seat: Seat) -> Option<&'static str> {
        self.turn.get(seat.index()).or(self.turn.first()).copied()
    }
}

/// The limits of a kit whose course interface has no words for something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blind {
    /// Settings that must keep their defaults, because a submission cannot learn their values.
    pub settings: &'static [&'static str],
    /// Whether a submission must live for a whole game, because it never receives the position.
    pub to_position: bool,
}

impl Blind {
    /// A kit that gives its submissions all information.
    pub const NOWHERE: Self = Self {
        settings: &[],
        to_position: false,
    };
}

/// The sign of a submission's game and language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// Files with these names in the top folder of the submission, all of them.
    Flat(&'static [&'static str]),
    /// One file of this name, in any folder.
    Anywhere(&'static str),
    /// A file of any name with this ending that contains every text of `has` and none of `lacks`.
    Text {
        /// The ending, without a dot.
        ending: &'static str,
        /// Texts that the file contains.
        has: &'static [&'static str],
        /// Texts that it lacks: marks of a program that speaks the protocol itself.
        lacks: &'static [&'static str],
    },
}

impl Display for Sign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flat(names) => f.write_str(&names.join(" and ")),
            Self::Anywhere(name) => f.write_str(name),
            Self::Text { ending, has, .. } => {
                let words: Vec<&str> = has.iter().map(|text| text.trim()).collect();
                write!(f, "a .{ending} file with {}", words.join(" and "))
            }
        }
    }
}

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
#[derive(Clone, Copy, Debug)]
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
