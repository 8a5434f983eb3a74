//! The whole table of a run: ranks, removed entrants and uncertainty.

use super::strength::{Encounters, Strengths};
use super::{
    Alarm, Blocks, Conduct, RESAMPLES, Ranked, Standing, Standings, Sums, UnrankedRow, boundary,
};
use model::competition::{Competition, Disqualify};
use model::record::MatchResult;
use std::collections::HashMap;

/// The table of a run.
#[derive(Clone, Debug)]
pub struct StandingsTable {
    /// The rows, best first.
    pub rows: Vec<Standing>,
    /// Entrants without a rank, best first.
    pub unranked: Vec<UnrankedRow>,
    /// Entrants removed with all their games.
    pub removed: Vec<Removed>,
    /// Number of different games, and number of all games.
    pub distinct: (usize, usize),
    /// Why the uncertainty of the ranks is unknown, if it is.
    pub silent: Option<String>,
    /// Small changes that would have affected somebody.
    pub alarms: Vec<Alarm>,
    /// The strength of every entrant, unless games only repeat each other.
    pub strengths: Option<Strengths>,
    /// The tallies of every entrant against each opponent.
    pub sums: Sums,
    /// The standings behind the rows.
    pub standings: Standings,
}

impl StandingsTable {
    /// Returns the row of an entrant.
    pub fn row(&self, entrant: &str) -> Option<&Standing> {
        self.rows.iter().find(|row| row.entrant == entrant)
    }
}

/// An entrant removed from the table for a disqualification.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Removed {
    /// The entrant's name.
    pub entrant: String,
    /// The reason.
    pub reason: String,
    /// The grade, where the competition gives grades.
    pub grade: Option<String>,
}

/// Returns the ranks of entrants in the order of their names; all must be in the standings.
pub fn ranks_of<'a>(names: impl Iterator<Item = &'a str>, standings: &[Standing]) -> Vec<usize> {
    let ranks: HashMap<&str, usize> = standings
        .iter()
        .map(|row| (row.entrant.as_str(), row.rank))
        .collect();
    names.map(|name| ranks[name]).collect()
}

/// Gathers games for a table.
#[derive(Clone, Debug)]
pub struct Gathering {
    standings: Standings,
    blocks: Blocks,
    sums: Sums,
    encounters: Encounters,
    entrants: Vec<Ranked>,
    /// The parts of the graded games' totals, where they alone decide the grades.
    graded: Sums,
    removed: Vec<Removed>,
    seed: u64,
}

impl Gathering {
    /// Creates a gathering without games. `conduct` is that of the whole run, and matters only where
    /// disqualified entrants are removed. `seed` is that of the resamples.
    pub fn new(
        competition: &Competition,
        entrants: &[Ranked],
        roles: usize,
        conduct: &Conduct,
        seed: u64,
    ) -> Self {
        let scoring = &competition.scoring;
        let strict = scoring.disqualify == Disqualify::Remove;
        let grades = scoring.grades.as_ref();
        let (mut kept, mut removed) = (Vec::new(), Vec::new());
        for one in entrants {
            match conduct.disqualified_for(&one.name).filter(|_| strict) {
                None => kept.push(one.clone()),
                Some(reason) => removed.push(Removed {
                    entrant: one.name.clone(),
                    reason,
                    grade: grades.map(|grades| grades.disqualified.clone()),
                }),
            }
        }
        let mut standings = Standings::new(scoring, &kept, roles);
        standings.graded = Standings::of_graded_games(scoring, entrants, roles);
        let mut all = entrants.to_vec();
        all.retain(|one| !one.unranked);
        kept.retain(|one| !one.unranked);
        Self {
            standings,
            blocks: Blocks::new(scoring, &kept),
            sums: Sums::new(scoring, &kept),
            encounters: Encounters::default(),
            entrants: kept,
            graded: Sums::new(scoring, &all),
            removed,
            seed,
        }
    }

    /// Adds a game with its number in fixture order. Returns whether it counts for the table, which
    /// needs that none of its entrants is removed, and that it decides no grades alone.
    pub fn add(&mut self, number: usize, game: &MatchResult) -> bool {
        if self.standings.is_unranked(game) {
            self.standings.add(number, game);
            if self.standings.test_bot(game).is_none() {
                self.graded.add(game);
            }
            return false;
        }
        let is_out = |name: &str| self.removed.iter().any(|removed| removed.entrant == name);
        if game.seats.iter().any(|seat| is_out(&seat.entrant)) {
            return false;
        }
        self.standings.add(number, game);
        self.blocks.add(game);
        self.sums.add(game);
        self.encounters.add(game);
        true
    }

    /// Returns the table.
    pub fn table(mut self) -> StandingsTable {
        if self.standings.graded.is_some() {
            for removed in &mut self.removed {
                removed.grade = self.standings.graded(&removed.entrant).1;
            }
        }
        let silent = self.blocks.silent();
        let mut rows = self.standings.ranked();
        if silent.is_none() {
            let drawn = self.blocks.draw(RESAMPLES, self.seed);
            let names = || self.entrants.iter().map(|one| one.name.as_str());
            let ranks = drawn.ranks(&ranks_of(names(), &rows));
            let number = |row: &Standing| names().position(|name| name == row.entrant);
            let order: Vec<usize> = rows.iter().filter_map(number).collect();
            for (place, (row, &own)) in rows.iter_mut().zip(&order).enumerate() {
                let next = order.get(place + 1);
                row.uncertainty = Some(ranks[own].clone());
                row.ahead = next.map(|next| drawn.difference(own, *next));
            }
        }
        let mut alarms = boundary::alarms(&self.standings, &self.sums);
        if let Some(graded) = &self.standings.graded {
            add_graded(&mut alarms, boundary::alarms(graded, &self.graded), &rows);
        }
        StandingsTable {
            rows,
            unranked: self.standings.unranked(),
            removed: self.removed,
            distinct: self.blocks.distinct(),
            alarms,
            standings: self.standings,
            strengths: self.blocks.differ().then(|| self.encounters.fit()),
            silent,
            sums: self.sums,
        }
    }
}

/// Adds the changes to graded games that would affect a grade, unless the table has them.
fn add_graded(alarms: &mut Vec<Alarm>, graded: Vec<Alarm>, standings: &[Standing]) {
    for mut own in graded {
        if own.now.grade == own.then.grade {
            continue;
        }
        let is_same = |one: &&mut Alarm| one.entrant == own.entrant && one.change == own.change;
        if let Some(both) = alarms.iter_mut().find(is_same) {
            both.then.grade = own.then.grade;
        } else if let Some(row) = standings.iter().find(|row| row.entrant == own.entrant) {
            for award in [&mut own.now, &mut own.then] {
                (award.rank, award.prize) = (row.rank, row.prize);
            }
            alarms.push(own);
        }
    }
}
