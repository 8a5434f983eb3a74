//! Positions to ask a bot about.

use engines::erased::AnyGame;
use engines::{Entry, Seat};
use std::fmt::Write as _;
use words::fixture::Fixture;

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
