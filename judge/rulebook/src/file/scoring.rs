//! The table `[scoring]`: points, ties, prizes, grades and homework; and what lateness costs.

use super::complaint::{Wrong, each_once, wrong};
use super::schedule::known;
use super::values::{CpuStep, ExtraPoints, GamesNeeded, GradeText, Rate, StateCount, UpTo};
use crate::rules::Rules;
use crate::scoring::grades::numeric;
use model::competition::{
    Disqualify, GradeStep, GradedGames, Grades, HomeworkPart, PointsRule, Prize, PrizeNeeds,
    Schedule, Scoring,
};
use model::lateness::{LateStep, TooLate};
use model::points::Points;
use model::tally::{RankKey, Tie};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::ops::Range;
use toml::Spanned;

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct ScoringTable {
    points: PointsRule,
    points_per_cpu_second: Rate,
    cpu_step_ms: Option<CpuStep>,
    ranking: Option<Spanned<Vec<Spanned<RankKey>>>>,
    ties: Vec<Spanned<Tie>>,
    podium: Vec<Spanned<Tie>>,
    disqualify: Disqualify,
    prizes: Vec<Spanned<Prize>>,
    prize_needs: Option<Spanned<PrizeNeedsTable>>,
    rank_builtins: bool,
    grades: Option<GradesTable>,
    homework: BTreeMap<Spanned<String>, ExtraPoints>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GradesTable {
    games: Option<Spanned<GradedGamesTable>>,
    steps: Vec<Spanned<StepTable>>,
    otherwise: GradeText,
    disqualified: GradeText,
    not_playing: Option<GradeText>,
    missing: Option<GradeText>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct PrizeNeedsTable {
    faultless_games: Option<GamesNeeded>,
    wins: Option<GamesNeeded>,
    ahead_of: Vec<Spanned<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StepTable {
    at_least: i64,
    grade: GradeText,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GradedGamesTable {
    against: Vec<Spanned<String>>,
    states: StateCount,
}

const TOTAL_MAX: u64 = 1_000_000_000;

impl ScoringTable {
    pub(super) fn checked(self, rules: &dyn Rules, schedule: &Schedule) -> Result<Scoring, Wrong> {
        let rank = |prize: &Spanned<Prize>| prize.get_ref().to_rank;
        let mut pairs = self.prizes.windows(2);
        if let Some([_, next]) = pairs.find(|two| rank(&two[0]) >= rank(&two[1])) {
            let reason = "list prizes from the best rank down: to_rank must increase";
            return wrong(next, reason);
        }
        if let Some(first) = self.prizes.first().filter(|prize| rank(prize) == 0) {
            return wrong(first, "ranks start at 1");
        }
        let prize_needs = match self.prize_needs {
            None => PrizeNeeds::default(),
            Some(needs) if self.prizes.is_empty() => {
                let reason = "there are no prizes: add [[scoring.prizes]], or remove prize_needs";
                return wrong(&needs, reason);
            }
            Some(needs) => {
                let games = self
                    .grades
                    .as_ref()
                    .and_then(|grades| grades.games.as_ref());
                let graded = games.map_or(&[][..], |games| &games.get_ref().against);
                needs.into_inner().checked(rules, schedule, graded)?
            }
        };
        let info = rules.info();
        let ranking = match self.ranking {
            None => Scoring::plain().ranking,
            Some(keys) if keys.get_ref().is_empty() => {
                let reason = "ranking: name what the table is ranked by, as in [\"points\"]";
                return wrong(&keys, reason);
            }
            Some(keys) => {
                let name = |key: &RankKey| key.name().to_owned();
                let refused = |key: &RankKey| key.refused_for(info);
                each_once("ranking", keys.into_inner(), name, refused)?
            }
        };
        let ties = |list, ties| {
            let name = |tie: &Tie| tie.name().to_owned();
            each_once(list, ties, name, |tie| tie.refused_for(info))
        };
        Ok(Scoring {
            points: self.points,
            points_per_cpu_second: self.points_per_cpu_second.0,
            cpu_step_ms: self.cpu_step_ms.map_or(0, |step| step.0.into()),
            ranking,
            ties: ties("ties", self.ties)?,
            podium: ties("podium", self.podium)?,
            disqualify: self.disqualify,
            prizes: self.prizes.into_iter().map(Spanned::into_inner).collect(),
            prize_needs,
            rank_builtins: self.rank_builtins,
            grades: self
                .grades
                .map(|grades| grades.checked(rules, schedule))
                .transpose()?,
            homework: homework(rules, self.homework)?,
        })
    }
}

/// Checks that each name is a part of the game's homework, and puts the parts in the game's order.
fn homework(
    rules: &dyn Rules,
    table: BTreeMap<Spanned<String>, ExtraPoints>,
) -> Result<Vec<HomeworkPart>, Wrong> {
    let known = rules.homework_parts();
    let place = |name: &str| known.iter().position(|part| *part == name);
    if let Some(key) = table.keys().find(|key| place(key.get_ref()).is_none()) {
        let (title, name) = (rules.info().title, key.get_ref());
        let reason = match known.as_slice() {
            [] => format!("homework: {title} has no homework that the judge marks"),
            known => format!(
                "homework: {title} has no part {name:?}; there are {}",
                known.join(", ")
            ),
        };
        return wrong(key, reason);
    }
    let part = |(name, points): (Spanned<String>, ExtraPoints)| HomeworkPart {
        name: name.into_inner(),
        points: points.0,
    };
    let mut parts: Vec<HomeworkPart> = table.into_iter().map(part).collect();
    parts.sort_by_key(|part| place(&part.name));
    Ok(parts)
}

impl PrizeNeedsTable {
    /// Checks that every entrant in `ahead_of` can have a row in the table.
    fn checked(
        self,
        rules: &dyn Rules,
        schedule: &Schedule,
        graded: &[Spanned<String>],
    ) -> Result<PrizeNeeds, Wrong> {
        let met = schedule.opponents();
        for name in &self.ahead_of {
            let shown = name.get_ref();
            let games = if met.contains(shown) {
                "gauntlet is"
            } else if graded.iter().any(|one| one.get_ref() == shown) {
                "graded games are"
            } else {
                continue;
            };
            let reason = format!("the {games} against {shown:?}, which has no row in the table");
            return wrong(name, reason);
        }
        let count = |needed: Option<GamesNeeded>| needed.map_or(0, |games| games.0);
        Ok(PrizeNeeds {
            faultless_games: count(self.faultless_games),
            wins: count(self.wins),
            ahead_of: known(rules, "ahead_of", self.ahead_of)?,
        })
    }
}

impl GradesTable {
    fn checked(self, rules: &dyn Rules, schedule: &Schedule) -> Result<Grades, Wrong> {
        let games = self.games.map(|games| graded_games(rules, schedule, games));
        let total = |step: &Spanned<StepTable>| step.get_ref().at_least;
        let mut steps = self.steps.iter();
        if let Some(step) = steps.find(|step| total(step).unsigned_abs() > TOTAL_MAX) {
            let reason = format!("at_least: must be -{TOTAL_MAX} to {TOTAL_MAX}");
            return wrong(step, reason);
        }
        let mut pairs = self.steps.windows(2);
        if let Some([_, next]) = pairs.find(|two| total(&two[0]) <= total(&two[1])) {
            let reason = "list grades from the best down: at_least must decrease";
            return wrong(next, reason);
        }
        let step = |step: Spanned<StepTable>| {
            let StepTable { at_least, grade } = step.into_inner();
            GradeStep {
                at_least: Points::whole(at_least),
                grade: grade.0,
            }
        };
        Ok(Grades {
            games: games.transpose()?,
            steps: self.steps.into_iter().map(step).collect(),
            otherwise: self.otherwise.0,
            disqualified: self.disqualified.0,
            not_playing: self.not_playing.map(|grade| grade.0),
            missing: self.missing.map(|grade| grade.0),
        })
    }
}

fn graded_games(
    rules: &dyn Rules,
    schedule: &Schedule,
    games: Spanned<GradedGamesTable>,
) -> Result<GradedGames, Wrong> {
    let title = rules.info().title;
    let reason = if games.get_ref().against.is_empty() {
        "graded games need opponents, for example against = [\"builtin:random\"]"
    } else if *schedule == Schedule::Groups {
        &format!("graded games are for two, and {title} is for more")
    } else if !schedule.opponents().is_empty() {
        "the games of a gauntlet decide the grades already: remove games, or choose another kind of schedule"
    } else {
        let games = games.into_inner();
        return Ok(GradedGames {
            against: known(rules, "against", games.against)?,
            states: games.states.0,
        });
    };
    wrong(&games, reason)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LateRow {
    /// At most a year.
    within_h: UpTo<8760>,
    penalty: ExtraPoints,
}

/// Returns what later submissions cost. After all steps a submission is ungraded, unless `too_late` says
/// otherwise. `deadline` is the place of that key.
pub(super) fn lateness(
    deadline: Option<Range<usize>>,
    late: Option<Spanned<Vec<Spanned<LateRow>>>>,
    too_late: Option<TooLate>,
    scoring: &Scoring,
) -> Result<(Vec<LateStep>, TooLate), Wrong> {
    match (late, deadline) {
        (None, Some(deadline)) if too_late.is_none() => Err((deadline, NOTHING_FOLLOWS.to_owned())),
        (None, _) => Ok((Vec::new(), too_late.unwrap_or(TooLate::Graded))),
        (Some(steps), _) => {
            let after = too_late.unwrap_or(TooLate::Ungraded);
            Ok((late_steps(&steps, scoring)?, after))
        }
    }
}

const NOTHING_FOLLOWS: &str = "a deadline alone has no effect: say what happens to later submissions. Add the line \
                               too_late = \"ungraded\" (they play without rank, prize and grade), \"not-played\" or \
                               \"graded\" (they count as any other), or add late with what they cost";

fn late_steps(
    steps: &Spanned<Vec<Spanned<LateRow>>>,
    scoring: &Scoring,
) -> Result<Vec<LateStep>, Wrong> {
    if steps.get_ref().is_empty() {
        let reason = "late: name at least one step, as late = [{ within_h = 24, penalty = 1 }]";
        return wrong(steps, reason);
    }
    let mut checked: Vec<LateStep> = Vec::new();
    for row in steps.get_ref() {
        let step = LateStep {
            within_h: row.get_ref().within_h.0,
            penalty: row.get_ref().penalty.0,
        };
        let before = checked.last();
        let reason = if before.is_some_and(|before| before.within_h >= step.within_h) {
            Some("list the steps of late in order: within_h must increase".to_owned())
        } else if before.is_some_and(|before| before.penalty > step.penalty) {
            Some("later submissions cannot lose less: penalty must not decrease".to_owned())
        } else {
            misfit(step.penalty, scoring)
        };
        if let Some(reason) = reason {
            return wrong(row, reason);
        }
        checked.push(step);
    }
    Ok(checked)
}

/// Returns why a penalty cannot be taken off this competition's grades or prizes, if so.
fn misfit(penalty: Points, scoring: &Scoring) -> Option<String> {
    if penalty == Points::default() {
        return None;
    }
    if let Some(grades) = &scoring.grades {
        let word = grades
            .steps
            .iter()
            .map(|step| &step.grade)
            .chain([&grades.otherwise])
            .find(|grade| numeric(grade).is_none())?;
        return Some(format!(
            "the penalty is taken off the grade, but the grade {word:?} is not a number; use too_late instead of a penalty"
        ));
    }
    if scoring.prizes.is_empty() {
        return Some(
            "the penalty is taken off the grade or else the prize, but this competition has neither; add \
             [scoring.grades] or [[scoring.prizes]]"
                .to_owned(),
        );
    }
    (i64::from(penalty) % 1_000_000 != 0).then(|| {
        "the penalty is taken off the prize, which is a whole number: penalty must be one too"
            .to_owned()
    })
}
