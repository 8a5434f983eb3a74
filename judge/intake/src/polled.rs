//! Repositories that are asked repeatedly. The content of each is known from its last answer, and a
//! repository that does not answer delays no other.

use super::asking::{Answer, Failure, ask, host_of};
use super::received::{Absent, ReceivedFiles};
use super::repositories::Repository;
use jiff::{SignedDuration, Timestamp};
use rulebook::JudgeError;
use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, MutexGuard};

/// Maximum time between questions to a repository that fails.
const REST_MAX: SignedDuration = SignedDuration::from_hours(1);
/// Tolerance for the time between two questions. A repository's new content came after the last
/// question, if that was no longer ago than the usual interval plus this.
const BEFORE_MAX: SignedDuration = SignedDuration::from_mins(2);
/// Maximum time of an answer that counts from its beginning. A longer answer counts from its end:
/// somebody may have pushed meanwhile. It is as long as ssh may take to connect.
const ANSWER_TIME_MAX: SignedDuration = SignedDuration::from_secs(20);

/// The repositories of a continuing run.
#[derive(Debug)]
pub struct PolledRepositories {
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    every: SignedDuration,
    /// Deadlines of the run. In the [`REST_MAX`] before one, and until the next question after it,
    /// failing repositories are asked as often as all others.
    deadlines: Vec<Timestamp>,
    /// When an earlier process that asked them last ran.
    since: Option<Timestamp>,
    all: BTreeMap<Repository, Polled>,
    /// When a question to a host last ended without an answer, until it answers one.
    silent: BTreeMap<String, Timestamp>,
    /// Changes with the content of any of them.
    revision: u64,
    news: Vec<RepositoryNews>,
}

/// A report about a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RepositoryNews {
    /// The repository of this entrant cannot be fetched, for this reason.
    Fails(String, String),
    /// The repository of this entrant can be fetched again.
    IsBack(String),
    /// The repository of this entrant took this long to answer with new content, which therefore
    /// counts after this deadline and not before.
    Slow(String, SignedDuration, Timestamp),
}

/// A repository and the last answers from it.
#[derive(Debug, Default)]
struct Polled {
    /// The entrant's name.
    name: String,
    /// Whether the list has named it since [`PolledRepositories::forget_unlisted`].
    is_listed: bool,
    /// Its content; `None` until it has answered.
    held: Option<ReceivedFiles>,
    /// Its commits, by its own answer.
    heads: String,
    /// When it was last asked.
    asked: Option<Timestamp>,
    /// Time from which the last question counts, and the last answered one. It is the question's
    /// beginning, or its end if the answer took long.
    last: Option<Timestamp>,
    answered: Option<Timestamp>,
    /// Why its content is absent, and how many times in a row.
    failure: Option<(Failure, u32)>,
    /// Whether its last answer took long, or is still awaited after a long time.
    is_slow: bool,
    /// Whether a thread is asking it.
    is_busy: bool,
}

impl Default for PolledRepositories {
    fn default() -> Self {
        Self {
            state: Mutex::new(State {
                every: SignedDuration::from_mins(5),
                deadlines: Vec::new(),
                since: None,
                all: BTreeMap::new(),
                silent: BTreeMap::new(),
                revision: 0,
                news: Vec::new(),
            }),
        }
    }
}

impl PolledRepositories {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("nobody panics while holding it")
    }

    /// Sets the interval between questions to each.
    pub fn ask_every(&self, every: SignedDuration) {
        self.state().every = every;
    }

    /// Sets the times around which failing repositories are asked as often as the others. Nobody is
    /// late because a repository was asked seldom.
    pub fn ask_around(&self, deadlines: Vec<Timestamp>) {
        self.state().deadlines = deadlines;
    }

    /// Continues from an earlier process that asked them, and last ran at this time.
    pub fn go_on_from(&self, since: Option<Timestamp>) {
        self.state().since = since;
    }

    /// Returns a number that changes with the content of any of them.
    pub fn revision(&self) -> u64 {
        self.state().revision
    }

    /// Takes the reports.
    pub fn take_news(&self) -> Vec<RepositoryNews> {
        std::mem::take(&mut self.state().news)
    }

    /// Makes all due at once.
    pub fn ask_all(&self) {
        for polled in self.state().all.values_mut() {
            polled.asked = None;
        }
    }

    /// Returns whether all have been asked, with or without an answer.
    pub fn were_all_asked(&self) -> bool {
        let state = self.state();
        let mut all = state.all.values();
        all.all(|polled| polled.asked.is_some() && !polled.is_busy)
    }

    /// Returns a repository's content at its last answer. From now on it is asked.
    pub(super) fn of(&self, name: &str, repository: &Repository) -> ReceivedFiles {
        let mut state = self.state();
        let polled = state.all.entry(repository.clone()).or_default();
        name.clone_into(&mut polled.name);
        polled.is_listed = true;
        match (&polled.held, &polled.failure) {
            (Some(held), _) => held.clone(),
            (None, Some(((absent, reason), _))) => ReceivedFiles::absent(*absent, reason.clone()),
            (None, None) => {
                ReceivedFiles::absent(Absent::NotYet, "has not been fetched yet".to_owned())
            }
        }
    }

    /// Keeps asking for this entrant's repository, although its line is wrong now. A folder on this
    /// machine may be absent for a while.
    pub(super) fn keep(&self, name: &str) {
        for polled in self.state().all.values_mut() {
            polled.is_listed |= polled.name == name;
        }
    }

    /// Stops asking repositories that the list has not named since the last call.
    pub fn forget_unlisted(&self) {
        let mut state = self.state();
        state
            .all
            .retain(|_, polled| std::mem::take(&mut polled.is_listed));
    }

    /// Number of threads that run [`Self::ask_due`] at a time.
    pub const AT_ONCE: usize = 4;
    /// Number of these that ask slow repositories at a time. However many hang, one thread is left
    /// for the others.
    const SLOW_AT_ONCE: usize = Self::AT_ONCE - 1;

    /// Asks those that are due, one after the other, and returns when all have been asked.
    ///
    /// # Errors
    /// When it is interrupted. A repository that does not answer is asked again later, after
    /// growing intervals.
    pub fn ask_due(
        &self,
        now: &dyn Fn() -> Timestamp,
        stop: &AtomicBool,
    ) -> Result<(), JudgeError> {
        loop {
            let begun = now();
            let Some((repository, heads)) = self.take_due(begun) else {
                return Ok(());
            };
            let answer = ask(&repository, heads.as_deref(), now, stop);
            self.note(&repository, begun, now(), answer)?;
        }
    }

    /// Takes one that is due, and its known commits: the one that has not been asked for longest.
    fn take_due(&self, now: Timestamp) -> Option<(Repository, Option<String>)> {
        let mut state = self.state();
        let state = &mut *state;
        let every = state.every;
        let is_awaited = |end: &Timestamp| {
            let left = end.duration_since(now);
            left <= REST_MAX && -left <= every + BEFORE_MAX
        };
        let is_near = state.deadlines.iter().any(is_awaited);
        let rest_max = if is_near { every } else { REST_MAX.max(every) };
        let all = state.all.values();
        let slow = all.filter(|one| one.is_busy && one.is_slow).count();
        let silent = &state.silent;
        // One at a time finds out whether a silent host answers again.
        let rests_with_host = |repository: &Repository, polled: &Polled| {
            let since = silent.get(host_of(&repository.url));
            let since = since.filter(|at| **at <= now && now.duration_since(**at) < every);
            since.is_some() && !is_near && polled.asked.is_some()
        };
        let is_due = |(repository, polled): &(&Repository, &mut Polled)| {
            let may_be_slow = !polled.is_slow
                || slow < Self::SLOW_AT_ONCE && !rests_with_host(repository, polled);
            !polled.is_busy && may_be_slow && polled.is_due(now, every, rest_max)
        };
        let due = state.all.iter_mut().filter(is_due);
        let (repository, polled) = due.min_by_key(|(_, one)| (one.asked, one.is_slow))?;
        polled.is_busy = true;
        if polled.is_slow
            && let Some(since) = state.silent.get_mut(host_of(&repository.url))
        {
            *since = now;
        }
        let heads = polled.held.is_some().then(|| polled.heads.clone());
        Some((repository.clone(), heads))
    }

    /// Notes the answer to a question that began at a time. New content came after the last answer,
    /// or after the last question if that answer was long ago. On the first question, an earlier
    /// process may have asked it last. An answer that took long shows only the content at its end.
    fn note(
        &self,
        repository: &Repository,
        begun: Timestamp,
        now: Timestamp,
        answer: Result<Answer, JudgeError>,
    ) -> Result<(), JudgeError> {
        let mut state = self.state();
        let (every, since) = (state.every, state.since);
        let is_recent =
            |at: &Timestamp| *at <= begun && begun.duration_since(*at) <= every + BEFORE_MAX;
        let answer = match answer {
            Err(JudgeError::Interrupted) => return Err(JudgeError::Interrupted),
            Err(error) => Answer::Fails((Absent::Unreachable, error.to_string())),
            Ok(answer) => answer,
        };
        let took_long = now.duration_since(begun) > ANSWER_TIME_MAX;
        let host = host_of(&repository.url);
        if took_long && matches!(answer, Answer::Fails(_)) {
            state.silent.insert(host.to_owned(), now);
        } else {
            state.silent.remove(host);
        }
        let Some(polled) = state.all.get_mut(repository) else {
            // It has left the list meanwhile.
            return Ok(());
        };
        polled.is_busy = false;
        polled.is_slow = took_long;
        polled.asked = Some(now);
        let shown = match &answer {
            // An outage makes nobody late.
            Answer::Fails(_) => begun,
            Answer::Same => now,
            Answer::Holds { shown, .. } => *shown,
        };
        let took = shown.duration_since(begun);
        let is_slow = took > ANSWER_TIME_MAX;
        let counts = if is_slow { shown } else { begun };
        let before = match polled.last.replace(counts) {
            Some(last) => [polled.answered, Some(last)]
                .into_iter()
                .flatten()
                .filter(is_recent)
                .min(),
            None => since
                .filter(is_recent)
                .and_then(|since| since.checked_sub(every).ok()),
        };
        let news = match answer {
            Answer::Same => polled.answers(counts),
            Answer::Fails(failure) => polled.fails(failure),
            Answer::Holds { heads, held, .. } => {
                let since = before.unwrap_or(begun);
                polled.held = Some(ReceivedFiles {
                    received: Some(if is_slow { shown } else { since }),
                    ..*held
                });
                polled.heads = heads;
                let news = polled.answers(counts);
                let name = polled.name.clone();
                state.revision += 1;
                let missed = |end: &&Timestamp| since <= **end && **end < shown;
                let end = state.deadlines.iter().filter(missed).min().copied();
                let slow = end.filter(|_| is_slow);
                let slow = slow.map(|end| RepositoryNews::Slow(name, took, end));
                state.news.extend(slow);
                news
            }
        };
        if let Some(RepositoryNews::Fails(..)) = &news {
            // Where it has never answered, the failure is its known content.
            state.revision += 1;
        }
        state.news.extend(news);
        Ok(())
    }
}

impl Polled {
    fn is_due(&self, now: Timestamp, every: SignedDuration, rest_max: SignedDuration) -> bool {
        let doubled = self.failure.as_ref().map_or(0, |(_, times)| *times - 1);
        let rest = every * 2_i32.pow(doubled.min(10));
        let rest = rest.min(rest_max);
        self.asked
            .is_none_or(|asked| now < asked || now.duration_since(asked) >= rest)
    }

    /// Notes an answer that counts from this time. Returns a report if it had failed before.
    fn answers(&mut self, counts: Timestamp) -> Option<RepositoryNews> {
        self.answered = Some(counts);
        let failure = self.failure.take();
        failure.map(|_| RepositoryNews::IsBack(self.name.clone()))
    }

    /// Notes a missing answer. Returns a report if the failure or its reason is new.
    fn fails(&mut self, failure: Failure) -> Option<RepositoryNews> {
        let before = self.failure.take();
        let times = before.as_ref().map_or(0, |(_, times)| *times);
        let is_new = before.is_none_or(|(before, _)| before != failure);
        let reason = failure.1.clone();
        self.failure = Some((failure, times + 1));
        is_new.then(|| RepositoryNews::Fails(self.name.clone(), reason))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(minute: i64) -> Timestamp {
        Timestamp::from_second(1_800_000_000 + minute * 60).expect("a time")
    }

    fn repository() -> Repository {
        Repository {
            url: "https://host/ann".to_owned(),
            reference: "HEAD".to_owned(),
            folder: String::new(),
        }
    }

    fn away(reason: &str) -> Answer {
        Answer::Fails((Absent::Unreachable, reason.to_owned()))
    }

    /// An answer that was complete at a time.
    fn holds(commit: &str, shown: Timestamp) -> Answer {
        Answer::Holds {
            heads: commit.to_owned(),
            held: Box::default(),
            shown,
        }
    }

    #[test]
    fn what_fails_is_asked_ever_later_told_once_and_loses_nothing() {
        let polled = PolledRepositories::default();
        let first = polled.of("ann", &repository()).absent;
        assert_eq!(first, Some(Absent::NotYet));
        let fails = || Ok(away("it hangs"));
        let mut asked = Vec::new();
        let mut answers = vec![
            Ok(holds("1", at(0))),
            fails(),
            fails(),
            fails(),
            fails(),
            fails(),
            fails(),
        ];
        answers.reverse();
        for minute in 0..210 {
            if polled.take_due(at(minute)).is_some() {
                asked.push(minute);
                let answer = answers.pop().unwrap_or(Ok(Answer::Same));
                polled
                    .note(&repository(), at(minute), at(minute), answer)
                    .expect("noted");
            }
        }
        assert_eq!(asked[..8], [0, 5, 10, 20, 40, 80, 140, 200]);
        assert!(polled.of("ann", &repository()).refusal.is_none());
        let ann = || "ann".to_owned();
        let news = [
            RepositoryNews::Fails(ann(), "it hangs".to_owned()),
            RepositoryNews::IsBack(ann()),
        ];
        assert_eq!(polled.take_news(), news);
    }

    #[test]
    fn before_a_deadline_what_fails_is_asked_as_often_as_the_others_and_nobody_is_late_for_it() {
        let polled = PolledRepositories::default();
        polled.ask_around(vec![at(150)]);
        polled.of("ann", &repository());
        let mut asked = Vec::new();
        for minute in 0..156 {
            if polled.take_due(at(minute)).is_some() {
                asked.push(minute);
                let fails = || away("it is away");
                let answer = Ok(if minute > 150 {
                    holds("1", at(minute))
                } else {
                    fails()
                });
                let noted = polled.note(&repository(), at(minute), at(minute), answer);
                noted.expect("noted");
            }
        }
        assert_eq!(asked[..6], [0, 5, 15, 35, 75, 90]);
        assert_eq!(asked[asked.len() - 3..], [145, 150, 155]);
        let received = polled.of("ann", &repository()).received;
        assert_eq!(received, Some(at(150)));
    }

    #[test]
    fn one_question_without_an_answer_makes_nobody_late() {
        let polled = PolledRepositories::default();
        polled.of("ann", &repository());
        let fails = away("it is away");
        for (minute, answer) in [(0, holds("1", at(0))), (5, fails), (7, holds("2", at(7)))] {
            polled.ask_all();
            polled.take_due(at(minute)).expect("due");
            let noted = polled.note(&repository(), at(minute), at(minute), Ok(answer));
            noted.expect("noted");
        }
        let received = polled.of("ann", &repository()).received;
        assert_eq!(received, Some(at(0)));
    }

    #[test]
    fn after_a_new_start_a_commit_has_come_since_the_program_before_may_have_asked() {
        for (since, received) in [(None, 10), (Some(6), 1), (Some(2), 10)] {
            let polled = PolledRepositories::default();
            polled.go_on_from(since.map(at));
            polled.of("ann", &repository());
            polled.take_due(at(10)).expect("due");
            let noted = polled.note(&repository(), at(10), at(11), Ok(holds("1", at(10))));
            noted.expect("noted");
            let held = polled.of("ann", &repository());
            assert_eq!(held.received, Some(at(received)), "{since:?}");
        }
    }

    #[test]
    fn an_answer_that_takes_long_counts_from_its_end() {
        let second = |second| Timestamp::from_second(at(0).as_second() + second).expect("a time");
        let end = second(600);
        let ask = |questions: &[(i64, Option<i64>, i64)]| {
            let polled = PolledRepositories::default();
            polled.ask_around(vec![end]);
            polled.of("ann", &repository());
            for (number, (begun, shown, now)) in questions.iter().enumerate() {
                polled.ask_all();
                polled.take_due(second(*begun)).expect("due");
                let holds = |shown| holds(&number.to_string(), second(shown));
                let answer = shown.map_or(Answer::Same, holds);
                let noted = polled.note(&repository(), second(*begun), second(*now), Ok(answer));
                noted.expect("noted");
            }
            let received = polled
                .of("ann", &repository())
                .received
                .expect("it holds it");
            let received = received.as_second() - at(0).as_second();
            (received, polled.take_news())
        };
        let slow = |seconds| {
            let took = SignedDuration::from_secs(seconds);
            vec![RepositoryNews::Slow("ann".to_owned(), took, end)]
        };
        let first = (300, Some(300), 300);
        for (questions, received, news) in [
            // It has stalled over the deadline, and somebody pushed meanwhile.
            (&[first, (590, Some(780), 780)][..], 780, slow(190)),
            (&[first, (601, Some(700), 700)], 700, slow(99)),
            // It is slow, and no slower than allowed.
            (&[first, (590, Some(610), 610)], 300, vec![]),
            // Content that was named in time was there, even if the fetch takes long.
            (&[first, (590, Some(591), 780)], 300, vec![]),
            // An earlier question has shown it.
            (&[(590, Some(590), 590), (595, None, 780)], 590, vec![]),
            // Content that a slow answer lacks came after it.
            (
                &[first, (590, None, 780), (781, Some(781), 781)],
                780,
                vec![],
            ),
            // Slow, and nobody is late for it.
            (&[first, (400, Some(500), 500)], 500, vec![]),
        ] {
            assert_eq!(ask(questions), (received, news), "{questions:?}");
        }
    }

    #[test]
    fn however_many_hang_the_others_are_asked_in_their_turn() {
        let polled = PolledRepositories::default();
        let second = |second| Timestamp::from_second(at(0).as_second() + second).expect("a time");
        let of = |url: String| Repository {
            url,
            ..repository()
        };
        let hangs = |one: &Repository| one.url.starts_with("https://a");
        for number in 0..40 {
            if number < 8 {
                polled.of("mal", &of(format!("https://a{number}/mal")));
                polled.of("eve", &of(format!("https://a/{number}")));
            }
            polled.of("ann", &of(format!("https://host/{number}")));
        }
        let mut asked: BTreeMap<Repository, Vec<i64>> = BTreeMap::new();
        let mut threads: [Option<(Repository, i64)>; PolledRepositories::AT_ONCE] =
            [const { None }; 4];
        for now in 0..7200 {
            for thread in &mut threads {
                if let Some((one, begun)) = thread {
                    let hangs = hangs(one);
                    if now - *begun < if hangs { 60 } else { 2 } {
                        continue;
                    }
                    let answer = if hangs {
                        away("it hangs")
                    } else {
                        Answer::Same
                    };
                    let noted = polled.note(one, second(*begun), second(now), Ok(answer));
                    noted.expect("noted");
                }
                *thread = polled.take_due(second(now)).map(|(one, _)| {
                    asked.entry(one.clone()).or_default().push(now);
                    (one, now)
                });
            }
        }
        for (one, times) in &asked {
            let waits = times.windows(2).map(|two| two[1] - two[0]);
            let longest = waits.max().expect("asked twice");
            // Every five minutes, after the others who are due then.
            assert!(hangs(one) || longest < 300 + 100, "{one:?}: {times:?}");
            assert!(times[0] <= 8 * 60, "{one:?}: {times:?}");
        }
        let silent = asked
            .iter()
            .filter(|(one, _)| one.url.starts_with("https://a/"));
        let silent: usize = silent.map(|(_, times)| times.len()).sum();
        assert!(
            silent <= 8 + 7200 / 300,
            "{silent} questions to one silent host"
        );
    }

    #[test]
    fn what_has_left_the_list_is_not_asked_any_more() {
        let polled = PolledRepositories::default();
        polled.of("ann", &repository());
        polled.forget_unlisted();
        polled.keep("ann");
        polled.forget_unlisted();
        let (taken, _) = polled.take_due(at(0)).expect("it is listed");
        polled.forget_unlisted();
        polled
            .note(&taken, at(1), at(1), Ok(holds("1", at(1))))
            .expect("noted");
        assert!(polled.were_all_asked() && polled.take_due(at(100)).is_none());
        let again = polled.of("ann", &repository()).absent;
        assert_eq!(again, Some(Absent::NotYet));
    }

    #[test]
    fn a_commit_has_come_since_the_question_before() {
        let polled = PolledRepositories::default();
        let received = || polled.of("ann", &repository()).received;
        received();
        // The fetch takes a minute, and somebody may push meanwhile.
        for (minute, commit, expected) in [(0, "1", 0), (6, "2", 0), (100, "3", 100), (80, "4", 80)]
        {
            polled.take_due(at(minute)).expect("due");
            let answer = Ok(holds(commit, at(minute)));
            let noted = polled.note(&repository(), at(minute), at(minute + 1), answer);
            noted.expect("noted");
            assert_eq!(received(), Some(at(expected)), "{minute}");
        }
        polled.ask_all();
        assert!(!polled.were_all_asked() && polled.take_due(at(100)).is_some());
        // A clock that was set back delays nobody.
        polled
            .note(&repository(), at(100), at(100), Ok(Answer::Same))
            .expect("noted");
        assert!(polled.were_all_asked() && polled.take_due(at(50)).is_some());
    }
}
