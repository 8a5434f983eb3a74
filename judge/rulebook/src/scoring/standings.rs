//! Turns games into a ranked table.

use super::late;
use super::mutual::Mutual;
use super::order::{Placed, order};
use super::prize::{self, Lack};
use super::ties::{self, Tied};
use super::{Conduct, Ranked, tally};
use engines::GameResult;
use model::competition::{Disqualify, Scoring};
use model::points::Points;
use model::record::MatchResult;
use model::tally::Tally;
use model::tie::Tie;
use std::cmp::Ordering;
use std::collections::HashMap;

/// One row of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    /// Whether the entrant is in a circle of tied entrants, each ahead of another, in which a rule
    /// was set aside.
    pub in_circle: bool,
    /// The prize of the rank, in prize points.
    pub prize: Option<u32>,
    /// The requirements of prizes that the entrant misses, if its rank would otherwise bring a
    /// prize.
    pub lacks: Vec<Lack>,
    /// Why the entrant is disqualified, if it is.
    pub disqualified: Option<String>,
    /// The grade, where the competition gives grades.
    pub grade: Option<String>,
}

/// A row beside the table: an entrant without a rank, a prize and a grade.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Beside {
    /// The entrant's name.
    pub entrant: String,
    /// The entrant's tally in each role.
    pub by_role: Vec<Tally>,
    /// The entrant's total.
    pub total: Tally,
}

/// How two entrants compare that the ranking leaves equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TieBetween {
    /// `Less` if the first of the two is ahead.
    pub order: Ordering,
    /// The rule that decided.
    pub rule: Option<Tie>,
    /// The token counts of both.
    pub tokens: [Option<u64>; 2],
}

/// Gathers the games of a run.
#[derive(Clone, Debug)]
pub struct Standings {
    pub(super) scoring: Scoring,
    /// Ranked entrants first, then those beside the table.
    pub(super) entrants: Vec<Ranked>,
    /// Number of ranked entrants.
    ranked: usize,
    index: HashMap<String, usize>,
    /// By entrant, then by role.
    tallies: Vec<Vec<Tally>>,
    pub(super) mutual: Mutual,
    /// By each bot that tests for prizes, then by entrant: the totals of both in their games.
    tests: HashMap<String, HashMap<usize, [Tally; 2]>>,
    conduct: Conduct,
    /// The graded games, where they alone decide the grades.
    pub(super) graded: Option<Box<Self>>,
}

impl Standings {
    /// Creates a table with all entrants at zero; `roles` is the number of seats.
    pub fn new(scoring: &Scoring, entrants: &[Ranked], roles: usize) -> Self {
        let mut entrants = entrants.to_vec();
        entrants.sort_by_key(|one| one.beside);
        let numbered = entrants.iter().map(|one| one.name.clone()).zip(0..);
        Self {
            scoring: scoring.clone(),
            ranked: entrants.iter().filter(|one| !one.beside).count(),
            index: numbered.collect(),
            tallies: vec![vec![Tally::default(); roles]; entrants.len()],
            mutual: Mutual::default(),
            tests: HashMap::new(),
            conduct: Conduct::default(),
            graded: Self::of_graded_games(scoring, &entrants, roles),
            entrants,
        }
    }

    /// Creates the standings of the graded games, which decide the grades of all entrants.
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

    /// Returns the first seat of a bot that tests for prizes.
    pub(super) fn test_bot(&self, game: &MatchResult) -> Option<usize> {
        let mut seats = game.seats.iter();
        seats.position(|seat| self.scoring.is_prize_test(&seat.entrant))
    }

    /// Adds a game against a bot that tests for prizes, which has a row of its own. The total of a
    /// bot with several seats is that of the first.
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
            let tests = self.tests.entry(name.clone()).or_default();
            let totals = tests.entry(entrant).or_default();
            totals[0].add(&own);
            totals[1].add(&of_bot);
        }
    }

    /// Adds a game with its number in fixture order. Ignores seats of entrants that are not in the
    /// table.
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
        let numbers: Vec<Option<usize>> = game
            .seats
            .iter()
            .map(|participant| self.index.get(&participant.entrant).copied())
            .collect();
        for (seat, entrant) in numbers.iter().enumerate() {
            if let &Some(entrant) = entrant {
                self.tallies[entrant][seat].add(&tally(&self.scoring, game, seat));
            }
        }
        if let [Some(one), Some(other)] = *numbers.as_slice() {
            let won = |seat: usize| game.outcome.seats[seat].result == GameResult::Won;
            self.mutual.add(one, other, game.state, won(0));
            self.mutual.add(other, one, game.state, won(1));
        }
        // Where disqualified entrants are removed, all games of the run have decided that already.
        if self.scoring.disqualify == Disqualify::Flag {
            self.conduct.add(number, game, false);
        }
    }

    /// Returns which rule puts one entrant ahead of (`Less`) or behind another that the ranking
    /// leaves equal, and the token counts of both. Ignores circles.
    pub fn tie_between(&self, one: &str, other: &str) -> TieBetween {
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
        let beat = |one: usize, other: usize| self.mutual.beat(one, other, None);
        let (order, rule) = ties::verdict(&tied[0], &tied[1], &rules, &beat);
        TieBetween {
            order,
            rule,
            tokens: tied.map(|one| one.tokens),
        }
    }

    /// Returns the table, best first: by the ranking, then by the competition's tie rules. Entrants
    /// that no rule separates share the rank and are listed by name.
    pub fn ranked(&self) -> Vec<Standing> {
        let beat = |one: usize, other: usize| self.mutual.beat(one, other, None);
        let totals = self.totals();
        let placed = order(&self.scoring, &self.entrants, &totals, &beat);
        let row = |placed: &Placed| self.row(placed, &totals[placed.entrant].1);
        placed.iter().map(row).collect()
    }

    /// Returns the rows beside the table, best first by the ranking.
    pub fn beside(&self) -> Vec<Beside> {
        let beside = self.ranked..self.entrants.len();
        let beside = beside.map(|entrant| Beside {
            entrant: self.entrants[entrant].name.clone(),
            by_role: self.tallies[entrant].clone(),
            total: sum(&self.tallies[entrant]),
        });
        let mut beside: Vec<Beside> = beside.collect();
        beside.sort_by(|a, b| {
            let ranked = a.total.compare_by(&b.total, &self.scoring.ranking);
            ranked.then_with(|| a.entrant.cmp(&b.entrant))
        });
        beside
    }

    /// Returns the number and the total of every ranked entrant.
    pub(super) fn totals(&self) -> Vec<(usize, Tally)> {
        let ranked = self.tallies[..self.ranked].iter();
        ranked.map(|roles| sum(roles)).enumerate().collect()
    }

    /// Lists the requirements of prizes that an entrant misses.
    pub(super) fn lacks(&self, entrant: usize) -> Vec<Lack> {
        let total = |entrant: usize| sum(&self.tallies[entrant]);
        let against = |name: &str| {
            let other = self.index.get(name)?;
            if !self.scoring.is_prize_test(name) {
                return Some([total(entrant), total(*other)]);
            }
            let totals = self.tests.get(name).and_then(|tests| tests.get(&entrant));
            Some(totals.copied().unwrap_or_default())
        };
        let name = &self.entrants[entrant].name;
        prize::lacks(&self.scoring, name, &total(entrant), &against)
    }

    /// Returns whether an entrant of the table meets all requirements of prizes besides the rank.
    pub fn meets_prize_needs(&self, entrant: &str) -> bool {
        self.lacks(self.index[entrant]).is_empty()
    }

    /// Returns why an entrant is disqualified, if it is: in the graded games or in the others.
    pub(super) fn verdict(&self, entrant: usize) -> Option<String> {
        let name = &self.entrants[entrant].name;
        let graded = self.graded.as_ref();
        let graded = graded.and_then(|graded| graded.conduct.verdict(name));
        graded.or_else(|| self.conduct.verdict(name))
    }

    /// Returns whether a disqualification decides an entrant's grade.
    pub fn costs_grade(&self, entrant: &str) -> bool {
        let decides = self.graded.as_deref().unwrap_or(self);
        decides.verdict(decides.index[entrant]).is_some()
    }

    /// Returns an entrant's total of the graded games, and its grade.
    pub(super) fn graded(&self, name: &str) -> (Option<Tally>, Option<String>) {
        let Some(graded) = &self.graded else {
            return (None, None);
        };
        let entrant = graded.index[name];
        let total = sum(&graded.tallies[entrant]);
        let is_out = graded.verdict(entrant).is_some();
        (Some(total), graded.grade(entrant, total.points, is_out))
    }

    fn row(&self, placed: &Placed, total: &Tally) -> Standing {
        let disqualified = self.verdict(placed.entrant);
        let mut lacks = self.lacks(placed.entrant);
        let prize = self.prize(placed.entrant, placed.rank);
        if prize.is_none() {
            lacks.clear();
        }
        Standing {
            rank: placed.rank,
            place: placed.place,
            entrant: self.entrants[placed.entrant].name.clone(),
            by_role: self.tallies[placed.entrant].clone(),
            total: *total,
            graded: self.graded(&self.entrants[placed.entrant].name).0,
            decided_by: placed.decided_by,
            in_circle: placed.in_circle,
            prize: prize.filter(|_| lacks.is_empty()),
            lacks,
            grade: self.grade(placed.entrant, total.points, disqualified.is_some()),
            disqualified,
        }
    }

    /// Returns an entrant's prize for a rank, in prize points.
    pub(super) fn prize(&self, entrant: usize, rank: usize) -> Option<u32> {
        let prize = prize::of_rank(&self.scoring.prizes, rank)?;
        let penalty = self.entrants[entrant].penalty;
        let penalty = penalty.filter(|_| self.scoring.grades.is_none());
        Some(penalty.map_or(prize, |penalty| late::off_prize(prize, penalty)))
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
        let penalty = self.entrants[entrant].penalty;
        Some(penalty.map_or_else(
            || grade.to_owned(),
            |penalty| late::off_grade(grade, penalty, &grades.disqualified),
        ))
    }
}

fn sum(roles: &[Tally]) -> Tally {
    let mut total = Tally::default();
    for tally in roles {
        total.add(tally);
    }
    total
}
