//! Explains every number in one row of the table, in words that its author can follow.

mod facts;
mod rank;
mod uncertainty;

pub use self::facts::facts;
use super::run_data::standings;
use super::submission_result::SubmissionResult;
use super::words::titled;
use crate::blame::{Said, advice, describe_in, opponents as others};
use crate::moments::{self, Record};
use crate::run_data::PlayedRun;
use crate::sheet::Roles;
use engines::{GameResult, Seat};
use model::competition::{Competition, PointsRule, Scoring};
use model::numbers::{count, counted, percent, points, so_many_points, time};
use model::points::Points;
use model::record::{MatchRecord, MatchResult, SeatRecord};
use model::tally::Tally;
use rulebook::scoring::{Removed, Standing, StandingsTable, tally};
use rulebook::{Result, schedule};
use std::collections::{BTreeMap, HashSet};
use store::author_log::AuthorLogs;
use store::manifest::{EntrantLine, Manifest};

/// Explains the result of an entrant, as lines of text. An unranked entrant gets the reason.
pub fn explain(
    run: &PlayedRun<'_>,
    entrant: &str,
    commands: GameCommands<'_>,
) -> Result<Vec<String>> {
    let competition = &run.manifest.competition;
    let roles = schedule::roles(competition)?;
    let mut own = OwnGames::of(entrant, run, roles);
    let mut played = 0;
    let table = standings(run.manifest, run, &mut |game, result, counts| {
        played += 1;
        let seats = result.seats.iter().map(|seat| seat.entrant.as_str());
        if competition.scoring.is_unranked(seats) {
            own.add_faults(game, result);
        }
        if counts && result.has(entrant) {
            own.add(game, result);
            own.add_turns(
                &run.games
                    .read(result.fixture)?
                    .expect("it was read just now"),
            );
        }
        Ok(())
    })?;
    let mut lines = vec![format!("{entrant} in {}", titled(competition))];
    if played < run.ids.len() {
        lines.push(format!(
            "The run is not finished: {} of {} games have been played, so everything below may still change.",
            count(played as u64),
            count(run.ids.len() as u64)
        ));
    }
    let line = run
        .manifest
        .entrants
        .iter()
        .find(|line| line.name == entrant);
    lines.extend(line.map(receipt).unwrap_or_default());
    let comment = line.and_then(|line| line.comment.as_ref());
    if let Some((comment, asked)) = comment.zip(competition.kit.comment_words) {
        lines.push(format!("Description: {}.", comment.words(asked)));
    }
    let Some(row) = table.row(entrant) else {
        lines.extend(unranked(&competition.scoring, &table, line));
        return Ok(lines);
    };
    let case = Case {
        competition,
        scoring: &competition.scoring,
        table: &table,
        row,
        penalty: line.and_then(EntrantLine::penalty),
        own: &own,
        commands,
    };
    if row.total.games == 0 {
        lines.push(match row.graded.map_or(0, |graded| graded.games) {
            0 => "None of its games has been played yet, or none counts.".to_owned(),
            _ => "Only its games for the grade have been played.".to_owned(),
        });
        if let Some(reason) = &row.disqualified {
            lines.push(format!("Disqualified: {reason}."));
        }
        if row.graded.is_some() {
            lines.extend(case.grade());
            lines.extend(case.faults());
        }
        return Ok(lines);
    }
    lines.extend(case.headline());
    let parts = [
        ("Total", case.total_lines()),
        ("Rank", case.rank()),
        ("Uncertainty", case.uncertainty()),
        ("What a small change would alter", case.boundaries()),
        ("Opponents", case.opponents()),
        ("Faults", case.faults()),
        (
            "Lost games not ended by its own fault, largest deficit first",
            case.losses(),
        ),
        ("Time", case.times()),
    ];
    for (heading, part) in parts {
        if !part.is_empty() {
            lines.push(String::new());
            lines.push(heading.to_owned());
            lines.extend(part.into_iter().map(|line| format!("  {line}")));
        }
    }
    Ok(lines)
}

fn unranked(scoring: &Scoring, table: &StandingsTable, line: Option<&EntrantLine>) -> Vec<String> {
    let result = SubmissionResult::of(table, line);
    let (reason, whom) = match &result {
        SubmissionResult::Removed(Removed { reason, .. }) => (
            format!("Disqualified and removed from the table with all its games: {reason}."),
            "",
        ),
        SubmissionResult::TooLate(_) => (
            "Not ranked: it was received too late for a rank, a prize or a grade. Its games count for the others.".to_owned(),
            ", as for people who submitted nothing",
        ),
        SubmissionResult::NotPlaying(reason) | SubmissionResult::JudgeFailure(reason) => (
            format!(
                "Does not play: {reason}. Any compiler output is in logs/build/ of the run folder."
            ),
            ", as for submissions that do not play",
        ),
        SubmissionResult::Unranked(Some(row)) => (
            format!(
                "Not ranked: built-in bots take a rank only if the competition's file says rank_builtins = true. It \
                 earned {} in {}, {} won.",
                so_many_points(row.total.points),
                counted(row.total.games, "game"),
                row.total.wins
            ),
            "",
        ),
        _ => (
            "Not ranked: the others are measured against it.".to_owned(),
            "",
        ),
    };
    let mut lines = vec![reason];
    lines.extend(
        result
            .grade(scoring)
            .map(|grade| format!("grade {grade}{whom}")),
    );
    lines
}

fn receipt(line: &EntrantLine) -> Vec<String> {
    let Some(timing) = line.timing else {
        return Vec::new();
    };
    let version = line.version.unwrap_or(1);
    let said = timing.words(line.artifact.is_some());
    let mut lines = vec![format!("Version {version}: {said}.")];
    if let Some(replaced) = &line.replaced {
        lines.push(format!("A later version does not count: {replaced}."));
    }
    lines
}

pub(crate) fn cpu_step(scoring: &Scoring) -> String {
    match scoring.cpu_step_ms {
        0 => String::new(),
        step => format!(", in each game rounded to {step} ms"),
    }
}

/// Formats `88 games, 47 won, 0 drawn, 41 lost: 9,871 points, minus 1.23 for 1.23 s of CPU time at …`.
fn sum(tally: &Tally, rate: f64) -> String {
    let games = format!(
        "{}, {} won, {} drawn, {} lost",
        counted(tally.games, "game"),
        tally.wins,
        tally.draws,
        tally.losses
    );
    let base = so_many_points(tally.base());
    if rate == 0.0 {
        return format!("{games}: {base}");
    }
    format!(
        "{games}: {base}, minus {} for {} of CPU time at {rate} a second: {}",
        points(tally.cpu_cost),
        time(tally.cpu_us),
        so_many_points(tally.points)
    )
}

pub(super) struct OwnGames<'a> {
    entrant: &'a str,
    manifest: &'a Manifest,
    logs: AuthorLogs,
    roles: Roles,
    losses: Vec<Loss>,
    /// Game, fault in words, and those lines of answer and remedy that were not said before.
    faults: Vec<(usize, String, Vec<String>)>,
    faults_all: u64,
    met: BTreeMap<String, Record>,
    /// The time of each turn that the clock counts, in microseconds.
    turns_us: Vec<u64>,
    /// The time of the game that came nearest to its limit, and that limit, if there is a bank.
    game_max_us: Option<(u64, u64)>,
}

struct Loss {
    game: usize,
    opponents: String,
    /// The deficit to the best at the table.
    behind: Points,
    line: String,
}

const FAULTS_MAX: usize = 5;

impl<'a> OwnGames<'a> {
    fn of(entrant: &'a str, run: &PlayedRun<'a>, roles: Roles) -> Self {
        Self {
            entrant,
            manifest: run.manifest,
            logs: AuthorLogs::of_run(run.folder),
            roles,
            losses: Vec::new(),
            faults: Vec::new(),
            faults_all: 0,
            met: BTreeMap::new(),
            turns_us: Vec::new(),
            game_max_us: None,
        }
    }

    fn own(&self, seats: &[SeatRecord]) -> Vec<Seat> {
        seats
            .iter()
            .enumerate()
            .filter(|(_, seat)| seat.entrant == self.entrant)
            .map(|(index, _)| Seat::new(index))
            .collect()
    }

    fn points(&self, result: &MatchResult, seat: usize) -> Points {
        tally(&self.manifest.competition.scoring, result, seat).points
    }

    fn named(&self, game: usize, result: &MatchResult, seat: Seat) -> String {
        let (role, with) = (self.roles[seat.index()], others(result, seat));
        format!("game {game}, as {role} against {with}")
    }

    fn add_faults(&mut self, game: usize, result: &MatchResult) {
        for seat in self.own(&result.seats) {
            for fault in result.faults.iter().filter(|fault| fault.seat == seat) {
                self.faults_all += 1;
                if self.faults.len() < FAULTS_MAX {
                    let said = Said::read(&self.logs, self.entrant, result.fixture, fault);
                    let overloaded = result.overloaded;
                    let line = format!(
                        "{}, ply {}, {}: {}",
                        self.named(game, result, seat),
                        fault.ply,
                        so_many_points(self.points(result, seat.index())),
                        describe_in(fault, overloaded, said.error.as_deref())
                    );
                    let mut advice = advice(fault, overloaded, self.manifest, self.entrant, &said);
                    let known: HashSet<&String> =
                        self.faults.iter().flat_map(|(.., lines)| lines).collect();
                    advice.retain(|line| !known.contains(line));
                    self.faults.push((game, line, advice));
                }
            }
        }
    }

    fn add(&mut self, game: usize, result: &MatchResult) {
        self.add_faults(game, result);
        if result.seats.len() > 2 {
            moments::add(&mut self.met, self.entrant, result);
        }
        for seat in self.own(&result.seats) {
            let by_fault = result.end.charged() == Some(seat);
            if by_fault || result.outcome.seats[seat.index()].result != GameResult::Lost {
                continue;
            }
            let own = self.points(result, seat.index());
            let all = (0..result.seats.len()).map(|seat| self.points(result, seat));
            let behind = all.max().unwrap_or(own) - own;
            self.losses.push(Loss {
                game,
                opponents: others(result, seat),
                behind,
                line: format!(
                    "{}: {}, {}; {}",
                    self.named(game, result, seat),
                    so_many_points(own),
                    deficit(behind),
                    result.outcome.reason
                ),
            });
        }
    }

    fn add_turns(&mut self, record: &MatchRecord) {
        let conditions = &self.manifest.competition.conditions;
        for seat in self.own(&record.seats) {
            let own = record
                .turns
                .iter()
                .filter(|turn| turn.seat == seat)
                .map(|turn| turn.counted_us(conditions.mode));
            let before = self.turns_us.len();
            self.turns_us.extend(own);
            let turns = (self.turns_us.len() - before) as u64;
            let own = &record.seats[seat.index()];
            let (used, time) = (
                own.counted_us(conditions.mode),
                conditions.time_of(&own.entrant),
            );
            let Some(bank) = time.bank_us else {
                continue;
            };
            let allowed = bank + turns * time.increment_us;
            // Compares used/allowed without dividing.
            let nearer = |(most, limit): (u64, u64)| {
                u128::from(used) * u128::from(limit) > u128::from(most) * u128::from(allowed)
            };
            if self.game_max_us.is_none_or(nearer) {
                self.game_max_us = Some((used, allowed));
            }
        }
    }
}

/// The commands for the game with a number.
#[derive(Clone, Copy)]
pub struct GameCommands<'a> {
    /// Plays it again.
    pub repeat: &'a dyn Fn(usize) -> String,
    /// Shows it.
    pub watch: &'a dyn Fn(usize) -> String,
}

struct Case<'a> {
    competition: &'a Competition,
    scoring: &'a Scoring,
    table: &'a StandingsTable,
    row: &'a Standing,
    /// Penalty for lateness; it is taken off the grade, or off the prize where there are no grades.
    penalty: Option<Points>,
    own: &'a OwnGames<'a>,
    commands: GameCommands<'a>,
}

const LOSSES_MAX: usize = 5;
const OPPONENTS_MAX: usize = 20;

/// By some formulas the loser has as many points as the winner, or more.
fn deficit(behind: Points) -> String {
    if behind == Points::default() {
        "and nobody had more".to_owned()
    } else {
        format!("{} behind", so_many_points(behind))
    }
}

/// Formats results: `ahead 7 times, level once, behind 0 times (94 %)`.
fn placed(results: Record) -> String {
    let times = |count: u64| match count {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        count => format!("{count} times"),
    };
    let Record([ahead, level, behind]) = results;
    let level = match level {
        0 => String::new(),
        level => format!(", level {}", times(level)),
    };
    format!(
        "ahead {}{level}, behind {} ({} %)",
        times(ahead),
        times(behind),
        results.percent().unwrap_or_default()
    )
}

impl Case<'_> {
    fn total_lines(&self) -> Vec<String> {
        let standing = self.row;
        let rate = self.scoring.points_per_cpu_second;
        let mut lines = vec![self.rule()];
        for (role, tally) in self
            .own
            .roles
            .iter()
            .zip(&standing.by_role)
            .filter(|(_, tally)| tally.games > 0)
        {
            lines.push(format!("as {role}: {}", sum(tally, rate)));
        }
        if standing.by_role.iter().filter(|t| t.games > 0).count() > 1 {
            lines.push(format!("together: {}", sum(&standing.total, rate)));
        }
        lines
    }

    fn rule(&self) -> String {
        let scoring = self.scoring;
        let brings = match scoring.points {
            PointsRule::Game => "each game earns the points of the game's own formula",
            PointsRule::Win => "each win earns a point, shared equally among joint winners",
            PointsRule::WinDraw => {
                "each win earns a point, shared equally among joint winners, and each draw half a point"
            }
        };
        match scoring.points_per_cpu_second {
            0.0 => format!("{brings}; CPU time is free"),
            rate => format!(
                "{brings}, minus {rate} for each second of CPU time{}",
                cpu_step(scoring)
            ),
        }
    }

    fn times(&self) -> Vec<String> {
        let conditions = &self.competition.conditions;
        let kind = conditions.mode.called();
        let mut turns = self.own.turns_us.clone();
        turns.sort_unstable();
        let Some(&longest) = turns.last() else {
            return Vec::new();
        };
        let at = |part: usize| time(turns[(turns.len() * part).div_ceil(100).max(1) - 1]);
        let mut lines = vec![format!(
            "{}, {kind}: median {}, 95 % up to {}, 99 % up to {}, longest {}",
            counted(turns.len(), "turn"),
            at(50),
            at(95),
            at(99),
            time(longest)
        )];
        if let Some(limit) = conditions.time_of(&self.row.entrant).turn_us {
            lines.push(format!(
                "the limit of a turn is {}; the longest turn took {} of it",
                time(limit),
                percent(longest, limit)
            ));
        }
        if let Some((used, allowed)) = self.own.game_max_us {
            lines.push(format!(
                "the game closest to its limit used {} of {} ({})",
                time(used),
                time(allowed),
                percent(used, allowed)
            ));
        }
        lines.extend(conditions.startup_words());
        lines
    }

    fn faults(&self) -> Vec<String> {
        let own = self.own;
        let mut lines = Vec::new();
        for (game, line, advice) in &own.faults {
            lines.push(line.clone());
            lines.extend(advice.iter().map(|line| format!("    {line}")));
            let command = (self.commands.repeat)(*game);
            lines.push(format!("    to play it again: {command}"));
        }
        if let Some(more @ 1..) = own.faults_all.checked_sub(own.faults.len() as u64) {
            lines.push(format!("and {} more: see faults.csv", count(more)));
        }
        lines
    }

    /// Lists the lost games with the greatest deficit in points to the best at the table. Of equal
    /// ones, those against the entrants with the lowest places come first.
    fn losses(&self) -> Vec<String> {
        let rank = |loss: &Loss| self.table.row(&loss.opponents).map(|row| row.rank);
        let mut losses: Vec<&Loss> = self.own.losses.iter().collect();
        losses.sort_by(|a, b| {
            b.behind
                .cmp(&a.behind)
                .then_with(|| rank(b).cmp(&rank(a)))
                .then(a.game.cmp(&b.game))
        });
        let mut lines = Vec::new();
        for loss in losses.iter().take(LOSSES_MAX) {
            lines.push(loss.line.clone());
            let command = (self.commands.watch)(loss.game);
            lines.push(format!("    to watch it: {command}"));
        }
        if let Some(more @ 1..) = losses.len().checked_sub(LOSSES_MAX) {
            lines.push(format!("and {} more: see games.csv", count(more as u64)));
        }
        lines
    }

    /// Lists opponents, the entrant's worst results first. These are the results with the fewest points
    /// a game; in games for more than two, with the opponents that most often finished ahead of it.
    fn opponents(&self) -> Vec<String> {
        let own = &self.row.entrant;
        let mut against = self.table.sums.against(own);
        // Compares a/b < c/d as a·d < c·b, without dividing.
        let fewer = |a: &Tally, b: &Tally| {
            let cross = |one: &Tally, other: &Tally| one.points.times(other.games, 1);
            cross(a, b).cmp(&cross(b, a))
        };
        let met = |name: &str| self.own.met.get(name).copied();
        let share = |name: &str| met(name).and_then(Record::share_ppm);
        against.sort_by(|a, b| {
            share(a.0)
                .cmp(&share(b.0))
                .then_with(|| fewer(&a.1, &b.1))
                .then_with(|| a.0.cmp(b.0))
        });
        let mut lines: Vec<String> = against
            .iter()
            .take(OPPONENTS_MAX)
            .map(|(name, tally)| {
                let games = counted(tally.games, "game");
                let (chance, points) = (self.chance(name), so_many_points(tally.points));
                match met(name) {
                    Some(places) => {
                        format!(
                            "{name}: {games}, {}; {points} in them{chance}",
                            placed(places)
                        )
                    }
                    None => format!(
                        "{name}: {games}, {} won, {} drawn, {} lost: {points}{chance}",
                        tally.wins, tally.draws, tally.losses
                    ),
                }
            })
            .collect();
        if let Some(more @ 1..) = against.len().checked_sub(OPPONENTS_MAX) {
            lines.push(format!("and {more} more, with better results"));
        }
        if self.table.strengths.is_some() && !against.is_empty() {
            let what = if self.own.met.is_empty() {
                "win against"
            } else {
                "finish ahead of"
            };
            lines.push(format!(
                "expected: how often it would {what} this opponent, estimated from all results"
            ));
        }
        lines
    }

    fn chance(&self, name: &str) -> String {
        let strengths = self.table.strengths.as_ref();
        let own = &self.row.entrant;
        match strengths.and_then(|strengths| strengths.chance(own, name)) {
            Some(chance) => format!("; expected {:.0} %", chance * 100.0),
            None => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placements_are_reported_with_share_on_page() {
        let mut places = Record::default();
        for other in [2, 3, 4, 1, 4, 2, 3, 4] {
            places.add(1, other);
        }
        let reported = placed(places);
        assert_eq!(reported, "ahead 7 times, level once, behind 0 times (94 %)");
        places.add(2, 1);
        assert_eq!(places, Record([7, 1, 1]));
    }
}
