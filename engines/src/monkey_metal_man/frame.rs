use super::field::Terrain;
use super::position::{MonkeyMetalMan, Piece};
use super::{Action, Direction, Kind, Location, Orders, Step, View};
use crate::complaint::refuse;
use crate::notation::no_move;
use crate::prelude::*;
use crate::{Disc, Frame, Grid, Labels, Mark, Notation, Refused, Seat};

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
        let cells = dead.map(|dead| column_row(dead.at)).collect();
        Mark::of(format!("player {seat}'s losses"), Some(seat), cells)
    });
    let closes = game.timer == 1 && !game.over;
    let ring = closes.then(|| Mark::of("turns into wall after this round", None, ring(game)));
    fallen.chain(ring.flatten()).collect()
}

fn ring(game: &MonkeyMetalMan) -> Vec<(usize, usize)> {
    let side = game.field.side();
    let is_in = |at: &Location| at.ring(side) == usize::from(game.circles_collapsed);
    Location::all(side)
        .filter(|&at| game.field.is_free(at))
        .filter(is_in)
        .map(column_row)
        .collect()
}

fn column_row(at: Location) -> (usize, usize) {
    (at.1.into(), at.0.into())
}

fn discs(game: &MonkeyMetalMan, seat: usize) -> impl Iterator<Item = Disc> {
    Kind::ALL
        .into_iter()
        .filter_map(move |kind| own_disc(seat, kind, game.teams[seat].pieces[kind as usize]))
}

fn own_disc(seat: usize, kind: Kind, Piece { at, facing, alive }: Piece) -> Option<Disc> {
    alive.then(|| disc(seat, kind, at, facing))
}

fn disc(seat: usize, kind: Kind, at: Location, facing: Direction) -> Disc {
    let (rows, columns) = facing.delta();
    Disc {
        letter: Some(['S', 'A'][kind as usize]),
        facing: Some((columns, rows)),
        ..Disc::plain(column_row(at), seat)
    }
}

fn floor(terrain: Terrain) -> char {
    ['#', '.', '^'][terrain as usize]
}

/// Draws a player's view, from nothing else.
pub(super) fn of_view(view: &View, seat: Seat) -> Frame {
    let board = &view.board;
    let own = Kind::ALL
        .into_iter()
        .filter_map(|kind| own_disc(seat.index(), kind, view.piece(kind)));
    let enemies = board
        .enemies()
        .map(|(at, enemy)| disc(enemy.player.into(), enemy.kind, at, enemy.direction));
    let cells = board.tiles().map(|at| board.terrain(at).map_or(' ', floor));
    Frame {
        discs: own.chain(enemies).collect(),
        notes: vec![format!(
            "timer {}, circles collapsed {}",
            view.timer, view.circles_collapsed
        )],
        ..Frame::of_floor(Grid::Square, board.side(), board.side(), cells.collect())
    }
}

fn visible(game: &MonkeyMetalMan, seat: usize) -> String {
    let board = game.board(seat);
    board
        .tiles()
        .map(|at| {
            if board.terrain(at).is_some() {
                '1'
            } else {
                '0'
            }
        })
        .collect()
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

pub(super) const NOTATION: Notation = Notation {
    help: &[
        "s and the spotter's steps, a and the assasin's, each u, d, l, r or . (stay);",
        "then : and where the piece looks, else along its last step; as srd:u auull",
        "a piece that is left out does not move; - if neither moves",
    ],
    columns: Labels::FromZero,
    rows: Labels::FromZero,
    cell: (3, 1),
};

const EXPECTED: &str = "steps of s (spotter) and a (assasin), as srd:u auull, or -";

/// Of the directions, in the order of [`Direction::ALL`].
const LETTERS: [char; 4] = ['u', 'd', 'l', 'r'];

fn direction(letter: char) -> Option<Direction> {
    let index = LETTERS.iter().position(|&one| one == letter)?;
    Some(Direction::ALL[index])
}

const STAY: char = '.';

fn step(letter: char) -> Option<Step> {
    match letter {
        STAY => Some(Step::STAY),
        _ => direction(letter).map(Step::from),
    }
}

/// Returns the last direction of steps.
fn along(steps: impl DoubleEndedIterator<Item = Step>) -> Option<Direction> {
    steps.rev().find_map(Step::direction)
}

#[derive(Default)]
struct Said {
    steps: Vec<Step>,
    look: Option<Direction>,
}

impl Said {
    /// Completes typed orders: by default the piece looks along its last step, or as before.
    /// Refuses steps that the rules would cut off, because their author expects them to be taken.
    fn orders<const MAX: usize>(
        &self,
        kind: Kind,
        before: Direction,
    ) -> Result<Orders<MAX>, Refused> {
        if self.steps.len() > MAX {
            return refuse(format!("the {kind} takes at most {MAX} steps"));
        }
        let steps = self.steps.iter().copied();
        let look = self.look.or(along(steps.clone())).unwrap_or(before);
        Ok(Orders {
            direction: look.into(),
            moves: steps.collect(),
        })
    }
}

pub(super) fn read(game: &MonkeyMetalMan, seat: usize, text: &str) -> Result<Action, Refused> {
    let [spotter, assasin] = said(text)?;
    let before = |kind| game.teams[seat].piece(kind).facing;
    Ok(Action {
        spotter: spotter.orders(Kind::Spotter, before(Kind::Spotter))?,
        assasin: assasin.orders(Kind::Assasin, before(Kind::Assasin))?,
    })
}

fn said(text: &str) -> Result<[Said; 2], Refused> {
    let refused = || no_move(text, EXPECTED);
    let mut said: [Option<Said>; 2] = [None, None];
    if text.trim() == "-" {
        return Ok(said.map(Option::unwrap_or_default));
    }
    let lower = text.to_ascii_lowercase();
    let mut letters = lower.chars().filter(|c| !c.is_whitespace());
    let mut piece = None;
    while let Some(letter) = letters.next() {
        if let Some(index) = "sa".find(letter) {
            if said[index].is_some() {
                return Err(refused());
            }
            piece = Some(said[index].insert(Said::default()));
            continue;
        }
        let reported = piece
            .as_mut()
            .filter(|reported| reported.look.is_none())
            .ok_or_else(refused)?;
        if letter == ':' {
            reported.look = Some(letters.next().and_then(direction).ok_or_else(refused)?);
        } else {
            reported.steps.push(step(letter).ok_or_else(refused)?);
        }
    }
    if said.iter().all(Option::is_none) {
        return Err(refused());
    }
    Ok(said.map(Option::unwrap_or_default))
}

/// Leaves out a piece with bad orders.
pub(super) fn spell(game: &MonkeyMetalMan, seat: usize, action: &Action) -> String {
    let Action { spotter, assasin } = action;
    let words: Vec<String> = [
        word(game, seat, Kind::Spotter, spotter),
        word(game, seat, Kind::Assasin, assasin),
    ]
    .into_iter()
    .flatten()
    .collect();
    if words.is_empty() {
        return "-".to_owned();
    }
    words.join(" ")
}

fn word<const MAX: usize>(
    game: &MonkeyMetalMan,
    seat: usize,
    kind: Kind,
    orders: &Orders<MAX>,
) -> Option<String> {
    let before = game.teams[seat].piece(kind).facing;
    let look = orders.direction.direction()?;
    let mut steps = orders.moves.iter().peekable();
    if !orders.are_good(game.strict) || (steps.peek().is_none() && look == before) {
        return None;
    }
    let letter = |direction: Direction| LETTERS[direction as usize];
    let mut word: String = core::iter::once(['s', 'a'][kind as usize])
        .chain(steps.map(|step| step.direction().map_or(STAY, letter)))
        .collect();
    if look != along(orders.moves.iter()).unwrap_or(before) {
        word.extend([':', letter(look)]);
    }
    Some(word)
}
