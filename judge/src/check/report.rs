//! What an examination comes to.

use super::advice::Readable;
use serde::{Serialize, Serializer};
use std::fmt::{self, Write as _};
use words::clock::ClockMode;
use words::numbers::counted;

/// How one thing turned out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// As it should be.
    Ok,
    /// It plays, and its author should know this.
    Warning,
    /// It costs games, or is no submission.
    Wrong,
    /// There was nothing to look at.
    NotLookedAt,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Ok => "ok",
            Self::Warning => "warning",
            Self::Wrong => "WRONG",
            Self::NotLookedAt => "-",
        })
    }
}

/// What is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topic {
    /// What the files are.
    Files,
    /// Whether they become a program.
    Build,
    /// Whether a comment describes it, where the course asks for one.
    Comment,
    /// Whether it becomes ready.
    Start,
    /// Whether it writes answers and nothing else.
    Output,
    /// Whether every answer comes.
    Silence,
    /// Whether every move is legal.
    Moves,
    /// Whether it stays to the end of its games.
    Crash,
    /// What its turns take.
    Time,
    /// What it does after an answer.
    Quiet,
    /// Whether it exits when its input ends.
    End,
    /// What memory it takes.
    Memory,
    /// Whether it answers the same twice.
    Repeat,
    /// What it writes on standard error.
    Stderr,
    /// What the course's own test asks, under the name that the game's kit gives it.
    Homework(&'static str),
}

impl Topic {
    /// Everything that is looked at in every submission where nothing is wrong, in order.
    pub const ALWAYS: [Self; 13] = [
        Self::Files,
        Self::Build,
        Self::Start,
        Self::Output,
        Self::Silence,
        Self::Moves,
        Self::Crash,
        Self::Time,
        Self::Quiet,
        Self::End,
        Self::Memory,
        Self::Repeat,
        Self::Stderr,
    ];

    /// Returns the name that reports use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Files => "files",
            Self::Build => "build",
            Self::Comment => "comment",
            Self::Start => "start",
            Self::Output => "output",
            Self::Silence => "silence",
            Self::Moves => "moves",
            Self::Crash => "crash",
            Self::Time => "time",
            Self::Quiet => "quiet",
            Self::End => "end",
            Self::Memory => "memory",
            Self::Repeat => "repeat",
            Self::Stderr => "stderr",
            Self::Homework(name) => name,
        }
    }

    /// Returns whether the course's own test asks it, so that there is a mark for it.
    pub fn is_homework(self) -> bool {
        matches!(self, Self::Homework(_))
    }
}

impl Serialize for Topic {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// One thing that was looked at.
#[derive(Clone, Debug, Serialize)]
pub struct Check {
    /// Its place in the order of examination, from 1.
    pub number: usize,
    /// What it was.
    #[serde(rename = "name")]
    pub topic: Topic,
    /// How it turned out.
    pub verdict: Verdict,
    /// What was found, in one sentence.
    pub message: String,
    /// More of it, line by line: where, the evidence, what to do.
    pub detail: Vec<String>,
    /// What the homework gets for it, from 0 to 1; none where it is not homework.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mark: Option<f64>,
}

/// How the sample games went.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct SampleGames {
    /// How many there were to be.
    pub planned: usize,
    /// How many were played.
    pub played: usize,
    /// Won, alone or jointly.
    pub won: usize,
    /// Drawn.
    pub drawn: usize,
    /// Lost.
    pub lost: usize,
}

/// What the turns took; in microseconds of CPU time.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct TurnTimes {
    /// What the clock counts.
    pub counts: ClockMode,
    /// How many turns were measured.
    pub turns: usize,
    /// Half of the turns took no more.
    pub median_us: u64,
    /// The longest turn.
    pub worst_us: u64,
    /// The most that a turn may take, where there is such a limit.
    pub turn_limit_us: Option<u64>,
    /// The bank at the beginning of a game, where there is one.
    pub bank_us: Option<u64>,
}

/// Everything that was found about one submission.
#[derive(Clone, Debug, Serialize)]
pub struct CheckReport {
    /// The submission's name.
    pub submission: String,
    /// The game's slug; none where that is not known.
    pub game: Option<&'static str>,
    /// The kind of submission, as `cpp`; empty where that is not known.
    pub language: &'static str,
    /// Whether nothing is wrong; warnings are allowed.
    pub ok: bool,
    /// What was looked at, in order.
    pub checks: Vec<Check>,
    /// What was not reached, mostly because of what is wrong.
    pub not_checked: Vec<Topic>,
    /// What the initial states were drawn from.
    pub seed: u64,
    /// The sample games.
    pub games: SampleGames,
    /// What the turns took.
    pub times: TurnTimes,
}

/// The most lines of detail that the text shows for one thing; JSON has them all.
const DETAIL_LINES_MAX: usize = 24;

/// A detail that is longer has a picture.
const UNDRAWN_LINES_MAX: usize = 6;

/// How many parts of the homework are shown with a picture: they are mended one by one. Of the
/// others the call is shown.
const HOMEWORK_DRAWN_MAX: usize = 2;

impl CheckReport {
    /// Adds what was found.
    pub(super) fn add(
        &mut self,
        topic: Topic,
        verdict: Verdict,
        message: impl Into<String>,
        detail: Vec<String>,
    ) {
        self.ok &= verdict != Verdict::Wrong;
        self.checks.push(Check {
            number: self.checks.len() + 1,
            topic,
            verdict,
            message: message.into(),
            detail,
            mark: None,
        });
    }

    /// Adds what was found of the homework, which gets a mark for it.
    pub(super) fn mark(
        &mut self,
        name: &'static str,
        verdict: Verdict,
        message: impl Into<String>,
        detail: Vec<String>,
        mark: f64,
    ) {
        self.add(Topic::Homework(name), verdict, message, detail);
        let last = self.checks.last_mut().expect("it was added just now");
        last.mark = Some(mark);
    }

    /// Adds that there was nothing to look at, and why.
    pub(super) fn not_looked_at(&mut self, topic: Topic, why: &str) {
        self.add(topic, Verdict::NotLookedAt, why, Vec::new());
    }

    /// Adds something that is as it should be.
    pub(super) fn fine(&mut self, topic: Topic, message: impl Into<String>) {
        self.add(topic, Verdict::Ok, message, Vec::new());
    }

    /// Writes the report for a person: what is wrong comes first, then everything.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let mut drawn = 0;
        for verdict in [Verdict::Wrong, Verdict::Warning] {
            for check in self.checks.iter().filter(|c| c.verdict == verdict) {
                let (number, name) = (check.number, check.topic.name());
                let message = Readable(&check.message);
                writeln!(text, "{verdict} ({number} {name}): {message}").expect("memory");
                let is_drawn = check.topic.is_homework() && check.detail.len() > UNDRAWN_LINES_MAX;
                drawn += usize::from(is_drawn);
                let lines_max = if is_drawn && drawn > HOMEWORK_DRAWN_MAX {
                    1
                } else {
                    DETAIL_LINES_MAX
                };
                for line in check.detail.iter().take(lines_max) {
                    writeln!(text, "    {}", Readable(line)).expect("memory");
                }
                if check.detail.len() > lines_max {
                    let more = counted((check.detail.len() - lines_max) as u64, "more line");
                    writeln!(text, "    … {more}; --json has them all").expect("memory");
                }
                text.push('\n');
            }
        }
        for check in &self.checks {
            let said = match check.verdict {
                Verdict::Ok => format!("  {}", Readable(&check.message)),
                Verdict::Warning | Verdict::Wrong => "  see above".to_owned(),
                Verdict::NotLookedAt => format!("  not looked at: {}", Readable(&check.message)),
            };
            let (number, name) = (check.number, check.topic.name());
            writeln!(text, "{number:>3}  {:<8} {name:<17}{said}", check.verdict).expect("memory");
            if check.verdict == Verdict::Ok {
                for line in &check.detail {
                    writeln!(text, "                 {}", Readable(line)).expect("memory");
                }
            }
        }
        if !self.not_checked.is_empty() {
            let names = self.not_checked.iter().map(|topic| topic.name());
            let names = names.collect::<Vec<_>>().join(", ");
            let why = if self.ok {
                ""
            } else {
                ", because of the above"
            };
            writeln!(text, "     not looked at{why}: {names}").expect("memory");
        }
        text
    }
}
