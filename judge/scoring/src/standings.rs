//! Games become a ranked table.

use super::late;
use super::mutual::Mutual;
use super::order::{Placed, order};
use super::prize::{self, Lack};
use super::ties::{self, Tied};
use super::{Conduct, Ranked, tally};
use engines::GameResult;
use std::cmp::Ordering;
use std::collections::HashMap;
use words::competition::{Disqualify, Scoring};
use words::points::Points;
use words::record::MatchResult;
use words::tally::Tally;
use words::tie::Tie;

/// One row of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// The rank: 1 + how many stand ahead.
    pub rank: usize,
    /// The place on the podium: the rank, refined by what orders equal ranks.
    pub place: usize,
    /// The entrant's name.
    pub entrant: String,
    /// What it gathered in each role.
    pub by_role: Vec<Tally>,
    /// What it gathered in all.
    pub total: Tally,
    /// What decided between this row and others that the ranking leaves equal.
    pub decided_by: Option<Tie>,
    /// It is one of a circle of those, each ahead of another, in which a rule was set aside.
    pub in_circle: bool,
    /// What the rank brings, in prize points.
    pub prize: Option<u32>,
    /// Why the rank brings no prize, where it would bring one but for what prizes ask for.
    pub lacks: Vec<Lack>,
    /// Why it is disqualified, if it is.
    pub disqualified: Option<String>,
    /// The grade, where the competition gives grades.
    pub grade: Option<String>,
}

/// A row beside the table: somebody who has no rank and nothing that comes with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Beside {
    /// The entrant's name.
    pub entrant: String,
    /// What it gathered in each role.
    pub by_role: Vec<Tally>,
    /// What it gathered in all.
    pub total: Tally,
}

/// How two compare that the ranking leaves equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TieBetween {
    /// `Less` where the first of the two stands ahead.
    pub order: Ordering,
    /// By which rule.
    pub rule: Option<Tie>,
    /// The counts of lexer tokens of both.
    pub tokens: [Option<u64>; 2],
}

/// Gathers the games of a run.
#[derive(Clone, Debug)]
pub struct Standings {
    pub(super) scoring: Scoring,
    /// Those who are ranked first, then those beside the table.
    pub(super) entrants: Vec<Ranked>,
    /// How many are ranked.
    ranked: usize,
    index: HashMap<String, usize>,
    /// By entrant, then by role.
    tallies: Vec<Vec<Tally>>,
    pub(super) mutual: Mutual,
    conduct: Conduct,
}

impl Standings {
    /// Begins a table with everybody at zero; `roles` is the number of seats.
    pub fn new(scoring: &Scoring, entrants: &[Ranked], roles: usize) -> Self {
        let mut entrants = entrants.to_vec();
        entrants.sort_by_key(|one| one.beside);
        let numbered = entrants.iter().map(|one| one.name.clone()).zip(0..);
        Self {
            scoring: scoring.clone(),
            ranked: entrants.iter().filter(|one| !one.beside).count(),
            index: numbered.collect(),
            tallies: vec![vec![Tally::default(); roles]; entrants.len()],
            entrants,
            mutual: Mutual::default(),
            conduct: Conduct::default(),
        }
    }

    /// Adds a game with its number in fixture order. Seats of entrants that are not in the
    /// table are passed over.
    pub fn add(&mut self, number: usize, game: &MatchResult) {
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
        // Where the disqualified are removed, that was decided by all games of the run.
        if self.scoring.disqualify == Disqualify::Flag {
            self.conduct.add(number, game);
        }
    }

    /// Returns by which rule one entrant stands ahead of another that the ranking leaves equal
    /// (`Less`) or behind it, and the token counts of both; circles are not looked at.
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

    /// Returns the table: the best by the ranking first, then what the competition breaks ties by; who is
    /// equal in all of it shares the rank and is listed by name.
    pub fn ranked(&self) -> Vec<Standing> {
        let beat = |one: usize, other: usize| self.mutual.beat(one, other, None);
        let totals = self.totals();
        let placed = order(&self.scoring, &self.entrants, &totals, &beat);
        let row = |placed: &Placed| self.row(placed, &totals[placed.entrant].1);
        placed.iter().map(row).collect()
    }

    /// Returns who is beside the table, the best by the ranking first.
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

    /// Returns the number and the total of everybody who is ranked.
    pub(super) fn totals(&self) -> Vec<(usize, Tally)> {
        let ranked = self.tallies[..self.ranked].iter();
        ranked.map(|roles| sum(roles)).enumerate().collect()
    }

    /// Lists what an entrant lacks of what prizes ask for.
    pub(super) fn lacks(&self, entrant: usize) -> Vec<Lack> {
        let total = |entrant: usize| sum(&self.tallies[entrant]);
        let other = |name: &str| self.index.get(name).map(|&number| total(number));
        let name = &self.entrants[entrant].name;
        prize::lacks(&self.scoring, name, &total(entrant), &other)
    }

    pub(super) fn verdict(&self, entrant: usize) -> Option<String> {
        self.conduct.verdict(&self.entrants[entrant].name)
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
            decided_by: placed.decided_by,
            in_circle: placed.in_circle,
            prize: prize.filter(|_| lacks.is_empty()),
            lacks,
            grade: self.grade(placed.entrant, total.points, disqualified.is_some()),
            disqualified,
        }
    }

    /// Returns what a rank brings to an entrant, in prize points.
    pub(super) fn prize(&self, entrant: usize, rank: usize) -> Option<u32> {
        let prize = prize::of_rank(&self.scoring.prizes, rank)?;
        let penalty = self.entrants[entrant].penalty;
        let penalty = penalty.filter(|_| self.scoring.grades.is_none());
        Some(penalty.map_or(prize, |penalty| late::off_prize(prize, penalty)))
    }

    /// Returns an entrant's grade for a total.
    pub(super) fn grade(
        &self,
        entrant: usize,
        total: Points,
        disqualified: bool,
    ) -> Option<String> {
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
