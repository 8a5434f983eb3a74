//! What a game has to say for itself: the [`Game`] trait and its words.

use crate::{
    Advice, CourseText, Frame, Homework, Measure, Notation, Palette, Refused, RuleBroken, Seat,
    Seats, json,
};
use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::{self, Debug};
use core::ops::RangeInclusive;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// The rules of one game; a value of the type is one position of one game.
///
/// A position is reached through one door, [`Game::start`], which refuses a setup that
/// breaks an invariant; from there on every position is valid. Views are the only thing
/// a bot is ever told, so hidden information is a matter of [`Game::View`].
pub trait Game: Clone + Debug + Send + 'static {
    /// What can be said of the game before any position exists.
    const INFO: GameInfo;
    /// The built-in bots, the weakest first; the first plays uniformly random legal moves.
    const BASELINES: &'static [Baseline<Self>];
    /// Settings as JSON objects that play otherwise than the defaults do: what the contract is
    /// checked on besides.
    const VARIANTS: &'static [&'static str];
    /// How people read the board and type moves.
    const NOTATION: Notation;
    /// The game's section of the protocol, from its heading on; the file `protocol.md` of the
    /// game's folder.
    const PROTOCOL: &'static str;
    /// The competitions that come with the game; the first is played when nothing is said.
    const COURSES: &'static [CourseText];
    /// The colours of pieces and board.
    const PALETTE: Palette = Palette::PLAIN;
    /// What is counted for people who watch, by [`Game::measure`]; none where nothing simple
    /// tells who is ahead.
    const MEASURE: Option<Measure> = None;
    /// What the judge adds to a submission in a course's language.
    const KITS: &'static [Kit] = &[];
    /// Keys of settings and setups that there were in earlier versions, each with what to say
    /// of it.
    const FORMER_KEYS: &'static [(&'static str, &'static str)] = &[];

    /// What can be varied between competitions (board side, number of walls, …).
    type Config: Serialize + DeserializeOwned + Default + Clone + Debug + PartialEq;
    /// An initial state in full; recorded with every game, so a replay needs no generator.
    type Setup: Serialize + DeserializeOwned + Clone + Debug + PartialEq;
    /// One seat's move as it stands on the wire.
    type Move: Serialize + DeserializeOwned + Clone + Debug + PartialEq;
    /// What one seat is told.
    type View: Serialize + DeserializeOwned + Clone + Debug + PartialEq;

    /// Draws an initial state; equal configuration and equal randomness give equal setups.
    ///
    /// # Errors
    /// When the configuration asks for a board that the rules do not allow.
    fn draw(config: &Self::Config, rng: &mut ChaCha8Rng) -> Result<Self::Setup, Refused>;

    /// Sets up the first position.
    ///
    /// # Errors
    /// When the setup breaks an invariant of the game; the text names it.
    fn start(setup: &Self::Setup) -> Result<Self, Refused>;

    /// Returns the number of seats of this very game.
    fn seats(&self) -> usize {
        Self::INFO.roles.len()
    }

    /// Returns the seats that owe a move; empty exactly when the game is over.
    fn to_move(&self) -> Seats;

    /// Returns what `seat` is told, and nothing more.
    fn view(&self, seat: Seat) -> Self::View;

    /// Appends what [`Game::view`] returns as JSON, as `serde_json` writes it. A game whose
    /// view is big overrides this with a faster way to the same text.
    fn write_view(&self, seat: Seat, out: &mut Vec<u8>) {
        json::write(&self.view(seat), out);
    }

    /// Returns a move as JSON, as `serde_json` writes it. A game whose moves are long overrides
    /// this with a faster way to the same text.
    fn spelling(mv: &Self::Move) -> String {
        json::text(mv)
    }

    /// Lists every legal move of a seat that is to move, in a fixed order, none twice.
    ///
    /// A game whose moves are too many to list (see [`GameInfo::moves_listed`]) returns a
    /// fixed, useful selection.
    fn legal_moves(&self, seat: Seat) -> Vec<Self::Move>;

    /// Checks a move of a seat that is to move.
    ///
    /// # Errors
    /// The rule that the move breaks, in words that its author understands.
    fn check(&self, seat: Seat, mv: &Self::Move) -> Result<(), RuleBroken>;

    /// Checks that a seat is to move and its move is legal, and plays it.
    ///
    /// # Errors
    /// The rule that the move breaks; the position is then unchanged.
    fn play(&mut self, seat: Seat, mv: Self::Move) -> Result<(), RuleBroken> {
        if !self.to_move().contains(seat) {
            let message = format!("{seat} is not to move");
            return Err(RuleBroken::new("not-to-move", message));
        }
        self.check(seat, &mv)?;
        self.apply_unchecked(seat, Turn::Played(mv));
        Ok(())
    }

    /// Plays one turn of a seat that is to move (a forfeit may come from any seat), without
    /// checking it: a played move must have passed [`Game::check`], unless the game carries out
    /// others too, or the position that follows is none of the game, or this panics.
    /// [`Game::play`] checks.
    ///
    /// A forfeit after the end of the game changes nothing.
    fn apply_unchecked(&mut self, seat: Seat, turn: Turn<Self::Move>);

    /// Returns whether a move that [`Game::check`] refuses is carried out all the same, as far as
    /// it can be: it is a fault, and [`Game::apply_unchecked`] takes it like any other move. In
    /// most games it is not, and the turn is a forfeit.
    fn carries_out_broken_moves(&self) -> bool {
        false
    }

    /// Returns the result once the game is over.
    fn outcome(&self) -> Option<Outcome>;

    /// Returns between which points (both ends included) [`SeatOutcome::points`] lies, however
    /// this game goes on.
    fn points_range(&self) -> RangeInclusive<i64>;

    /// Returns the whole truth about the position for a replay to draw.
    fn frame(&self) -> Frame;

    /// Returns a picture of what `seat` is told, and nothing more; only a game with hidden
    /// information has another one than [`Game::frame`].
    fn seen(&self, _seat: Seat) -> Frame {
        self.frame()
    }

    /// Counts what [`Game::MEASURE`] names, for each seat from the first one on that it is
    /// counted for; none where it cannot be counted, as steps to what is out of reach.
    fn measure(&self) -> Vec<Option<u32>> {
        Vec::new()
    }

    /// Spells a legal move of a seat that is to move as a person would type it, each one
    /// differently.
    fn spell(&self, seat: Seat, mv: &Self::Move) -> String;

    /// Reads a move that a person has typed; whether it is legal is for [`Game::check`] to say.
    ///
    /// # Errors
    /// When it is not a move; the text tells what was expected.
    fn read(&self, seat: Seat, text: &str) -> Result<Self::Move, Refused>;

    /// Counts the positions `depth` plies ahead; a game that is over earlier counts as one.
    ///
    /// A forced pass is a ply. The last ply is counted without being played. Games with a
    /// faster way to count override this.
    fn perft(&self, depth: u32) -> u64 {
        let Some(seat) = self.to_move().first().filter(|_| depth > 0) else {
            return 1;
        };
        let moves = self.legal_moves(seat);
        if depth == 1 {
            return moves.len() as u64;
        }
        moves
            .into_iter()
            .map(|mv| {
                let mut next = self.clone();
                next.apply_unchecked(seat, Turn::Played(mv));
                next.perft(depth - 1)
            })
            .sum()
    }
}

/// A built-in bot: it knows the view and the legal moves, like any bot, and nothing else.
pub struct Baseline<G: Game> {
    /// The name after `builtin:`.
    pub name: &'static str,
    /// One sentence on how it plays.
    pub summary: &'static str,
    /// Chooses a move.
    pub choose: Choose<G>,
}

/// Chooses among `legal`, which is what [`Game::legal_moves`] returns and never empty.
pub type Choose<G> = fn(
    seat: Seat,
    view: &<G as Game>::View,
    legal: &[<G as Game>::Move],
    rng: &mut ChaCha8Rng,
) -> <G as Game>::Move;

/// The harness that a submission in one language is built with; inert text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kit {
    /// The language's short name, as `cpp`.
    pub language: &'static str,
    /// What tells that a submission is for this kit.
    pub sign: Sign,
    /// What the judge adds, as (file name, text). It replaces files of the same name.
    pub files: &'static [(&'static str, &'static str)],
    /// What the judge calls in a submission.
    pub calls: Calls,
    /// What the course's interface cannot tell a submission.
    pub blind: Blind,
    /// The libraries that submissions may use beside what their language always has, by the
    /// language's own names for them, unless a competition has a list of its own; empty where
    /// there is nothing to choose.
    pub libraries: &'static [&'static str],
    /// What a compiler says of common mistakes, and the same in plain words, in which
    /// `{libraries}` stands for the libraries that submissions may use.
    pub hints: &'static [(&'static str, &'static str)],
    /// What authors are told in place of what authors of programs are told.
    pub advice: Advice,
    /// What the course hands out besides the files that its students write, as (path, text).
    pub project: &'static [(&'static str, &'static str)],
    /// What `judge new` gives an author to begin with, as (path, text): a submission that builds
    /// and plays a legal move, with the words "Begin here" where the exercises are left open.
    pub starter: &'static [(&'static str, &'static str)],
    /// The same with the exercises solved, for staff; empty without the feature `solved`, which
    /// what students are given is built without.
    pub solved: &'static [(&'static str, &'static str)],
    /// What the course's own test of a submission asks beyond games.
    pub homework: Homework,
}

/// Returns what staff may see, and nothing where this was built for students.
pub(crate) const fn solved(
    files: &'static [(&'static str, &'static str)],
) -> &'static [(&'static str, &'static str)] {
    if cfg!(feature = "solved") { files } else { &[] }
}

/// What a kit calls in a submission, by the names that its author knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Calls {
    /// When a game begins; none where nothing is called then.
    pub start: Option<&'static str>,
    /// In a turn: one name for each seat, or one for all.
    pub turn: &'static [&'static str],
    /// What is called in a seat's first turn before that; empty where nothing is.
    pub before_first: &'static [&'static str],
}

impl Calls {
    /// Names what returns the move in a turn of a seat.
    pub fn in_turn(&self, seat: Seat) -> Option<&'static str> {
        let of_seat = self.turn.get(seat.index()).or(self.turn.first());
        of_seat.copied()
    }
}

/// What a kit cannot do, because the course's interface has no words for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blind {
    /// Settings that must have their default: a submission would not learn that they have not.
    pub settings: &'static [&'static str],
    /// Whether a submission must live for a whole game: it is told moves, never the position.
    pub to_position: bool,
}

impl Blind {
    /// A kit that tells its submissions everything.
    pub const NOWHERE: Self = Self {
        settings: &[],
        to_position: false,
    };
}

/// What a submission's game and language are told by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// Files of these names in the submission's folder itself, all of them.
    Flat(&'static [&'static str]),
    /// One file of this name, in any folder.
    Anywhere(&'static str),
    /// A file of any name with this ending, with all texts of `has` in it and none of `lacks`.
    Text {
        /// The ending, without a dot.
        ending: &'static str,
        /// What stands in the file.
        has: &'static [&'static str],
        /// What does not: marks of a program that speaks the protocol itself.
        lacks: &'static [&'static str],
    },
}

impl fmt::Display for Sign {
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

/// What can be said of a game before any position exists.
#[derive(Clone, Copy, Debug)]
pub struct GameInfo {
    /// The name on the command line and in files, as `catch-the-cat`.
    pub slug: &'static str,
    /// The name for people.
    pub title: &'static str,
    /// What it is, in one sentence for lists of games: `two players … .`
    pub summary: &'static str,
    /// Grows when a rule changes, so that old results are not taken for new ones.
    pub rules_version: u32,
    /// The names of the seats in order of play; their number is the most seats.
    pub roles: &'static [&'static str],
    /// The fewest seats.
    pub seats_min: usize,
    /// No game on the default configuration has more plies.
    pub plies_max: u32,
    /// Whether a seat is told the others' moves.
    pub information: Information,
    /// What the game's own points are called.
    pub points: Points,
    /// What [`SeatOutcome::tie_break`] counts, as a noun; none where it is always 0.
    pub tie_break: Option<Points>,
    /// Whether [`Game::legal_moves`] is complete (true) or a selection (false).
    pub moves_listed: bool,
    /// The time each seat has, unless a competition says otherwise.
    pub time: TimeControl,
    /// How long a bot's process lives, unless a competition says otherwise.
    pub lifetime: Lifetime,
}

/// What a game's points, or another of its counts, are called, as a noun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Points {
    /// One of them.
    pub one: &'static str,
    /// Any other number of them.
    pub many: &'static str,
}

impl Points {
    /// The word that fits most games.
    pub const PLAIN: Self = Self {
        one: "point",
        many: "points",
    };

    /// Returns the form that goes with a number.
    pub const fn of(self, number: i64) -> &'static str {
        match number {
            1 | -1 => self.one,
            _ => self.many,
        }
    }
}

/// Whether the moves of the others are told to a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Information {
    /// Everybody sees everything: the moves since the seat's last turn are told.
    Perfect,
    /// The view is all that is told.
    Hidden,
}

/// How long a bot's process, and with it its memory, lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Lifetime {
    /// A new process for every turn: nothing survives a turn.
    Turn,
    /// A new process for every game.
    Game,
    /// One process for all games between the same entrants.
    Match,
}

/// How much time a seat has; every amount is in microseconds, and absent means unlimited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimeControl {
    /// The most that a single turn may take.
    pub turn_us: Option<u64>,
    /// What is on the clock when the game begins; it runs down over all turns.
    pub bank_us: Option<u64>,
    /// What each turn adds to the bank when it begins.
    pub increment_us: u64,
    /// Whether the answer to `start` (a bot's initialisation) is charged to the clock.
    pub charge_start: bool,
}

/// What happens in a turn.
#[derive(Clone, Debug, PartialEq)]
pub enum Turn<M> {
    /// A legal move, or one that is carried out all the same, see
    /// [`Game::carries_out_broken_moves`].
    Played(M),
    /// The seat gave nothing that is carried out.
    Forfeit(Forfeit),
}

/// Why nothing of a turn is carried out; what follows from it is the game's to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Forfeit {
    /// The answer was a move, but one that the rules forbid.
    Illegal,
    /// The answer was not a move at all.
    Malformed,
    /// The time ran out.
    Time,
    /// The bot is gone and will never answer again.
    Gone,
}

/// How a game ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Outcome {
    /// One entry per seat, in seat order.
    pub seats: Vec<SeatOutcome>,
    /// Why it ended, as a short fragment: `the cat reached the border`.
    pub reason: Cow<'static, str>,
}

/// How a game ended for one seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeatOutcome {
    /// Won, drawn or lost; joint winners have all won.
    pub result: GameResult,
    /// The place in this game, from 1; equal places are shared and the next ones skipped.
    pub placement: u8,
    /// The points of the game's own formula, before anything a competition adds.
    pub points: i64,
    /// A second count that some games break ties by (captures); 0 elsewhere.
    pub tie_break: i64,
}

/// Won, drawn or lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GameResult {
    /// This seat won, alone or jointly.
    Won,
    /// Nobody won.
    Drawn,
    /// Somebody else won.
    Lost,
}
