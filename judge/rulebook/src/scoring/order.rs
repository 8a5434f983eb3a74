//! Puts totals in order: by the ranking, then by the competition's tie rules.

use super::Ranked;
use super::ties::{self, Beat, Tied};
use model::competition::Scoring;
use model::tally::Tally;
use model::tie::Tie;

/// The place of one entrant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Placed {
    /// The number of the entrant.
    pub(super) entrant: usize,
    /// One more than the number of entrants ahead; the first rank is 1.
    pub(super) rank: usize,
    /// The rank, refined by the rules for the podium; places may coincide.
    pub(super) place: usize,
    /// The rule that decided between this entrant and others that the ranking leaves equal.
    pub(super) decided_by: Option<Tie>,
    /// Whether the entrant is in a circle of tied entrants, in which a rule was set aside.
    pub(super) in_circle: bool,
}

/// Puts entrants with their totals in order. Entrants that no rule separates share the rank and are
/// listed by name.
pub(super) fn order(
    scoring: &Scoring,
    entrants: &[Ranked],
    totals: &[(usize, Tally)],
    beat: Beat<'_>,
) -> Vec<Placed> {
    let mut all: Vec<Tied<'_>> = totals
        .iter()
        .map(|(entrant, total)| Tied {
            entrant: *entrant,
            total,
            tokens: entrants[*entrant].tokens,
        })
        .collect();
    all.sort_by(|a, b| {
        let name = |one: &Tied<'_>| &entrants[one.entrant].name;
        let ranked = a.total.compare_by(b.total, &scoring.ranking);
        ranked.then_with(|| name(a).cmp(name(b)))
    });
    let is_equal =
        |a: &Tied<'_>, b: &Tied<'_>| a.total.compare_by(b.total, &scoring.ranking).is_eq();
    let mut placed = Vec::new();
    for class in all.chunk_by(is_equal) {
        let before = placed.len();
        let ranked = ties::order(class, &scoring.ties, beat);
        for rank_class in ranked.chunk_by(|a, b| a.ahead == b.ahead) {
            let rank = before + rank_class[0].ahead + 1;
            let tied: Vec<Tied<'_>> = rank_class.iter().map(|ranked| ranked.one).collect();
            for podium in ties::order(&tied, &scoring.podium, beat) {
                let entrant = podium.one.entrant;
                let ranked = rank_class
                    .iter()
                    .find(|ranked| ranked.one.entrant == entrant)
                    .expect("the podium orders who is there");
                placed.push(Placed {
                    entrant,
                    rank,
                    place: rank + podium.ahead,
                    decided_by: podium.decided_by.or(ranked.decided_by),
                    in_circle: podium.in_circle || ranked.in_circle,
                });
            }
        }
    }
    placed
}
