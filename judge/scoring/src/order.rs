//! Totals become an order: most points first, then what the competition breaks ties by.

use super::ties::{self, Beat, Tied};
use super::{Ranked, Tally};
use words::competition::{Scoring, Tie};

/// Where one entrant stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Placed {
    /// The number of the entrant.
    pub(super) entrant: usize,
    /// From 1; equal ranks are shared and the next ones skipped.
    pub(super) rank: usize,
    /// The rank, refined by what orders the podium.
    pub(super) place: usize,
    /// What decided between this one and others with the same points.
    pub(super) decided_by: Option<Tie>,
}

/// Puts entrants with their totals in order; who is equal in all that counts shares the rank
/// and is listed by name.
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
        let points = b.total.points.cmp(&a.total.points);
        points.then_with(|| name(a).cmp(name(b)))
    });
    let same_points = |a: &Tied<'_>, b: &Tied<'_>| a.total.points == b.total.points;
    let mut placed = Vec::new();
    for class in all.chunk_by(same_points) {
        for (rank_class, decided) in ties::order(class, &scoring.ties, beat) {
            let rank = placed.len() + 1;
            for (place_class, decided_place) in ties::order(&rank_class, &scoring.podium, beat) {
                let place = placed.len() + 1;
                placed.extend(place_class.iter().map(|one| Placed {
                    entrant: one.entrant,
                    rank,
                    place,
                    decided_by: decided_place.or(decided),
                }));
            }
        }
    }
    placed
}
