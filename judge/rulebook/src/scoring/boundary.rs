//! The boundary alarm: small changes that would affect a grade, a prize or the first rank.

use super::{Placed, Standings, Sums, order};
use model::competition::Scoring;
use model::tally::{RankKey, Tally};
use std::collections::{HashMap, HashSet};

/// A small change to the rules or results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Half the points taken off for CPU time, for all entrants.
    HalfK,
    /// Twice the points taken off for CPU time, for all entrants.
    DoubleK,
    /// 10 % less CPU time for the entrant alone.
    LessCpu,
    /// 10 % more CPU time for the entrant alone.
    MoreCpu,
    /// All games on an initial state left out; all games of a round if there is only one state.
    WithoutState(u32),
    /// All games with this entrant at the table left out.
    WithoutOpponent(String),
    /// The table ranked by games won first, in place of points.
    WinsFirst,
    /// The table ranked by points first, in place of its own first key.
    PointsFirst,
}

/// An entrant's rank, prize and grade.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Award {
    pub rank: usize,
    pub prize: Option<u32>,
    pub grade: Option<String>,
}

impl Award {
    /// Returns whether the two differ in the prize, the grade, or the first rank.
    fn differs(&self, other: &Self) -> bool {
        (self.rank == 1) != (other.rank == 1)
            || self.prize != other.prize
            || self.grade != other.grade
    }
}

/// A small change that would have affected an entrant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alarm {
    /// The entrant.
    pub entrant: String,
    /// The change.
    pub change: Change,
    /// The entrant's actual rank, prize and grade.
    pub now: Award,
    /// Its rank, prize and grade after the change.
    pub then: Award,
}

/// Lists every change that would affect somebody. Where games are left out, points are scaled up to the
/// number of games played, so that the bounds of grades keep their meaning. An opponent who is left out keeps
/// its own rank. The other requirements of prizes count as in the actual table.
pub(super) fn alarms(standings: &Standings, sums: &Sums) -> Vec<Alarm> {
    let baseline = Baseline::new(standings);
    let mut alarms = baseline.other_ranking();
    alarms.extend(baseline.prices());
    if sums.by_state.len() > 1 {
        for (state, parts) in &sums.by_state {
            alarms.extend(baseline.without_state(*state, parts));
        }
    }
    for (name, parts) in &sums.by_opponent {
        alarms.extend(baseline.without_opponent(name, parts));
    }
    alarms
}

struct Baseline<'a> {
    standings: &'a Standings,
    totals: Vec<(usize, Tally)>,
    now: HashMap<usize, Award>,
    lacking: HashSet<usize>,
}

impl<'a> Baseline<'a> {
    fn new(standings: &'a Standings) -> Self {
        let totals = standings.totals();
        let is_lacking = |entrant: &usize| !standings.missed_requirements(*entrant).is_empty();
        let mut baseline = Self {
            standings,
            now: HashMap::new(),
            lacking: (0..totals.len()).filter(is_lacking).collect(),
            totals,
        };
        baseline.now = baseline.awards(&standings.scoring, &baseline.totals, None, None);
        baseline
    }

    /// `opponent` is an entrant who is not in these totals and keeps its rank.
    fn awards(
        &self,
        scoring: &Scoring,
        totals: &[(usize, Tally)],
        without: Option<u32>,
        opponent: Option<usize>,
    ) -> HashMap<usize, Award> {
        let standings = self.standings;
        let beat = standings.head_to_head.beat(without);
        let placed = order(scoring, &standings.entrants, totals, &beat);
        let points: HashMap<usize, _> = totals.iter().map(|(n, t)| (*n, t.points)).collect();
        let award = |one: &Placed| {
            let entrant = one.entrant;
            let is_above = |it: usize| self.now[&it].rank < self.now[&entrant].rank;
            let rank = one.rank + usize::from(opponent.is_some_and(is_above));
            let prize = standings.prize(entrant, rank);
            let is_out = standings.disqualified_for(entrant).is_some();
            let award = Award {
                rank,
                prize: prize.filter(|_| !self.lacking.contains(&entrant)),
                grade: standings.grade(entrant, points[&entrant], is_out),
            };
            (entrant, award)
        };
        placed.iter().map(award).collect()
    }

    fn changed(&self, change: impl Fn(usize, &Tally) -> Tally) -> Vec<(usize, Tally)> {
        let changed = |(entrant, total): &(usize, Tally)| (*entrant, change(*entrant, total));
        self.totals.iter().map(changed).collect()
    }

    fn alarm(&self, entrant: usize, change: &Change, then: &Award) -> Option<Alarm> {
        let now = &self.now[&entrant];
        now.differs(then).then(|| Alarm {
            entrant: self.standings.entrants[entrant].name.clone(),
            change: change.clone(),
            now: now.clone(),
            then: then.clone(),
        })
    }

    fn compare(
        &self,
        change: &Change,
        totals: &[(usize, Tally)],
        then: &HashMap<usize, Award>,
    ) -> Vec<Alarm> {
        totals
            .iter()
            .filter(|(_, total)| total.games > 0)
            .filter_map(|(entrant, _)| self.alarm(*entrant, change, &then[entrant]))
            .collect()
    }

    fn other_ranking(&self) -> Vec<Alarm> {
        let mut scoring = self.standings.scoring.clone();
        let (change, first) = match scoring.ranking[0] {
            RankKey::Points => (Change::WinsFirst, RankKey::Wins),
            RankKey::Wins | RankKey::Placement | RankKey::TieBreak => {
                (Change::PointsFirst, RankKey::Points)
            }
        };
        scoring.ranking.retain(|key| *key != first);
        scoring.ranking.insert(0, first);
        let then = self.awards(&scoring, &self.totals, None, None);
        let mut alarms = self.compare(&change, &self.totals, &then);
        alarms.retain(|alarm| (alarm.now.rank == 1) != (alarm.then.rank == 1));
        alarms
    }

    fn prices(&self) -> Vec<Alarm> {
        let mut alarms = Vec::new();
        let scoring = &self.standings.scoring;
        if scoring.points_per_cpu_second == 0.0 {
            return alarms;
        }
        for (change, (by, over)) in [(Change::HalfK, (1, 2)), (Change::DoubleK, (2, 1))] {
            let totals = self.changed(|_, total| priced(total, by, over));
            let then = self.awards(scoring, &totals, None, None);
            alarms.extend(self.compare(&change, &totals, &then));
        }
        for entrant in 0..self.totals.len() {
            for (change, by) in [(Change::LessCpu, 9), (Change::MoreCpu, 11)] {
                let mut totals = self.totals.clone();
                totals[entrant].1 = priced(&totals[entrant].1, by, 10);
                let then = self.awards(scoring, &totals, None, None);
                alarms.extend(self.alarm(entrant, &change, &then[&entrant]));
            }
        }
        alarms
    }

    fn without_state(&self, state: u32, parts: &[Tally]) -> Vec<Alarm> {
        let totals = self.changed(|entrant, total| rest(total, &parts[entrant]));
        let then = self.awards(&self.standings.scoring, &totals, Some(state), None);
        self.compare(&Change::WithoutState(state), &totals, &then)
    }

    fn without_opponent(&self, name: &str, parts: &[Tally]) -> Vec<Alarm> {
        let entrants = &self.standings.entrants;
        let mut totals = self.changed(|entrant, total| rest(total, &parts[entrant]));
        totals.retain(|(entrant, _)| entrants[*entrant].name != name);
        let opponent = entrants
            .iter()
            .position(|one| one.name == name)
            .filter(|it| self.now.contains_key(it));
        let then = self.awards(&self.standings.scoring, &totals, None, opponent);
        self.compare(&Change::WithoutOpponent(name.to_owned()), &totals, &then)
    }
}

fn priced(total: &Tally, by: u64, over: u64) -> Tally {
    let cpu_cost = total.cpu_cost.times(by, over);
    Tally {
        points: total.base() - cpu_cost,
        cpu_cost,
        ..*total
    }
}

/// Returns a total without some of its games, scaled up to the original number of games.
fn rest(total: &Tally, part: &Tally) -> Tally {
    let rest = total.without(part);
    Tally {
        points: rest.points.times(total.games, rest.games),
        ..rest
    }
}
