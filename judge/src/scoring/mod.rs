//! Records become standings. Nothing here touches a process, a file or a clock.

mod points;

pub use points::Points;

use crate::competition::Scoring;
use crate::record::MatchRecord;
use engines::GameResult;
use std::collections::HashMap;

/// What one entrant has gathered, in one role or in all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Games played.
    pub games: u64,
    /// Games won, alone or jointly.
    pub wins: u64,
    /// Games that nobody won.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
    /// Points, CPU time taken off.
    pub points: Points,
    /// CPU time charged, in microseconds.
    pub cpu_us: u64,
    /// Faults of the entrant.
    pub faults: u64,
}

impl Tally {
    /// Adds what was gathered elsewhere.
    pub fn add(&mut self, other: &Self) {
        self.games += other.games;
        self.wins += other.wins;
        self.draws += other.draws;
        self.losses += other.losses;
        self.points += other.points;
        self.cpu_us += other.cpu_us;
        self.faults += other.faults;
    }
}

/// Gives what a game brought to the seat with this index.
pub fn tally(scoring: Scoring, record: &MatchRecord, seat: usize) -> Tally {
    let outcome = record.outcome.seats[seat];
    let cpu_us = record.seats[seat].cpu_us;
    let is = |result| u64::from(outcome.result == result);
    let faults = record.faults.iter().filter(|f| f.seat.index() == seat);
    Tally {
        games: 1,
        wins: is(GameResult::Won),
        draws: is(GameResult::Drawn),
        losses: is(GameResult::Lost),
        points: Points::whole(outcome.points)
            - Points::for_cpu(scoring.points_per_cpu_second, cpu_us),
        cpu_us,
        faults: faults.count() as u64,
    }
}

/// One row of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// The place, from 1; equal places are shared and the next ones skipped.
    pub rank: usize,
    /// The entrant's name.
    pub entrant: String,
    /// What it gathered in each role.
    pub by_role: Vec<Tally>,
    /// What it gathered in all.
    pub total: Tally,
}

/// Gathers the games of a run.
#[derive(Clone, Debug)]
pub struct Standings {
    scoring: Scoring,
    entrants: Vec<String>,
    index: HashMap<String, usize>,
    /// By entrant, then by role.
    tallies: Vec<Vec<Tally>>,
}

impl Standings {
    /// Begins a table with everybody at zero; `roles` is the number of seats.
    pub fn new(scoring: Scoring, entrants: &[String], roles: usize) -> Self {
        let numbered = entrants.iter().cloned().zip(0..);
        Self {
            scoring,
            entrants: entrants.to_vec(),
            index: numbered.collect(),
            tallies: vec![vec![Tally::default(); roles]; entrants.len()],
        }
    }

    /// Adds a game. Seats of entrants that are not in the table are passed over.
    pub fn add(&mut self, record: &MatchRecord) {
        for (seat, sitter) in record.seats.iter().enumerate() {
            if let Some(&entrant) = self.index.get(&sitter.entrant) {
                self.tallies[entrant][seat].add(&tally(self.scoring, record, seat));
            }
        }
    }

    /// Gives the table: most points first, more wins break ties; who is equal in both shares
    /// the place and is listed by name.
    pub fn ranked(&self) -> Vec<Standing> {
        let mut rows: Vec<Standing> = self
            .entrants
            .iter()
            .zip(&self.tallies)
            .map(|(entrant, by_role)| {
                let mut total = Tally::default();
                for tally in by_role {
                    total.add(tally);
                }
                Standing {
                    rank: 0,
                    entrant: entrant.clone(),
                    by_role: by_role.clone(),
                    total,
                }
            })
            .collect();
        let merit = |row: &Standing| (row.total.points, row.total.wins);
        rows.sort_by(|a, b| {
            merit(b)
                .cmp(&merit(a))
                .then_with(|| a.entrant.cmp(&b.entrant))
        });
        for index in 0..rows.len() {
            let shared = index > 0 && merit(&rows[index]) == merit(&rows[index - 1]);
            rows[index].rank = if shared {
                rows[index - 1].rank
            } else {
                index + 1
            };
        }
        rows
    }
}
