use super::evidence::{
    EndedBots, FailedBeforeMove, Matches, RULES_MATCHES_MIN, Startups, is_game_to_blame,
};
use super::{Lost, TournamentPlan};
use engines::Lifetime;
use model::fault::{Cause, Fault, Phase};
use model::fixture::{Fixture, Participant};
use model::game_id::GameId;
use model::record::MatchRecord;
use model::startup::Startup;
use rulebook::{JudgeError, Result};
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::fmt::Write;
use std::mem;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::Duration;
use store::Games;

/// Tries of a fixture in one start of the judge. A try may fail by a judge error, an overloaded
/// machine, or because another process may have ended a bot. The last one counts, except after a
/// judge error: then the next start plays it.
const TRIES_MAX: u32 = 3;

/// The same for a game whose rules fail: they are deterministic.
const RULES_TRIES_MAX: u32 = 2;

const WAIT: Duration = Duration::from_millis(100);

const OVERLOADED: &str = "a bot did not answer in time while the machine was overloaded";

const SHORT: &str =
    "other programs of the same user left hardly any threads or signals for the bot of";

/// Fixtures that one worker plays in sequence.
pub(super) type Unit<'a> = VecDeque<&'a Fixture>;

pub(super) struct Queue<'a> {
    state: Mutex<QueueState<'a>>,
    changed: Condvar,
    plan: &'a TournamentPlan<'a>,
    all: &'a [Fixture],
    /// Set when the journal has failed, or the rules have in too many matches.
    closed: AtomicBool,
}

#[derive(Default)]
struct QueueState<'a> {
    games: VecDeque<&'a Fixture>,
    startups: Startups<'a>,
    tries: HashMap<GameId, u32>,
    /// Number of tries in which the rules failed, by fixture.
    rules_tries: HashMap<GameId, u32>,
    given_up: usize,
    without_rules: Matches<'a>,
    /// Whether these are so many that no more games are started.
    is_stopped: bool,
    last_reason: String,
    changed_programs: BTreeMap<String, String>,
    failed_before_move: FailedBeforeMove,
}

pub(super) enum Verdict {
    Counts,
    /// It is played again, for this reason.
    Replay(String),
    /// It cannot be played here, or not until a program has been built again.
    Unplayed,
}

impl<'a> Queue<'a> {
    pub(super) fn new(
        all: &'a [Fixture],
        played: &Games,
        plan: &'a TournamentPlan<'a>,
    ) -> Result<Self> {
        let mut games: VecDeque<&Fixture> = all
            .iter()
            .filter(|fixture| !played.contains(fixture.id))
            .collect();
        if plan.order.conditions.lifetime == Lifetime::Match {
            by_match(games.make_contiguous());
        }
        games
            .iter()
            .flat_map(|fixture| &*fixture.seats)
            .for_each(|seat| plan.ended.enter(&seat.entrant));
        Ok(Self {
            state: Mutex::new(QueueState {
                games,
                startups: Startups::of(all, played)?,
                ..QueueState::default()
            }),
            changed: Condvar::new(),
            plan,
            all,
            closed: AtomicBool::new(false),
        })
    }

    fn state(&self) -> MutexGuard<'_, QueueState<'a>> {
        self.state
            .lock()
            .expect("nobody panics while holding the queue")
    }

    pub(super) fn len(&self) -> usize {
        let mut state = self.state();
        let games = state.games.make_contiguous();
        games
            .chunk_by(|one, next| self.are_together(one, next))
            .count()
    }

    fn are_together(&self, one: &Fixture, next: &Fixture) -> bool {
        self.plan.order.conditions.lifetime == Lifetime::Match
            && one.match_key() == next.match_key()
    }

    pub(super) fn close(&self) {
        self.closed.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_over(&self) -> bool {
        self.plan.stop.load(Ordering::Relaxed) || self.closed.load(Ordering::Relaxed)
    }

    pub(super) fn has_more(&self) -> bool {
        !self.is_over() && !self.state().games.is_empty()
    }

    pub(super) fn wait(&self) {
        let waited = self.changed.wait_timeout(self.state(), WAIT);
        drop(waited.expect("nobody panics while holding the queue"));
    }

    /// Where a process lives for a match, all bots are started.
    pub(super) fn task(&self, fixture: &Fixture) -> Fixture {
        let lifetime = self.plan.order.conditions.lifetime;
        if self.is_of_part() || lifetime == Lifetime::Match {
            return fixture.clone();
        }
        self.state().startups.marked(fixture)
    }

    pub(super) fn next(&self) -> Option<Unit<'a>> {
        if self.is_over() {
            return None;
        }
        let mut state = self.state();
        // The games of a match are played together.
        let is_free = |fixture: &&Fixture| {
            self.plan.order.conditions.lifetime == Lifetime::Match || state.startups.admits(fixture)
        };
        let at = state.games.iter().position(is_free)?;
        let first = state.games.remove(at)?;
        let mut unit = Unit::from([first]);
        while let Some(&next) = state.games.front()
            && self.are_together(first, next)
        {
            state.games.pop_front();
            unit.push_back(next);
        }
        Some(unit)
    }

    /// Returns the fixtures of a lost worker. The first one caused the loss, and is tried again at
    /// most `tries_max` times. Returns whether it will be played again.
    pub(super) fn requeue(&self, mut unit: Unit<'a>, lost: &Lost) -> bool {
        let Some(failed) = unit.front() else {
            return false;
        };
        let is_changed = failed
            .seats
            .iter()
            .any(|seat| self.has_changed_program(seat));
        let mut state = self.state();
        state.last_reason = lost.reason_in(failed);
        let (tries, tries_max) = if lost.is_of_rules {
            (&mut state.rules_tries, RULES_TRIES_MAX)
        } else {
            (&mut state.tries, TRIES_MAX)
        };
        let tries = tries.entry(failed.id).or_default();
        *tries += 1;
        let again = !is_changed && *tries < tries_max;
        if !again {
            state.lose(failed);
            if lost.is_of_rules {
                state.without_rules.insert(failed.match_key());
                state.is_stopped |= state.lacks_rules(self.all);
            }
            unit.pop_front();
        }
        if state.is_stopped {
            self.close();
        }
        for fixture in unit.into_iter().rev() {
            state.games.push_front(fixture);
        }
        self.changed.notify_all();
        again
    }

    /// A doubtful game goes to the end of the queue, when the machine may be in a better state.
    pub(super) fn judge(&self, fixture: &'a Fixture, record: &mut MatchRecord) -> Verdict {
        let was_started = |seat: usize| !record.seats.get(seat).is_some_and(|one| one.not_started);
        let unstarted =
            |fault: &&Fault| fault.phase == Phase::Hello && was_started(fault.seat.index());
        if record
            .faults
            .iter()
            .filter(unstarted)
            .map(|fault| &fixture.seats[fault.seat.index()])
            .any(|seat| self.has_changed_program(seat))
        {
            self.state().lose(fixture);
            return Verdict::Unplayed;
        }
        let mut state = self.state();
        self.changed.notify_all();
        if self.is_of_part() && state.failed_before_move.is_unmoved(fixture, record) {
            state.given_up += 1;
            state.startups.take(fixture, startup_in(record));
            state.give_up_unready();
            return Verdict::Unplayed;
        }
        match state.doubt(fixture, record, &self.plan.ended) {
            None => {
                state.startups.take(fixture, startup_in(record));
                Verdict::Counts
            }
            Some(reason) => {
                state.games.push_back(fixture);
                Verdict::Replay(reason)
            }
        }
    }

    /// A part may be played far from where its programs were built, and libraries may be missing.
    fn is_of_part(&self) -> bool {
        let machine = self.plan.machine.as_ref();
        machine.is_some_and(|machine| machine.part.is_some())
    }

    /// If a program differs from its build, its other games are given up.
    fn has_changed_program(&self, participant: &Participant) -> bool {
        let hash = &*participant.artifact;
        let artifacts = &self.plan.order.artifacts;
        let Some(artifact) = artifacts.iter().find(|artifact| artifact.hash == *hash) else {
            return false;
        };
        let Err(reason) = (self.plan.intact)(artifact) else {
            return false;
        };
        let mut state = self.state();
        let plays = |fixture: &Fixture| fixture.seats.iter().any(|seat| *seat.artifact == *hash);
        state.give_up(plays);
        let entrant = &participant.entrant;
        state.changed_programs.entry(hash.to_owned()).or_insert_with(|| {
            format!(
                "the program of {entrant} has changed since the build (artifacts/{hash}): {reason}; rerun the same \
                 command to build it again"
            )
        });
        true
    }

    pub(super) fn verdict(&self) -> Result {
        let state = self.state();
        if state.given_up == 0 {
            return Ok(());
        }
        let changed: Vec<&str> = state.changed_programs.values().map(|it| &**it).collect();
        let last = &state.last_reason;
        let reason = if !changed.is_empty() {
            changed.join("; ")
        } else if let Some(words) = state.failed_before_move.words() {
            words
        } else if state.is_stopped {
            format!(
                "the rules fail in games of {} matches, so no more games were started; mend the game; {last}",
                state.without_rules.len()
            )
        } else if !state.without_rules.is_empty() {
            format!("{last}; judge game check plays random games to find what is wrong")
        } else {
            last.clone()
        };
        Err(JudgeError::Unplayed {
            games: state.given_up,
            reason,
        })
    }
}

impl<'a> QueueState<'a> {
    fn lose(&mut self, fixture: &'a Fixture) {
        self.given_up += 1;
        self.startups.take(fixture, |_| Startup::Unknown);
    }

    fn give_up(&mut self, is_lost: impl Fn(&Fixture) -> bool) {
        let (lost, left): (VecDeque<_>, _) = mem::take(&mut self.games)
            .into_iter()
            .partition(|one| is_lost(one));
        self.games = left;
        for fixture in lost {
            self.lose(fixture);
        }
    }

    fn give_up_unready(&mut self) {
        let unready: HashSet<GameId> = self
            .games
            .iter()
            .filter(|one| self.startups.unready(one) != one.unready)
            .map(|one| one.id)
            .collect();
        self.give_up(|fixture| unready.contains(&fixture.id));
    }

    fn lacks_rules(&self, all: &'a [Fixture]) -> bool {
        if self.without_rules.len() < RULES_MATCHES_MIN {
            return false;
        }
        let waiting: HashSet<GameId> = self.games.iter().map(|fixture| fixture.id).collect();
        let played = all.iter().filter(|fixture| !waiting.contains(&fixture.id));
        is_game_to_blame(
            &self.without_rules,
            &played.map(Fixture::match_key).collect(),
        )
    }

    /// Returns the reason to play a game again, if it is doubtful and there are tries left; notes in
    /// the record why a doubtful fault counts.
    fn doubt(
        &mut self,
        fixture: &Fixture,
        record: &mut MatchRecord,
        ended_bots: &EndedBots,
    ) -> Option<String> {
        let overloaded = record.overloaded && !record.faults.iter().any(|fault| fault.went_short);
        let is_doubtful = |fault: &&mut Fault| {
            let waited = matches!(fault.cause, Cause::Silence | Cause::Idle | Cause::Time);
            fault.went_short || crate::play::may_be_from_outside(fault) || overloaded && waited
        };
        let faults: Vec<&mut Fault> = record.faults.iter_mut().filter(is_doubtful).collect();
        if !overloaded && faults.is_empty() {
            return None;
        }
        let tries = self.tries.entry(fixture.id).or_default();
        *tries += 1;
        let tries = *tries;
        // An overload without a fault is nobody's.
        let mut replay = (faults.is_empty() && tries < TRIES_MAX).then(|| OVERLOADED.to_owned());
        for fault in faults {
            let entrant = &fixture.seats[fault.seat.index()].entrant;
            let count = ended_bots.count(entrant);
            let note = if tries >= TRIES_MAX {
                format!("the last of {tries} tries of this game")
            } else if ended_bots.is_excessive(count) {
                format!("{count} of its games were in doubt in this round, far more than of others")
            } else {
                replay.get_or_insert(match fault.exit {
                    _ if fault.went_short => format!("{SHORT} {entrant} ended"),
                    Some(exit) => format!("something ended the bot of {entrant} ({exit})"),
                    None => OVERLOADED.to_owned(),
                });
                continue;
            };
            // The words of a silence are the clock's, and `verify` compares them.
            if fault.went_short || crate::play::may_be_from_outside(fault) {
                write!(fault.detail, "; {note}").expect("writing to memory");
            }
        }
        replay
    }
}

fn startup_in(record: &MatchRecord) -> impl Fn(&str) -> Startup {
    move |name| Startup::of(name, &record.seats, &record.faults, record.overloaded)
}

/// Puts the fixtures of each match together, in the order of the matches' first fixtures.
fn by_match(fixtures: &mut [&Fixture]) {
    let mut matches: HashMap<Vec<&str>, usize> = HashMap::new();
    for fixture in &*fixtures {
        let next = matches.len();
        matches.entry(fixture.match_key()).or_insert(next);
    }
    fixtures.sort_by_cached_key(|fixture| matches[&fixture.match_key()]);
}

#[cfg(test)]
mod tests {
    use super::super::tests::game;
    use super::*;
    use crate::tournament::evidence::KILLS_SPARE;
    use engines::Seat;

    #[test]
    fn games_of_one_match_are_consecutive_in_order() {
        let pairs = [["ann", "bob"], ["cid", "ann"], ["bob", "ann"]];
        let games = (0..).zip(pairs).map(|(number, pair)| game(number, pair).0);
        let games: Vec<Fixture> = games.collect();
        let mut order: Vec<&Fixture> = games.iter().collect();
        by_match(&mut order);
        let states: Vec<u32> = order.iter().map(|fixture| fixture.state).collect();
        assert_eq!(states, [0, 2, 1]);
    }

    fn ended_bots(entrants: &[&str]) -> EndedBots {
        let ended = EndedBots::default();
        for &name in entrants {
            ended.enter(name);
        }
        ended
    }

    /// Plays 300 games; returns those after which an entrant is blamed, and the last message. Each
    /// queue has `games` of them, as in a watch, where every new version ends a queue.
    fn blamed(games: u32, seats: impl Fn(u32) -> [&'static str; 2]) -> (Vec<u32>, String) {
        let mut ended = ended_bots(&["ann", "bob", "cid"]);
        let mut state = QueueState::default();
        let mut said = String::new();
        let blamed = (0..300).filter(|&number| {
            if number % games == 0 {
                ended = EndedBots::new(&ended.counts());
                ended.enter("bob");
                ended.enter("cid");
                state = QueueState::default();
            }
            let (fixture, mut record) = game(number, seats(number));
            let doubt = state.doubt(&fixture, &mut record, &ended);
            said.clone_from(&record.faults[0].detail);
            doubt.is_none()
        });
        (blamed.collect(), said)
    }

    #[test]
    fn bot_alone_killed_repeatedly_gets_no_replays() {
        for games in [300, 7] {
            let (games, said) = blamed(games, |_| ["ann", "bob"]);
            assert_eq!(games, (KILLS_SPARE..300).collect::<Vec<_>>());
            let words =
                "ended; 300 of its games were in doubt in this round, far more than of others";
            assert_eq!(said, words);
        }
    }

    #[test]
    fn bot_ended_by_thread_shortage_replays_twice() {
        let (mut state, ended) = (QueueState::default(), ended_bots(&["ann", "bob"]));
        let (fixture, mut record) = game(0, ["ann", "bob"]);
        let mut again = |record: &mut MatchRecord| state.doubt(&fixture, record, &ended);
        record.faults[0].exit = Some(model::fault::Exit::Code(1));
        record.faults[0].cause = Cause::Exit;
        assert_eq!(again(&mut record.clone()), None);
        record.overloaded = true;
        record.faults[0].went_short = true;
        for _ in 0..2 {
            assert_eq!(again(&mut record), Some(format!("{SHORT} ann ended")));
        }
        assert_eq!(again(&mut record), None);
        let words = "ended; the last of 3 tries of this game";
        assert_eq!(record.faults[0].detail, words);
    }

    #[test]
    fn different_reasons_together_give_no_more_tries() {
        let (mut state, ended) = (QueueState::default(), ended_bots(&["ann", "bob"]));
        let (fixture, killed) = game(0, ["ann", "bob"]);
        let mut silent = killed.clone();
        silent.faults[0].exit = None;
        silent.faults[0].cause = Cause::Silence;
        silent.overloaded = true;
        let mut short = killed.clone();
        short.faults[0].went_short = true;
        let tries = [killed, silent, short];
        let again = tries.map(|mut record| state.doubt(&fixture, &mut record, &ended).is_some());
        assert_eq!(again, [true, true, false]);
    }

    #[test]
    fn bot_alone_waiting_on_overload_repeatedly_is_blamed() {
        let (mut state, ended) = (QueueState::default(), ended_bots(&["ann", "bob", "cid"]));
        let excused = (0..300).filter(|&number| {
            let (fixture, mut record) = game(number, ["ann", "bob"]);
            record.faults[0].exit = None;
            record.faults[0].cause = Cause::Silence;
            record.overloaded = true;
            state.doubt(&fixture, &mut record, &ended).is_some()
        });
        assert_eq!(excused.count(), KILLS_SPARE as usize);
    }

    #[test]
    fn crash_during_anothers_overload_wait_is_not_excused() {
        let (mut state, ended) = (QueueState::default(), ended_bots(&["ann", "bob"]));
        let (fixture, mut record) = game(0, ["ann", "bob"]);
        record.faults[0].exit = Some(model::fault::Exit::Signal(11));
        let mut silent = record.faults[0].clone();
        silent.seat = Seat::new(1);
        silent.cause = Cause::Silence;
        silent.exit = None;
        record.faults.push(silent);
        record.overloaded = true;
        let mut again = || state.doubt(&fixture, &mut record, &ended);
        let found = [again(), again(), again()];
        let expected = Some(OVERLOADED.to_owned());
        assert_eq!(found, [expected.clone(), expected, None]);
        assert_eq!(record.faults[0].detail, "ended");
    }

    #[test]
    fn occasional_kills_of_all_bots_blame_nobody() {
        let pairs = [["ann", "bob"], ["bob", "cid"], ["cid", "ann"]];
        for games in [300, 7] {
            let (games, _) = blamed(games, |number| pairs[number as usize % 3]);
            assert_eq!(games, [0_u32; 0]);
        }
    }
}
