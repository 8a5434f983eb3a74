//! Games with public names in them and nothing that tells who is behind these.

use super::played::PlayedRun;
use error::JudgeError;
use journal::names::PublicNames;
use std::collections::HashMap;
use words::fault::Fault;
use words::record::{MatchRecord, MatchResult, SeatRecord};

/// The games of a run as the public may see them. They have numbers of their own, by state and
/// public names: the run's order follows the entrants' names.
pub(super) struct Masked<'a> {
    run: &'a PlayedRun<'a>,
    pub(super) names: &'a PublicNames,
    /// By place in the schedule; none for a game that has not been played, or was finished
    /// while we were reading.
    numbers: Vec<Option<usize>>,
    /// Places in the schedule, by number.
    order: Vec<usize>,
}

impl<'a> Masked<'a> {
    pub(super) fn new(run: &'a PlayedRun<'a>, names: &'a PublicNames) -> Result<Self, JudgeError> {
        let mut keys = Vec::new();
        for (place, id) in run.ids.iter().enumerate() {
            if let Some(game) = run.games.result(id)? {
                let seats = game.seats.iter();
                let seats: Vec<&str> = seats.map(|seat| names.of(&seat.entrant)).collect();
                keys.push((game.state, seats.join("\n"), place));
            }
        }
        keys.sort();
        let order: Vec<usize> = keys.into_iter().map(|(_, _, place)| place).collect();
        let mut numbers = vec![None; run.ids.len()];
        for (&place, number) in order.iter().zip(1..) {
            numbers[place] = Some(number);
        }
        Ok(Self {
            run,
            names,
            numbers,
            order,
        })
    }

    /// Returns the games' places in the schedule, in the order of their public numbers.
    pub(super) fn order(&self) -> &[usize] {
        &self.order
    }

    /// Returns the public numbers of games by their fixtures.
    pub(super) fn by_fixture(&self) -> HashMap<&str, usize> {
        let ids = self.run.ids.iter().zip(&self.numbers);
        ids.filter_map(|(id, number)| Some((id.as_str(), (*number)?)))
            .collect()
    }

    /// Reads the game at a place in the schedule, with its number.
    pub(super) fn read(&self, place: usize) -> Result<Option<(usize, MatchResult)>, JudgeError> {
        self.read_for(place, None)
    }

    /// Reads a game for the author of one entrant, who may see what this one did wrong.
    pub(super) fn read_for(
        &self,
        place: usize,
        reader: Option<&str>,
    ) -> Result<Option<(usize, MatchResult)>, JudgeError> {
        let Some(mut result) = self.run.games.result(&self.run.ids[place])? else {
            return Ok(None);
        };
        let Some(number) = self.numbers[place] else {
            return Ok(None);
        };
        result.fixture = String::new();
        self.mask(&mut result.faults, &mut result.seats, reader);
        Ok(Some((number, result)))
    }

    /// Reads a game with its moves as [`Masked::read_for`] reads it without them.
    pub(super) fn read_whole(
        &self,
        place: usize,
        reader: Option<&str>,
    ) -> Result<Option<MatchRecord>, JudgeError> {
        let Some(mut record) = self.run.games.read(&self.run.ids[place])? else {
            return Ok(None);
        };
        let Some(number) = self.numbers[place] else {
            return Ok(None);
        };
        record.fixture = number.to_string();
        self.mask(&mut record.faults, &mut record.seats, reader);
        Ok(Some(record))
    }

    fn mask(&self, faults: &mut [Fault], seats: &mut [SeatRecord], reader: Option<&str>) {
        for fault in faults {
            let whose = &seats[fault.seat.index()].entrant;
            if reader != Some(whose.as_str()) {
                fault.detail = String::new();
                fault.raised = None;
                fault.line = None;
                fault.exit = None;
            }
        }
        for seat in seats {
            seat.entrant = self.names.of(&seat.entrant).to_owned();
            seat.says = None;
            seat.artifact = String::new();
        }
    }
}
