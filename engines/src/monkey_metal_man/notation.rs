use super::{
    ASSASIN_STEPS_MAX, Action, Direction, Kind, MonkeyMetalMan, Orders, SPOTTER_STEPS_MAX, Step,
};
use crate::notation::no_move;
use crate::{Labels, Notation, Refused};
use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write;

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

fn letter(direction: Direction) -> char {
    match direction {
        Direction::Up => 'u',
        Direction::Down => 'd',
        Direction::Left => 'l',
        Direction::Right => 'r',
    }
}

fn direction(letter: char) -> Option<Direction> {
    Direction::ALL
        .into_iter()
        .find(|&direction| self::letter(direction) == letter)
}

const STAY: char = '.';

fn step(letter: char) -> Option<Step> {
    match letter {
        STAY => Some(Step::STAY),
        _ => direction(letter).map(Step::from),
    }
}

fn along(steps: &[Step]) -> Option<Direction> {
    steps.iter().rev().find_map(|step| step.direction())
}

#[derive(Default)]
struct Said {
    steps: Vec<Step>,
    look: Option<Direction>,
}

impl Said {
    /// Completes typed orders: by default the piece looks along its last step, or as before.
    fn orders<const MAX: usize>(&self, before: Direction) -> Orders<MAX> {
        let look = self.look.or(along(&self.steps)).unwrap_or(before);
        let mut orders = Orders::new(look, &[]);
        for &step in &self.steps {
            orders.moves.push(step);
        }
        orders
    }
}

/// Refuses steps that the rules would cut off, because their author expects them to be taken.
pub(super) fn read(game: &MonkeyMetalMan, seat: usize, text: &str) -> Result<Action, Refused> {
    let [spotter, assasin] = said(text)?;
    for (kind, reported, most) in [
        (Kind::Spotter, &spotter, SPOTTER_STEPS_MAX),
        (Kind::Assasin, &assasin, ASSASIN_STEPS_MAX),
    ] {
        if reported.steps.len() > most {
            return Err(Refused(format!("the {kind} takes at most {most} steps")));
        }
    }
    let before = |kind| game.teams[seat].piece(kind).facing;
    Ok(Action {
        spotter: spotter.orders(before(Kind::Spotter)),
        assasin: assasin.orders(before(Kind::Assasin)),
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
        let index = match letter {
            's' => Some(0),
            'a' => Some(1),
            _ => None,
        };
        if let Some(index) = index {
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
    let mut text = String::new();
    let Action { spotter, assasin } = action;
    piece(&mut text, game, seat, Kind::Spotter, spotter);
    piece(&mut text, game, seat, Kind::Assasin, assasin);
    if text.is_empty() {
        "-".to_owned()
    } else {
        text
    }
}

fn piece<const MAX: usize>(
    text: &mut String,
    game: &MonkeyMetalMan,
    seat: usize,
    kind: Kind,
    orders: &Orders<MAX>,
) {
    let before = game.teams[seat].piece(kind).facing;
    let steps: Vec<Step> = orders.moves.iter().collect();
    let Some(look) = orders.direction.direction() else {
        return;
    };
    if !orders.are_good(game.strict) || (steps.is_empty() && look == before) {
        return;
    }
    let name = match kind {
        Kind::Spotter => 's',
        Kind::Assasin => 'a',
    };
    let blank = if text.is_empty() { "" } else { " " };
    let letters: String = steps
        .iter()
        .map(|step| step.direction().map_or(STAY, letter))
        .collect();
    write!(text, "{blank}{name}{letters}").expect("writing to memory");
    if look != along(&steps).unwrap_or(before) {
        write!(text, ":{}", letter(look)).expect("writing to memory");
    }
}
