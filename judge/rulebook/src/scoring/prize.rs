//! Prizes of ranks, and their other requirements.

use model::competition::{Prize, Scoring};
use model::tally::Tally;

/// A requirement of prizes that an entrant misses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lack {
    /// A number of games without a fault, see [`Tally::faultless`].
    FaultlessGames {
        /// The entrant's number of such games.
        has: u64,
        /// The required number.
        needed: u64,
    },
    /// A number of games won, see [`Tally::wins`].
    Wins {
        /// The entrant's number of such games.
        has: u64,
        /// The required number.
        needed: u64,
    },
    /// The entrant is not ahead of this one.
    AheadOf(String),
}

/// Returns the prize of a rank. Ranks are shared by standard competition ranking (1, 2, 2, 4), so
/// entrants below a shared rank do not move up.
pub(super) fn of_rank(prizes: &[Prize], rank: usize) -> Option<u32> {
    let prize = prizes.iter().find(|prize| rank <= prize.to_rank)?;
    Some(prize.points)
}

/// Lists the requirements that an entrant with this total misses; `against` returns the totals that
/// compare it with another entrant, the own one first. Nobody has to be ahead of itself, or of an
/// entrant that is not in the table, such as a removed one.
pub(super) fn lacks(
    scoring: &Scoring,
    entrant: &str,
    total: &Tally,
    against: &dyn Fn(&str) -> Option<[Tally; 2]>,
) -> Vec<Lack> {
    let needs = &scoring.prize_needs;
    let (has, needed) = (total.faultless, needs.faultless_games);
    let faultless = (has < needed).then_some(Lack::FaultlessGames { has, needed });
    let (has, needed) = (total.wins, needs.wins);
    let wins = (has < needed).then_some(Lack::Wins { has, needed });
    let is_behind = |name: &&String| {
        let totals = against(name).filter(|_| *name != entrant);
        totals.is_some_and(|[own, other]| own.compare_by(&other, &scoring.ranking).is_ge())
    };
    let behind = needs.ahead_of.iter().filter(is_behind);
    faultless
        .into_iter()
        .chain(wins)
        .chain(behind.cloned().map(Lack::AheadOf))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::competition::PrizeNeeds;
    use model::points::Points;

    fn total(points: i64, faultless: u64) -> Tally {
        Tally {
            points: Points::whole(points),
            faultless,
            ..Tally::default()
        }
    }

    #[test]
    fn a_prize_asks_for_faultless_games_and_for_being_ahead() {
        let mut scoring = Scoring::plain();
        let against =
            |points| move |name: &str| (name == "random").then(|| [total(points, 0), total(5, 1)]);
        assert_eq!(lacks(&scoring, "ann", &total(0, 0), &against(0)), []);
        scoring.prize_needs = PrizeNeeds {
            faultless_games: 2,
            wins: 0,
            ahead_of: vec!["random".to_owned()],
        };
        let few = Lack::FaultlessGames { has: 1, needed: 2 };
        let behind = Lack::AheadOf("random".to_owned());
        assert_eq!(lacks(&scoring, "ann", &total(6, 2), &against(6)), []);
        assert_eq!(lacks(&scoring, "ann", &total(6, 1), &against(6)), [few]);
        assert_eq!(
            lacks(&scoring, "ann", &total(6, 2), &against(5)),
            [behind],
            "equal is not ahead"
        );
        assert_eq!(
            lacks(&scoring, "random", &total(5, 2), &against(5)),
            [],
            "nobody is ahead of itself"
        );
        assert_eq!(
            lacks(&scoring, "ann", &total(0, 2), &|_| None),
            [],
            "it was removed"
        );
    }

    #[test]
    fn a_prize_can_ask_for_games_won() {
        let mut scoring = Scoring::plain();
        scoring.prize_needs.wins = 2;
        let missed = |wins| {
            let total = Tally {
                wins,
                draws: 9,
                ..total(9, 9)
            };
            lacks(&scoring, "ann", &total, &|_| None)
        };
        assert_eq!(missed(0), [Lack::Wins { has: 0, needed: 2 }]);
        assert_eq!(missed(1), [Lack::Wins { has: 1, needed: 2 }]);
        assert_eq!(missed(2), []);
    }
}
