use crate::complaint::refuse;
use crate::prelude::*;
use crate::{
    CourseText, Frame, Kit, Measure, Notation, Palette, Refused, RuleBroken, Seat, Seats, plain,
};
use alloc::borrow::Cow;
use core::fmt::{Debug, Display};
use core::ops::RangeInclusive;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// The rules of one game. A value of the type is one position. [`Game::start`], the only way to
/// make one, refuses a setup that breaks an invariant, and every position after it is valid.
pub trait Game: Clone + Debug + Send + 'static {
    /// Facts about the game that need no position.
    const INFO: GameInfo;
    /// The built-in bots, the weakest first. The first plays uniformly random legal moves.
    const BASELINES: &'static [Baseline<Self>];

    /// The settings that competitions may vary (board side, number of walls, …).
    type Config: Serialize + DeserializeOwned + Default + Clone + Debug + PartialEq;
    /// A complete initial state. Every game's record contains it, so a replay needs no generator.
    type Setup: Serialize + DeserializeOwned + Clone + Debug + PartialEq;
    /// One seat's move, as the protocol writes it.
    type Move: Serialize + DeserializeOwned + Clone + Debug + PartialEq;
    /// The information that one seat receives.
    type View: Serialize + DeserializeOwned + Clone + Debug + PartialEq;

    /// Draws an initial state. Equal configuration and equal randomness give equal setups.
    fn draw(config: &Self::Config, rng: &mut ChaCha8Rng) -> Result<Self::Setup, Refused>;

    /// Sets up the first position.
    fn start(setup: &Self::Setup) -> Result<Self, Refused>;

    /// Returns the number of seats in this game.
    fn seats(&self) -> usize {
        Self::INFO.roles.len()
    }

    /// Returns the seat to move; none exactly when the game is over.
    fn mover(&self) -> Option<Seat>;

    /// Returns the seats that owe a move.
    fn to_move(&self) -> Seats {
        self.mover().map_or(Seats::NONE, Seats::one)
    }

    /// Returns the information that `seat` receives, and nothing more.
    fn view(&self, seat: Seat) -> Self::View;

    /// Appends the JSON of [`Game::view`], as `serde_json` writes it. Overridden for speed only.
    fn write_view(&self, seat: Seat, out: &mut Vec<u8>) {
        plain::write(&self.view(seat), out);
    }

    /// Lists every legal move of a seat that is to move, in a fixed order and without duplicates,
    /// or a useful selection (see [`GameInfo::moves_listed`]).
    fn legal_moves(&self, seat: Seat) -> Vec<Self::Move>;

    /// Checks a move of a seat that is to move.
    fn check(&self, seat: Seat, mv: &Self::Move) -> Result<(), RuleBroken>;

    /// Checks that a seat is to move and that its move is legal, then plays the move.
    fn play(&mut self, seat: Seat, mv: Self::Move) -> Result<(), RuleBroken> {
        if !self.to_move().contains(seat) {
            let message = format!("{seat} is not to move");
            return Err(RuleBroken::new("not-to-move", message));
        }
        self.check(seat, &mv)?;
        self.apply_unchecked(seat, mv);
        Ok(())
    }

    /// Plays a move of a seat that is to move. Panics or goes wrong on a move that fails
    /// [`Game::check`], unless the game carries such moves out.
    fn apply_unchecked(&mut self, seat: Seat, mv: Self::Move);

    /// Plays a turn without a move, by any seat. After the end it changes nothing.
    fn forfeit(&mut self, seat: Seat, why: Forfeit);

    /// Returns whether the game carries out a move that [`Game::check`] refuses, as far as it can.
    /// Such a move is a fault. Where this is false, the turn is a forfeit.
    fn carries_out_broken_moves(&self) -> bool {
        false
    }

    /// Returns the result once the game is over.
    fn outcome(&self) -> Option<Outcome>;

    /// Returns the inclusive range of [`SeatOutcome::points`] however this game continues.
    fn points_range(&self) -> RangeInclusive<i64>;

    /// Returns the complete position for a replay to draw.
    fn frame(&self) -> Frame;

    /// Returns a picture of what `seat` sees, and nothing more.
    fn seen(&self, _seat: Seat) -> Frame {
        self.frame()
    }

    /// Returns the cell of the picture, as (column, row), that a bot's mark names in JSON. It may
    /// be off the board. By default a mark is a list of column and row.
    fn cell(&self, at: &str) -> Option<(usize, usize)> {
        plain::read(at).ok()
    }

    /// Counts what [`GameInfo::measure`] names, for each seat from the first. The list may end early.
    /// An entry is none where there is no count, such as the steps to an unreachable goal.
    fn measure(&self) -> Vec<Option<u32>> {
        Vec::new()
    }

    /// Spells a legal move as a person would type it. Different moves have different spellings.
    fn spell(&self, seat: Seat, mv: &Self::Move) -> String;

    /// Reads a move that a person has typed. [`Game::check`] decides whether it is legal.
    fn read(&self, seat: Seat, text: &str) -> Result<Self::Move, Refused>;

    /// Counts the legal moves of a seat that is to move.
    fn count_moves(&self, seat: Seat) -> usize {
        self.legal_moves(seat).len()
    }

    /// Counts the positions `depth` plies ahead. A game that is over earlier counts as one. A
    /// forced pass is a ply. The last ply is counted without being played.
    fn perft(&self, depth: u32) -> u64 {
        let Some(seat) = self.mover().filter(|_| depth > 0) else {
            return 1;
        };
        if depth == 1 {
            return self.count_moves(seat) as u64;
        }
        self.legal_moves(seat)
            .into_iter()
            .map(|mv| {
                let mut next = self.clone();
                next.apply_unchecked(seat, mv);
                next.perft(depth - 1)
            })
            .sum()
    }
}

/// A built-in bot. Like any bot, it sees the view and the legal moves, and nothing else.
pub struct Baseline<G: Game> {
    /// The name after `builtin:`.
    pub name: &'static str,
    /// One sentence on how it plays.
    pub summary: &'static str,
    /// Chooses among legal moves, those of [`Game::legal_moves`], which are never empty.
    pub choose: Choose<G>,
}

type Choose<G> =
    fn(Seat, &<G as Game>::View, &[<G as Game>::Move], &mut ChaCha8Rng) -> <G as Game>::Move;

impl<G: Game> Baseline<G> {
    /// The weakest bot of every game.
    pub(crate) const RANDOM: Self = Self {
        name: "random",
        summary: "plays a uniformly random legal move",
        choose: random::<G>,
    };
}

pub(crate) fn random<G: Game>(
    _seat: Seat,
    _view: &G::View,
    legal: &[G::Move],
    rng: &mut ChaCha8Rng,
) -> G::Move {
    legal.choose(rng).expect("never empty").clone()
}

pub(crate) fn best<M: Copy, W: Copy + Ord>(
    moves: &[M],
    worth: impl Fn(M) -> W,
    rng: &mut ChaCha8Rng,
) -> Option<(W, M)> {
    let valued: Vec<(W, M)> = moves.iter().map(|&mv| (worth(mv), mv)).collect();
    let most = valued.iter().map(|&(worth, _)| worth).max()?;
    let ties: Vec<_> = valued.into_iter().filter(|v| v.0 == most).collect();
    ties.choose(rng).copied()
}

/// Checks the settings `NAME_min` and `NAME_max`, which bound a fraction.
pub(crate) fn check_fractions(name: &str, min: f64, max: f64, most: f64) -> Result<(), Refused> {
    if 0.0 <= min && min <= max && max <= most {
        return Ok(());
    }
    refuse(format!(
        "{name}_min {min} and {name}_max {max} are not allowed: \
         0 <= {name}_min <= {name}_max <= {most}"
    ))
}

/// Returns a fraction of a small count, rounded down.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a fraction below 1 of a small count"
)]
pub(crate) fn part(count: usize, fraction: f64) -> usize {
    (count as f64 * fraction) as usize
}

/// Facts about a game that need no position.
#[derive(Clone, Copy, Debug)]
pub struct GameInfo {
    /// The name on the command line and in files, such as `catch-the-cat`.
    pub slug: &'static str,
    /// The name for people.
    pub title: &'static str,
    /// A description in one sentence for lists of games: `two players … .`
    pub summary: &'static str,
    /// The version of the rules, raised by every change, so that old results are known as such.
    pub rules_version: u32,
    /// The names of the seats in order of play. Their number is the maximum number of seats.
    pub roles: &'static [&'static str],
    /// The minimum number of seats.
    pub seats_min: usize,
    /// The maximum number of plies on the default configuration; on any, of a game of one's own.
    pub plies_max: u32,
    /// Whether a seat learns the moves of the others.
    pub information: Information,
    /// The noun for the game's own points.
    pub points: Points,
    /// The noun for the count in [`SeatOutcome::tie_break`]; none where it is always 0.
    pub tie_break: Option<Points>,
    /// Whether [`Game::legal_moves`] is complete (true) or a selection (false).
    pub moves_listed: bool,
    /// The time of each seat, unless a competition sets another.
    pub time: TimeControl,
    /// The lifetime of a bot's process, unless a competition sets another.
    pub lifetime: Lifetime,
    /// Settings other than the defaults, as JSON objects. The contract is checked on these too.
    pub variants: &'static [&'static str],
    /// The notation in which people read the board and type moves.
    pub notation: Notation,
    /// The colours of pieces and board.
    pub palette: Palette,
    /// The count that [`Game::measure`] returns; none where nothing simple shows who is ahead.
    pub measure: Option<Measure>,
    /// The game's section of the protocol, from its heading on: `protocol.md` in its folder.
    pub protocol: &'static str,
    /// The competitions that come with the game. The first is the default.
    pub courses: &'static [CourseText],
    /// The kits: the code that the judge adds to a submission in a course's language.
    pub kits: &'static [Kit],
}

/// The noun for a game's points or for another of its counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Points {
    /// The singular.
    pub one: &'static str,
    /// The plural, for every number but 1 and −1.
    pub many: &'static str,
}

impl Points {
    /// The noun that fits most games.
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

/// Whether a seat learns the moves of the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Information {
    /// Everybody sees everything. A seat learns the moves since its last turn.
    Perfect,
    /// A seat learns nothing but its view.
    #[default]
    Hidden,
}

/// The lifetime of a bot's process and of its memory.
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

/// The time of a seat. Every amount is in microseconds; an absent limit means unlimited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimeControl {
    /// The maximum time of a single turn.
    pub turn_us: Option<u64>,
    /// The time on the clock at the start of the game. It runs down over all turns.
    pub bank_us: Option<u64>,
    /// The time added to the bank at the start of each turn.
    pub increment_us: u64,
    /// Whether the clock charges the answer to `start` (a bot's initialisation).
    pub charge_start: bool,
}

/// The reason why the game carries out nothing of a turn. The game decides the consequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Forfeit {
    /// The answer was a move, but one that the rules forbid.
    Illegal,
    /// The answer was not a move at all.
    Malformed,
    /// The time ran out.
    Time,
    /// The bot has ended and will never answer again.
    Gone,
}

impl Forfeit {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Illegal, Self::Malformed, Self::Time, Self::Gone];

    pub(crate) fn of(self, who: impl Display) -> Cow<'static, str> {
        let deed = match self {
            Self::Illegal => " moved illegally",
            Self::Malformed => " gave no readable move",
            Self::Time => " ran out of time",
            Self::Gone => "'s program is gone",
        };
        format!("{who}{deed}").into()
    }
}

/// How a game ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Outcome {
    /// One entry for each seat, in seat order.
    pub seats: Vec<SeatOutcome>,
    /// The reason for the end, as a short fragment: `the cat reached the border`.
    pub reason: Cow<'static, str>,
}

impl Outcome {
    pub(crate) fn of_two(
        winner: Option<Seat>,
        reason: impl Into<Cow<'static, str>>,
        points: impl Fn(Seat, GameResult) -> i64,
    ) -> Self {
        let seat = |index| {
            let seat = Seat::new(index);
            let result = match winner {
                None => GameResult::Drawn,
                Some(winner) if winner == seat => GameResult::Won,
                Some(_) => GameResult::Lost,
            };
            SeatOutcome {
                result,
                placement: if result == GameResult::Lost { 2 } else { 1 },
                points: points(seat, result),
                tie_break: 0,
            }
        };
        Self {
            seats: vec![seat(0), seat(1)],
            reason: reason.into(),
        }
    }
}

/// How a game ended for one seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeatOutcome {
    /// The result. All joint winners have won.
    pub result: GameResult,
    /// The place in this game, from 1. Equal places are shared, and the next ones are skipped.
    pub placement: u8,
    /// The points of the game's own formula, before anything a competition adds.
    pub points: i64,
    /// A second count by which some games break ties (captures); 0 elsewhere.
    pub tie_break: i64,
}

/// The result of a seat.
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
