//! The picture of a position.

use super::field::Terrain;
use super::position::MonkeyMetalMan;
use super::{Kind, sight};
use crate::{Disc, Frame, Grid};

pub(super) fn draw(game: &MonkeyMetalMan) -> Frame {
    let side = game.field.side();
    let cells = game.field.tiles().map(|terrain| match terrain {
        Terrain::Wall => '#',
        Terrain::Empty => '.',
        Terrain::Highground => '^',
    });
    let seats = 0..game.teams.len();
    Frame {
        grid: Grid::Square,
        width: side,
        height: side,
        cells: cells.collect(),
        walls: Vec::new(),
        discs: seats.clone().flat_map(|seat| discs(game, seat)).collect(),
        visible: seats.map(|seat| visible(game, seat)).collect(),
        notes: notes(game),
    }
}

fn discs(game: &MonkeyMetalMan, seat: usize) -> impl Iterator<Item = Disc> {
    let living = Kind::ALL.into_iter().filter_map(move |kind| {
        let piece = game.teams[seat].piece(kind);
        piece.alive.then_some((kind, piece))
    });
    living.map(move |(kind, piece)| {
        let at = piece.at;
        let (rows, columns) = piece.facing.delta();
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
    })
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
            "player {player}{state}: captures {}, faults {}",
            team.captures, team.faults
        ));
    }
    notes
}
