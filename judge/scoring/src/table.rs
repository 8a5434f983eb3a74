//! The whole table of a run: who stands where, who is left out, and how sure that is.

use super::{
    Alarm, Beside, Blocks, Conduct, Difference, Encounters, RESAMPLES, Ranked, Standing, Standings,
    Strengths, Sums, Uncertainty, alarms,
};
use std::collections::HashMap;
use words::competition::{Competition, Disqualify};
use words::record::MatchResult;

/// The table of a run.
#[derive(Clone, Debug)]
pub struct StandingsTable {
    /// The rows, the best one first.
    pub rows: Vec<StandingsRow>,
    /// Who has no rank, the best one first.
    pub beside: Vec<Beside>,
    /// Who is left out with all games, and why.
    pub removed: Vec<(String, String)>,
    /// Different games, and all games.
    pub distinct: (usize, usize),
    /// Why nothing is said about how sure the ranks are, if so.
    pub silent: Option<String>,
    /// Small changes that would have made a difference to somebody.
    pub alarms: Vec<Alarm>,
    /// How strong everybody is, unless games were only repeated.
    pub strengths: Option<Strengths>,
    /// What everybody gathered against each opponent.
    pub sums: Sums,
    /// What the rows were made from.
    pub standings: Standings,
}

impl StandingsTable {
    /// Returns the row of an entrant.
    pub fn row(&self, entrant: &str) -> Option<&StandingsRow> {
        let mut rows = self.rows.iter();
        rows.find(|row| row.standing.entrant == entrant)
    }
}

/// One row of the table.
#[derive(Clone, Debug)]
pub struct StandingsRow {
    /// Rank and sums.
    pub standing: Standing,
    /// How sure the rank is, where that can be said.
    pub uncertainty: Option<Uncertainty>,
    /// How far ahead of the next row, in points per game.
    pub ahead: Option<Difference>,
    /// See [`Ranked::knew_draw`].
    pub knew_draw: bool,
}

/// Returns the ranks of entrants, all of whom are in the standings, in the order of their names.
pub fn ranks_of<'a>(names: impl Iterator<Item = &'a str>, standings: &[Standing]) -> Vec<usize> {
    let rows = standings.iter();
    let ranks: HashMap<&str, usize> = rows.map(|row| (row.entrant.as_str(), row.rank)).collect();
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
    removed: Vec<(String, String)>,
    seed: u64,
}

impl Gathering {
    /// Begins with no game. `conduct` is that of the whole run; it is needed, and looked at,
    /// only where the competition removes the disqualified. Resamples are drawn from the seed.
    pub fn new(
        competition: &Competition,
        entrants: &[Ranked],
        roles: usize,
        conduct: &Conduct,
        seed: u64,
    ) -> Self {
        let scoring = &competition.scoring;
        let strict = scoring.disqualify == Disqualify::Remove;
        let out = |one: &Ranked| conduct.verdict(&one.name).filter(|_| strict);
        let removed = entrants
            .iter()
            .filter_map(|one| Some((one.name.clone(), out(one)?)))
            .collect();
        let mut kept: Vec<Ranked> = entrants
            .iter()
            .filter(|one| out(one).is_none())
            .cloned()
            .collect();
        let standings = Standings::new(scoring, &kept, roles);
        kept.retain(|one| !one.beside);
        Self {
            standings,
            blocks: Blocks::new(scoring, &kept),
            sums: Sums::new(scoring, &kept),
            encounters: Encounters::default(),
            entrants: kept,
            removed,
            seed,
        }
    }

    /// Adds a game with its number in fixture order; returns whether it counts, as nobody in it
    /// is removed.
    pub fn add(&mut self, number: usize, game: &MatchResult) -> bool {
        let is_out = |name: &str| self.removed.iter().any(|(removed, _)| removed == name);
        if game.seats.iter().any(|seat| is_out(&seat.entrant)) {
            return false;
        }
        self.standings.add(number, game);
        self.blocks.add(game);
        self.sums.add(game);
        self.encounters.add(game);
        true
    }

    /// Makes the table.
    pub fn table(self) -> StandingsTable {
        let silent = self.blocks.silent();
        let standings = self.standings.ranked();
        let number = |name: &str| {
            let found = self.entrants.iter().position(|one| one.name == name);
            found.expect("rows are of entrants")
        };
        let drawn = silent
            .is_none()
            .then(|| self.blocks.draw(RESAMPLES, self.seed));
        let shown = ranks_of(
            self.entrants.iter().map(|one| one.name.as_str()),
            &standings,
        );
        let ranks = drawn.as_ref().map(|drawn| drawn.ranks(&shown));
        let next = standings.iter().skip(1).map(Some).chain([None]);
        let rows = standings.iter().zip(next).map(|(standing, next)| {
            let own = number(&standing.entrant);
            StandingsRow {
                standing: standing.clone(),
                uncertainty: ranks.as_ref().map(|ranks| ranks[own].clone()),
                ahead: drawn
                    .as_ref()
                    .zip(next)
                    .map(|(drawn, next)| drawn.difference(own, number(&next.entrant))),
                knew_draw: self.entrants[own].knew_draw,
            }
        });
        StandingsTable {
            rows: rows.collect(),
            beside: self.standings.beside(),
            removed: self.removed,
            distinct: self.blocks.distinct(),
            alarms: alarms(&self.standings, &self.sums),
            standings: self.standings,
            strengths: self.blocks.differ().then(|| self.encounters.fit()),
            silent,
            sums: self.sums,
        }
    }
}
