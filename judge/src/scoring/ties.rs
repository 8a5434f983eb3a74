//! What decides between entrants with equal points.

use super::Tally;
use crate::competition::Tie;
use std::cmp::Ordering;

/// One of the tied, as far as ties are concerned.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tied<'a> {
    /// The number of the entrant.
    pub(super) entrant: usize,
    pub(super) total: &'a Tally,
    pub(super) tokens: Option<u64>,
}

/// Tells whether one entrant (by number) won every game against another.
pub(super) type Beat<'a> = &'a dyn Fn(usize, usize) -> bool;

/// Splits entrants that are tied into classes, the best one first. One class means no
/// decision.
pub(super) fn split<'a>(tie: Tie, tied: &[Tied<'a>], beat: Beat<'_>) -> Vec<Vec<Tied<'a>>> {
    match tie {
        Tie::Wins => by(tied, |a, b| b.total.wins.cmp(&a.total.wins)),
        Tie::TieBreak => by(tied, |a, b| b.total.tie_break.cmp(&a.total.tie_break)),
        Tie::Placement => by(tied, better_place),
        Tie::HeadToHead => head_to_head(tied, beat),
        // Whoever has no count shares the place, and with it everybody else does.
        Tie::Tokens if tied.iter().any(|one| one.tokens.is_none()) => vec![tied.to_vec()],
        Tie::Tokens => by(tied, |a, b| a.tokens.cmp(&b.tokens)),
    }
}

/// Compares mean places without dividing: a/b < c/d as a·d < c·b.
fn better_place(a: &Tied<'_>, b: &Tied<'_>) -> Ordering {
    let cross = |one: &Tied<'_>, other: &Tied<'_>| {
        u128::from(one.total.places) * u128::from(other.total.games.max(1))
    };
    cross(a, b).cmp(&cross(b, a))
}

fn by<'a>(
    tied: &[Tied<'a>],
    compare: impl Fn(&Tied<'a>, &Tied<'a>) -> Ordering,
) -> Vec<Vec<Tied<'a>>> {
    let mut sorted = tied.to_vec();
    sorted.sort_by(&compare);
    let same = |a: &Tied<'a>, b: &Tied<'a>| compare(a, b) == Ordering::Equal;
    sorted.chunk_by(same).map(<[_]>::to_vec).collect()
}

/// Whoever won every game against each of the others stands ahead of them; and so on among
/// the rest.
fn head_to_head<'a>(tied: &[Tied<'a>], beat: Beat<'_>) -> Vec<Vec<Tied<'a>>> {
    let mut rest = tied.to_vec();
    let mut classes = Vec::new();
    while rest.len() > 1 {
        let beats_all = |one: &Tied<'_>| {
            let mut others = rest.iter().filter(|other| other.entrant != one.entrant);
            others.all(|other| beat(one.entrant, other.entrant))
        };
        let Some(at) = rest.iter().position(beats_all) else {
            break;
        };
        classes.push(vec![rest.remove(at)]);
    }
    classes.push(rest);
    classes
}
