//! The evidence of finished games: which bots become ready, whose games were in doubt, and whether the
//! rules fail so often that the game is to blame.

use model::builtin::is_builtin;
use model::fault::{Cause, Fault, Phase};
use model::fixture::{Fixture, Unready};
use model::game_id::GameId;
use model::numbers::counted;
use model::record::MatchRecord;
use model::startup::{Startup, Verdict};
use rulebook::Result;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard};
use store::Games;

pub(super) const RULES_MATCHES_MIN: usize = 20;

/// A run stops only if the rules fail in more than one of so many matches.
const RULES_MATCHES_SHARE: usize = 3;

/// Number of entrants who together cannot stop a run.
const COLLUDERS: usize = 2;

pub(super) type Matches<'a> = BTreeSet<Vec<&'a str>>;

/// The entrants with the most failures may have made them, so it must be so without them too.
pub(super) fn is_game_to_blame(failed: &Matches<'_>, played: &Matches<'_>) -> bool {
    let are_many = |without: &[&str]| {
        let count = |matches: &Matches<'_>| {
            matches
                .iter()
                .filter(|names| without.iter().all(|name| !names.contains(name)))
                .count()
        };
        let failed = count(failed);
        failed >= RULES_MATCHES_MIN && failed * RULES_MATCHES_SHARE > count(played)
    };
    let mut failures: BTreeMap<&str, usize> = BTreeMap::new();
    for name in failed.iter().flatten() {
        *failures.entry(name).or_default() += 1;
    }
    let mut worst: Vec<&str> = failures.keys().copied().collect();
    worst.sort_by_key(|name| Reverse(failures[name]));
    worst.truncate(COLLUDERS);
    are_many(&[]) && are_many(&worst)
}

#[derive(Default)]
pub(super) struct FailedBeforeMove {
    moved: HashSet<Arc<str>>,
    ends: BTreeMap<Arc<str>, String>,
}

impl FailedBeforeMove {
    /// The machine may lack something that such a program needs.
    pub(super) fn is_unmoved(&mut self, fixture: &Fixture, record: &MatchRecord) -> bool {
        let moved = record
            .turns
            .iter()
            .filter(|turn| turn.mv.is_some())
            .map(|turn| Arc::clone(&fixture.seats[turn.seat.index()].artifact));
        self.moved.extend(moved);
        let lacking = record.faults.iter().find(|fault| {
            let artifact = &fixture.seats[fault.seat.index()].artifact;
            let seat = record.seats.get(fault.seat.index());
            let is_started = !seat.is_some_and(|seat| seat.not_started);
            is_started && may_lack(fault) && !self.moved.contains(artifact)
        });
        if let Some(fault) = lacking {
            let entrant = Arc::clone(&fixture.seats[fault.seat.index()].entrant);
            self.ends
                .entry(entrant)
                .or_insert_with(|| fault.detail.clone());
        }
        lacking.is_some()
    }

    pub(super) fn words(&self) -> Option<String> {
        let (entrant, fault) = self.ends.first_key_value()?;
        let others = match self.ends.len() - 1 {
            0 => String::new(),
            others => format!(" (and so did those of {})", counted(others, "other")),
        };
        Some(format!(
            "the program of {entrant} failed on this machine before its first move{others}: {fault}. The machine may \
             lack something that it needs; merge the games played so far, and judge run plays the rest where the \
             programs were built"
        ))
    }
}

/// It may lack a library, a module, an instruction.
fn may_lack(fault: &Fault) -> bool {
    fault.phase != Phase::Turn
        || fault.exit.is_some()
        || fault.raised.is_some()
        || matches!(fault.cause, Cause::Silence | Cause::Idle | Cause::Closed)
}

#[derive(Default)]
pub(crate) struct Startups<'a> {
    all: Vec<&'a Fixture>,
    verdicts: HashMap<&'a str, Verdict>,
    shown: HashMap<(GameId, &'a str), Startup>,
}

impl<'a> Startups<'a> {
    pub(crate) fn of(all: &'a [Fixture], games: &Games) -> Result<Self> {
        let mut startups = Self::default();
        startups.all.extend(all);
        startups.all.sort_by_key(|fixture| fixture.number);
        for fixture in all {
            for name in fixture.seats.iter().map(|seat| &*seat.entrant) {
                let is_own = |them: &Unready| {
                    let own = fixture.seats_of(name);
                    own.iter().any(|seat| them.seats.contains(seat))
                };
                if let Some(carried) = fixture.unready.filter(is_own) {
                    let verdict = Verdict::NeverReady(carried.cause);
                    startups.verdicts.insert(name, verdict);
                } else if !startups.verdicts.contains_key(name) {
                    startups.read(name, games)?;
                }
            }
        }
        Ok(startups)
    }

    fn read(&mut self, name: &'a str, games: &Games) -> Result {
        let mut failed = None;
        let shown = &mut self.shown;
        let mut read = |fixture: &Fixture| match games.result(fixture.id) {
            Ok(result) => {
                let found =
                    result.map(|it| Startup::of(name, &it.seats, &it.faults, it.overloaded));
                shown.extend(found.map(|found| ((fixture.id, name), found)));
                found
            }
            Err(error) => {
                failed.get_or_insert(error);
                None
            }
        };
        let verdict = if is_builtin(name) {
            Verdict::Starts
        } else {
            verdict(&self.all, name, &mut read)
        };
        self.verdicts.insert(name, verdict);
        failed.map_or(Ok(()), Err)
    }

    pub(super) fn take(&mut self, fixture: &'a Fixture, startup: impl Fn(&str) -> Startup) {
        for name in fixture.seats.iter().map(|seat| &*seat.entrant) {
            if let Some(Verdict::Open(_)) = self.verdicts.get(name) {
                self.shown.insert((fixture.id, name), startup(name));
                let shown = |fixture: &Fixture| self.shown.get(&(fixture.id, name)).copied();
                let verdict = verdict(&self.all, name, &mut { shown });
                self.verdicts.insert(name, verdict);
            }
        }
    }

    pub(crate) fn became_ready(&self, name: &str) -> bool {
        let mut shown = self.shown.iter().filter(|((_, of), _)| *of == name);
        shown.any(|(_, startup)| *startup == Startup::Ready)
    }

    pub(super) fn admits(&self, fixture: &Fixture) -> bool {
        fixture
            .seats
            .iter()
            .map(|seat| &*seat.entrant)
            .all(|name| match self.verdicts.get(name) {
                Some(Verdict::Open(first)) => first.contains(&fixture.id),
                _ => true,
            })
    }

    /// Returns which bots of a game are not started. Those with another cause than the first one are.
    pub(crate) fn unready(&self, fixture: &Fixture) -> Option<Unready> {
        let mut unready: Option<Unready> = None;
        for name in fixture.seats.iter().map(|seat| &*seat.entrant) {
            if let Some(&Verdict::NeverReady(cause)) = self.verdicts.get(name) {
                let own = fixture.seats_of(name);
                let all = unready.get_or_insert(Unready { seats: own, cause });
                if all.cause == cause {
                    all.seats = own.iter().fold(all.seats, engines::Seats::with);
                }
            }
        }
        unready
    }

    #[must_use]
    pub(crate) fn marked(&self, fixture: &Fixture) -> Fixture {
        Fixture {
            unready: self.unready(fixture),
            ..fixture.clone()
        }
    }
}

fn verdict(
    all: &[&Fixture],
    name: &str,
    shown: &mut dyn FnMut(&Fixture) -> Option<Startup>,
) -> Verdict {
    let own = all.iter().filter(|one| !one.seats_of(name).is_empty());
    Verdict::of(own.map(|one| (one.id, shown(one))))
}

/// Tries that may fail by bots of one entrant in a round, besides twice the median of all. Above
/// that it is blamed at once: it may do this to get lost games played again.
pub(super) const KILLS_SPARE: u32 = 10;

/// The number of such tries of each entrant of a round, in all its versions and tournaments.
#[derive(Debug, Default)]
pub struct EndedBots(Mutex<BTreeMap<String, u32>>);

impl EndedBots {
    /// Continues with counts that [`EndedBots::counts`] returned.
    pub fn new(counts: &BTreeMap<String, u32>) -> Self {
        Self(Mutex::new(counts.clone()))
    }

    /// Returns the counts that are not 0.
    pub fn counts(&self) -> BTreeMap<String, u32> {
        let mut counts = self.lock().clone();
        counts.retain(|_, count| *count > 0);
        counts
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, u32>> {
        self.0.lock().expect("nobody panics while counting")
    }

    pub(super) fn enter(&self, entrant: &str) {
        self.lock().entry(entrant.to_owned()).or_default();
    }

    pub(super) fn count(&self, entrant: &str) -> u32 {
        let mut counts = self.lock();
        let count = counts.entry(entrant.to_owned()).or_default();
        *count += 1;
        *count
    }

    pub(super) fn is_excessive(&self, count: u32) -> bool {
        let mut all: Vec<u32> = self.lock().values().copied().collect();
        all.sort_unstable();
        let median = all[(all.len() - 1) / 2];
        count > KILLS_SPARE + 2 * median
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::game;
    use super::*;
    use engines::Seat;
    use model::competition::FINAL;
    use model::draw::Draw;
    use model::fault::Cause;
    use model::fixture::Participant;
    use rulebook::schedule;
    use std::collections::BTreeSet;

    #[test]
    fn rules_that_fail_everywhere_stop_a_run() {
        let names: Vec<String> = (0..10).map(|number| format!("bot{number}")).collect();
        let pairs = |is_there: &dyn Fn(usize, usize) -> bool| -> Matches<'_> {
            let all = (0..10).flat_map(|one| (0..one).map(move |other| (one, other)));
            let there = all.filter(|&(one, other)| is_there(one, other));
            there
                .map(|(one, other)| vec![&*names[one], &*names[other]])
                .collect()
        };
        let all = pairs(&|_, _| true);
        for (failed, stops) in [
            (pairs(&|_, _| true), true),
            // Two colluders, in 17 matches, and a third one.
            (pairs(&|_, other| other < 2), false),
            (pairs(&|_, other| other < 3), false),
            // 21 without two of these seven, and 10.
            (pairs(&|one, _| one < 9), true),
            (pairs(&|one, _| one < 7), false),
        ] {
            assert_eq!(is_game_to_blame(&failed, &all), stops, "{failed:?}");
        }
        let many: Vec<String> = (0..70).map(|number| format!("other{number}")).collect();
        let more = many.iter().map(|name| vec!["bot0", name.as_str()]);
        let more = more.chain(all.iter().cloned()).collect();
        let failed = pairs(&|one, _| one < 9);
        assert!(!is_game_to_blame(&failed, &more), "36 of 115");
    }

    #[test]
    fn program_failing_before_first_move_is_not_blamed() {
        let mut state = FailedBeforeMove::default();
        let (fixture, mut record) = game(0, ["ann", "bob"]);
        record.faults[0].exit = Some(model::fault::Exit::Code(127));
        assert!(state.is_unmoved(&fixture, &record));
        let words = state.words().expect("one failed");
        let expected = "the program of ann failed on this machine before its first move";
        assert!(words.starts_with(expected));
        // A fault that only a running program can make is its own.
        let mut illegal = record.clone();
        illegal.faults[0].exit = None;
        illegal.faults[0].cause = Cause::IllegalMove;
        assert!(!state.is_unmoved(&fixture, &illegal));
        // A program that has made a move is not excused either.
        let turns = r#"[[0,"here",1,1]]"#;
        record.turns = serde_json::from_str(turns).expect("turns");
        assert!(!state.is_unmoved(&fixture, &record));
        record.turns.clear();
        assert!(!state.is_unmoved(&fixture, &record));
        // The other one has not made a move.
        record.faults[0].seat = Seat::new(1);
        assert!(state.is_unmoved(&fixture, &record));
    }

    fn fixtures() -> Vec<Fixture> {
        let rules = rulebook::rules::find("connect-four").expect("registered");
        let mut competition = rulebook::standard(&*rules);
        competition.states = 4;
        let participants = ["ann", "bob", "mute", "zoe"].map(|name| Participant {
            entrant: name.into(),
            artifact: name.into(),
        });
        let draw = Draw::public(1, FINAL);
        let listed = |participants: &[Participant]| {
            schedule::fixtures(&competition, &draw, participants, None).expect("allowed")
        };
        let ids: Vec<GameId> = listed(&participants).iter().map(|one| one.id).collect();
        // They are played in another order.
        let mut fixtures = listed(&participants);
        fixtures.reverse();
        schedule::number(&mut fixtures, &ids);
        fixtures
    }

    /// A game's startups: one bot is mute, another one is slow in its first game, and the machine is
    /// overloaded in the second game of both.
    fn shown(all: &[Fixture], fixture: &Fixture, name: &str) -> Startup {
        let own = all.iter().filter(|one| !one.seats_of(name).is_empty());
        let number = own.filter(|one| one.number < fixture.number).count();
        match (name, number) {
            (_, 1) => Startup::Unknown,
            ("mute", _) | ("zoe", 0) => Startup::Unready(Cause::Silence),
            _ => Startup::Ready,
        }
    }

    /// Plays all games with this many at once, which end in an order by `luck`. Returns those in which
    /// a bot was not started.
    fn play(all: &[Fixture], jobs: usize, luck: usize) -> BTreeSet<GameId> {
        let mut startups = Startups::default();
        startups.all.extend(all.iter().rev());
        for name in all.iter().flat_map(|one| &*one.seats) {
            let open = verdict(&startups.all, &name.entrant, &mut |_| None);
            startups.verdicts.insert(&name.entrant, open);
        }
        let (mut waiting, mut playing) = (all.iter().collect::<Vec<_>>(), Vec::new());
        let mut unready = BTreeSet::new();
        let mut turn = luck;
        while !waiting.is_empty() || !playing.is_empty() {
            let free = waiting.iter().position(|one| startups.admits(one));
            if let Some(at) = free.filter(|_| playing.len() < jobs) {
                let next = waiting.remove(at);
                unready.extend(startups.unready(next).map(|_| next.id));
                playing.push(next);
                continue;
            }
            turn = turn
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(luck);
            let ended = playing.remove((turn >> 33) % playing.len());
            startups.take(ended, |name| shown(all, ended, name));
        }
        unready
    }

    #[test]
    fn who_is_not_started_depends_on_no_worker() {
        let all = fixtures();
        let own = all.iter().rev();
        let own = own.filter(|one| !one.seats_of("mute").is_empty());
        // The second one does not count.
        let due: BTreeSet<GameId> = own.skip(4).map(|one| one.id).collect();
        for jobs in 1..9 {
            for luck in 0..20 {
                assert_eq!(play(&all, jobs, luck), due, "{jobs} {luck}");
            }
        }
    }

    #[test]
    fn silence_counts_from_the_fourth_game_on() {
        let all = fixtures();
        for name in ["ann", "mute"] {
            let own = all.iter().rev().map(|one| (one, one.seats_of(name)));
            let own = own.filter(|(_, seats)| !seats.is_empty());
            for (number, (fixture, seats)) in own.enumerate() {
                let seat = seats.first().expect("not empty");
                assert_eq!(fixture.later.contains(seat), number >= 3, "{number}");
            }
        }
    }
}
