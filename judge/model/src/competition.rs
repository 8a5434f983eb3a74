//! The rules of a competition as data: the game, the number of games, the clock, and the scoring.

use crate::builtin::is_builtin;
use crate::fixture::Conditions;
use crate::lateness::{LateStep, TooLate};
use crate::points::Points;
use crate::tally::{RankKey, Tie};
use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use jiff::Timestamp;
use jiff::tz::Offset;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// The name of a competition's file in a folder of submissions.
pub const FILE_NAME: &str = "competition.toml";

/// The name of the round that counts.
pub const FINAL: &str = "final";

/// All rules of a competition. The entrants are not part of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Competition {
    /// The title, for people.
    pub title: String,
    /// The conditions of every game.
    pub conditions: Conditions,
    /// The number of initial states that each pairing or round of groups plays.
    pub states: u32,
    /// The setups of the initial states, from the first again at the end. Empty = all are drawn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub starts: Vec<Box<RawValue>>,
    /// The public seed of everything random; none if it is drawn from a secret of the run.
    pub seed: Option<u64>,
    /// The round that is drawn: [`FINAL`], or a practice round, `practice/1` and so on.
    pub round: String,
    /// The deadline for submissions.
    pub deadline: Option<Timestamp>,
    /// The cost of later submissions, from the first hours on.
    pub late: Vec<LateStep>,
    /// The consequence for a submission that comes after all of [`Competition::late`].
    pub too_late: TooLate,
    /// The pairing of entrants.
    pub schedule: Schedule,
    /// The scoring.
    pub scoring: Scoring,
    /// None = the submissions' own names, but [`NameRule::Nickname`] where a platform has named them.
    pub names: Option<NameRule>,
    /// Whether staff accept that a public seed gives away who is behind a public name.
    pub guessable: bool,
    /// The time limits of a submission's build.
    pub builds: BuildLimits,
    /// The limits on the size of a submission.
    pub submissions: SubmissionLimits,
    /// The course's additions to the kits of submissions.
    pub kit: CourseKit,
}

impl Competition {
    /// Returns the number of initial states that are drawn, those of the graded games included.
    pub fn states_drawn(&self) -> u32 {
        self.states
            .max(self.scoring.graded_games().map_or(0, |games| games.states))
    }

    /// Drops what a comparison of bots has no use for. Built-in bots are ranked like others.
    pub fn drop_course_rules(&mut self) {
        self.deadline = None;
        self.late = Vec::new();
        self.too_late = TooLate::default();
        let scoring = &mut self.scoring;
        scoring.disqualify = Disqualify::Never;
        scoring.prizes = Vec::new();
        scoring.prize_needs = PrizeNeeds::default();
        scoring.grades = None;
        scoring.rank_builtins = true;
    }

    /// Returns the setup of an initial state; none if it is drawn.
    pub fn start(&self, state: u32) -> Option<&RawValue> {
        let place = (state as usize).checked_rem(self.starts.len())?;
        Some(&self.starts[place])
    }

    /// Returns the opponents without a rank: those of a gauntlet and of the graded games.
    pub fn opponents(&self) -> impl Iterator<Item = &String> {
        let ungraded = self.schedule.opponents().iter();
        ungraded.chain(self.scoring.graded_against())
    }

    /// Returns whether a name is among [`Competition::opponents`].
    pub fn is_opponent(&self, name: &str) -> bool {
        self.opponents().any(|opponent| opponent == name)
    }
}

/// A course's additions to the kits of submissions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CourseKit {
    /// The course's own files, which are copied over each submission before it is built.
    pub files: Vec<CourseFile>,
    /// The libraries that submissions may use, in place of the kit's own list.
    pub libraries: Option<Vec<String>>,
    /// The expected length, in words, of the comment that describes a submission.
    pub comment_words: Option<WordCount>,
}

impl CourseKit {
    /// Returns the libraries that submissions with a kit may use. `own` is the kit's own list.
    pub fn libraries_of(&self, own: &[&str]) -> Vec<String> {
        self.libraries
            .clone()
            .unwrap_or_else(|| own.iter().map(|&name| name.to_owned()).collect())
    }
}

/// A file of a course.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CourseFile {
    /// The name in the submission's folder.
    pub name: String,
    /// The content. The public sees only its hash.
    pub text: String,
}

/// An approximate number of words, as a range with both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WordCount {
    /// The minimum.
    pub least: u64,
    /// The maximum.
    pub most: u64,
}

/// The time limits for all steps of a submission's build together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BuildLimits {
    /// Wall time, in milliseconds.
    pub wall_ms: u64,
    /// CPU time of all processes, in milliseconds.
    pub cpu_ms: u64,
}

impl Default for BuildLimits {
    fn default() -> Self {
        Self {
            wall_ms: 180_000,
            cpu_ms: 180_000,
        }
    }
}

/// The limits on the size of a submission. Vendored dependencies fit the defaults.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SubmissionLimits {
    /// The number of files.
    pub files: u32,
    /// The size of all files together, unpacked, in MiB.
    pub mib: u32,
}

impl SubmissionLimits {
    /// The limits where a competition sets none.
    pub const DEFAULT: Self = Self {
        files: 20_000,
        mib: 256,
    };
}

/// The names of the entrants in public. A file `anonymous` always gives a pseudonym.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NameRule {
    /// The bot's own choice, or a pseudonym.
    Nickname,
    /// The names of the people behind the entrant on the roster, or a pseudonym.
    Roster,
    /// The submission's name, even if a learning platform has given it.
    Real,
}

/// The pairing of entrants. Every pairing plays every initial state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Schedule {
    /// For two seats: everybody in the first seat meets everybody in the second.
    Pairs {
        /// Whether an entrant also meets itself.
        self_play: bool,
    },
    /// Everybody meets each of these opponents, in every seat, and nobody else; for two seats only.
    Gauntlet {
        /// The opponents, which are not ranked: `builtin:NAME`, or entrants.
        against: Vec<String>,
    },
    /// For more seats: random groups, each in all rotations. Everybody plays equally many games.
    Groups,
}

impl Schedule {
    /// Returns the opponents of a gauntlet; for other schedules, nobody.
    pub fn opponents(&self) -> &[String] {
        match self {
            Self::Gauntlet { against } => against,
            Self::Pairs { .. } | Self::Groups => &[],
        }
    }

    /// Returns whether an entrant also meets itself.
    pub fn self_play(&self) -> bool {
        matches!(self, Self::Pairs { self_play: true })
    }
}

/// The scoring of a competition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scoring {
    /// The points of a game.
    pub points: PointsRule,
    /// Points taken off for each second of CPU time charged.
    pub points_per_cpu_second: f64,
    /// The step, in milliseconds, that CPU time is rounded to before it costs points; 0 = not rounded.
    pub cpu_step_ms: u64,
    /// The keys of the ranking. Each one decides between entrants that are equal by those before.
    pub ranking: Vec<RankKey>,
    /// The rules for entrants that `ranking` leaves equal. They change the rank.
    pub ties: Vec<Tie>,
    /// The rules that order entrants of one rank on the podium. The rank stays shared.
    pub podium: Vec<Tie>,
    /// The consequence of faults.
    pub disqualify: Disqualify,
    /// The prizes, in rising order of ranks.
    pub prizes: Vec<Prize>,
    /// The conditions of every prize besides the rank.
    pub prize_needs: PrizeNeeds,
    /// Whether built-in bots have ranks, prizes and grades like everybody else.
    pub rank_builtins: bool,
    /// The grades for totals, from the best down, and for the disqualified.
    pub grades: Option<Grades>,
    /// The points for the parts of the homework, in the order of the game.
    pub homework: Vec<HomeworkPart>,
}

impl Scoring {
    /// Makes a scoring that counts the points of the game's own formula and nothing else.
    pub fn plain() -> Self {
        Self {
            points: PointsRule::Game,
            points_per_cpu_second: 0.0,
            cpu_step_ms: 0,
            ranking: vec![RankKey::Points],
            ties: Vec::new(),
            podium: Vec::new(),
            disqualify: Disqualify::Never,
            prizes: Vec::new(),
            prize_needs: PrizeNeeds::default(),
            rank_builtins: false,
            grades: None,
            homework: Vec::new(),
        }
    }

    /// Returns the games that alone decide the grades, if there are any.
    pub fn graded_games(&self) -> Option<&GradedGames> {
        self.grades.as_ref()?.games.as_ref()
    }

    fn graded_against(&self) -> &[String] {
        self.graded_games().map_or(&[], |games| &games.against)
    }

    /// Returns whether an entrant is a built-in bot that prizes require being ahead of.
    pub fn is_prize_test(&self, entrant: &str) -> bool {
        is_builtin(entrant) && self.prize_needs.ahead_of.iter().any(|one| one == entrant)
    }

    /// Returns whether a game counts for no rank: a graded one, or one against a test for prizes.
    pub fn is_unranked<'a>(&self, mut entrants: impl Iterator<Item = &'a str>) -> bool {
        let graded = self.graded_against();
        entrants.any(|name| self.is_prize_test(name) || graded.iter().any(|one| one == name))
    }

    /// Returns the points taken off for CPU time, rounded to the nearest step; halves go up.
    pub fn cpu_cost(&self, cpu_us: u64) -> Points {
        let step_us = self.cpu_step_ms.saturating_mul(1000).max(1);
        let steps = cpu_us.saturating_add(step_us / 2) / step_us;
        Points::for_cpu(self.points_per_cpu_second, steps.saturating_mul(step_us))
    }
}

/// The points of a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PointsRule {
    /// The points of the game's own formula.
    #[default]
    Game,
    /// One point for a win, shared equally among joint winners.
    Win,
    /// One point for a win, half a point for a draw.
    WinDraw,
}

/// The consequence of faults of other kinds than time or memory, or of those in all games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Disqualify {
    /// No consequence beyond the game.
    #[default]
    Never,
    /// The entrant stays in the table and is marked.
    Flag,
    /// The entrant and all its games are left out of the table.
    Remove,
}

/// The prize of a range of ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prize {
    /// The last rank that gets it, inclusive. The range begins after that of the prize before.
    pub to_rank: usize,
    /// The prize, in prize points.
    pub points: u32,
}

/// The conditions of a prize besides the rank. Nobody moves up for those who do not meet them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PrizeNeeds {
    /// The minimum number of games in [`Tally::faultless`](crate::tally::Tally::faultless).
    pub faultless_games: u64,
    /// The minimum number of games won, alone or jointly.
    pub wins: u64,
    /// The entrants that a winner must be ahead of; of built-in bots in games that count for nothing else.
    pub ahead_of: Vec<String>,
}

/// Grades for totals.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grades {
    /// The games whose total decides the grades; none = all games of the schedule.
    pub games: Option<GradedGames>,
    /// The steps, from the highest bound down.
    pub steps: Vec<GradeStep>,
    /// The grade for a total below every bound.
    pub otherwise: String,
    /// The grade of the disqualified.
    pub disqualified: String,
    /// The grade for a submission that does not play; none = the grade of the disqualified.
    pub not_playing: Option<String>,
    /// The grade for people on the roster who submitted nothing; none = no grade.
    pub missing: Option<String>,
}

/// Games that decide the grades and nothing else. Everybody meets each opponent in every seat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GradedGames {
    /// The opponents, which are not ranked and play no games of the schedule.
    pub against: Vec<String>,
    /// The number of initial states.
    pub states: u32,
}

impl Grades {
    /// Returns the grade for submissions that do not play.
    pub fn not_playing(&self) -> &str {
        self.not_playing.as_ref().unwrap_or(&self.disqualified)
    }

    /// Returns the grade for a total, before anything is taken off.
    pub fn of(&self, total: Points) -> &str {
        self.steps
            .iter()
            .find(|step| total >= step.at_least)
            .map_or(&self.otherwise, |step| &step.grade)
    }
}

/// The points for a part of the homework. They count in exported grades only.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HomeworkPart {
    /// The name of the part in the course.
    pub name: String,
    /// The points for a full mark.
    pub points: Points,
}

/// A grade and its minimum total.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GradeStep {
    /// The minimum total, inclusive.
    pub at_least: Points,
    /// The grade.
    pub grade: String,
}

/// The settings for Slurm in a competition's file.
#[derive(Clone, Debug, PartialEq)]
pub struct SlurmSettings {
    /// The partition; none = the cluster's default.
    pub partition: Option<String>,
    /// The account that is charged; none = the user's default.
    pub account: Option<String>,
    /// The feature that nodes must have, such as one CPU model; none = any node.
    pub constraint: Option<String>,
    /// The time limit of a task, in Slurm's spelling; none = the partition's limit.
    pub time: Option<String>,
    /// The intended time of a task's games together, in minutes; more than 0.
    pub part_minutes: f64,
    /// The maximum number of tasks of an array, at least 1.
    pub tasks_max: u32,
    /// Further options of `sbatch`, one word each.
    pub options: Vec<String>,
}

impl Default for SlurmSettings {
    fn default() -> Self {
        Self {
            partition: None,
            account: None,
            constraint: None,
            time: None,
            part_minutes: 10.0,
            tasks_max: 1000,
            options: Vec::new(),
        }
    }
}

/// The settings for `judge run --watch` in a competition's file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatchSettings {
    /// The times at which games are played.
    pub every: Every,
    /// The time from which nothing published changes, until the secret is revealed.
    pub freeze: Option<Timestamp>,
    /// The length of a practice round, in seconds, more than 0; none if there is only one.
    pub round_s: Option<u32>,
    /// The interval between requests to git repositories, in seconds; at least 60.
    pub poll_s: u32,
    /// The minimum time between two versions of the same person that are taken, in seconds.
    pub again_after_s: u32,
    /// The maximum size of the run's folder, in bytes; none = unlimited.
    pub disk_bytes_max: Option<u64>,
}

impl Default for WatchSettings {
    fn default() -> Self {
        Self {
            every: Every::AtOnce,
            freeze: None,
            round_s: None,
            poll_s: 300,
            again_after_s: 300,
            disk_bytes_max: None,
        }
    }
}

/// The times at which the games to be played are played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Every {
    /// As soon as there are any.
    AtOnce,
    /// At every multiple of this many seconds since 1970-01-01T00:00:00Z. More than 0.
    Seconds(u32),
    /// Each day at this time, in seconds since midnight at this offset from UTC.
    Day {
        /// The time in seconds, less than 86,400.
        at_s: u32,
        /// The offset from UTC.
        offset: Offset,
    },
    /// Not before the final round.
    Deadline,
}

impl Every {
    /// The time of `nightly`: 2 o'clock UTC.
    pub const NIGHTLY: Self = Self::Day {
        at_s: 2 * 3600,
        offset: Offset::UTC,
    };

    /// Returns since when games may be played: the latest such time not after `now`.
    pub fn since(self, now: Timestamp) -> Option<Timestamp> {
        let latest = |length_s: i64, shift_s: i64| {
            let since = (now.as_second() - shift_s).div_euclid(length_s) * length_s + shift_s;
            Timestamp::from_second(since).ok()
        };
        match self {
            Self::AtOnce => Some(now),
            Self::Seconds(length_s) => latest(length_s.into(), 0),
            Self::Day { at_s, offset } => {
                latest(86_400, i64::from(at_s) - i64::from(offset.seconds()))
            }
            Self::Deadline => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::format;

    #[test]
    fn cpu_time_is_rounded_to_step_before_cost() {
        let cost = |cpu_step_ms, cpu_us| {
            let scoring = Scoring {
                points_per_cpu_second: 1.0,
                cpu_step_ms,
                ..Scoring::plain()
            };
            i64::from(scoring.cpu_cost(cpu_us))
        };
        assert_eq!(cost(0, 12_345), 12_345);
        for (cpu_us, rounded) in [
            (0, 0),
            (4_999, 0),
            (5_000, 10_000),
            (12_345, 10_000),
            (1_006_000, 1_010_000),
        ] {
            assert_eq!(cost(10, cpu_us), rounded, "{cpu_us}");
        }
    }

    #[test]
    fn times_of_play_come_by_the_clock() {
        let hour = Every::Seconds(3600);
        let early = Every::Day {
            at_s: 3 * 3600 + 1800,
            offset: Offset::constant(1),
        };
        let nightly = Every::NIGHTLY;
        for (every, now, since) in [
            (Every::AtOnce, "12-01T10:20:30", Some("12-01T10:20:30")),
            (hour, "12-01T10:59:59", Some("12-01T10:00:00")),
            (hour, "12-01T11:00:00", Some("12-01T11:00:00")),
            (nightly, "12-01T01:59:59", Some("11-30T02:00:00")),
            (nightly, "12-01T02:00:00", Some("12-01T02:00:00")),
            (early, "12-01T02:29:59", Some("11-30T02:30:00")),
            (early, "12-01T02:30:00", Some("12-01T02:30:00")),
            (Every::Deadline, "12-01T02:30:00", None),
        ] {
            let at = |text| -> Timestamp { format!("2026-{text}Z").parse().expect("a time") };
            assert_eq!(every.since(at(now)), since.map(at), "{every:?} at {now}");
        }
    }
}
