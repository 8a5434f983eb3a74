//! Moments of a run: noted from its table, shown under public names, thinned out to what a page can carry, and
//! compared for the effect of an entrant's last version.

use crate::run_data::PlayedRun;
use crate::submission_result::SubmissionResult;
use jiff::Timestamp;
use model::competition::Competition;
use model::fixture::Participant;
use model::game_id::GameId;
use model::record::MatchResult;
use rulebook::scoring::StandingsTable;
use rulebook::{JudgeError, Result, schedule};
use std::cmp::Ordering;
use std::collections::BTreeMap;
use store::manifest::{DrawLine, DrawSource, EntrantLine, Manifest};
use store::names::PublicNames;
use store::{Games, Moment, MomentEntrant};

/// Lists the entrants of a run with their places in this table, in the order of the manifest.
pub fn moment_entrants(manifest: &Manifest, table: &StandingsTable) -> Vec<MomentEntrant> {
    let entrant = |line: &EntrantLine| {
        let result = SubmissionResult::of(table, Some(line));
        let total = result.tallies().map(|(_, total)| total.points);
        Some(MomentEntrant {
            artifact: line.artifact.clone()?,
            version: line.version,
            received: line.timing.map(|timing| timing.received),
            rank: result.standing().map(|row| row.rank),
            points: total.unwrap_or_default(),
            entrant: line.name.clone(),
        })
    };
    manifest.entrants.iter().filter_map(entrant).collect()
}

/// Returns whether publications are frozen: the last moment says so, and the secret is not revealed.
pub fn is_frozen(draw: &DrawLine, games: &Games) -> bool {
    games.moments().next_back().is_some_and(|last| last.frozen) && !is_revealed(draw)
}

/// Returns whether the secret of a draw has been published.
pub fn is_revealed(draw: &DrawLine) -> bool {
    matches!(&draw.source, DrawSource::Secret { revealed, .. } if revealed.is_some())
}

/// Lists the moments that the public may see, [`thinned`]: until the secret is revealed, those before the
/// freeze. They never say when a version was received. If somebody is hidden behind a pseudonym, all give only
/// the day, and hidden entrants have no version number: friends know how often and when somebody has submitted.
pub(crate) fn public_moments(
    games: &Games,
    manifest: &Manifest,
    names: &PublicNames,
    program: &dyn Fn(&str, &str) -> String,
) -> Vec<Moment> {
    let is_there = |name: &str| manifest.entrants.iter().any(|line| line.name == name);
    let revealed = is_revealed(&manifest.draw);
    let shown = games.moments().filter(|moment| revealed || !moment.frozen);
    (thinned(shown, names.has_hidden()).into_iter())
        .map(|moment| masked(moment.clone(), names, program, is_there))
        .collect()
}

fn masked(
    mut moment: Moment,
    names: &PublicNames,
    program: &dyn Fn(&str, &str) -> String,
    is_there: impl Fn(&str) -> bool,
) -> Moment {
    moment.entrants.retain(|one| is_there(&one.entrant));
    for one in &mut moment.entrants {
        one.artifact = program(&one.entrant, &one.artifact);
        one.received = None;
        one.version = one.version.filter(|_| !names.is_hidden(&one.entrant));
        one.entrant = names.of(&one.entrant).to_owned();
    }
    moment.entrants.sort_by(|a, b| a.entrant.cmp(&b.entrant));
    if names.has_hidden() {
        moment.at = Timestamp::from_second(day(&moment) * DAY_S).unwrap_or(moment.at);
    }
    moment
}

pub(crate) fn text(moments: &[Moment]) -> Vec<u8> {
    let mut text = Vec::new();
    for moment in moments {
        serde_json::to_writer(&mut text, moment).expect("memory");
        text.push(b'\n');
    }
    text
}

pub(crate) fn read_moments(text: &str) -> Result<Vec<Moment>> {
    let wrong = |number, error| {
        JudgeError::input(format!(
            "line {number} of {MOMENTS} is not a moment: {error}"
        ))
    };
    (text.lines().zip(1..))
        .map(|(line, number)| serde_json::from_str(line).map_err(|error| wrong(number, error)))
        .collect()
}

pub(crate) const MOMENTS: &str = "moments.jsonl";

const DAY_S: i64 = 86_400;
/// Number of newest moments that are kept, however close together they are.
const RECENT: usize = 24;
/// Numbers of recent days with one moment an hour, and with one a day. Before them it is one a week.
const HOURLY_DAYS: i64 = 2;
const DAILY_DAYS: i64 = 30;

fn day(moment: &Moment) -> i64 {
    moment.at.as_second().div_euclid(DAY_S)
}

/// Selects what a page can carry: the last moment of each hour, day or week (the older, the coarser), and the
/// newest ones, unless moments give only the day (`is_daily`).
pub(crate) fn thinned<'a>(
    moments: impl DoubleEndedIterator<Item = &'a Moment>,
    is_daily: bool,
) -> Vec<&'a Moment> {
    let mut back = moments.rev().peekable();
    let newest = back.peek().map_or(0, |moment| day(moment));
    let mut kept: Vec<&Moment> = Vec::new();
    let mut before = None;
    for moment in back {
        let length = match newest - day(moment) {
            ..HOURLY_DAYS if !is_daily => DAY_S / 24,
            ..DAILY_DAYS => DAY_S,
            _ => 7 * DAY_S,
        };
        let part = Some((length, moment.at.as_second().div_euclid(length)));
        if part != before || (!is_daily && kept.len() < RECENT) {
            kept.push(moment);
        }
        before = part;
    }
    kept.reverse();
    kept
}

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
        let mean = |record: fn(&(&str, Record, Record)) -> Record| {
            let shares = alike.iter().map(record).filter_map(Record::share_ppm);
            let sum: u64 = shares.sum();
            sum.checked_div(alike.len() as u64).map(percent)
        };
        Some((mean(|one| one.1)?, mean(|one| one.2)?))
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
    pub(crate) fn own_change(&self, entrant: &str) -> Result<Option<OwnChange<'a>>> {
        let moments: Vec<&Moment> = self.games.moments().collect();
        let Some((before, after)) = compared(&moments, entrant) else {
            return Ok(None);
        };
        Ok(Some(OwnChange {
            before: self.results_at(entrant, before, moments[before])?,
            after: self.results_at(entrant, after, moments[after])?,
        }))
    }

    fn results_at(
        &self,
        entrant: &str,
        number: usize,
        moment: &'a Moment,
    ) -> Result<ResultsAt<'a>> {
        let mut records = BTreeMap::new();
        let mut ids = self.own_ids(entrant, moment)?;
        ids.retain(|id| self.games.was_finished(*id, number));
        for id in ids {
            if let Some(game) = self.games.result(id)? {
                add(&mut records, entrant, &game);
            }
        }
        let met = records.into_iter().filter_map(|(name, record)| {
            let artifact = moment.entrant(&name)?.artifact.as_str();
            Some((name, (artifact, record)))
        });
        Ok(ResultsAt {
            moment,
            own: moment.entrant(entrant).expect("its versions are compared"),
            against: met.collect(),
        })
    }

    fn own_ids(&self, entrant: &str, moment: &Moment) -> Result<Vec<GameId>> {
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
    moment.entrants.iter().filter_map(|one| one.rank).count()
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
    Some((
        before,
        new.clone()
            .find(|&at| moments[at].round == moments[before].round)
            .or_else(|| new.next_back())
            .unwrap_or(last),
    ))
}

pub(crate) fn add(against: &mut BTreeMap<String, Record>, entrant: &str, game: &MatchResult) {
    let seats = || game.seats.iter().zip(&game.outcome.seats);
    for (_, own) in seats().filter(|(seat, _)| seat.entrant == entrant) {
        for (seat, other) in seats().filter(|(seat, _)| seat.entrant != entrant) {
            against
                .entry(seat.entrant.clone())
                .or_default()
                .add(own.placement, other.placement);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::Timestamp;
    use store::names::{NamePreference, Pseudonyms};

    #[test]
    fn hidden_entrants_have_no_version_and_daily_moments() {
        let staff = tempfile::tempdir().expect("a temporary folder");
        let entrants = ["ann", "zoe"];
        let pseudonyms = Pseudonyms::of_run(staff.path(), entrants.into_iter()).expect("readable");
        let preference = |entrant, anonymous| NamePreference {
            entrant,
            anonymous,
            platform_named: false,
            nickname: None,
            people: "",
            known: &[],
        };
        let known = [preference("ann", false), preference("zoe", false)];
        let hidden = [preference("ann", false), preference("zoe", true)];
        let [known, hidden] = [known, hidden].map(|all| PublicNames::new(None, &all, &pseudonyms));
        assert!(!known.has_hidden() && hidden.has_hidden());
        let moment = Moment {
            at: "2026-12-02T10:20:30Z".parse().expect("a time"),
            entrants: entrants
                .map(|name| MomentEntrant {
                    entrant: name.to_owned(),
                    version: Some(3),
                    received: Some(Timestamp::UNIX_EPOCH),
                    ..MomentEntrant::default()
                })
                .to_vec(),
            ..moment("", "", 2)
        };
        let reported = masked(moment, &hidden, &|_, artifact| artifact.to_owned(), |_| {
            true
        });
        let version = |name: &str| reported.entrant(name).expect("it is there").version;
        assert_eq!(version("ann"), Some(3));
        assert_eq!(version(hidden.of("zoe")), None);
        assert!(reported.entrants.iter().all(|one| one.received.is_none()));
        assert!(reported.entrant("zoe").is_none());
        assert_eq!(reported.at.to_string(), "2026-12-02T00:00:00Z");
    }

    use model::competition::FINAL;

    #[test]
    fn older_moments_are_coarser_and_bounded_in_number() {
        let moment = |minutes: i64| Moment {
            at: Timestamp::from_second(1_790_000_000 + minutes * 60).expect("near"),
            ..moment(FINAL, "", 2)
        };
        // A year with a moment every ten minutes.
        let all: Vec<Moment> = (0..365 * 144).map(|at| moment(at * 10)).collect();
        for (is_daily, most) in [(false, 150), (true, 90)] {
            let kept = thinned(all.iter(), is_daily);
            assert!((most - 25..most).contains(&kept.len()), "{}", kept.len());
            assert_eq!(kept.last(), Some(&&all[all.len() - 1]));
            assert!(kept.windows(2).all(|two| two[0].at < two[1].at));
            let days: std::collections::HashSet<_> = kept.iter().map(|one| day(one)).collect();
            assert_eq!(days.len() == kept.len(), is_daily);
        }
        let few = [moment(0), moment(1), moment(90)];
        assert_eq!(thinned(few.iter(), false).len(), 3);
        assert!(thinned([].iter(), false).is_empty());
    }

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
        let found = chosen(&[old, ("1", "old", 1), ("1", "new", 1), new]);
        assert_eq!(found, Some((0, 3)));
        let other = ("2", "new", 2);
        assert_eq!(chosen(&[old, ("1", "new", 1), other, other]), Some((0, 3)));
        assert_eq!(chosen(&[old, ("1", "new", 1)]), Some((0, 1)));
        assert_eq!(chosen(&[("1", "old", 1), new]), Some((0, 1)));
        let found = chosen(&[("1", "older", 2), ("1", "old", 1), new]);
        assert_eq!(found, Some((1, 2)));
        assert_eq!(chosen(&[new, new]), None);
    }
}
