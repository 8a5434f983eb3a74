//! The effect of an entrant's last version on its results.

use crate::played::PlayedRun;
use model::competition::Competition;
use model::fixture::Participant;
use model::game_id::GameId;
use model::record::MatchResult;
use rulebook::JudgeError;
use rulebook::schedule;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use store::{Moment, MomentEntrant};

#[derive(Clone, Debug)]
pub(crate) struct ResultsAt<'a> {
    pub(crate) moment: &'a Moment,
    pub(crate) own: &'a MomentEntrant,
    /// By opponent: its program, and the results against it.
    pub(crate) against: BTreeMap<String, (&'a str, Record)>,
}

/// Games in which an entrant finished ahead of another, level with it, and behind it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Record(pub(crate) [u64; 3]);

impl Record {
    pub(crate) fn add(&mut self, own: u8, other: u8) {
        self.0[match own.cmp(&other) {
            Ordering::Less => 0,
            Ordering::Equal => 1,
            Ordering::Greater => 2,
        }] += 1;
    }

    pub(crate) fn games(self) -> u64 {
        self.0.iter().sum()
    }

    /// Returns the share of games won, in percent; a drawn game counts half.
    pub(crate) fn percent(self) -> Option<u64> {
        self.share_ppm().map(percent)
    }

    pub(crate) fn share_ppm(self) -> Option<u64> {
        let [ahead, level, _] = self.0;
        (2_000_000 * ahead + 1_000_000 * level).checked_div(2 * self.games())
    }
}

const fn percent(ppm: u64) -> u64 {
    (ppm + 5_000) / 10_000
}

/// The last version of an entrant, and the one before it.
#[derive(Clone, Debug)]
pub(crate) struct OwnChange<'a> {
    /// At the last moment of the earlier version with all games of the round played, else at its last.
    pub(crate) before: ResultsAt<'a>,
    /// At the first such moment of the last version in that round, else at its last such one, else at the last.
    pub(crate) after: ResultsAt<'a>,
}

impl OwnChange<'_> {
    /// Lists the opponents whose same program both versions met, with the records against them.
    pub(crate) fn alike(&self) -> Vec<(&str, Record, Record)> {
        self.before
            .against
            .iter()
            .filter_map(|(name, (artifact, then))| {
                let (other, now) = self.after.against.get(name)?;
                (artifact == other).then_some((name.as_str(), *then, *now))
            })
            .collect()
    }

    /// Returns the share of games won by each version against these, in percent; each opponent counts the same.
    pub(crate) fn shares(&self) -> Option<(u64, u64)> {
        let alike = self.alike();
        let mean = |records: &mut dyn Iterator<Item = Record>| {
            let sum: u64 = records.filter_map(Record::share_ppm).sum();
            sum.checked_div(alike.len() as u64).map(percent)
        };
        let then = mean(&mut alike.iter().map(|(_, then, _)| *then))?;
        Some((then, mean(&mut alike.iter().map(|(_, _, now)| *now))?))
    }
}

pub(crate) fn versions<'a>(
    moments: impl Iterator<Item = &'a Moment>,
    entrant: &str,
) -> Vec<(&'a Moment, &'a MomentEntrant)> {
    let mut all: Vec<(&Moment, &MomentEntrant)> = Vec::new();
    for moment in moments {
        if let Some(own) = moment.entrant(entrant) {
            all.pop_if(|(_, before)| before.artifact == own.artifact);
            all.push((moment, own));
        }
    }
    all.reverse();
    all
}

impl<'a> PlayedRun<'a> {
    /// Returns the effect of an entrant's last version; `None` if no moment has an earlier version.
    pub(crate) fn own_change(&self, entrant: &str) -> Result<Option<OwnChange<'a>>, JudgeError> {
        let moments: Vec<&Moment> = self.games.moments().collect();
        let Some((earlier, after)) = compared(&moments, entrant) else {
            return Ok(None);
        };
        let sides = (
            self.results_at(entrant, earlier)?,
            self.results_at(entrant, after)?,
        );
        let (Some(before), Some(after)) = sides else {
            return Ok(None);
        };
        Ok(Some(OwnChange { before, after }))
    }

    fn results_at(
        &self,
        entrant: &str,
        number: usize,
    ) -> Result<Option<ResultsAt<'a>>, JudgeError> {
        let moment = self.games.moments().nth(number);
        let Some((moment, own)) = moment.and_then(|one| Some((one, one.entrant(entrant)?))) else {
            return Ok(None);
        };
        let mut records: BTreeMap<String, Record> = BTreeMap::new();
        for id in self.own_ids(entrant, moment)? {
            if !self.games.was_finished(id, number) {
                continue;
            }
            if let Some(game) = self.games.result(id)? {
                add(&mut records, entrant, &game);
            }
        }
        let met = records.into_iter().filter_map(|(name, record)| {
            let artifact = moment.entrant(&name)?.artifact.as_str();
            Some((name, (artifact, record)))
        });
        Ok(Some(ResultsAt {
            moment,
            own,
            against: met.collect(),
        }))
    }

    fn own_ids(&self, entrant: &str, moment: &Moment) -> Result<Vec<GameId>, JudgeError> {
        let competition = Competition {
            round: moment.round.clone(),
            ..self.manifest.competition.clone()
        };
        let draw = self.keys.draw(&competition);
        let sitting: Vec<Participant> = moment
            .entrants
            .iter()
            .map(|one| Participant {
                entrant: one.entrant.as_str().into(),
                artifact: one.artifact.as_str().into(),
            })
            .collect();
        let filler = self.manifest.filler.as_ref();
        schedule::ids(&competition, &draw, &sitting, filler, Some(entrant))
    }
}

pub(crate) fn ranked(moment: &Moment) -> usize {
    let ranked = moment.entrants.iter().filter(|one| one.rank.is_some());
    ranked.count()
}

/// Chooses the moments of [`OwnChange::before`] and [`OwnChange::after`]; `None` without an earlier version.
fn compared(moments: &[&Moment], entrant: &str) -> Option<(usize, usize)> {
    let program = |at: usize| Some(moments[at].entrant(entrant)?.artifact.as_str());
    let last = moments.len().checked_sub(1)?;
    let now = program(last)?;
    let earlier = (0..last).rfind(|&at| program(at).is_some_and(|then| then != now))?;
    let is_whole = |at: &usize| moments[*at].is_whole();
    let mut old = (0..=earlier).filter(|&at| program(at) == program(earlier));
    let before = old.rfind(is_whole).unwrap_or(earlier);
    let mut new = (earlier + 1..=last).filter(|&at| program(at) == Some(now) && is_whole(&at));
    // The sooner after it, the fewer other entrants have changed.
    let soonest = new
        .clone()
        .find(|&at| moments[at].round == moments[before].round);
    Some((before, soonest.or_else(|| new.next_back()).unwrap_or(last)))
}

pub(crate) fn add(against: &mut BTreeMap<String, Record>, entrant: &str, game: &MatchResult) {
    let places = game.outcome.seats.iter().map(|seat| seat.placement);
    let seats: Vec<(&str, u8)> = game
        .seats
        .iter()
        .map(|seat| seat.entrant.as_str())
        .zip(places)
        .collect();
    for (_, own) in seats.iter().filter(|(name, _)| *name == entrant) {
        for (other, place) in seats.iter().filter(|(name, _)| *name != entrant) {
            against
                .entry((*other).to_owned())
                .or_default()
                .add(*own, *place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::Timestamp;

    /// A moment with one entrant and two games.
    fn moment(round: &str, artifact: &str, played: u64) -> Moment {
        Moment {
            at: Timestamp::UNIX_EPOCH,
            round: round.to_owned(),
            played,
            of: 2,
            frozen: false,
            entrants: vec![MomentEntrant {
                entrant: "ann".to_owned(),
                artifact: artifact.to_owned(),
                ..MomentEntrant::default()
            }],
        }
    }

    #[test]
    fn draw_counts_half_and_zero_games_lack_share() {
        assert_eq!(Record([2, 1, 1]).percent(), Some(63));
        assert_eq!(Record([0, 0, 3]).percent(), Some(0));
        assert_eq!(Record::default().percent(), None);
    }

    #[test]
    fn only_unchanged_opponents_are_compared_with_equal_weight() {
        let moment = moment("", "", 0);
        let own = &moment.entrants[0];
        let results_at = |all: &[(&str, &'static str, [u64; 3])]| {
            let met = all
                .iter()
                .map(|(name, artifact, record)| ((*name).to_owned(), (*artifact, Record(*record))));
            ResultsAt {
                moment: &moment,
                own,
                against: met.collect(),
            }
        };
        let change = OwnChange {
            before: results_at(&[
                ("ann", "1", [1, 0, 1]),
                ("bob", "1", [2, 0, 0]),
                ("cid", "1", [0, 0, 2]),
                ("zoe", "1", [2, 0, 0]),
            ]),
            after: results_at(&[
                ("ann", "1", [1, 0, 9]),
                ("bob", "2", [0, 0, 2]),
                ("cid", "1", [2, 0, 0]),
                ("eve", "1", [2, 0, 0]),
            ]),
        };
        let alike = change.alike();
        let names: Vec<&str> = alike.iter().map(|(name, ..)| *name).collect();
        assert_eq!(names, ["ann", "cid"]);
        assert_eq!(change.shares(), Some((25, 55)));
        let nobody = OwnChange {
            after: results_at(&[]),
            ..change
        };
        assert_eq!(nobody.shares(), None);
    }

    #[test]
    fn whole_rounds_are_compared_where_there_are_some() {
        let chosen = |all: &[(&str, &str, u64)]| {
            let all: Vec<Moment> = all
                .iter()
                .map(|&(round, artifact, played)| moment(round, artifact, played))
                .collect();
            compared(&all.iter().collect::<Vec<_>>(), "ann")
        };
        let (old, new) = (("1", "old", 2), ("1", "new", 2));
        assert_eq!(chosen(&[old, new, new]), Some((0, 1)));
        assert_eq!(
            chosen(&[old, ("1", "old", 1), ("1", "new", 1), new]),
            Some((0, 3))
        );
        let other = ("2", "new", 2);
        assert_eq!(chosen(&[old, ("1", "new", 1), other, other]), Some((0, 3)));
        assert_eq!(chosen(&[old, ("1", "new", 1)]), Some((0, 1)));
        assert_eq!(chosen(&[("1", "old", 1), new]), Some((0, 1)));
        assert_eq!(
            chosen(&[("1", "older", 2), ("1", "old", 1), new]),
            Some((1, 2))
        );
        assert_eq!(chosen(&[new, new]), None);
    }
}
