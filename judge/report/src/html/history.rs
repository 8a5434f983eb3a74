//! Small drawings of ranks: over time if a run has earlier moments, else by points after the first
//! initial states.

use super::gather::Summary;
use super::timeline::Timeline;
use maud::{Markup, html};
use model::points::Points;
use std::fmt::Write;

/// Maximum number of points in a drawing.
const MARKS_MAX: usize = 24;
/// Minimum number of states for a history.
const STATES_MIN: usize = 3;
const WIDTH: f64 = 120.0;
const HEIGHT: f64 = 22.0;
/// Room for the line's width and its end.
const EDGE: f64 = 3.0;

/// The ranks of the ranked entrants at earlier times, or after a number of initial states.
pub(super) struct History {
    /// By mark, then by entrant; ranks start at 1, and are missing where an entrant had none. The
    /// last ones are those of the table.
    ranks: Vec<Vec<Option<usize>>>,
}

impl History {
    /// Returns the ranks by points over the initial states; `None` if there are too few states.
    /// `ranked` are the ranks of the table, in the order of entrants.
    pub(super) fn of(summary: &Summary, ranked: &[usize]) -> Option<Self> {
        let states = summary.points.len();
        if states < STATES_MIN {
            return None;
        }
        let marks = states.min(MARKS_MAX);
        let mut sums = vec![Points::default(); ranked.len()];
        let mut ranks = Vec::with_capacity(marks);
        for (gained, count) in summary.points.values().zip(1..) {
            for (&entrant, &points) in gained {
                if let Some(sum) = sums.get_mut(entrant) {
                    *sum += points;
                }
            }
            // Only if this state completes a mark.
            if count * marks / states > (count - 1) * marks / states {
                ranks.push(ranks_of(&sums).into_iter().map(Some).collect());
            }
        }
        Some(Self::ending(ranks, ranked))
    }

    /// Returns the ranks over the time of a run.
    pub(super) fn over(timeline: Timeline<'_>, summary: &Summary, ranked: &[usize]) -> Self {
        let names = &summary.names[..ranked.len()];
        let ranks = timeline.marks().into_iter().map(|moment| {
            names
                .iter()
                .map(|name: &String| moment.entrant(name)?.rank)
                .collect()
        });
        Self::ending(ranks.collect(), ranked)
    }

    /// Replaces the last ranks by those of the table.
    fn ending(mut ranks: Vec<Vec<Option<usize>>>, ranked: &[usize]) -> Self {
        if let Some(last) = ranks.last_mut() {
            last.clear();
            last.extend(ranked.iter().copied().map(Some));
        }
        Self { ranks }
    }

    /// Draws the line of one entrant, with the first rank at the top.
    #[expect(clippy::cast_precision_loss, reason = "a picture")]
    pub(super) fn draw(&self, entrant: usize) -> Markup {
        let worst = self
            .ranks
            .iter()
            .flatten()
            .flatten()
            .max()
            .copied()
            .unwrap_or_default()
            .max(2);
        let x =
            |mark: usize| EDGE + (WIDTH - 2.0 * EDGE) * mark as f64 / (self.ranks.len() - 1) as f64;
        let y = |rank: usize| EDGE + (HEIGHT - 2.0 * EDGE) * (rank - 1) as f64 / (worst - 1) as f64;
        let mut line = String::new();
        for (mark, ranks) in self.ranks.iter().enumerate() {
            let Some(rank) = ranks[entrant] else {
                line.clear();
                continue;
            };
            let letter = if line.is_empty() { 'M' } else { 'L' };
            write!(line, "{letter}{:.1} {:.1}", x(mark), y(rank)).expect("memory");
        }
        let last = self.ranks.len() - 1;
        let end = self.ranks[last][entrant].expect("it is in the table");
        html! {
            svg.history viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) width=(WIDTH) height=(HEIGHT) role="img" aria-label=(self.words(entrant)) {
                path d=(line) {}
                circle cx=(format!("{:.1}", x(last))) cy=(format!("{:.1}", y(end))) r="2.6" {}
            }
        }
    }

    fn words(&self, entrant: usize) -> String {
        let own = self.ranks.iter().filter_map(|ranks| ranks[entrant]);
        let (best, worst) = (own.clone().min(), own.clone().max());
        let first = own.clone().next().unwrap_or_default();
        format!(
            "began at rank {first}, was between {} and {}",
            best.unwrap_or_default(),
            worst.unwrap_or_default()
        )
    }
}

/// Ranks sums, highest first; equal ones share a rank.
fn ranks_of(sums: &[Points]) -> Vec<usize> {
    let ahead = |sum: &Points| sums.iter().filter(|other| *other > sum).count();
    sums.iter().map(|sum| ahead(sum) + 1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn summary(states: u32) -> Summary {
        let gained = |state: u32| {
            // The second entrant wins the first state, the first one all others.
            let winner = usize::from(state == 0);
            (state, BTreeMap::from([(winner, Points::whole(1))]))
        };
        Summary {
            points: (0..states).map(gained).collect(),
            ..Summary::default()
        }
    }

    #[test]
    fn ranks_follow_the_points_and_end_as_the_table_has_them() {
        let history = History::of(&summary(4), &[1, 2]).expect("enough states");
        let ranks = [[2, 1], [1, 1], [1, 2], [1, 2]];
        assert_eq!(history.ranks, ranks.map(|both| both.map(Some).to_vec()));
        assert_eq!(history.words(0), "began at rank 2, was between 1 and 2");
        let drawn = history.draw(0).into_string();
        assert!(drawn.contains("M3.0 19.0L41.0 3.0L79.0 3.0"), "{drawn}");
    }

    #[test]
    fn long_histories_are_thinned_out_and_short_ones_are_none() {
        let long = History::of(&summary(1000), &[1, 2]).expect("enough states");
        assert_eq!(long.ranks.len(), MARKS_MAX);
        assert!(History::of(&summary(2), &[1, 2]).is_none());
    }
}
