//! Moves as people type them.

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
        "s and the spotter's steps, a and the assasin's, each u, d, l or r;",
        "then : and where the piece looks, else along its last step; as srd:u auull",
        "a piece that is left out stays as it is; - where both do",
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
    let mut all = Direction::ALL.into_iter();
    all.find(|&direction| self::letter(direction) == letter)
}

/// What a piece is told: its steps, and where to look if that was said.
#[derive(Default)]
struct Said {
    steps: Vec<Direction>,
    look: Option<Direction>,
}

impl Said {
    /// Completes it: who was not told where to look looks along the last step, or as before.
    fn orders<const MAX: usize>(&self, before: Direction) -> Orders<MAX> {
        let along = self.look.or(self.steps.last().copied());
        Orders::new(along.unwrap_or(before), &self.steps)
    }
}

/// Reads a turn; steps that the rules would cut off are refused, as whoever typed them expects
/// them to be taken.
pub(super) fn read(game: &MonkeyMetalMan, seat: usize, text: &str) -> Result<Action, Refused> {
    let [spotter, assasin] = said(text)?;
    for (kind, told, most) in [
        (Kind::Spotter, &spotter, SPOTTER_STEPS_MAX),
        (Kind::Assasin, &assasin, ASSASIN_STEPS_MAX),
    ] {
        if told.steps.len() > most {
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
        let told = piece.as_mut().filter(|told| told.look.is_none());
        let told = told.ok_or_else(refused)?;
        if letter == ':' {
            let look = letters.next().and_then(direction);
            told.look = Some(look.ok_or_else(refused)?);
        } else {
            told.steps.push(direction(letter).ok_or_else(refused)?);
        }
    }
    if said.iter().all(Option::is_none) {
        return Err(refused());
    }
    Ok(said.map(Option::unwrap_or_default))
}

/// Spells what a seat does; steps that are none are left out.
pub(super) fn spell(game: &MonkeyMetalMan, seat: usize, action: &Action) -> String {
    let before = |kind| game.teams[seat].piece(kind).facing;
    let mut text = String::new();
    let [spotter, assasin] = [('s', Kind::Spotter), ('a', Kind::Assasin)];
    let Action {
        spotter: s,
        assasin: a,
    } = action;
    piece(
        &mut text,
        spotter.0,
        s.moves.iter(),
        s.direction,
        before(spotter.1),
    );
    piece(
        &mut text,
        assasin.0,
        a.moves.iter(),
        a.direction,
        before(assasin.1),
    );
    if text.is_empty() {
        "-".to_owned()
    } else {
        text
    }
}

fn piece(
    text: &mut String,
    name: char,
    steps: impl Iterator<Item = Step>,
    look: Step,
    before: Direction,
) {
    let steps: Vec<Direction> = steps.filter_map(Step::direction).collect();
    let look = look.direction().unwrap_or(before);
    let implied = steps.last().copied().unwrap_or(before);
    if steps.is_empty() && look == before {
        return;
    }
    let blank = if text.is_empty() { "" } else { " " };
    let steps: String = steps.into_iter().map(letter).collect();
    write!(text, "{blank}{name}{steps}").expect("writing to memory");
    if look != implied {
        write!(text, ":{}", letter(look)).expect("writing to memory");
    }
}

#[cfg(test)]
mod tests {
    use super::super::scene::position;
    use super::*;

    const LOOKING_DOWN: [&str; 5] = ["S....", ".....", "..A..", ".....", "....T"];

    #[test]
    fn a_turn_is_the_steps_of_both_pieces_and_where_they_look() {
        use Direction::{Down, Left, Right, Up};
        let game = position(&LOOKING_DOWN);
        let of = |spotter: (&[Direction], Direction), assasin: (&[Direction], Direction)| Action {
            spotter: Orders::new(spotter.1, spotter.0),
            assasin: Orders::new(assasin.1, assasin.0),
        };
        // (typed, means, spelled)
        let rows = [
            ("-", of((&[], Down), (&[], Down)), "-"),
            ("s a", of((&[], Down), (&[], Down)), "-"),
            ("srd", of((&[Right, Down], Down), (&[], Down)), "srd"),
            (
                "A uull : l  S rd:u",
                of((&[Right, Down], Up), (&[Up, Up, Left, Left], Left)),
                "srd:u auull",
            ),
            ("a:u", of((&[], Down), (&[], Up)), "a:u"),
            ("sr:r", of((&[Right], Right), (&[], Down)), "sr"),
        ];
        for (text, action, spelled) in rows {
            assert_eq!(read(&game, 0, text), Ok(action), "{text}");
            assert_eq!(spell(&game, 0, &action), spelled);
        }
    }

    #[test]
    fn what_would_be_cut_off_or_guessed_is_refused() {
        let game = position(&LOOKING_DOWN);
        for text in ["", "u", "srr sd", "s:", "s:x", "s:uu", "sx", ":u", "--"] {
            let refused = read(&game, 0, text).expect_err("no move");
            assert!(
                refused.0.contains("expected steps of s"),
                "{text}: {refused}"
            );
        }
        let refused = read(&game, 0, "sddd").expect_err("too many");
        assert!(
            refused.0.contains("the spotter takes at most 2 steps"),
            "{refused}"
        );
        assert!(read(&game, 0, "auuuuu").is_err());
    }
}
