//! The table `[scoring]`: points, ties, prizes, grades and homework.

use super::complaint::Wrong;
use super::schedule::are_known;
use super::values::{CPU_STEP_MS_MAX, ExtraPoints, GamesNeeded, GradeText, Rate, StateCount, UpTo};
use crate::rules::Rules;
use model::competition::{
    Disqualify, GradeStep, GradedGames, Grades, HomeworkPart, PointsRule, Prize, PrizeNeeds,
    Schedule, Scoring,
};
use model::points::Points;
use model::tally::RankKey;
use model::tally::Tie;
use serde::Deserialize;
use std::collections::BTreeMap;
use toml::Spanned;

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct ScoringTable {
    points: PointsRule,
    points_per_cpu_second: Rate,
    cpu_step_ms: Option<UpTo<CPU_STEP_MS_MAX>>,
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
    faultless_games: GamesNeeded,
    wins: GamesNeeded,
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

const TOTAL_MAX: i64 = 1_000_000_000;

impl ScoringTable {
    pub(super) fn checked(self, rules: &dyn Rules, schedule: &Schedule) -> Result<Scoring, Wrong> {
        let rank = |prize: &Spanned<Prize>| prize.get_ref().to_rank;
        let mut two = self.prizes.windows(2);
        if let Some(two) = two.find(|two| rank(&two[0]) >= rank(&two[1])) {
            let reason = "list prizes from the best rank down: to_rank must increase";
            return Err((two[1].span(), reason.to_owned()));
        }
        if let Some(first) = self
            .prizes
            .first()
            .filter(|prize| prize.get_ref().to_rank == 0)
        {
            return Err((first.span(), "ranks start at 1".to_owned()));
        }
        let prize_needs = match self.prize_needs {
            None => PrizeNeeds::default(),
            Some(needs) if self.prizes.is_empty() => {
                let reason = "there are no prizes: add [[scoring.prizes]], or remove prize_needs";
                return Err((needs.span(), reason.to_owned()));
            }
            Some(needs) => {
                let graded = self
                    .grades
                    .as_ref()
                    .and_then(|grades| grades.games.as_ref())
                    .map_or(&[][..], |games| &games.get_ref().against);
                needs.into_inner().checked(rules, schedule, graded)?
            }
        };
        Ok(Scoring {
            points: self.points,
            points_per_cpu_second: self.points_per_cpu_second.0,
            cpu_step_ms: self.cpu_step_ms.map_or(0, |step| step.0.into()),
            ranking: self
                .ranking
                .map_or_else(|| Ok(Scoring::plain().ranking), |keys| ranking(rules, keys))?,
            ties: ties(rules, "ties", self.ties)?,
            podium: ties(rules, "podium", self.podium)?,
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

fn ranking(rules: &dyn Rules, keys: Spanned<Vec<Spanned<RankKey>>>) -> Result<Vec<RankKey>, Wrong> {
    if keys.get_ref().is_empty() {
        let reason = "ranking: name what the table is ranked by, as in [\"points\"]";
        return Err((keys.span(), reason.to_owned()));
    }
    each_once("ranking", keys.into_inner(), RankKey::name, |key| {
        key.refused_for(rules.info())
    })
}

fn ties(rules: &dyn Rules, list: &str, ties: Vec<Spanned<Tie>>) -> Result<Vec<Tie>, Wrong> {
    each_once(list, ties, Tie::name, |tie| tie.refused_for(rules.info()))
}

fn each_once<T: Copy + PartialEq>(
    list: &str,
    all: Vec<Spanned<T>>,
    name: impl Fn(T) -> &'static str,
    refused: impl Fn(T) -> Option<String>,
) -> Result<Vec<T>, Wrong> {
    for (index, one) in all.iter().enumerate() {
        let value = *one.get_ref();
        let is_twice = all[..index].iter().any(|other| *other.get_ref() == value);
        let twice = is_twice.then(|| format!("{} appears twice", name(value)));
        if let Some(reason) = twice.or_else(|| refused(value)) {
            return Err((one.span(), format!("{list}: {reason}")));
        }
    }
    Ok(all.into_iter().map(Spanned::into_inner).collect())
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
        return Err((key.span(), reason));
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
        are_known(rules, "ahead_of", &self.ahead_of)?;
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
            return Err((name.span(), reason));
        }
        Ok(PrizeNeeds {
            faultless_games: self.faultless_games.0,
            wins: self.wins.0,
            ahead_of: self.ahead_of.into_iter().map(Spanned::into_inner).collect(),
        })
    }
}

impl GradesTable {
    fn checked(self, rules: &dyn Rules, schedule: &Schedule) -> Result<Grades, Wrong> {
        let games = self.games.map(|games| graded_games(rules, schedule, games));
        for step in &self.steps {
            if !(-TOTAL_MAX..=TOTAL_MAX).contains(&step.get_ref().at_least) {
                return Err((
                    step.span(),
                    format!("at_least: must be -{TOTAL_MAX} to {TOTAL_MAX}"),
                ));
            }
        }
        for two in self.steps.windows(2) {
            if two[0].get_ref().at_least <= two[1].get_ref().at_least {
                let reason = "list grades from the best down: at_least must decrease";
                return Err((two[1].span(), reason.to_owned()));
            }
        }
        let steps = self.steps.into_iter().map(Spanned::into_inner);
        Ok(Grades {
            games: games.transpose()?,
            steps: steps
                .map(|step| GradeStep {
                    at_least: Points::whole(step.at_least),
                    grade: step.grade.0,
                })
                .collect(),
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
    let span = games.span();
    let games = games.into_inner();
    if games.against.is_empty() {
        let reason = "graded games need opponents, for example against = [\"builtin:random\"]";
        return Err((span, reason.to_owned()));
    }
    if *schedule == Schedule::Groups {
        let title = rules.info().title;
        let reason = format!("graded games are for two, and {title} is for more");
        return Err((span, reason));
    }
    if !schedule.opponents().is_empty() {
        let reason = "the games of a gauntlet decide the grades already: remove games, or choose another kind of schedule";
        return Err((span, reason.to_owned()));
    }
    are_known(rules, "against", &games.against)?;
    Ok(GradedGames {
        against: games.against.into_iter().map(Spanned::into_inner).collect(),
        states: games.states.0,
    })
}
