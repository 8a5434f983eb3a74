//! What decides between entrants with equal points.

use super::Tally;
use crate::competition::Tie;
use std::cmp::Ordering;
use std::collections::HashMap;

/// One of the tied, as far as ties are concerned.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tied<'a> {
    /// The number of the entrant.
    pub(super) entrant: usize,
    pub(super) total: &'a Tally,
    pub(super) tokens: Option<u64>,
}

/// Games between two entrants, by the number of the one who won or did not lose.
#[derive(Clone, Debug, Default)]
pub(super) struct Mutual {
    /// (one, other) → games of the two, and those of them that `one` won.
    games: HashMap<(usize, usize), (u32, u32)>,
}

impl Mutual {
    pub(super) fn add(&mut self, one: usize, other: usize, won: bool) {
        let (games, wins) = self.games.entry((one, other)).or_default();
        *games += 1;
        *wins += u32::from(won);
    }

    /// Tells whether one won every game against the other.
    fn beat(&self, one: usize, other: usize) -> bool {
        let (games, wins) = self.games.get(&(one, other)).copied().unwrap_or_default();
        games > 0 && games == wins
    }
}

/// Splits entrants that are tied into classes, the best one first. One class means no
/// decision.
pub(super) fn split<'a>(tie: Tie, tied: &[Tied<'a>], mutual: &Mutual) -> Vec<Vec<Tied<'a>>> {
    match tie {
        Tie::Wins => by(tied, |a, b| b.total.wins.cmp(&a.total.wins)),
        Tie::TieBreak => by(tied, |a, b| b.total.tie_break.cmp(&a.total.tie_break)),
        Tie::Placement => by(tied, better_place),
        Tie::HeadToHead => head_to_head(tied, mutual),
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
fn head_to_head<'a>(tied: &[Tied<'a>], mutual: &Mutual) -> Vec<Vec<Tied<'a>>> {
    let mut rest = tied.to_vec();
    let mut classes = Vec::new();
    while rest.len() > 1 {
        let beats_all = |one: &Tied<'_>| {
            let mut others = rest.iter().filter(|other| other.entrant != one.entrant);
            others.all(|other| mutual.beat(one.entrant, other.entrant))
        };
        let Some(at) = rest.iter().position(beats_all) else {
            break;
        };
        classes.push(vec![rest.remove(at)]);
    }
    classes.push(rest);
    classes
}
