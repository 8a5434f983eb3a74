//! The interface of a game's rules.

use crate::refusal::RulesError;
use engines::erased::MoveRefused;
use engines::{CourseText, Forfeit, Frame, GameInfo, Kit, Measure, Notation, Outcome, Palette};
use engines::{Refused, Seat, Seats};
use error::JudgeError;
use serde_json::value::RawValue;
use std::fmt::Debug;
use std::ops::RangeInclusive;

/// The rules of one game.
pub trait Rules: Debug + Send + Sync {
    /// Returns what can be said of the game before any position exists.
    fn info(&self) -> &GameInfo;
    /// Returns how people read the board and type moves.
    fn notation(&self) -> &Notation;
    /// Returns the game's section of the protocol.
    fn protocol(&self) -> &str;
    /// Returns the competitions that come with the game; the first is played when nothing is said.
    fn courses(&self) -> &'static [CourseText];
    /// Returns what the judge adds to a submission in a course's language.
    fn kits(&self) -> &'static [Kit];
    /// Returns the colours of pieces and board.
    fn palette(&self) -> &Palette;
    /// Returns what is counted for people who watch, see [`Position::measure`].
    fn measure(&self) -> Option<&Measure>;
    /// Lists the built-in bots with a sentence each, the weakest first.
    fn baselines(&self) -> Vec<(&str, &str)>;

    /// Completes a configuration (a JSON object with any of the game's settings) with the defaults.
    ///
    /// # Errors
    /// When a setting is unknown, of the wrong type or not allowed by the rules, or the rules fail.
    fn configure(&self, settings: &str) -> Result<Box<RawValue>, RulesError>;

    /// Draws the initial state that belongs to a configuration and a seed.
    ///
    /// # Errors
    /// When the rules do not allow the configuration, or fail.
    fn draw(&self, config: &RawValue, seed: u64) -> Result<Box<RawValue>, RulesError>;

    /// Rewrites a setup in the form of [`Rules::draw`]: the same spacing, field order and defaults.
    ///
    /// # Errors
    /// When it cannot be read, or the rules fail.
    fn spell_setup(&self, setup: &RawValue) -> Result<Box<RawValue>, RulesError>;

    /// Sets up the first position.
    ///
    /// # Errors
    /// When the setup cannot be read or breaks an invariant of the game, or the rules fail.
    fn start(&self, setup: &RawValue) -> Result<Box<dyn Position>, RulesError>;

    /// Lets a built-in bot choose among `legal` (a JSON list of moves), as JSON.
    ///
    /// # Errors
    /// When there is no such bot or seat, the view or the moves cannot be read, or the rules fail.
    fn choose(
        &self,
        baseline: &str,
        seat: Seat,
        view: &RawValue,
        legal: &RawValue,
        seed: u64,
    ) -> Result<String, RulesError>;
}

/// A position of some game; [`engines::Game`] says what each method promises. An error is always a
/// failure of the rules.
#[expect(
    clippy::missing_errors_doc,
    reason = "the sentence above says it of all of them"
)]
pub trait Position: Debug + Send {
    /// Returns the number of seats of this very game.
    fn seats(&self) -> Result<usize, JudgeError>;
    /// Returns the seats that owe a move; empty exactly when the game is over.
    fn to_move(&self) -> Result<Seats, JudgeError>;
    /// Appends the seat's view as JSON.
    fn write_view(&self, seat: Seat, out: &mut Vec<u8>) -> Result<(), JudgeError>;
    /// Appends the seat's legal moves as a JSON list.
    fn write_legal_moves(&self, seat: Seat, out: &mut Vec<u8>) -> Result<(), JudgeError>;
    /// Lists the seat's legal moves, each as JSON.
    fn legal_moves(&self, seat: Seat) -> Result<Vec<String>, JudgeError>;
    /// Reads, checks and plays a move; returns it in the game's own spelling, or why it was not
    /// played: the position is then unchanged.
    fn play(&mut self, seat: Seat, mv: &str) -> Result<Result<String, MoveRefused>, JudgeError>;
    /// Returns whether the game carries out moves that break a rule, as far as it can.
    fn carries_out_broken_moves(&self) -> Result<bool, JudgeError>;
    /// Plays a move that breaks a rule, where the game carries such moves out; returns it in the
    /// game's own spelling. None where it does not, or the text is no such move: the position is then
    /// unchanged.
    fn play_broken(&mut self, seat: Seat, mv: &str) -> Result<Option<String>, JudgeError>;
    /// Plays a move from a record, a legal one or one that the game has carried out in
    /// part; returns it in the game's own spelling, or why it is neither.
    fn play_recorded(
        &mut self,
        seat: Seat,
        mv: &str,
    ) -> Result<Result<String, MoveRefused>, JudgeError> {
        let refused = match self.play(seat, mv)? {
            Ok(spelled) => return Ok(Ok(spelled)),
            Err(refused) => refused,
        };
        Ok(self.play_broken(seat, mv)?.ok_or(refused))
    }
    /// Plays a turn of which nothing is carried out.
    fn forfeit(&mut self, seat: Seat, why: Forfeit) -> Result<(), JudgeError>;
    /// Returns the result once the game is over.
    fn outcome(&self) -> Result<Option<Outcome>, JudgeError>;
    /// Returns the range of points that each seat can still end with, inclusive.
    fn points_range(&self) -> Result<RangeInclusive<i64>, JudgeError>;
    /// Returns the whole truth about the position, to be drawn.
    fn frame(&self) -> Result<Frame, JudgeError>;
    /// Returns a picture of what a seat is told, and nothing more.
    fn seen(&self, seat: Seat) -> Result<Frame, JudgeError>;
    /// Returns the measure of each seat, in seat order; `None` where a seat has none.
    fn measure(&self) -> Result<Vec<Option<u32>>, JudgeError>;
    /// Spells a legal move, given as JSON, as a person would type it; what is not a move of the game
    /// stays as it is.
    fn spell(&self, seat: Seat, mv: &str) -> Result<String, JudgeError>;
    /// Reads a move that a person has typed; returns it as JSON, or what was expected.
    fn read(&self, seat: Seat, text: &str) -> Result<Result<String, Refused>, JudgeError>;
    /// Counts the positions `depth` plies ahead.
    fn perft(&self, depth: u32) -> Result<u64, JudgeError>;
    /// Copies the position.
    fn copy(&self) -> Result<Box<dyn Position>, JudgeError>;
}
