//! The rules behind JSON, for callers that learn the game's name at run time.

use crate::complaint::refuse;
use crate::prelude::*;
use crate::{
    Baseline, Forfeit, Frame, Game, GameInfo, Outcome, Refused, RuleBroken, Seat, Seats, plain,
};
use core::fmt;
use core::ops::RangeInclusive;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

/// One line of the registry: a game without its type.
pub struct Entry {
    /// Facts about the game that need no position.
    pub info: GameInfo,
    configure: fn(&str) -> Result<Box<RawValue>, Refused>,
    draw: fn(&RawValue, u64) -> Result<Box<RawValue>, Refused>,
    spell_setup: fn(&RawValue) -> Result<Box<RawValue>, Refused>,
    start: fn(&RawValue) -> Result<Box<dyn AnyGame>, Refused>,
    choose: fn(&str, Seat, &RawValue, &RawValue, u64) -> Result<String, Refused>,
    baselines: fn() -> Vec<(&'static str, &'static str)>,
}

impl Entry {
    /// Makes the registry entry of a game.
    pub const fn of<G: Game>() -> Self {
        Self {
            info: G::INFO,
            configure: configure::<G>,
            draw: draw::<G>,
            spell_setup: spell_setup::<G>,
            start: start::<G>,
            choose: choose::<G>,
            baselines: baselines::<G>,
        }
    }

    /// Completes a configuration (a JSON object with any of the game's settings) with the defaults.
    pub fn configure(&self, settings: &str) -> Result<Box<RawValue>, Refused> {
        (self.configure)(settings)
    }

    /// Draws the initial state for a configuration and a seed.
    pub fn draw(&self, config: &RawValue, seed: u64) -> Result<Box<RawValue>, Refused> {
        (self.draw)(config, seed)
    }

    /// Returns a setup in the spelling of [`Entry::draw`], whatever its blanks, order and defaults.
    pub fn spell_setup(&self, setup: &RawValue) -> Result<Box<RawValue>, Refused> {
        (self.spell_setup)(setup)
    }

    /// Sets up the first position.
    pub fn start(&self, setup: &RawValue) -> Result<Box<dyn AnyGame>, Refused> {
        (self.start)(setup)
    }

    /// Asks a built-in bot to choose among `legal`, a JSON list of moves.
    pub fn choose(
        &self,
        baseline: &str,
        seat: Seat,
        view: &RawValue,
        legal: &RawValue,
        seed: u64,
    ) -> Result<String, Refused> {
        (self.choose)(baseline, seat, view, legal, seed)
    }

    /// Lists the built-in bots with one sentence each, the weakest first.
    pub fn baselines(&self) -> Vec<(&'static str, &'static str)> {
        (self.baselines)()
    }
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Entry({})", self.info.slug)
    }
}

/// A position of some game. [`Game`] states the contract of each method.
pub trait AnyGame: Send + fmt::Debug {
    /// See [`Game::seats`].
    fn seats(&self) -> usize;
    /// See [`Game::to_move`].
    fn to_move(&self) -> Seats;
    /// Appends the seat's view as JSON.
    fn write_view(&self, seat: Seat, out: &mut Vec<u8>);
    /// Appends the seat's legal moves as a JSON list.
    fn write_legal_moves(&self, seat: Seat, out: &mut Vec<u8>);
    /// Lists the seat's legal moves, each as JSON.
    fn legal_moves(&self, seat: Seat) -> Vec<String>;
    /// Reads, checks and plays a move. Returns it in the game's own spelling.
    fn play(&mut self, seat: Seat, mv: &str) -> Result<String, MoveRefused>;
    /// See [`Game::carries_out_broken_moves`].
    fn carries_out_broken_moves(&self) -> bool;
    /// Plays a move that breaks a rule, as far as the game carries out such moves. Returns it in
    /// the game's own spelling, or none, with the position unchanged.
    fn play_broken(&mut self, seat: Seat, mv: &str) -> Option<String>;
    /// Plays a legal move of a record, or one that the game carried out in part.
    fn play_recorded(&mut self, seat: Seat, mv: &str) -> Result<String, MoveRefused> {
        self.play(seat, mv)
            .or_else(|refused| self.play_broken(seat, mv).ok_or(refused))
    }
    /// Plays a turn without carrying out anything.
    fn forfeit(&mut self, seat: Seat, why: Forfeit);
    /// See [`Game::outcome`].
    fn outcome(&self) -> Option<Outcome>;
    /// See [`Game::points_range`].
    fn points_range(&self) -> RangeInclusive<i64>;
    /// See [`Game::frame`].
    fn frame(&self) -> Frame;
    /// See [`Game::seen`].
    fn seen(&self, seat: Seat) -> Frame;
    /// See [`Game::cell`].
    fn cell(&self, at: &str) -> Option<(usize, usize)>;
    /// See [`Game::measure`].
    fn measure(&self) -> Vec<Option<u32>>;
    /// Spells a move, given as JSON, as a person would type it. Returns other text unchanged.
    fn spell(&self, seat: Seat, mv: &str) -> String;
    /// Reads a move that a person has typed. Returns it as JSON.
    fn read(&self, seat: Seat, text: &str) -> Result<String, Refused>;
    /// See [`Game::perft`].
    fn perft(&self, depth: u32) -> u64;
    /// Copies the position.
    fn boxed_clone(&self) -> Box<dyn AnyGame>;
}

/// Why a move was not played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MoveRefused {
    /// The text is not a move of this game. Holds the reader's complaint.
    Unreadable(String),
    /// The move breaks a rule.
    Broken(RuleBroken),
}

impl<G: Game> AnyGame for G {
    fn seats(&self) -> usize {
        Game::seats(self)
    }

    fn to_move(&self) -> Seats {
        Game::to_move(self)
    }

    fn write_view(&self, seat: Seat, out: &mut Vec<u8>) {
        Game::write_view(self, seat, out);
    }

    fn write_legal_moves(&self, seat: Seat, out: &mut Vec<u8>) {
        plain::write(&Game::legal_moves(self, seat), out);
    }

    fn legal_moves(&self, seat: Seat) -> Vec<String> {
        Game::legal_moves(self, seat)
            .iter()
            .map(plain::text)
            .collect()
    }

    fn play(&mut self, seat: Seat, mv: &str) -> Result<String, MoveRefused> {
        let (mv, spelling) = read_move::<G>(mv).map_err(MoveRefused::Unreadable)?;
        self.check(seat, &mv).map_err(MoveRefused::Broken)?;
        self.apply_unchecked(seat, mv);
        Ok(spelling)
    }

    fn carries_out_broken_moves(&self) -> bool {
        Game::carries_out_broken_moves(self)
    }

    fn play_broken(&mut self, seat: Seat, mv: &str) -> Option<String> {
        let mv: G::Move = plain::read(mv).ok()?;
        if !Game::carries_out_broken_moves(self) || self.check(seat, &mv).is_ok() {
            return None;
        }
        let spelling = plain::text(&mv);
        self.apply_unchecked(seat, mv);
        Some(spelling)
    }

    fn forfeit(&mut self, seat: Seat, why: Forfeit) {
        Game::forfeit(self, seat, why);
    }

    fn outcome(&self) -> Option<Outcome> {
        Game::outcome(self)
    }

    fn points_range(&self) -> RangeInclusive<i64> {
        Game::points_range(self)
    }

    fn frame(&self) -> Frame {
        Game::frame(self)
    }

    fn seen(&self, seat: Seat) -> Frame {
        Game::seen(self, seat)
    }

    fn cell(&self, at: &str) -> Option<(usize, usize)> {
        Game::cell(self, at)
    }

    fn measure(&self) -> Vec<Option<u32>> {
        Game::measure(self)
    }

    fn spell(&self, seat: Seat, mv: &str) -> String {
        let read: Result<G::Move, _> = plain::read(mv);
        read.map_or_else(|_| mv.to_owned(), |mv| Game::spell(self, seat, &mv))
    }

    fn read(&self, seat: Seat, text: &str) -> Result<String, Refused> {
        Game::read(self, seat, text).map(|mv| plain::text(&mv))
    }

    fn perft(&self, depth: u32) -> u64 {
        Game::perft(self, depth)
    }

    fn boxed_clone(&self) -> Box<dyn AnyGame> {
        Box::new(self.clone())
    }
}

/// Reads a move, and returns it with its own spelling. A text in that spelling needs no strict
/// reader, which takes longer.
fn read_move<G: Game>(text: &str) -> Result<(G::Move, String), String> {
    if let Ok(mv) = serde_json::from_str(text) {
        let spelling = plain::text(&mv);
        if spelling == text {
            return Ok((mv, spelling));
        }
    }
    let mv = plain::read(text)?;
    let spelling = plain::text(&mv);
    Ok((mv, spelling))
}

fn read<T: DeserializeOwned>(text: &str) -> Result<T, Refused> {
    plain::read(text).map_err(Refused)
}

fn configure<G: Game>(settings: &str) -> Result<Box<RawValue>, Refused> {
    let config: G::Config = read(settings)?;
    // A throw-away draw checks the values.
    G::draw(&config, &mut ChaCha8Rng::seed_from_u64(0))?;
    Ok(plain::raw(&config))
}

fn draw<G: Game>(config: &RawValue, seed: u64) -> Result<Box<RawValue>, Refused> {
    let config: G::Config = read(config.get())?;
    let setup = G::draw(&config, &mut ChaCha8Rng::seed_from_u64(seed))?;
    Ok(plain::raw(&setup))
}

fn spell_setup<G: Game>(setup: &RawValue) -> Result<Box<RawValue>, Refused> {
    let setup: G::Setup = read(setup.get())?;
    Ok(plain::raw(&setup))
}

fn start<G: Game>(setup: &RawValue) -> Result<Box<dyn AnyGame>, Refused> {
    let setup: G::Setup = read(setup.get())?;
    Ok(Box::new(G::start(&setup)?))
}

fn choose<G: Game>(
    baseline: &str,
    seat: Seat,
    view: &RawValue,
    legal: &RawValue,
    seed: u64,
) -> Result<String, Refused> {
    let found: &Baseline<G> = G::BASELINES
        .iter()
        .find(|candidate| candidate.name == baseline)
        .ok_or_else(|| Refused(format!("{} has no bot named {baseline}", G::INFO.slug)))?;
    let last = G::INFO.roles.len() - 1;
    if seat.index() > last {
        let slug = G::INFO.slug;
        return refuse(format!("{slug} has no {seat}: seats are 0 to {last}"));
    }
    let view: G::View = read(view.get())?;
    let legal: Vec<G::Move> = read(legal.get())?;
    if legal.is_empty() {
        return refuse("there is no legal move to choose from");
    }
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    Ok(plain::text(&(found.choose)(seat, &view, &legal, &mut rng)))
}

fn baselines<G: Game>() -> Vec<(&'static str, &'static str)> {
    G::BASELINES.iter().map(|b| (b.name, b.summary)).collect()
}
