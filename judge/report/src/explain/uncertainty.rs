//! The uncertainty of a rank, and results that depend on small changes.

use super::Case;
use crate::words::has_one_start;
use model::competition::PointsRule;
use model::numbers::{counted, fraction, of_points};
use model::tally::RankKey;
use rulebook::schedule;
use rulebook::scoring::{Alarm, Change, Estimate, RESAMPLES};

fn difference(better: &str, worse: &str, ahead: Estimate, by: RankKey) -> String {
    let verdict = if ahead.low > 0.0 {
        "more than luck"
    } else {
        "their order may be luck"
    };
    format!(
        "{better} is ahead of {worse} by {}{}: {verdict}",
        a_game(ahead.value, by),
        interval(ahead)
    )
}

fn level(better: &str, worse: &str, is_shared: bool, ahead: Estimate) -> String {
    if is_shared {
        return format!("{better} and {worse} are level{}", interval(ahead));
    }
    format!(
        "{better} is ahead of {worse} only by the rule for ties{}",
        interval(ahead)
    )
}

fn a_game(lead: f64, by: RankKey) -> String {
    let lead = fraction(lead);
    match by {
        RankKey::Points => format!("{} a game", of_points(&lead)),
        RankKey::Wins => format!("{lead} wins a game"),
        RankKey::Placement => format!("{lead} places a game"),
        RankKey::TieBreak => format!("{lead} of the tie-break count a game"),
    }
}

/// Formats an interval; empty if the difference is always the same.
fn interval(Estimate { value, low, high }: Estimate) -> String {
    if low.total_cmp(&value).is_eq() && high.total_cmp(&value).is_eq() {
        return String::new();
    }
    format!(" (95 %: {} to {})", fraction(low), fraction(high))
}

const ALARMS_MAX: usize = 8;

fn named(change: &Change, has_one_start: bool) -> String {
    match change {
        Change::HalfK => "CPU time at half the price".to_owned(),
        Change::DoubleK => "CPU time at twice the price".to_owned(),
        Change::LessCpu => "10 % less CPU time of its own".to_owned(),
        Change::MoreCpu => "10 % more CPU time of its own".to_owned(),
        Change::WithoutState(number) if has_one_start => format!("without repetition {number}"),
        Change::WithoutState(state) => format!("without initial state {state}"),
        Change::WithoutOpponent(name) => format!("without the games with {name}"),
        Change::WinsFirst => "ranked by games won instead of points".to_owned(),
        Change::PointsFirst => "ranked by points first".to_owned(),
    }
}

impl Case<'_> {
    pub(super) fn uncertainty(&self) -> Vec<String> {
        if let Some(reason) = &self.table.silent {
            return vec![format!("no confidence intervals: {reason}")];
        }
        let mut lines = Vec::new();
        if let Some(uncertainty) = &self.row.uncertainty {
            let ranks = if uncertainty.rank_best == uncertainty.rank_worst {
                uncertainty.rank_best.to_string()
            } else {
                format!("{} to {}", uncertainty.rank_best, uncertainty.rank_worst)
            };
            let blocks = if schedule::states_differ(self.competition).unwrap_or(true) {
                "initial states"
            } else {
                "repetitions of the same initial state"
            };
            lines.push(format!(
                "95 % confidence interval of the rank: {ranks} (from {RESAMPLES} tournaments \
                 resampled from the {blocks} that were played)"
            ));
            lines.push(format!(
                "first in {:.1} % of these tournaments",
                uncertainty.placing.first().copied().unwrap_or_default() * 100.0
            ));
        }
        let rows = &self.table.rows;
        let own = &self.row.entrant;
        for two in rows.windows(2) {
            let (one, other) = (&two[0], &two[1]);
            let (better, worse) = (&one.entrant, &other.entrant);
            if let Some(ahead) = one.ahead.filter(|_| better == own || worse == own) {
                let ranking = &self.scoring.ranking;
                lines.push(if one.total.compare_by(&other.total, ranking).is_eq() {
                    level(better, worse, one.rank == other.rank, ahead)
                } else {
                    difference(better, worse, ahead, ranking[0])
                });
            }
        }
        lines
    }

    pub(super) fn boundaries(&self) -> Vec<String> {
        let own = &self.row.entrant;
        let alarms: Vec<&Alarm> = self
            .table
            .alarms
            .iter()
            .filter(|alarm| alarm.entrant == *own)
            .collect();
        if alarms.is_empty() {
            return self.tried();
        }
        let mut lines: Vec<String> = alarms
            .iter()
            .take(ALARMS_MAX)
            .map(|alarm| self.reported(alarm))
            .collect();
        if let Some(more @ 1..) = alarms.len().checked_sub(ALARMS_MAX) {
            lines.push(format!("and {more} more: see standings.csv, boundaries"));
        }
        lines
    }

    fn reported(&self, alarm: &Alarm) -> String {
        let (now, then) = (&alarm.now, &alarm.then);
        let mut changes = Vec::new();
        if now.rank != then.rank {
            changes.push(format!("rank {} instead of {}", then.rank, now.rank));
        }
        if now.prize != then.prize {
            let prize = |prize: Option<u32>| prize.unwrap_or_default();
            let (then, now) = (prize(then.prize), prize(now.prize));
            let then = counted(then, "prize point");
            changes.push(format!("{then} instead of {now}"));
        }
        if now.grade != then.grade {
            let grade = |grade: &Option<String>| grade.clone().unwrap_or_default();
            let (then, now) = (grade(&then.grade), grade(&now.grade));
            changes.push(format!("grade {then} instead of {now}"));
        }
        // Points are scaled up, so that the number of games alone does not decide.
        let scaled = match alarm.change {
            Change::WithoutState(_) | Change::WithoutOpponent(_) if now.grade != then.grade => {
                " (points scaled up to all games)"
            }
            _ => "",
        };
        let change = named(&alarm.change, has_one_start(self.competition));
        format!("{change}: {}{scaled}", changes.join(", "))
    }

    fn tried(&self) -> Vec<String> {
        let scoring = self.scoring;
        let mut tried = Vec::new();
        if scoring.points_per_cpu_second > 0.0 {
            tried.push("CPU time at half or twice the price");
            tried.push("10 % more or less CPU time of its own");
        }
        if self.competition.states > 1 {
            tried.push(if has_one_start(self.competition) {
                "any one repetition left out"
            } else {
                "any one initial state left out"
            });
        }
        if self.table.sums.against(&self.row.entrant).len() > 1 {
            tried.push("any one opponent left out");
        }
        if scoring.points == PointsRule::Game {
            tried.push(match scoring.ranking[0] {
                RankKey::Points => "games won ranked before points",
                RankKey::Wins | RankKey::Placement | RankKey::TieBreak => "points ranked first",
            });
        }
        if tried.is_empty() {
            return Vec::new();
        }
        let mut at_stake = vec!["first rank"];
        if !scoring.prizes.is_empty() {
            at_stake.push("prize");
        }
        if scoring.grades.is_some() {
            at_stake.push("grade");
        }
        vec![format!(
            "nothing: {} would stay the same with {}",
            at_stake.join(", "),
            tried.join(", with ")
        )]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lead_has_interval_and_equal_points_no_lead() {
        let ahead = |value, low, high| Estimate { value, low, high };
        let difference = |ahead| difference("ann", "bob", ahead, RankKey::Points);
        let level = |is_shared, ahead| level("ann", "bob", is_shared, ahead);
        let reported = [
            difference(ahead(0.125, 0.0, 0.25)),
            difference(ahead(1.0, 1.0, 1.0)),
            level(false, ahead(0.0, 0.0, 0.0)),
            level(true, ahead(0.0, -0.5, 0.5)),
        ];
        let expected = include_str!("leads.txt").trim_end();
        assert_eq!(reported.join("\n"), expected);
    }

    #[test]
    fn one_start_for_all_games_omits_repetitions() {
        let change = Change::WithoutState(3);
        assert_eq!(named(&change, false), "without initial state 3");
        assert_eq!(named(&change, true), "without repetition 3");
    }
}
