//! The report on an examined submission.

use super::Readable;
use crate::terminal::{Paint, Style, span, wrapped};
use model::clock::ClockMode;
use model::numbers::counted;
use serde::{Serialize, Serializer};
use std::fmt::{self, Write as _};

/// Result of one check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Nothing to fix.
    Ok,
    /// The submission plays, but its author should know this.
    Warning,
    /// The fault costs games, or there is no valid submission.
    Wrong,
    /// The check was impossible.
    NotLookedAt,
}

impl Verdict {
    fn style(self) -> Style {
        match self {
            Self::Ok => Style::Good,
            Self::Warning => Style::Warning,
            Self::Wrong => Style::Bad,
            Self::NotLookedAt => Style::Dim,
        }
    }
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

/// The subject of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topic {
    /// The kind of the files.
    Files,
    /// Building a program from the files.
    Build,
    /// A comment that describes the program, where the course asks for one.
    Comment,
    /// Becoming ready.
    Start,
    /// Writing answers and nothing else.
    Output,
    /// Answering every question.
    Silence,
    /// Legality of the moves.
    Moves,
    /// Staying alive to the end of each game.
    Crash,
    /// Time of the turns.
    Time,
    /// Behaviour after an answer.
    IdleReport,
    /// Exiting at the end of the input.
    End,
    /// Use of memory.
    Memory,
    /// Repeating the same answer.
    Repeat,
    /// Output on standard error.
    Stderr,
    /// A part of the course's own test, under the name that the game's kit gives it.
    Homework(&'static str),
}

impl Topic {
    /// The topics of every submission without faults, in order.
    pub const ALWAYS: [Self; 13] = [
        Self::Files,
        Self::Build,
        Self::Start,
        Self::Output,
        Self::Silence,
        Self::Moves,
        Self::Crash,
        Self::Time,
        Self::IdleReport,
        Self::End,
        Self::Memory,
        Self::Repeat,
        Self::Stderr,
    ];

    /// Returns the name for reports.
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
            Self::IdleReport => "quiet",
            Self::End => "end",
            Self::Memory => "memory",
            Self::Repeat => "repeat",
            Self::Stderr => "stderr",
            Self::Homework(name) => name,
        }
    }

    /// Returns whether the topic belongs to the course's own test and has a mark.
    pub fn is_homework(self) -> bool {
        matches!(self, Self::Homework(_))
    }
}

impl Serialize for Topic {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// One check of a submission.
#[derive(Clone, Debug, Serialize)]
pub struct Check {
    /// Its place in the order of the examination, from 1.
    pub number: usize,
    /// Its subject.
    #[serde(rename = "name")]
    pub topic: Topic,
    /// Its result.
    pub verdict: Verdict,
    /// The finding, in one sentence.
    pub message: String,
    /// Details, line by line: the place, the evidence, the remedy.
    pub detail: Vec<String>,
    /// The mark for homework, from 0 to 1; `None` outside of homework, and where the judge did not
    /// get there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mark: Option<f64>,
}

/// Results of the sample games.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct SampleGames {
    /// Number of planned games.
    pub planned: usize,
    /// Number of games played.
    pub played: usize,
    /// Number of games won, alone or jointly.
    pub won: usize,
    /// Number of games drawn.
    pub drawn: usize,
    /// Number of games lost.
    pub lost: usize,
}

/// Times of the turns, in microseconds of CPU time.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct TurnTimes {
    /// The time that the clock counts.
    pub counts: ClockMode,
    /// Number of turns measured.
    pub turns: usize,
    /// Median of the turns.
    pub median_us: u64,
    /// Longest turn.
    pub worst_us: u64,
    /// Limit for a turn, if any.
    pub turn_limit_us: Option<u64>,
    /// Bank at the beginning of a game, if any.
    pub bank_us: Option<u64>,
}

/// A sample game with a fault.
#[derive(Clone, Debug)]
pub(crate) struct FailedGame {
    /// The opponents in seat order; `None` for the submission.
    pub(crate) players: Vec<Option<String>>,
    /// The number of its initial state.
    pub(crate) state: u32,
}

/// The complete report on one submission.
#[derive(Clone, Debug, Serialize)]
pub struct CheckReport {
    /// The submission's name.
    pub submission: String,
    /// The game's slug; `None` if unknown.
    pub game: Option<&'static str>,
    /// The kind of submission, such as `cpp`; empty if unknown.
    pub language: &'static str,
    /// Whether nothing is wrong; warnings are allowed.
    pub ok: bool,
    /// The checks, in order.
    pub checks: Vec<Check>,
    /// The topics that were not reached because of an earlier fault. Homework among them has the
    /// mark 0.
    pub not_checked: Vec<Topic>,
    /// Why the judge did not get to everything, through no fault of the submission; `None` if it
    /// did.
    pub unreached: Option<String>,
    /// The first sample game with a fault.
    #[serde(skip)]
    pub(crate) failed: Option<FailedGame>,
    /// The seed of the initial states.
    pub seed: u64,
    /// Results of the sample games.
    pub games: SampleGames,
    /// Times of the turns.
    pub times: TurnTimes,
}

/// Width of a verdict, and of all that comes before a message, in columns.
const VERDICT_COLUMNS: usize = 8;
const HEAD_COLUMNS: usize = 33;
/// Least width of a message that is broken next to its head, in columns.
const MESSAGE_COLUMNS_MIN: usize = 20;

/// Breaks a message between words, with all its lines behind the head.
fn hung(message: &str, columns: Option<usize>) -> String {
    let space = columns.and_then(|columns| columns.checked_sub(HEAD_COLUMNS));
    let Some(space) = space.filter(|space| *space >= MESSAGE_COLUMNS_MIN) else {
        return message.to_owned();
    };
    let lines = wrapped(message, space);
    format!("  {}", lines.join(&format!("\n{:HEAD_COLUMNS$}", "")))
}

/// Maximum number of detail lines per check in the text, enough for the largest board of a course;
/// JSON has them all.
const DETAIL_LINES_MAX: usize = 32;

/// Longest detail without a picture, in lines.
const UNDRAWN_LINES_MAX: usize = 6;

/// Number of homework checks that are shown with a picture, since authors fix them one by one. The
/// others show only the call.
const HOMEWORK_DRAWN_MAX: usize = 2;

const OUT_OF_TIME: &str = "the time of the check was over; --seconds gives more";

impl CheckReport {
    /// Adds a check.
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

    /// Adds a check of homework with its mark.
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

    /// Returns whether a part of the homework has a check.
    pub(super) fn has_homework(&self, name: &'static str) -> bool {
        let topic = Topic::Homework(name);
        self.checks.iter().any(|check| check.topic == topic)
    }

    /// Adds a check that was impossible, with the reason.
    pub(super) fn not_looked_at(&mut self, topic: Topic, why: &str) {
        self.add(topic, Verdict::NotLookedAt, why, Vec::new());
    }

    /// Adds a check for which no time was left.
    pub(super) fn out_of_time(&mut self, topic: Topic) {
        self.not_looked_at(topic, OUT_OF_TIME);
        self.cut_short();
    }

    /// Notes that checks were skipped for want of time.
    pub(super) fn cut_short(&mut self) {
        self.unreached.get_or_insert_with(|| OUT_OF_TIME.to_owned());
    }

    /// Adds homework without a mark, because the judge did not get there, with the reason.
    pub(super) fn not_reached(&mut self, name: &'static str, why: &str) {
        self.not_looked_at(Topic::Homework(name), why);
        self.unreached.get_or_insert_with(|| why.to_owned());
    }

    /// Adds a check without a fault.
    pub(super) fn fine(&mut self, topic: Topic, message: impl Into<String>) {
        self.add(topic, Verdict::Ok, message, Vec::new());
    }

    /// Formats the report for a person: first all that is wrong, then all checks. With a number of
    /// columns, the messages of the checks are broken between words.
    pub(crate) fn text(&self, paint: Paint, columns: Option<usize>) -> String {
        let mut text = String::new();
        let mut drawn = 0;
        for verdict in [Verdict::Wrong, Verdict::Warning] {
            for check in self.checks.iter().filter(|c| c.verdict == verdict) {
                let (number, name) = (check.number, check.topic.name());
                let message = Readable(&check.message);
                let head = span(format!("{verdict} ({number} {name}):"), verdict.style());
                let head = paint.line(&vec![head]);
                writeln!(text, "{head} {message}").expect("memory");
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
                Verdict::NotLookedAt => format!("  not checked: {}", Readable(&check.message)),
            };
            let (number, name) = (check.number, check.topic.name());
            let verdict = span(check.verdict.to_string(), check.verdict.style());
            let blanks = VERDICT_COLUMNS.saturating_sub(check.verdict.to_string().len());
            let verdict = paint.line(&vec![verdict]);
            let said = hung(&said, columns);
            writeln!(
                text,
                "{number:>3}  {verdict}{:blanks$} {name:<17}{said}",
                ""
            )
            .expect("memory");
            if check.verdict == Verdict::Ok {
                for line in &check.detail {
                    writeln!(text, "                 {}", Readable(line)).expect("memory");
                }
            }
        }
        if !self.not_checked.is_empty() {
            let names = self
                .not_checked
                .iter()
                .map(|topic| topic.name())
                .collect::<Vec<_>>()
                .join(", ");
            let why = if self.ok {
                ""
            } else {
                ", because of the above"
            };
            writeln!(text, "     not checked{why}: {names}").expect("memory");
        }
        text
    }
}
