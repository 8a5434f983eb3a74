//! Repositories that a watch asks again and again; failing ones after growing intervals.

use crate::read::git::{self, Answer};
use crate::read::repositories::Repository;
use crate::read::submission::{Absent, Submission};
use jiff::{SignedDuration, Timestamp};
use rulebook::{JudgeError, Result};
use std::collections::BTreeMap;
use std::mem;
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, MutexGuard};

/// Maximum time between questions to a repository that fails.
const BACKOFF_MAX: SignedDuration = SignedDuration::from_hours(1);
/// Time by which the last question of an earlier process may be older than the usual interval, and
/// still date new content.
const GRACE: SignedDuration = SignedDuration::from_mins(2);

/// The repositories of a continuing run.
#[derive(Debug, Default)]
pub struct PolledRepositories {
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    every: SignedDuration,
    /// Deadlines of the run. In the [`BACKOFF_MAX`] around one, failing repositories are asked as
    /// often as all others.
    deadlines: Vec<Timestamp>,
    /// When an earlier process that asked them last ran.
    since: Option<Timestamp>,
    all: BTreeMap<Repository, Polled>,
    revision: u64,
    events: Vec<RepositoryEvent>,
}

/// A report about a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RepositoryEvent {
    /// The repository of this entrant cannot be fetched, for this reason.
    Fails(String, String),
    /// The repository of this entrant can be fetched again.
    Recovered(String),
}

#[derive(Debug, Default)]
struct Polled {
    name: String,
    /// Whether the list has named it since [`PolledRepositories::remove_unlisted`].
    is_listed: bool,
    content: Option<Submission>,
    heads: String,
    /// When the last question began.
    asked: Option<Timestamp>,
    /// Why its content is absent, and how many times in a row.
    failure: Option<(Submission, u32)>,
    is_due: bool,
    is_busy: bool,
}

impl Default for State {
    fn default() -> Self {
        Self {
            every: SignedDuration::from_mins(5),
            deadlines: Vec::new(),
            since: None,
            all: BTreeMap::new(),
            revision: 0,
            events: Vec::new(),
        }
    }
}

impl PolledRepositories {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("nobody panics while holding it")
    }

    /// Sets the interval between questions to each.
    pub fn set_interval(&self, every: SignedDuration) {
        self.state().every = every;
    }

    /// Sets the times around which failing repositories are asked as often as the others. Nobody is
    /// late because a repository was asked seldom.
    pub fn set_deadlines(&self, deadlines: Vec<Timestamp>) {
        self.state().deadlines = deadlines;
    }

    /// Continues from an earlier process that asked them, and last ran at this time.
    pub fn resume_from(&self, since: Option<Timestamp>) {
        self.state().since = since;
    }

    /// Returns a number that changes with the content of any of them.
    pub fn revision(&self) -> u64 {
        self.state().revision
    }

    /// Takes the reports.
    pub fn take_events(&self) -> Vec<RepositoryEvent> {
        mem::take(&mut self.state().events)
    }

    /// Makes all due at once.
    pub fn mark_all_due(&self) {
        for polled in self.state().all.values_mut() {
            polled.is_due = true;
        }
    }

    /// Returns whether all have been asked, with or without an answer.
    pub fn is_up_to_date(&self) -> bool {
        let state = self.state();
        let mut all = state.all.values();
        all.all(|polled| polled.asked.is_some() && !polled.is_due && !polled.is_busy)
    }

    /// Returns a repository's content at its last answer. From now on it is asked.
    pub(crate) fn content_of(&self, name: &str, repository: &Repository) -> Submission {
        let mut state = self.state();
        let polled = state.all.entry(repository.clone()).or_default();
        name.clone_into(&mut polled.name);
        polled.is_listed = true;
        let failure = polled.failure.as_ref().map(|(failure, _)| failure);
        polled
            .content
            .as_ref()
            .or(failure)
            .cloned()
            .unwrap_or_else(|| {
                Submission::absent(Absent::NotYet, "has not been fetched yet".to_owned())
            })
    }

    /// Keeps asking for this entrant's repository: staff may be editing the list.
    pub(crate) fn mark_listed(&self, name: &str) {
        for polled in self.state().all.values_mut() {
            polled.is_listed |= polled.name == name;
        }
    }

    /// Stops asking repositories that the list has not named since the last call.
    pub fn remove_unlisted(&self) {
        let is_listed = |polled: &mut Polled| mem::take(&mut polled.is_listed);
        self.state().all.retain(|_, polled| is_listed(polled));
    }

    /// Number of threads that run [`Self::poll_due`] at a time.
    pub const AT_ONCE: usize = git::AT_ONCE;

    /// Asks those that are due, one after the other, and returns when all have been asked.
    pub fn poll_due(&self, now: &dyn Fn() -> Timestamp, stop: &AtomicBool) -> Result {
        loop {
            let begun = now();
            let Some((repository, heads)) = self.take_due(begun) else {
                return Ok(());
            };
            let answer = git::ask(&repository, heads.as_deref(), stop);
            self.record_answer(&repository, begun, now(), answer)?;
        }
    }

    /// Takes the one that has not been asked for longest, with its known commits.
    fn take_due(&self, now: Timestamp) -> Option<(Repository, Option<String>)> {
        let mut state = self.state();
        let every = state.every;
        let is_near = |end: &Timestamp| end.duration_since(now).abs() <= BACKOFF_MAX;
        let backoff_max = if state.deadlines.iter().any(is_near) {
            every
        } else {
            every.max(BACKOFF_MAX)
        };
        let (repository, polled) = state
            .all
            .iter_mut()
            .filter(|(_, polled)| !polled.is_busy && polled.is_due(now, every, backoff_max))
            .min_by_key(|(_, polled)| polled.asked)?;
        (polled.is_busy, polled.is_due) = (true, false);
        let heads = polled.content.is_some().then(|| polled.heads.clone());
        Some((repository.clone(), heads))
    }

    /// New content came after the question before; a late question is the judge's doing, and makes
    /// nobody late. Before the first question, an earlier process may have asked.
    fn record_answer(
        &self,
        repository: &Repository,
        begun: Timestamp,
        now: Timestamp,
        answer: Result<Option<Answer>>,
    ) -> Result {
        let answer = match answer {
            Err(JudgeError::Interrupted) => return Err(JudgeError::Interrupted),
            Err(error) => Some(Answer::absent(Absent::Unreachable, error.to_string())),
            Ok(answer) => answer,
        };
        let state = &mut *self.state();
        let Some(polled) = state.all.get_mut(repository) else {
            // It has left the list meanwhile.
            return Ok(());
        };
        polled.is_busy = false;
        let since = polled.asked.replace(begun).or_else(|| {
            let is_recent = |at: &Timestamp| begun.duration_since(*at) <= state.every + GRACE;
            state.since.filter(is_recent)?.checked_sub(state.every).ok()
        });
        let before = polled.failure.take();
        let name = || polled.name.clone();
        let Some(Answer {
            heads,
            is_named,
            files,
        }) = answer
        else {
            state
                .events
                .extend(before.map(|_| RepositoryEvent::Recovered(name())));
            return Ok(());
        };
        if files.absent.is_some() {
            let times = before.as_ref().map_or(1, |(_, times)| times + 1);
            if before.is_none_or(|(before, _)| before.refusal() != files.refusal()) {
                let reason = files.refusal().cloned().unwrap_or_default();
                state.events.push(RepositoryEvent::Fails(name(), reason));
                // Where it has never answered, the failure is its known content.
                state.revision += 1;
            }
            polled.failure = Some((files, times));
            return Ok(());
        }
        state
            .events
            .extend(before.map(|_| RepositoryEvent::Recovered(name())));
        let since = since.filter(|since| *since <= begun).unwrap_or(begun);
        polled.content = Some(Submission {
            received: Some(if is_named { since } else { now }),
            ..files
        });
        polled.heads = heads;
        state.revision += 1;
        Ok(())
    }
}

impl Polled {
    fn is_due(&self, now: Timestamp, every: SignedDuration, backoff_max: SignedDuration) -> bool {
        let doubled = self.failure.as_ref().map_or(0, |(_, times)| *times - 1);
        let rest = (every * 2_i32.pow(doubled.min(10))).min(backoff_max);
        let is_backoff_over = |asked| now < asked || now.duration_since(asked) >= rest;
        self.is_due || self.asked.is_none_or(is_backoff_over)
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

    #[expect(clippy::unnecessary_wraps, reason = "as a question is answered")]
    fn away(reason: &str) -> Option<Answer> {
        Some(Answer::absent(Absent::Unreachable, reason.to_owned()))
    }

    #[expect(clippy::unnecessary_wraps, reason = "as a question is answered")]
    fn holds(commit: &str) -> Option<Answer> {
        Some(Answer {
            heads: commit.to_owned(),
            is_named: true,
            files: Submission::of(Vec::new()),
        })
    }

    fn record_answer(polled: &PolledRepositories, begun: i64, now: i64, answer: Option<Answer>) {
        let noted = polled.record_answer(&repository(), at(begun), at(now), Ok(answer));
        noted.expect("noted");
    }

    #[test]
    fn poll_backs_off_and_keeps_last_content() {
        let polled = PolledRepositories::default();
        let first = polled.content_of("ann", &repository()).absent;
        assert_eq!(first, Some(Absent::NotYet));
        let mut asked = Vec::new();
        let mut answers: Vec<_> = (0..6).map(|_| away("it hangs")).collect();
        answers.push(holds("1"));
        for minute in 0..210 {
            if polled.take_due(at(minute)).is_some() {
                asked.push(minute);
                record_answer(&polled, minute, minute, answers.pop().flatten());
            }
        }
        assert_eq!(asked[..8], [0, 5, 10, 20, 40, 80, 140, 200]);
        assert!(polled.content_of("ann", &repository()).refusal().is_none());
        let ann = || "ann".to_owned();
        let events = [
            RepositoryEvent::Fails(ann(), "it hangs".to_owned()),
            RepositoryEvent::Recovered(ann()),
        ];
        assert_eq!(polled.take_events(), events);
    }

    #[test]
    fn poll_does_not_back_off_before_a_deadline() {
        let polled = PolledRepositories::default();
        polled.set_deadlines(vec![at(150)]);
        polled.content_of("ann", &repository());
        let mut asked = Vec::new();
        for minute in 0..156 {
            if polled.take_due(at(minute)).is_some() {
                asked.push(minute);
                let answer = if minute > 150 {
                    holds("1")
                } else {
                    away("it is away")
                };
                record_answer(&polled, minute, minute, answer);
            }
        }
        assert_eq!(asked[..6], [0, 5, 15, 35, 75, 90]);
        assert_eq!(asked[asked.len() - 3..], [145, 150, 155]);
        let received = polled.content_of("ann", &repository()).received;
        assert_eq!(received, Some(at(150)));
    }

    #[test]
    fn commit_after_restart_dates_from_previous_programs_poll() {
        for (since, received) in [(None, 10), (Some(6), 1), (Some(2), 10)] {
            let polled = PolledRepositories::default();
            polled.resume_from(since.map(at));
            polled.content_of("ann", &repository());
            polled.take_due(at(10)).expect("due");
            record_answer(&polled, 10, 11, holds("1"));
            let content = polled.content_of("ann", &repository());
            assert_eq!(content.received, Some(at(received)), "{since:?}");
        }
    }

    #[test]
    fn unnamed_commit_counts_from_its_fetch() {
        let polled = PolledRepositories::default();
        for (minute, is_named, received) in [(0, true, 0), (5, true, 0), (10, false, 12)] {
            polled.content_of("ann", &repository());
            polled.take_due(at(minute)).expect("due");
            let answer = holds("1").map(|answer| Answer { is_named, ..answer });
            record_answer(&polled, minute, minute + 2, answer);
            let content = polled.content_of("ann", &repository());
            assert_eq!(content.received, Some(at(received)), "{minute}");
        }
    }

    #[test]
    fn hanging_repositories_delay_no_other_poll() {
        let polled = PolledRepositories::default();
        let second = |second| Timestamp::from_second(at(0).as_second() + second).expect("a time");
        let of = |url: String| Repository {
            url,
            ..repository()
        };
        let hangs = |one: &Repository| one.url.starts_with("https://a");
        for number in 0..40 {
            if number < 16 {
                polled.content_of("mal", &of(format!("https://a{number}/mal")));
            }
            polled.content_of("ann", &of(format!("https://host/{number}")));
        }
        let mut asked: BTreeMap<Repository, Vec<i64>> = BTreeMap::new();
        let mut threads: [Option<(Repository, i64)>; PolledRepositories::AT_ONCE] =
            [const { None }; 4];
        for now in 0..7200 {
            for thread in &mut threads {
                if let Some((one, begun)) = thread {
                    let hangs = hangs(one);
                    if now - *begun < if hangs { 30 } else { 2 } {
                        continue;
                    }
                    let answer = if hangs { away("it hangs") } else { None };
                    let noted = polled.record_answer(one, second(*begun), second(now), Ok(answer));
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
    }

    #[test]
    fn delisted_repository_is_no_longer_polled() {
        let polled = PolledRepositories::default();
        polled.content_of("ann", &repository());
        polled.remove_unlisted();
        polled.mark_listed("ann");
        polled.remove_unlisted();
        polled.take_due(at(0)).expect("it is listed");
        polled.remove_unlisted();
        record_answer(&polled, 1, 1, holds("1"));
        assert!(polled.is_up_to_date() && polled.take_due(at(100)).is_none());
        let again = polled.content_of("ann", &repository()).absent;
        assert_eq!(again, Some(Absent::NotYet));
    }

    #[test]
    fn a_commit_has_come_since_the_question_before() {
        let polled = PolledRepositories::default();
        let received = || polled.content_of("ann", &repository()).received;
        received();
        // The fetch takes a minute, and somebody may push meanwhile.
        for (minute, commit, expected) in [(0, "1", 0), (6, "2", 0), (100, "3", 6), (80, "4", 80)] {
            polled.take_due(at(minute)).expect("due");
            record_answer(&polled, minute, minute + 1, holds(commit));
            assert_eq!(received(), Some(at(expected)), "{minute}");
        }
        polled.mark_all_due();
        assert!(!polled.is_up_to_date() && polled.take_due(at(100)).is_some());
        // A clock that was set back delays nobody.
        record_answer(&polled, 100, 100, None);
        assert!(polled.is_up_to_date() && polled.take_due(at(50)).is_some());
    }
}
