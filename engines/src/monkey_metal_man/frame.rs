use super::field::Terrain;
use super::position::MonkeyMetalMan;
use super::{Direction, Kind, Location, View, sight};
use crate::{Disc, Frame, Grid, Mark, Seat};
use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;

pub(super) fn draw(game: &MonkeyMetalMan) -> Frame {
    let side = game.field.side();
    let cells = game.field.tiles().map(floor);
    let seats = 0..game.teams.len();
    Frame {
        discs: seats.clone().flat_map(|seat| discs(game, seat)).collect(),
        visible: seats.map(|seat| visible(game, seat)).collect(),
        notes: notes(game),
        marks: marks(game),
        ..Frame::of_floor(Grid::Square, side, side, cells.collect())
    }
}

/// Marks where pieces fell, and in the last round before it the ring that collapses next.
fn marks(game: &MonkeyMetalMan) -> Vec<Mark> {
    let fallen = game.teams.iter().enumerate().filter_map(|(seat, team)| {
        let dead = team.pieces.iter().filter(|piece| !piece.alive);
        let cells: Vec<_> = dead.map(|dead| column_row(dead.at)).collect();
        (!cells.is_empty()).then(|| Mark {
            meaning: format!("player {seat}'s losses"),
            seat: Some(seat),
            cells,
        })
    });
    let closing = (game.timer == 1 && !game.over)
        .then(|| Mark {
            meaning: "turns into wall after this round".to_owned(),
            seat: None,
            cells: ring(game),
        })
        .filter(|mark| !mark.cells.is_empty());
    fallen.chain(closing).collect()
}

fn ring(game: &MonkeyMetalMan) -> Vec<(usize, usize)> {
    let side = game.field.side();
    let ring = usize::from(game.circles_collapsed);
    let is_in = |at: usize| at == ring || at + ring + 1 == side;
    let inside = ring..side.saturating_sub(ring);
    game.field
        .tiles()
        .enumerate()
        .filter(|(_, terrain)| *terrain != Terrain::Wall)
        .map(|(index, _)| (index % side, index / side))
        .filter(|(x, y)| inside.contains(x) && inside.contains(y) && (is_in(*x) || is_in(*y)))
        .collect()
}

fn column_row(at: Location) -> (usize, usize) {
    (at.1.into(), at.0.into())
}

fn discs(game: &MonkeyMetalMan, seat: usize) -> impl Iterator<Item = Disc> {
    Kind::ALL.into_iter().filter_map(move |kind| {
        let piece = game.teams[seat].piece(kind);
        piece
            .alive
            .then(|| disc(seat, kind, piece.at, piece.facing))
    })
}

fn disc(seat: usize, kind: Kind, at: Location, facing: Direction) -> Disc {
    let (rows, columns) = facing.delta();
    Disc {
        x: at.1.into(),
        y: at.0.into(),
        seat,
        letter: Some(match kind {
            Kind::Spotter => 'S',
            Kind::Assasin => 'A',
        }),
        facing: Some((columns, rows)),
    }
}

fn floor(terrain: Terrain) -> char {
    match terrain {
        Terrain::Wall => '#',
        Terrain::Empty => '.',
        Terrain::Highground => '^',
    }
}

/// Draws a player's view, from nothing else.
pub(super) fn of_view(view: &View, seat: Seat) -> Frame {
    let board = &view.board;
    let own = Kind::ALL.into_iter().filter_map(|kind| {
        let piece = view.piece(kind);
        piece
            .alive
            .then(|| disc(seat.index(), kind, piece.at, piece.facing))
    });
    let enemies = board.enemies().iter();
    let enemies =
        enemies.map(|(at, enemy)| disc(enemy.player.into(), enemy.kind, *at, enemy.direction));
    let cells = board.tiles().map(|at| board.terrain(at).map_or(' ', floor));
    let (side, cells) = (board.side(), cells.collect());
    Frame {
        discs: own.chain(enemies).collect(),
        notes: vec![format!(
            "timer {}, circles collapsed {}",
            view.timer, view.circles_collapsed
        )],
        ..Frame::of_floor(Grid::Square, side, side, cells)
    }
}

fn visible(game: &MonkeyMetalMan, seat: usize) -> String {
    let side = game.field.side();
    let mut seen = vec!['0'; side * side];
    for kind in Kind::ALL {
        let piece = game.teams[seat].piece(kind);
        if piece.alive {
            sight::look(&game.field, piece.at, piece.facing, kind, |at, _| {
                seen[usize::from(at.0) * side + usize::from(at.1)] = '1';
            });
        }
    }
    seen.into_iter().collect()
}

fn notes(game: &MonkeyMetalMan) -> Vec<String> {
    let mut notes = vec![format!(
        "round {}, timer {}, circles collapsed {}",
        game.round(),
        game.timer,
        game.circles_collapsed
    )];
    for (player, team) in game.teams.iter().enumerate() {
        let state = if team.alive() { "" } else { " (dead)" };
        notes.push(format!(
            "player {player}{state}: captures {}, {} {}",
            team.captures,
            game.counted(),
            team.timeouts
        ));
    }
    notes
}
