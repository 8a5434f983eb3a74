//! The report on an examined submission.

use crate::terminal::{Paint, Style, span, wrapped};
use model::clock::ClockMode;
use model::numbers::counted;
use model::text::readable;
use serde::{Serialize, Serializer};
use std::fmt::{self, Write as _};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Verdict {
    Ok,
    /// The submission plays, but its author should know this.
    Warning,
    /// The fault costs games, or there is no valid submission.
    Wrong,
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Topic {
    Files,
    Build,
    Comment,
    Start,
    Output,
    Silence,
    Moves,
    Crash,
    Time,
    IdleReport,
    End,
    Memory,
    Repeat,
    Stderr,
    Homework(&'static str),
}

impl Topic {
    pub(crate) const ALWAYS: [Self; 13] = [
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

    pub(crate) fn name(self) -> &'static str {
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

    pub(crate) fn is_homework(self) -> bool {
        matches!(self, Self::Homework(_))
    }
}

impl Serialize for Topic {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct Check {
    /// Its place in the order of the examination, from 1.
    pub(crate) number: usize,
    #[serde(rename = "name")]
    pub(crate) topic: Topic,
    pub(crate) verdict: Verdict,
    pub(crate) message: String,
    /// Details, line by line: the place, the evidence, the remedy.
    pub(crate) detail: Vec<String>,
    /// From 0 to 1; `None` outside of homework, and where the judge did not get there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) mark: Option<f64>,
}

#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(crate) struct SampleGames {
    pub(crate) planned: usize,
    pub(crate) played: usize,
    pub(crate) won: usize,
    pub(crate) drawn: usize,
    pub(crate) lost: usize,
}

/// Times of the turns, in microseconds of CPU time.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(crate) struct TurnTimes {
    pub(crate) counts: ClockMode,
    pub(crate) turns: usize,
    pub(crate) median_us: u64,
    pub(crate) worst_us: u64,
    pub(crate) turn_limit_us: Option<u64>,
    pub(crate) bank_us: Option<u64>,
}

#[derive(Clone, Debug)]
pub(crate) struct FailedGame {
    /// The opponents in seat order; `None` for the submission.
    pub(crate) players: Vec<Option<String>>,
    pub(crate) state: u32,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct CheckReport {
    pub(crate) submission: String,
    pub(crate) game: Option<&'static str>,
    pub(crate) language: &'static str,
    pub(crate) ok: bool,
    pub(crate) checks: Vec<Check>,
    /// Topics behind an earlier fault. Homework among them has the mark 0.
    pub(crate) not_checked: Vec<Topic>,
    /// Why the judge did not get to everything, through no fault of the submission.
    pub(crate) unreached: Option<String>,
    #[serde(skip)]
    pub(crate) failed: Option<FailedGame>,
    pub(crate) seed: u64,
    pub(crate) games: SampleGames,
    pub(crate) times: TurnTimes,
}

const VERDICT_COLUMNS: usize = 8;
const HEAD_COLUMNS: usize = 33;
/// Least width of a message that is broken next to its head, in columns.
const MESSAGE_COLUMNS_MIN: usize = 20;

fn hung(message: &str, columns: Option<usize>) -> String {
    let space = columns.and_then(|columns| columns.checked_sub(HEAD_COLUMNS));
    let Some(space) = space.filter(|space| *space >= MESSAGE_COLUMNS_MIN) else {
        return message.to_owned();
    };
    let lines = wrapped(message, space);
    format!("  {}", lines.join(&format!("\n{:HEAD_COLUMNS$}", "")))
}

/// Enough for the largest board of a course; JSON has all lines.
const DETAIL_LINES_MAX: usize = 32;

const UNDRAWN_LINES_MAX: usize = 6;

/// Authors fix homework one by one; the other checks show only the call.
const HOMEWORK_DRAWN_MAX: usize = 2;

const OUT_OF_TIME: &str = "the time of the check was over; --seconds gives more";

impl CheckReport {
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

    pub(super) fn has_homework(&self, name: &'static str) -> bool {
        let topic = Topic::Homework(name);
        self.checks.iter().any(|check| check.topic == topic)
    }

    pub(super) fn not_looked_at(&mut self, topic: Topic, why: &str) {
        self.add(topic, Verdict::NotLookedAt, why, Vec::new());
    }

    pub(super) fn out_of_time(&mut self, topic: Topic) {
        self.not_looked_at(topic, OUT_OF_TIME);
        self.cut_short();
    }

    pub(super) fn cut_short(&mut self) {
        self.unreached.get_or_insert_with(|| OUT_OF_TIME.to_owned());
    }

    /// Adds homework without a mark, because the judge did not get there, with the reason.
    pub(super) fn not_reached(&mut self, name: &'static str, why: &str) {
        self.not_looked_at(Topic::Homework(name), why);
        self.unreached.get_or_insert_with(|| why.to_owned());
    }

    pub(super) fn fine(&mut self, topic: Topic, message: impl Into<String>) {
        self.add(topic, Verdict::Ok, message, Vec::new());
    }

    /// Formats the report for a person: first all that is wrong, then all checks, broken at `columns`.
    pub(crate) fn text(&self, paint: Paint, columns: Option<usize>) -> String {
        let mut text = String::new();
        let mut drawn = 0;
        for verdict in [Verdict::Wrong, Verdict::Warning] {
            for check in self.checks.iter().filter(|c| c.verdict == verdict) {
                let (number, name) = (check.number, check.topic.name());
                let message = readable(&check.message);
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
                    writeln!(text, "    {}", readable(line)).expect("memory");
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
                Verdict::Ok => format!("  {}", readable(&check.message)),
                Verdict::Warning | Verdict::Wrong => "  see above".to_owned(),
                Verdict::NotLookedAt => format!("  not checked: {}", readable(&check.message)),
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
                    writeln!(text, "                 {}", readable(line)).expect("memory");
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
