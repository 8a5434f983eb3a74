//! The rules of a competition as data: what is played, how often, under which clock, and
//! what counts.

use crate::fixture::Conditions;
use crate::lateness::{LateStep, TooLate};
use crate::points::Points;
use crate::tally::RankKey;
use crate::tie::Tie;
use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Not;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// The name of a competition's file in a folder of submissions.
pub const FILE_NAME: &str = "competition.toml";

/// The round that counts.
pub const FINAL: &str = "final";

fn final_round() -> String {
    FINAL.to_owned()
}

/// Everything that a competition fixes. Who takes part is not in it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Competition {
    /// What people call it.
    pub title: String,
    /// What holds for every game.
    pub conditions: Conditions,
    /// How many initial states each pairing or round of groups plays.
    pub states: u32,
    /// What everything random is drawn from, for everybody to see; none where it is drawn from a
    /// secret of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// What is drawn: [`FINAL`], or a practice round, `practice/1` and so on.
    #[serde(default = "final_round")]
    pub round: String,
    /// Until when programs may be submitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<Timestamp>,
    /// What later submissions cost, from the first hours on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub late: Vec<LateStep>,
    /// What becomes of a submission that comes after all of [`Competition::late`].
    #[serde(default, skip_serializing_if = "TooLate::is_graded")]
    pub too_late: TooLate,
    /// Who meets whom.
    pub schedule: Schedule,
    /// What counts.
    pub scoring: Scoring,
    /// Under which names the public sees the entrants; none for the submissions' own, and
    /// [`NameRule::Nickname`] for those that a learning platform has named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub names: Option<NameRule>,
    /// How long a submission's build may take.
    #[serde(default, skip_serializing_if = "BuildLimits::is_default")]
    pub builds: BuildLimits,
    /// What the course adds to the kits that submissions are built with.
    #[serde(default, skip_serializing_if = "CourseKit::is_empty")]
    pub kit: CourseKit,
}

/// What a course adds to the kits that submissions are built with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CourseKit {
    /// Files of its own, which are copied over each submission before it is built.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<CourseFile>,
    /// The libraries that submissions may use, in the place of the kit's own list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub libraries: Option<Vec<String>>,
    /// How many words the comment that describes a submission is to have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment_words: Option<WordCount>,
}

impl CourseKit {
    /// Returns whether nothing is added.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the libraries that submissions with a kit may use; `own` is the kit's own list.
    pub fn libraries_of(&self, own: &[&str]) -> Vec<String> {
        let own = || own.iter().map(|&name| name.to_owned()).collect();
        self.libraries.clone().unwrap_or_else(own)
    }
}

/// A file of a course.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CourseFile {
    /// Its name in the submission's folder.
    pub name: String,
    /// What is in it; for the public, no more than its hash.
    pub text: String,
}

/// About how many words there are to be, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WordCount {
    /// At least so many.
    pub least: u64,
    /// At most so many.
    pub most: u64,
}

/// How long all steps of a submission's build together may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BuildLimits {
    /// Wall time, in milliseconds.
    pub wall_ms: u64,
    /// CPU time of all processes, in milliseconds.
    pub cpu_ms: u64,
}

impl BuildLimits {
    /// Returns whether nothing was said of them.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

impl Default for BuildLimits {
    fn default() -> Self {
        Self {
            wall_ms: 180_000,
            cpu_ms: 180_000,
        }
    }
}

/// Under which names the public sees the entrants; who submitted a file `anonymous` appears
/// under a pseudonym in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NameRule {
    /// The same as [`NameRule::Real`], in runs made before that could be written.
    Submission,
    /// The bot's own choice, or a pseudonym.
    Nickname,
    /// The names on the roster of those behind it, or a pseudonym.
    Roster,
    /// The submission's name, also where a learning platform has given it.
    Real,
}

impl NameRule {
    /// Returns the rule by which a run continues that began with `before`. A run that has shown
    /// names of learning platforms under `submission` keeps showing them.
    pub fn kept(before: Option<Self>, now: Option<Self>) -> Option<Self> {
        match (before, now) {
            (Some(Self::Submission), None) => before,
            _ => now,
        }
    }
}

/// Who meets whom; every pairing plays every initial state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Schedule {
    /// For two seats: everybody in the first seat meets everybody in the second.
    Pairs {
        /// Whether an entrant also meets itself.
        self_play: bool,
    },
    /// Everybody meets each of these, in every seat, and nobody else; where there are more than two
    /// seats, one of these takes all others (competitions have it for two seats only).
    Gauntlet {
        /// The opponents, which are not ranked: built-in bots, as `builtin:random`, or entrants.
        against: Vec<String>,
    },
    /// For more seats: random groups, each in all rotations of its seats; everybody plays the
    /// same number of games.
    Groups,
}

impl Schedule {
    /// Returns who is met in a gauntlet; nobody elsewhere.
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

/// What counts, and for what.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scoring {
    /// What a game brings.
    pub points: PointsRule,
    /// Points taken off for each second of CPU time charged.
    pub points_per_cpu_second: f64,
    /// What the table is ranked by: the next one counts where those before are equal.
    #[serde(default = "by_points", skip_serializing_if = "is_by_points")]
    pub ranking: Vec<RankKey>,
    /// What decides between entrants that `ranking` leaves equal; it changes the rank.
    pub ties: Vec<Tie>,
    /// What orders entrants of one rank on the podium; the rank stays shared.
    pub podium: Vec<Tie>,
    /// What follows from faults.
    pub disqualify: Disqualify,
    /// What a rank brings. In rising order of ranks.
    pub prizes: Vec<Prize>,
    /// What every prize asks for besides the rank.
    #[serde(default, skip_serializing_if = "PrizeNeeds::is_nothing")]
    pub prize_needs: PrizeNeeds,
    /// Whether built-in bots have ranks, prizes and grades like everybody else.
    #[serde(default, skip_serializing_if = "Not::not")]
    pub rank_builtins: bool,
    /// The grade for a total, from the best down, and for the disqualified.
    pub grades: Option<Grades>,
}

impl Scoring {
    /// Counts the points of the game's own formula and nothing else.
    pub fn plain() -> Self {
        Self {
            points: PointsRule::Game,
            points_per_cpu_second: 0.0,
            ranking: by_points(),
            ties: Vec::new(),
            podium: Vec::new(),
            disqualify: Disqualify::Never,
            prizes: Vec::new(),
            prize_needs: PrizeNeeds::default(),
            rank_builtins: false,
            grades: None,
        }
    }
}

fn by_points() -> Vec<RankKey> {
    vec![RankKey::Points]
}

fn is_by_points(ranking: &[RankKey]) -> bool {
    ranking == [RankKey::Points]
}

/// What a game brings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PointsRule {
    /// The points of the game's own formula.
    Game,
    /// One point for a win, shared equally among joint winners.
    Win,
    /// One point for a win, half a point for a draw.
    WinDraw,
}

/// What follows from faults. An entrant is disqualified by any fault that is not about time
/// or memory, and by faults about time or memory in all of its games.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Disqualify {
    /// Nothing but the game.
    Never,
    /// The entrant stays in the table and is marked.
    Flag,
    /// The entrant and all its games are left out of the table.
    Remove,
}

/// What a range of ranks brings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prize {
    /// The last rank, inclusive, that gets it; the first one follows the prize before.
    pub to_rank: usize,
    /// The prize, in prize points.
    pub points: u32,
}

/// What a prize asks for besides the rank. Nobody below moves up where it is not met.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PrizeNeeds {
    /// So many games without a fault of the entrant, which were played to their end, or in which it
    /// had moved before somebody else's fault ended them.
    #[serde(default)]
    pub faultless_games: u64,
    /// Entrants behind which nobody gets a prize: the entrant has more than each, by what the
    /// table is ranked by.
    #[serde(default)]
    pub ahead_of: Vec<String>,
}

impl PrizeNeeds {
    /// Returns whether nothing is asked for.
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

/// Grades for totals.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grades {
    /// From the highest bound down.
    pub steps: Vec<GradeStep>,
    /// For a total below every bound.
    pub otherwise: String,
    /// For the disqualified.
    pub disqualified: String,
    /// For whose submission does not play; none where that is the grade of the disqualified.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_playing: Option<String>,
    /// For who is on the roster and submitted nothing; none where that is no grade.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
}

impl Grades {
    /// Returns the grade of those whose submissions do not play.
    pub fn not_playing(&self) -> &str {
        self.not_playing.as_ref().unwrap_or(&self.disqualified)
    }

    /// Returns the grade for a total, before anything is taken off.
    pub fn of(&self, total: Points) -> &str {
        let reached = self.steps.iter().find(|step| total >= step.at_least);
        reached.map_or(&self.otherwise, |step| &step.grade)
    }
}

/// A grade and the total that it takes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GradeStep {
    /// The least total, inclusive.
    pub at_least: Points,
    /// The grade.
    pub grade: String,
}
