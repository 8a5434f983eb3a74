//! Positions in which to question a bot.

use engines::{Forfeit, Seat};
use model::fault::Fault;
use model::fixture::Fixture;
use model::record::MatchRecord;
use rulebook::JudgeError;
use rulebook::rules::{Position, Rules};
use std::fmt::Write as _;

pub(super) struct Situation {
    pub(super) game: Box<dyn Position>,
    pub(super) seat: Seat,
    pub(super) ply: u32,
    pub(super) own: u32,
    /// The others' moves since the seat's last turn, in the form of the protocol.
    pub(super) unsent_moves: String,
}

impl Situation {
    /// Plays first legal moves until a seat has had `turns` turns and is to move again, if it ever is.
    pub(super) fn of(
        rules: &dyn Rules,
        fixture: &Fixture,
        seat: Seat,
        turns: u32,
    ) -> Result<Option<Self>, JudgeError> {
        let mut game = rules
            .start(&fixture.setup)
            .map_err(|error| error.of("a setup"))?;
        let (mut ply, mut own, mut unsent_moves) = (0, 0, String::new());
        loop {
            let Some(mover) = game.to_move()?.first() else {
                return Ok(None);
            };
            if mover == seat && own == turns {
                return Ok(Some(Self {
                    game,
                    seat,
                    ply,
                    own,
                    unsent_moves,
                }));
            }
            let Some(first) = game.legal_moves(mover)?.into_iter().next() else {
                return Ok(None);
            };
            let Ok(mv) = game.play(mover, &first)? else {
                return Ok(None);
            };
            if mover == seat {
                own += 1;
                unsent_moves.clear();
            } else {
                let comma = if unsent_moves.is_empty() { "" } else { "," };
                write!(unsent_moves, "{comma}[{},{mv}]", mover.index()).expect("writing to memory");
            }
            ply += 1;
        }
    }

    /// Returns the situations of a seat in a recorded game, up to one of its faults.
    pub(super) fn along(
        rules: &dyn Rules,
        record: &MatchRecord,
        fault: &Fault,
    ) -> Result<Vec<Self>, JudgeError> {
        let mut all = Vec::new();
        let mut game = rules
            .start(&record.setup)
            .map_err(|error| error.of("a recorded setup"))?;
        let (mut own, mut unsent_moves) = (0, String::new());
        for ply in 0..=fault.ply {
            let turn = record.turns.get(ply as usize);
            if turn.map_or(ply == fault.ply, |turn| turn.seat == fault.seat) {
                all.push(Self {
                    game: game.copy()?,
                    seat: fault.seat,
                    ply,
                    own,
                    unsent_moves: std::mem::take(&mut unsent_moves),
                });
                own += 1;
            } else if let Some(turn) = turn
                && let Some(mv) = &turn.mv
            {
                let comma = if unsent_moves.is_empty() { "" } else { "," };
                let (by, mv) = (turn.seat.index(), mv.get());
                write!(unsent_moves, "{comma}[{by},{mv}]").expect("writing to memory");
            }
            if !follow(game.as_mut(), record, ply as usize)? {
                break;
            }
        }
        Ok(all)
    }
}

fn follow(game: &mut dyn Position, record: &MatchRecord, ply: usize) -> Result<bool, JudgeError> {
    let Some(turn) = record.turns.get(ply) else {
        return Ok(false);
    };
    // A seat that is gone has no more turns.
    while let Some(gone) = game.to_move()?.first().filter(|&seat| seat != turn.seat) {
        game.forfeit(gone, Forfeit::Gone)?;
    }
    if let Some(mv) = &turn.mv {
        return Ok(game.play_recorded(turn.seat, mv.get())?.is_ok());
    }
    let same = |f: &&Fault| f.seat == turn.seat && f.ply as usize == ply;
    let why = record.faults.iter().find(same);
    if let Some(why) = why {
        game.forfeit(turn.seat, why.cause.forfeit(why.phase))?;
    }
    Ok(why.is_some())
}

pub(super) fn first_turn<'a>(
    rules: &dyn Rules,
    fixtures: &'a [Fixture],
    seat: Seat,
) -> Result<Option<(&'a Fixture, Situation)>, JudgeError> {
    let Some(fixture) = fixtures.first() else {
        return Ok(None);
    };
    let first = Situation::of(rules, fixture, seat, 0)?;
    Ok(first.map(|first| (fixture, first)))
}
