//! The games that are built into the judge.

use super::{Position, Rules, RulesError};
use crate::error::{JudgeError, Result};
use crate::nearest::did_you_mean;
use crate::rules;
use engines::erased::{AnyGame, MoveRefused};
use engines::{Entry, Forfeit, Frame, GAMES, GameInfo, Outcome, Refused, Seat, Seats};
use model::fixture::{Conditions, Terms};
use serde_json::value::RawValue;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// Returns the rules of the game in the conditions.
pub fn of(conditions: &Conditions) -> Result<Arc<dyn Rules>> {
    let slug = &conditions.game;
    let Some(program) = conditions.rules_program() else {
        return built_in_one(slug);
    };
    rules::by_program(slug, program).ok_or_else(|| {
        JudgeError::input(if rules::by_name(slug).is_some() {
            format!(
                "{slug} was played with another program ({program}) than the one that is given; name that one with \
                 --game"
            )
        } else {
            format!("{slug} is not a built-in game, and its program ({program}) is not open; name it with --game")
        })
    })
}

/// Returns the terms of game ids under these conditions.
pub fn terms_of(conditions: &Conditions) -> Result<Terms> {
    Ok(Terms::new(of(conditions)?.info().rules_version, conditions))
}

/// Finds the rules of a game by its slug, or by the name of one that has been opened.
pub fn find(name: &str) -> Result<Arc<dyn Rules>> {
    rules::by_name(name).map_or_else(|| built_in_one(name), Ok)
}

fn built_in_one(slug: &str) -> Result<Arc<dyn Rules>> {
    engines::game(slug).map(rules_of).ok_or_else(|| {
        let slugs: Vec<&str> = GAMES.iter().map(|entry| entry.info.slug).collect();
        let (meant, known) = (did_you_mean(slug, slugs.iter().copied()), slugs.join(", "));
        JudgeError::input(format!(
            "unknown game {slug:?}{meant}; the games are {known}"
        ))
    })
}

/// Returns the rules of every built-in game.
pub fn built_in() -> impl Iterator<Item = Arc<dyn Rules>> {
    GAMES.iter().map(rules_of)
}

fn rules_of(entry: &'static Entry) -> Arc<dyn Rules> {
    Arc::new(BuiltIn(entry))
}

#[derive(Debug)]
struct BuiltIn(&'static Entry);

impl Rules for BuiltIn {
    fn info(&self) -> &GameInfo {
        &self.0.info
    }

    fn baselines(&self) -> Vec<(&str, &str)> {
        self.0.baselines()
    }

    fn configure(&self, settings: &str) -> Result<Box<RawValue>, RulesError> {
        Ok(self.0.configure(settings)?)
    }

    fn draw(&self, config: &RawValue, seed: u64) -> Result<Box<RawValue>, RulesError> {
        Ok(self.0.draw(config, seed)?)
    }

    fn spell_setup(&self, setup: &RawValue) -> Result<Box<RawValue>, RulesError> {
        Ok(self.0.spell_setup(setup)?)
    }

    fn start(&self, setup: &RawValue) -> Result<Box<dyn Position>, RulesError> {
        Ok(Box::new(BuiltInPosition(self.0.start(setup)?)))
    }

    fn choose(
        &self,
        baseline: &str,
        seat: Seat,
        view: &RawValue,
        legal: &RawValue,
        seed: u64,
    ) -> Result<String, RulesError> {
        Ok(self.0.choose(baseline, seat, view, legal, seed)?)
    }
}

#[derive(Debug)]
struct BuiltInPosition(Box<dyn AnyGame>);

impl Position for BuiltInPosition {
    fn seats(&self) -> Result<usize> {
        Ok(self.0.seats())
    }

    fn to_move(&self) -> Result<Seats> {
        Ok(self.0.to_move())
    }

    fn write_view(&self, seat: Seat, out: &mut Vec<u8>) -> Result {
        self.0.write_view(seat, out);
        Ok(())
    }

    fn write_legal_moves(&self, seat: Seat, out: &mut Vec<u8>) -> Result {
        self.0.write_legal_moves(seat, out);
        Ok(())
    }

    fn legal_moves(&self, seat: Seat) -> Result<Vec<String>> {
        Ok(self.0.legal_moves(seat))
    }

    fn play(&mut self, seat: Seat, mv: &str) -> Result<Result<String, MoveRefused>> {
        Ok(self.0.play(seat, mv))
    }

    fn carries_out_broken_moves(&self) -> Result<bool> {
        Ok(self.0.carries_out_broken_moves())
    }

    fn play_broken(&mut self, seat: Seat, mv: &str) -> Result<Option<String>> {
        Ok(self.0.play_broken(seat, mv))
    }

    fn forfeit(&mut self, seat: Seat, why: Forfeit) -> Result {
        self.0.forfeit(seat, why);
        Ok(())
    }

    fn outcome(&self) -> Result<Option<Outcome>> {
        Ok(self.0.outcome())
    }

    fn points_range(&self) -> Result<RangeInclusive<i64>> {
        Ok(self.0.points_range())
    }

    fn frame(&self) -> Result<Frame> {
        Ok(self.0.frame())
    }

    fn cell(&self, at: &str) -> Option<(usize, usize)> {
        self.0.cell(at)
    }

    fn seen(&self, seat: Seat) -> Result<Frame> {
        Ok(self.0.seen(seat))
    }

    fn measure(&self) -> Result<Vec<Option<u32>>> {
        Ok(self.0.measure())
    }

    fn spell(&self, seat: Seat, mv: &str) -> Result<String> {
        Ok(self.0.spell(seat, mv))
    }

    fn read(&self, seat: Seat, text: &str) -> Result<Result<String, Refused>> {
        Ok(self.0.read(seat, text))
    }

    fn perft(&self, depth: u32) -> Result<u64> {
        Ok(self.0.perft(depth))
    }

    fn copy(&self) -> Result<Box<dyn Position>> {
        Ok(Box::new(Self(self.0.boxed_clone())))
    }
}
