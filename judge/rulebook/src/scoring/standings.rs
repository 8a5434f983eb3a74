//! Turns games into a ranked table.

use super::grades::{off_grade, off_prize};
use super::ties::{self, Tied};
use super::{Conduct, Estimate, Placed, Ranked, Uncertainty, numbers_of, order, tally};
use engines::GameResult;
use model::competition::{Disqualify, Scoring};
use model::points::Points;
use model::record::{MatchResult, SeatRecord};
use model::tally::{Tally, Tie};
use std::cmp::Ordering;
use std::collections::HashMap;

/// One row of the table.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// The rank: 1 + the number of entrants ahead.
    pub rank: usize,
    /// The place on the podium: the rank, refined by the rules that order equal ranks.
    pub place: usize,
    /// The entrant's name.
    pub entrant: String,
    /// The entrant's tally in each role.
    pub by_role: Vec<Tally>,
    /// The entrant's total.
    pub total: Tally,
    /// The entrant's total of the graded games, where they alone decide the grade.
    pub graded: Option<Tally>,
    /// The rule that decided between this row and others that the ranking leaves equal.
    pub decided_by: Option<Tie>,
    /// Whether it is in a circle of ties, each ahead of another, in which a rule was set aside.
    pub in_circle: bool,
    /// The prize of the rank, in prize points.
    pub prize: Option<u32>,
    /// The requirements of prizes that it misses, if its rank would otherwise bring a prize.
    pub missed_requirements: Vec<MissedRequirement>,
    /// Why the entrant is disqualified, if it is.
    pub disqualified: Option<String>,
    /// The grade, where the competition gives grades.
    pub grade: Option<String>,
    /// See [`Ranked::knew_draw`].
    pub knew_draw: bool,
    /// The uncertainty of the rank, if known.
    pub uncertainty: Option<Uncertainty>,
    /// The lead over the next row, if known, in points per game. If the table is ranked by another key first,
    /// such as games won, the unit is that key.
    pub ahead: Option<Estimate>,
}

/// A row next to the table: an entrant without a rank, a prize and a grade.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnrankedRow {
    /// The entrant's name.
    pub entrant: String,
    /// The entrant's tally in each role.
    pub by_role: Vec<Tally>,
    /// The entrant's total.
    pub total: Tally,
}

/// Gathers the games of a run.
#[derive(Clone, Debug)]
pub struct Standings {
    pub(super) scoring: Scoring,
    /// Ranked entrants first, then those next to the table.
    pub(super) entrants: Vec<Ranked>,
    ranked: usize,
    index: HashMap<String, usize>,
    /// By entrant, then by role.
    tallies: Vec<Vec<Tally>>,
    pub(super) head_to_head: HeadToHeadGames,
    /// By bot that tests for prizes and entrant: the totals of entrant and bot in their games.
    tests: HashMap<(String, usize), [Tally; 2]>,
    conduct: Conduct,
    pub(super) graded: Option<Box<Self>>,
}

impl Standings {
    /// Creates a table with all entrants at zero; `roles` is the number of seats.
    pub fn new(scoring: &Scoring, entrants: &[Ranked], roles: usize) -> Self {
        let mut entrants = entrants.to_vec();
        entrants.sort_by_key(|one| one.unranked);
        Self {
            scoring: scoring.clone(),
            ranked: entrants.iter().filter(|one| !one.unranked).count(),
            index: numbers_of(&entrants),
            tallies: vec![vec![Tally::default(); roles]; entrants.len()],
            head_to_head: HeadToHeadGames::default(),
            tests: HashMap::new(),
            conduct: Conduct::default(),
            graded: Self::of_graded_games(scoring, &entrants, roles),
            entrants,
        }
    }

    pub(super) fn of_graded_games(
        scoring: &Scoring,
        entrants: &[Ranked],
        roles: usize,
    ) -> Option<Box<Self>> {
        scoring.graded_games()?;
        let mut own = scoring.clone();
        own.grades.as_mut()?.games = None;
        own.prizes.clear();
        if own.disqualify == Disqualify::Remove {
            // A removed entrant keeps its grade: other games have no effect on it.
            own.disqualify = Disqualify::Flag;
        }
        Some(Box::new(Self::new(&own, entrants, roles)))
    }

    /// See [`Scoring::is_unranked`].
    pub fn is_unranked(&self, game: &MatchResult) -> bool {
        let seats = game.seats.iter().map(|seat| seat.entrant.as_str());
        self.scoring.is_unranked(seats)
    }

    pub(super) fn test_bot(&self, game: &MatchResult) -> Option<usize> {
        game.seats
            .iter()
            .position(|seat| self.scoring.is_prize_test(&seat.entrant))
    }

    /// Adds a game against a prize test. The total of a bot with several seats is that of the first.
    fn add_test(&mut self, bot: usize, game: &MatchResult) {
        let name = &game.seats[bot].entrant;
        let of_bot = tally(&self.scoring, game, bot);
        for (seat, participant) in game.seats.iter().enumerate() {
            let own = tally(&self.scoring, game, seat);
            let Some(&entrant) = self.index.get(&participant.entrant) else {
                continue;
            };
            if participant.entrant == *name {
                self.tallies[entrant][seat].add(&own);
                continue;
            }
            let [total, bots] = self.tests.entry((name.clone(), entrant)).or_default();
            total.add(&own);
            bots.add(&of_bot);
        }
    }

    /// Adds a game with its number in fixture order; ignores seats of entrants outside the table.
    pub fn add(&mut self, number: usize, game: &MatchResult) {
        if let Some(bot) = self.test_bot(game) {
            self.add_test(bot, game);
            return;
        }
        if self.is_unranked(game)
            && let Some(graded) = &mut self.graded
        {
            graded.add(number, game);
            return;
        }
        let entrant_of = |seat: &SeatRecord| self.index.get(&seat.entrant).copied();
        let numbers: Vec<Option<usize>> = game.seats.iter().map(entrant_of).collect();
        for (seat, entrant) in numbers.iter().enumerate() {
            if let &Some(entrant) = entrant {
                self.tallies[entrant][seat].add(&tally(&self.scoring, game, seat));
            }
        }
        if let [Some(one), Some(other)] = *numbers {
            let won = |seat: usize| game.outcome.seats[seat].result == GameResult::Won;
            self.head_to_head.add(one, other, game.state, won(0));
            self.head_to_head.add(other, one, game.state, won(1));
        }
        // Where disqualified entrants are removed, all games of the run have decided that already.
        if self.scoring.disqualify == Disqualify::Flag {
            self.conduct.add(number, game, false);
        }
    }

    /// Returns which rule puts one ahead of (`Less`) or behind another equal one, and the tokens of both.
    /// Ignores circles.
    pub fn tie_between(&self, one: &str, other: &str) -> (Ordering, Option<Tie>, [Option<u64>; 2]) {
        let totals = self.totals();
        let tied = [one, other].map(|name| {
            let entrant = self.index[name];
            Tied {
                entrant,
                total: &totals[entrant].1,
                tokens: self.entrants[entrant].tokens,
            }
        });
        let rules = [&self.scoring.ties[..], &self.scoring.podium].concat();
        let (order, rule) =
            ties::tie_order(&tied[0], &tied[1], &rules, &self.head_to_head.beat(None));
        (order, rule, tied.map(|one| one.tokens))
    }

    /// Returns the table, best first. Entrants that no rule separates share the rank and are listed by name.
    pub fn ranked(&self) -> Vec<Standing> {
        let totals = self.totals();
        let beat = self.head_to_head.beat(None);
        order(&self.scoring, &self.entrants, &totals, &beat)
            .iter()
            .map(|placed| self.row(placed, &totals[placed.entrant].1))
            .collect()
    }

    /// Returns the rows next to the table, best first by the ranking.
    pub fn unranked(&self) -> Vec<UnrankedRow> {
        let row = |entrant: usize| UnrankedRow {
            entrant: self.entrants[entrant].name.clone(),
            by_role: self.tallies[entrant].clone(),
            total: sum(&self.tallies[entrant]),
        };
        let mut rows: Vec<UnrankedRow> = (self.ranked..self.entrants.len()).map(row).collect();
        rows.sort_by(|a, b| {
            a.total
                .compare_by(&b.total, &self.scoring.ranking)
                .then_with(|| a.entrant.cmp(&b.entrant))
        });
        rows
    }

    pub(super) fn totals(&self) -> Vec<(usize, Tally)> {
        self.tallies[..self.ranked]
            .iter()
            .map(|roles| sum(roles))
            .enumerate()
            .collect()
    }

    pub(super) fn missed_requirements(&self, entrant: usize) -> Vec<MissedRequirement> {
        let total = |entrant: usize| sum(&self.tallies[entrant]);
        let against = |name: &str| {
            let other = self.index.get(name)?;
            let tests = self.tests.get(&(name.to_owned(), entrant));
            Some(if self.scoring.is_prize_test(name) {
                tests.copied().unwrap_or_default()
            } else {
                [total(entrant), total(*other)]
            })
        };
        let name = &self.entrants[entrant].name;
        missed_requirements(&self.scoring, name, &total(entrant), &against)
    }

    /// Returns whether an entrant of the table meets all requirements of prizes besides the rank.
    pub fn meets_prize_needs(&self, entrant: &str) -> bool {
        self.missed_requirements(self.index[entrant]).is_empty()
    }

    /// Returns why an entrant is disqualified, if it is: in the graded games or in the others.
    pub(super) fn disqualified_for(&self, entrant: usize) -> Option<String> {
        let name = &self.entrants[entrant].name;
        let graded = self.graded.as_deref();
        graded
            .into_iter()
            .chain([self])
            .find_map(|games| games.conduct.disqualified_for(name))
    }

    /// Returns whether a disqualification decides an entrant's grade.
    pub fn costs_grade(&self, entrant: &str) -> bool {
        let decides = self.graded.as_deref().unwrap_or(self);
        decides.disqualified_for(decides.index[entrant]).is_some()
    }

    pub(super) fn graded(&self, name: &str) -> (Option<Tally>, Option<String>) {
        let Some(graded) = &self.graded else {
            return (None, None);
        };
        let entrant = graded.index[name];
        let total = sum(&graded.tallies[entrant]);
        let is_out = graded.disqualified_for(entrant).is_some();
        (Some(total), graded.grade(entrant, total.points, is_out))
    }

    fn row(&self, placed: &Placed, total: &Tally) -> Standing {
        let Ranked {
            name, knew_draw, ..
        } = &self.entrants[placed.entrant];
        let disqualified = self.disqualified_for(placed.entrant);
        let mut missed_requirements = self.missed_requirements(placed.entrant);
        let prize = self.prize(placed.entrant, placed.rank);
        if prize.is_none() {
            missed_requirements.clear();
        }
        Standing {
            rank: placed.rank,
            place: placed.place,
            entrant: name.clone(),
            by_role: self.tallies[placed.entrant].clone(),
            total: *total,
            graded: self.graded(name).0,
            decided_by: placed.decided_by,
            in_circle: placed.in_circle,
            prize: prize.filter(|_| missed_requirements.is_empty()),
            missed_requirements,
            grade: self.grade(placed.entrant, total.points, disqualified.is_some()),
            disqualified,
            knew_draw: *knew_draw,
            uncertainty: None,
            ahead: None,
        }
    }

    pub(super) fn prize(&self, entrant: usize, rank: usize) -> Option<u32> {
        // Ranks are shared by standard competition ranking (1, 2, 2, 4): nobody below moves up.
        let mut prizes = self.scoring.prizes.iter();
        let prize = prizes.find(|prize| rank <= prize.to_rank)?.points;
        match self.entrants[entrant].penalty {
            Some(penalty) if self.scoring.grades.is_none() => Some(off_prize(prize, penalty)),
            _ => Some(prize),
        }
    }

    /// Returns an entrant's grade: that of its graded games if there are any, else that of a total.
    pub(super) fn grade(
        &self,
        entrant: usize,
        total: Points,
        disqualified: bool,
    ) -> Option<String> {
        if self.graded.is_some() {
            return self.graded(&self.entrants[entrant].name).1;
        }
        let grades = self.scoring.grades.as_ref()?;
        if disqualified {
            return Some(grades.disqualified.clone());
        }
        let grade = grades.of(total);
        Some(match self.entrants[entrant].penalty {
            Some(penalty) => off_grade(grade, penalty, &grades.disqualified),
            None => grade.to_owned(),
        })
    }
}

fn sum(roles: &[Tally]) -> Tally {
    roles.iter().fold(Tally::default(), |mut total, tally| {
        total.add(tally);
        total
    })
}

/// The first and the last state of some games.
type States = Option<(u32, u32)>;

/// The games between any two entrants, reduced to "won every game against", also without one initial state.
#[derive(Clone, Debug, Default)]
pub(super) struct HeadToHeadGames {
    /// By the entrant and the other: all games, and those not won.
    states: HashMap<(usize, usize), [States; 2]>,
}

impl HeadToHeadGames {
    pub(super) fn add(&mut self, one: usize, other: usize, state: u32, won: bool) {
        let [played, not_won] = self.states.entry((one, other)).or_default();
        for seen in [Some(played), Some(not_won).filter(|_| !won)]
            .into_iter()
            .flatten()
        {
            let (first, last) = seen.unwrap_or((state, state));
            *seen = Some((first.min(state), last.max(state)));
        }
    }

    /// Returns whether one won every game against the other, without those on the state `without`.
    pub(super) fn beat(&self, without: Option<u32>) -> impl Fn(usize, usize) -> bool {
        let any_but = move |seen: States| {
            seen.is_some_and(|(first, last)| first != last || Some(first) != without)
        };
        move |one, other| {
            let states = self.states.get(&(one, other));
            states.is_some_and(|[played, not_won]| any_but(*played) && !any_but(*not_won))
        }
    }
}

/// A requirement of prizes that an entrant misses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MissedRequirement {
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

/// Lists the requirements that an entrant misses; `against` returns its total and that of another, own first.
/// Nobody has to be ahead of itself, or of an entrant that is not in the table, such as a removed one.
pub(super) fn missed_requirements(
    scoring: &Scoring,
    entrant: &str,
    total: &Tally,
    against: &dyn Fn(&str) -> Option<[Tally; 2]>,
) -> Vec<MissedRequirement> {
    let needs = &scoring.prize_needs;
    let (has, needed) = (total.faultless, needs.faultless_games);
    let faultless = (has < needed).then_some(MissedRequirement::FaultlessGames { has, needed });
    let (has, needed) = (total.wins, needs.wins);
    let wins = (has < needed).then_some(MissedRequirement::Wins { has, needed });
    let behind = needs.ahead_of.iter().filter(|name| {
        against(name)
            .filter(|_| *name != entrant)
            .is_some_and(|[own, other]| own.compare_by(&other, &scoring.ranking).is_ge())
    });
    faultless
        .into_iter()
        .chain(wins)
        .chain(behind.cloned().map(MissedRequirement::AheadOf))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::competition::PrizeNeeds;
    use model::points::Points;

    #[test]
    fn omitted_state_does_not_affect_mutual_wins() {
        let mut head_to_head = HeadToHeadGames::default();
        for (state, won) in [(0, true), (0, true), (1, false), (2, true)] {
            head_to_head.add(0, 1, state, won);
        }
        assert!(!head_to_head.beat(None)(0, 1));
        assert!(!head_to_head.beat(Some(0))(0, 1));
        assert!(head_to_head.beat(Some(1))(0, 1));
        head_to_head.add(0, 1, 2, false);
        assert!(!head_to_head.beat(Some(1))(0, 1));
        head_to_head.add(2, 3, 5, true);
        assert!(head_to_head.beat(None)(2, 3));
        assert!(!head_to_head.beat(Some(5))(2, 3), "no game is left");
        assert!(!head_to_head.beat(None)(3, 2), "they have not met");
    }

    fn total(points: i64, faultless: u64) -> Tally {
        Tally {
            points: Points::whole(points),
            faultless,
            ..Tally::default()
        }
    }

    #[test]
    fn prize_needs_faultless_games_and_being_ahead() {
        let mut scoring = Scoring::plain();
        let against =
            |points| move |name: &str| (name == "random").then(|| [total(points, 0), total(5, 1)]);
        let read = missed_requirements(&scoring, "ann", &total(0, 0), &against(0));
        assert_eq!(read, []);
        scoring.prize_needs = PrizeNeeds {
            faultless_games: 2,
            wins: 0,
            ahead_of: vec!["random".to_owned()],
        };
        let few = MissedRequirement::FaultlessGames { has: 1, needed: 2 };
        let behind = MissedRequirement::AheadOf("random".to_owned());
        for (entrant, own, points, expected, why) in [
            ("ann", total(6, 2), 6, None, "both are met"),
            ("ann", total(6, 1), 6, Some(few), "too few games"),
            ("ann", total(6, 2), 5, Some(behind), "equal is not ahead"),
            ("random", total(5, 2), 5, None, "nobody is ahead of itself"),
        ] {
            let found = missed_requirements(&scoring, entrant, &own, &against(points));
            assert_eq!(found, expected.as_slice(), "{why}");
        }
        let removed = missed_requirements(&scoring, "ann", &total(0, 2), &|_| None);
        assert_eq!(removed, [], "it was removed");
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
            missed_requirements(&scoring, "ann", &total, &|_| None)
        };
        assert_eq!(missed(0), [MissedRequirement::Wins { has: 0, needed: 2 }]);
        assert_eq!(missed(1), [MissedRequirement::Wins { has: 1, needed: 2 }]);
        assert_eq!(missed(2), []);
    }
}
