//! Positions to ask a bot about.

use engines::erased::AnyGame;
use engines::{Entry, Forfeit, Seat};
use std::fmt::Write as _;
use words::fault::Fault;
use words::fixture::Fixture;
use words::record::MatchRecord;

/// A position in which a seat is to be asked, with the moves that led to it.
pub(super) struct Situation {
    pub(super) game: Box<dyn AnyGame>,
    pub(super) seat: Seat,
    pub(super) ply: u32,
    /// The seat's own turns before.
    pub(super) own: u32,
    /// The others' moves since the seat's last turn, as they are sent.
    pub(super) news: String,
}

impl Situation {
    /// Plays first legal moves until a seat has been asked `turns` times and is to move again;
    /// none where the game is over before.
    pub(super) fn of(entry: &Entry, fixture: &Fixture, seat: Seat, turns: u32) -> Option<Self> {
        let mut game = entry.start(&fixture.setup).ok()?;
        let (mut ply, mut own, mut news) = (0, 0, String::new());
        loop {
            let mover = game.to_move().first()?;
            if mover == seat && own == turns {
                return Some(Self {
                    game,
                    seat,
                    ply,
                    own,
                    news,
                });
            }
            let first = game.legal_moves(mover).into_iter().next()?;
            let mv = game.play(mover, &first).ok()?;
            if mover == seat {
                own += 1;
                news.clear();
            } else {
                let comma = if news.is_empty() { "" } else { "," };
                write!(news, "{comma}[{},{mv}]", mover.index()).expect("writing to memory");
            }
            ply += 1;
        }
    }

    /// Returns the situations in which a seat was asked in a recorded game, up to one of its
    /// faults.
    pub(super) fn along(entry: &Entry, record: &MatchRecord, fault: &Fault) -> Vec<Self> {
        let mut all = Vec::new();
        let Ok(mut game) = entry.start(&record.setup) else {
            return all;
        };
        let (mut own, mut news) = (0, String::new());
        for ply in 0..=fault.ply {
            let turn = record.turns.get(ply as usize);
            if turn.map_or(ply == fault.ply, |turn| turn.seat == fault.seat) {
                all.push(Self {
                    game: game.boxed_clone(),
                    seat: fault.seat,
                    ply,
                    own,
                    news: std::mem::take(&mut news),
                });
                own += 1;
            } else if let Some(turn) = turn
                && let Some(mv) = &turn.mv
            {
                let comma = if news.is_empty() { "" } else { "," };
                let (by, mv) = (turn.seat.index(), mv.get());
                write!(news, "{comma}[{by},{mv}]").expect("writing to memory");
            }
            if !follow(game.as_mut(), record, ply as usize) {
                break;
            }
        }
        all
    }
}

/// Plays a turn of a record; returns whether there is one that can be played.
pub(super) fn follow(game: &mut dyn AnyGame, record: &MatchRecord, ply: usize) -> bool {
    let Some(turn) = record.turns.get(ply) else {
        return false;
    };
    // A seat that is gone is not asked and has no turns.
    while let Some(gone) = game.to_move().first().filter(|&seat| seat != turn.seat) {
        game.forfeit(gone, Forfeit::Gone);
    }
    if let Some(mv) = &turn.mv {
        return game.play_recorded(turn.seat, mv.get()).is_ok();
    }
    let same = |f: &&Fault| f.seat == turn.seat && f.ply as usize == ply;
    let why = record.faults.iter().find(same);
    if let Some(why) = why {
        game.forfeit(turn.seat, why.cause.forfeit(why.phase));
    }
    why.is_some()
}

/// Finds the first position of the first game in which a seat is asked.
pub(super) fn first_turn<'a>(
    entry: &Entry,
    fixtures: &'a [Fixture],
    seat: Seat,
) -> Option<(&'a Fixture, Situation)> {
    let fixture = fixtures.first()?;
    Some((fixture, Situation::of(entry, fixture, seat, 0)?))
}
