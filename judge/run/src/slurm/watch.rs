//! Asks Slurm for the states of tasks at intervals, in a separate thread: an answer may take a
//! while.

use crate::slurm::client::{Refusal, Which, list};
use crate::slurm::listing::Listed;
use std::collections::HashMap;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread::Scope;
use std::time::{Duration, Instant};

/// Pause between questions to Slurm: at first, and at most while nothing changes.
const PAUSE_MIN: Duration = Duration::from_secs(1);
const PAUSE_MAX: Duration = Duration::from_secs(15);

/// Slurm's answer about arrays.
pub(crate) struct News {
    pub(crate) jobs: Vec<u64>,
    pub(crate) listed: Result<Vec<Listed>, Refusal>,
    /// The numbers of jobs that were requested by name; none if there is no such job.
    pub(crate) named: HashMap<String, Option<u64>>,
}

/// A question to Slurm.
struct Question {
    jobs: Vec<u64>,
    names: Vec<String>,
}

impl Question {
    fn ask(self) -> News {
        let mut named = HashMap::new();
        let listed = if self.jobs.is_empty() {
            Ok(Vec::new())
        } else {
            list(&Which::Jobs(self.jobs.clone()))
        };
        let listed = listed.and_then(|listed| {
            for name in self.names {
                let found = list(&Which::Name(name.clone()))?;
                named.insert(name, found.first().map(|one| one.job));
            }
            Ok(listed)
        });
        News {
            jobs: self.jobs,
            listed,
            named,
        }
    }
}

/// A thread that asks Slurm.
pub(crate) struct Watch {
    questions: Sender<Question>,
    answers: Receiver<News>,
    is_asking: bool,
    next: Instant,
    pause: Duration,
    last: Vec<Listed>,
}

impl Watch {
    /// Starts the thread, which ends when this is dropped.
    pub(crate) fn begin<'scope>(scope: &'scope Scope<'scope, '_>) -> Self {
        let (questions, asked) = channel::<Question>();
        let (told, answers) = channel();
        scope.spawn(move || {
            for question in asked {
                if told.send(question.ask()).is_err() {
                    break;
                }
            }
        });
        Self {
            questions,
            answers,
            is_asking: false,
            next: Instant::now(),
            pause: PAUSE_MIN,
            last: Vec::new(),
        }
    }

    /// Asks about arrays, if it is time: about those with known numbers, and for the numbers of the
    /// others by their names.
    pub(crate) fn ask_if_due(&mut self, jobs: Vec<u64>, names: Vec<String>) {
        if self.is_asking || Instant::now() < self.next {
            return;
        }
        if !jobs.is_empty() || !names.is_empty() {
            self.is_asking = self.questions.send(Question { jobs, names }).is_ok();
        }
    }

    /// Returns a new answer, if any. If nothing has changed, the next question waits longer.
    pub(crate) fn news(&mut self) -> Option<News> {
        let news = match self.answers.try_recv() {
            Ok(news) => news,
            Err(TryRecvError::Empty | TryRecvError::Disconnected) => return None,
        };
        self.is_asking = false;
        let listed = news.listed.as_ref();
        let is_new = listed.is_ok_and(|listed| *listed != self.last);
        if let Ok(listed) = listed {
            self.last.clone_from(listed);
        }
        self.pause = if is_new {
            PAUSE_MIN
        } else {
            PAUSE_MAX.min(self.pause * 3 / 2)
        };
        self.next = Instant::now() + self.pause;
        Some(news)
    }

    /// Makes the next question come soon.
    pub(crate) fn hurry(&mut self) {
        self.pause = PAUSE_MIN;
        self.next = Instant::now();
    }
}
