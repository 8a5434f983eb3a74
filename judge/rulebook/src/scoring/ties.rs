//! The order of entrants that the ranking leaves equal.
//!
//! Entrants are compared two at a time, by the first rule that decides between the two. Entrants
//! that no rule compares are not ordered: the place is 1 + the number of tied entrants ahead,
//! directly or through others. Entrants in a circle share their place, unless the next rules put
//! all of them in one order.

use model::tally::{Tally, Tie};
use std::cmp::Ordering;

#[derive(Clone, Copy, Debug)]
pub(super) struct Tied<'a> {
    pub(super) entrant: usize,
    pub(super) total: &'a Tally,
    pub(super) tokens: Option<u64>,
}

/// Returns whether one entrant (by number) won every game against another.
pub(super) type Beat<'a> = &'a dyn Fn(usize, usize) -> bool;

#[derive(Clone, Copy, Debug)]
pub(super) struct Ordered<'a> {
    pub(super) one: Tied<'a>,
    pub(super) ahead: usize,
    pub(super) decided_by: Option<Tie>,
    /// Whether it is in a circle, in which the first rules were set aside.
    pub(super) in_circle: bool,
}

/// Orders tied entrants, best first; equal ones keep their order.
pub(super) fn order<'a>(tied: &[Tied<'a>], rules: &[Tie], beat: Beat<'_>) -> Vec<Ordered<'a>> {
    let relation = Relation::new(tied, rules, beat);
    let circles = relation.circles();
    let inner: Vec<Option<Inner>> = circles
        .iter()
        .map(|circle| Inner::of(circle, tied, rules, beat))
        .collect();
    // By the number of the tied: its circle, and its index in that circle.
    let mut circle_of = vec![(0, 0); tied.len()];
    for (number, circle) in circles.iter().enumerate() {
        for (place, &member) in circle.iter().enumerate() {
            circle_of[member] = (number, place);
        }
    }
    let ahead = |member: usize| {
        let (circle, place) = circle_of[member];
        let inside = inner[circle].as_ref().map_or(0, |inner| inner.ahead[place]);
        relation.strictly_ahead_of(member) + inside
    };
    let ahead: Vec<usize> = (0..tied.len()).map(ahead).collect();
    // The rule that decides between two; in a circle, only if the next rules order all of it.
    let decides = |one: usize, other: usize| {
        if circle_of[one].0 != circle_of[other].0 {
            return tie_order(&tied[one], &tied[other], rules, beat).1;
        }
        let inner = inner[circle_of[one].0].as_ref()?;
        tie_order(&tied[one], &tied[other], &rules[inner.first_rule..], beat).1
    };
    let neighbour = |one: usize, is_meant: &dyn Fn(usize) -> bool| {
        let nearest = (0..tied.len())
            .filter(|&other| other != one && is_meant(other))
            .filter_map(|other| Some((other, decides(one, other)?)))
            .min_by_key(|&(other, _)| {
                // The neighbour behind is preferred to the one ahead.
                (ahead[other] < ahead[one], ahead[other].abs_diff(ahead[one]))
            });
        nearest.map(|(_, rule)| rule)
    };
    let mut ordered: Vec<Ordered<'a>> = (0..tied.len())
        .map(|one| {
            let is_inside = |other: usize| circle_of[other].0 == circle_of[one].0;
            let inside = neighbour(one, &is_inside);
            Ordered {
                one: tied[one],
                ahead: ahead[one],
                decided_by: inside.or_else(|| neighbour(one, &|other| !is_inside(other))),
                in_circle: circles[circle_of[one].0].len() > 1,
            }
        })
        .collect();
    ordered.sort_by_key(|one| one.ahead);
    ordered
}

struct Inner {
    first_rule: usize,
    /// For each member, the number of members ahead.
    ahead: Vec<usize>,
}

impl Inner {
    /// Returns the order by the first later rules that decide all of the circle; `None` if none do.
    fn of(circle: &[usize], tied: &[Tied<'_>], rules: &[Tie], beat: Beat<'_>) -> Option<Self> {
        if circle.len() == 1 {
            return None;
        }
        (1..rules.len()).find_map(|first_rule| {
            let stands_ahead = |one: usize, other: usize| {
                let (order, _) = tie_order(&tied[one], &tied[other], &rules[first_rule..], beat);
                order == Ordering::Less
            };
            let count = |&one: &usize| {
                circle
                    .iter()
                    .filter(|&&other| stands_ahead(other, one))
                    .count()
            };
            let ahead: Vec<usize> = circle.iter().map(count).collect();
            // In a single order, the numbers ahead are 0, 1, 2 and so on.
            let mut counts = ahead.clone();
            counts.sort_unstable();
            counts
                .into_iter()
                .eq(0..circle.len())
                .then_some(Self { first_rule, ahead })
        })
    }
}

struct Relation {
    /// By two of the tied: whether the second is behind the first.
    behind: Vec<Vec<bool>>,
}

impl Relation {
    fn new(tied: &[Tied<'_>], rules: &[Tie], beat: Beat<'_>) -> Self {
        let mut behind = vec![vec![false; tied.len()]; tied.len()];
        for one in 0..tied.len() {
            for other in 0..one {
                match tie_order(&tied[one], &tied[other], rules, beat).0 {
                    Ordering::Less => behind[one][other] = true,
                    Ordering::Greater => behind[other][one] = true,
                    Ordering::Equal => {}
                }
            }
        }
        // Warshall's algorithm: paths through 0, then through 0 and 1, and so on.
        for through in 0..tied.len() {
            let further = behind[through].clone();
            for row in behind.iter_mut().filter(|row| row[through]) {
                for (is_behind, is_further) in row.iter_mut().zip(&further) {
                    *is_behind |= is_further;
                }
            }
        }
        Self { behind }
    }

    fn is_ahead(&self, one: usize, other: usize) -> bool {
        self.behind[one][other]
    }

    /// Counts the entrants ahead of one, without those that are also behind it.
    fn strictly_ahead_of(&self, one: usize) -> usize {
        (0..self.behind.len())
            .filter(|&other| self.is_ahead(other, one) && !self.is_ahead(one, other))
            .count()
    }

    /// Lists the circles, in which each entrant is ahead of each other; every other one is alone in its list.
    fn circles(&self) -> Vec<Vec<usize>> {
        let mut circles: Vec<Vec<usize>> = Vec::new();
        for one in 0..self.behind.len() {
            match circles
                .iter_mut()
                .find(|circle| self.is_ahead(circle[0], one) && self.is_ahead(one, circle[0]))
            {
                Some(circle) => circle.push(one),
                None => circles.push(vec![one]),
            }
        }
        circles
    }
}

/// Returns which of two is ahead (`Less`: the first one) and by which rule.
pub(super) fn tie_order(
    a: &Tied<'_>,
    b: &Tied<'_>,
    rules: &[Tie],
    beat: Beat<'_>,
) -> (Ordering, Option<Tie>) {
    let won_all = || [beat(a.entrant, b.entrant), beat(b.entrant, a.entrant)];
    let (totals, tokens) = ([a.total, b.total], [a.tokens, b.tokens]);
    rules
        .iter()
        .map(|&rule| (rule.compare(totals, tokens, won_all), rule))
        .find(|(order, _)| *order != Ordering::Equal)
        .map_or((Ordering::Equal, None), |(order, rule)| (order, Some(rule)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns entrant, place and deciding rule of four that differ only in tokens and in games against each other.
    fn places(beat: &[(usize, usize)], tokens: [Option<u64>; 4]) -> String {
        let beat = |one: usize, other: usize| beat.contains(&(one, other));
        let total = Tally::default();
        let tied = [0, 1, 2, 3].map(|entrant| Tied {
            entrant,
            total: &total,
            tokens: tokens[entrant],
        });
        let rules = [Tie::HeadToHead, Tie::Tokens];
        let ordered = order(&tied, &rules, &beat).into_iter();
        let places = ordered.map(|one| {
            let decided_by = one.decided_by.map_or("none", Tie::name);
            format!("{}: {} {decided_by}", one.one.entrant, one.ahead + 1)
        });
        places.collect::<Vec<_>>().join(", ")
    }

    /// Rows have who beat whom in both games, tokens, and places.
    #[test]
    fn ties_are_ordered_by_wins_then_tokens() {
        let rows = include_str!("ties.txt").lines();
        for row in rows.filter(|row| !row.starts_with('#')) {
            let cells: Vec<&str> = row.split('|').map(str::trim).collect();
            let [beat, tokens, expected] = cells[..] else {
                panic!("{row}");
            };
            let number = |text: &str| text.parse().expect(row);
            let won = beat.split_whitespace().map(|pair| {
                let (one, other) = pair.split_once('>').expect(row);
                (number(one), number(other))
            });
            let mut tokens = tokens.split(' ').map(|count| count.parse().ok());
            let tokens = [(); 4].map(|()| tokens.next().expect(row));
            let found = places(&won.collect::<Vec<_>>(), tokens);
            assert_eq!(found, expected, "{row}");
        }
    }
}
