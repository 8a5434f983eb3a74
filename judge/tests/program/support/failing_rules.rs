//! Rules that fail: after a number of calls each one is an error, as if a program with the rules
//! crashed.

use engines::erased::MoveRefused;
use engines::{
    CourseText, Forfeit, Frame, GameInfo, Kit, Measure, Notation, Outcome, Palette, Refused, Seat,
    Seats,
};
use rulebook::JudgeError;
use rulebook::rules::{Position, Rules, RulesError};
use serde_json::value::RawValue;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Text of the failure.
pub(crate) const FAILURE: &str = "the rules have crashed";

/// Number of calls that still succeed.
#[derive(Clone, Debug)]
struct CallsLeft(Arc<AtomicUsize>);

impl CallsLeft {
    fn call(&self) -> Result<(), JudgeError> {
        let left = self.0.load(Ordering::Relaxed);
        self.0.store(left.saturating_sub(1), Ordering::Relaxed);
        match left {
            0 => Err(JudgeError::input(FAILURE)),
            _ => Ok(()),
        }
    }
}

/// The rules of a game, with a limit on the calls that succeed.
#[derive(Debug)]
pub(crate) struct FailingRules {
    rules: Arc<dyn Rules>,
    left: CallsLeft,
}

impl FailingRules {
    pub(crate) fn new(rules: &Arc<dyn Rules>, calls: usize) -> Self {
        Self {
            rules: Arc::clone(rules),
            left: CallsLeft(Arc::new(AtomicUsize::new(calls))),
        }
    }
}

impl Rules for FailingRules {
    fn info(&self) -> &GameInfo {
        self.rules.info()
    }
    fn notation(&self) -> &Notation {
        self.rules.notation()
    }
    fn protocol(&self) -> &str {
        self.rules.protocol()
    }
    fn courses(&self) -> &'static [CourseText] {
        self.rules.courses()
    }
    fn kits(&self) -> &'static [Kit] {
        self.rules.kits()
    }
    fn palette(&self) -> &Palette {
        self.rules.palette()
    }
    fn measure(&self) -> Option<&Measure> {
        self.rules.measure()
    }
    fn baselines(&self) -> Vec<(&str, &str)> {
        self.rules.baselines()
    }
    fn configure(&self, settings: &str) -> Result<Box<RawValue>, RulesError> {
        self.left.call()?;
        self.rules.configure(settings)
    }
    fn draw(&self, config: &RawValue, seed: u64) -> Result<Box<RawValue>, RulesError> {
        self.left.call()?;
        self.rules.draw(config, seed)
    }
    fn spell_setup(&self, setup: &RawValue) -> Result<Box<RawValue>, RulesError> {
        self.left.call()?;
        self.rules.spell_setup(setup)
    }
    fn start(&self, setup: &RawValue) -> Result<Box<dyn Position>, RulesError> {
        self.left.call()?;
        let game = self.rules.start(setup)?;
        let left = self.left.clone();
        Ok(Box::new(FailingPosition { game, left }))
    }
    fn choose(
        &self,
        baseline: &str,
        seat: Seat,
        view: &RawValue,
        legal: &RawValue,
        seed: u64,
    ) -> Result<String, RulesError> {
        self.left.call()?;
        self.rules.choose(baseline, seat, view, legal, seed)
    }
}

#[derive(Debug)]
struct FailingPosition {
    game: Box<dyn Position>,
    left: CallsLeft,
}

impl Position for FailingPosition {
    fn seats(&self) -> Result<usize, JudgeError> {
        self.left.call()?;
        self.game.seats()
    }
    fn to_move(&self) -> Result<Seats, JudgeError> {
        self.left.call()?;
        self.game.to_move()
    }
    fn write_view(&self, seat: Seat, out: &mut Vec<u8>) -> Result<(), JudgeError> {
        self.left.call()?;
        self.game.write_view(seat, out)
    }
    fn write_legal_moves(&self, seat: Seat, out: &mut Vec<u8>) -> Result<(), JudgeError> {
        self.left.call()?;
        self.game.write_legal_moves(seat, out)
    }
    fn legal_moves(&self, seat: Seat) -> Result<Vec<String>, JudgeError> {
        self.left.call()?;
        self.game.legal_moves(seat)
    }
    fn play(&mut self, seat: Seat, mv: &str) -> Result<Result<String, MoveRefused>, JudgeError> {
        self.left.call()?;
        self.game.play(seat, mv)
    }
    fn carries_out_broken_moves(&self) -> Result<bool, JudgeError> {
        self.left.call()?;
        self.game.carries_out_broken_moves()
    }
    fn play_broken(&mut self, seat: Seat, mv: &str) -> Result<Option<String>, JudgeError> {
        self.left.call()?;
        self.game.play_broken(seat, mv)
    }
    fn forfeit(&mut self, seat: Seat, why: Forfeit) -> Result<(), JudgeError> {
        self.left.call()?;
        self.game.forfeit(seat, why)
    }
    fn outcome(&self) -> Result<Option<Outcome>, JudgeError> {
        self.left.call()?;
        self.game.outcome()
    }
    fn points_range(&self) -> Result<RangeInclusive<i64>, JudgeError> {
        self.left.call()?;
        self.game.points_range()
    }
    fn frame(&self) -> Result<Frame, JudgeError> {
        self.left.call()?;
        self.game.frame()
    }
    fn seen(&self, seat: Seat) -> Result<Frame, JudgeError> {
        self.left.call()?;
        self.game.seen(seat)
    }
    fn measure(&self) -> Result<Vec<Option<u32>>, JudgeError> {
        self.left.call()?;
        self.game.measure()
    }
    fn spell(&self, seat: Seat, mv: &str) -> Result<String, JudgeError> {
        self.left.call()?;
        self.game.spell(seat, mv)
    }
    fn read(&self, seat: Seat, text: &str) -> Result<Result<String, Refused>, JudgeError> {
        self.left.call()?;
        self.game.read(seat, text)
    }
    fn perft(&self, depth: u32) -> Result<u64, JudgeError> {
        self.left.call()?;
        self.game.perft(depth)
    }
    fn copy(&self) -> Result<Box<dyn Position>, JudgeError> {
        self.left.call()?;
        let game = self.game.copy()?;
        let left = self.left.clone();
        Ok(Box::new(Self { game, left }))
    }
}
