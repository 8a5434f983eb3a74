//! Explains every number in one row of the table, in words that its author can follow.

mod facts;
mod own_games;
mod rank;
mod uncertainty;

pub use self::facts::facts;
pub use self::own_games::GameCommands;
use self::own_games::{Case, OwnGames};
use super::run_data::standings;
use super::submission_result::SubmissionResult;
use super::words::titled;
use crate::run_data::PlayedRun;
use model::competition::{PointsRule, Scoring};
use model::numbers::{count, counted, percent, points, so_many_points, time};
use model::tally::Tally;
use rulebook::scoring::{Removed, StandingsTable};
use rulebook::{JudgeError, schedule};
use store::manifest::EntrantLine;

/// Explains the result of an entrant, as lines of text. An unranked entrant gets the reason.
pub fn explain(
    run: &PlayedRun<'_>,
    entrant: &str,
    commands: GameCommands<'_>,
) -> Result<Vec<String>, JudgeError> {
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
        roles,
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
            lines.extend(rank::grade(&case));
            lines.extend(own_games::faults(&case));
        }
        return Ok(lines);
    }
    lines.extend(rank::headline(&case));
    let parts = [
        ("Total", total(&case)),
        ("Rank", rank::lines(&case)),
        ("Uncertainty", uncertainty::lines(&case)),
        (
            "What a small change would alter",
            uncertainty::boundaries(&case),
        ),
        ("Opponents", own_games::opponents(&case)),
        ("Faults", own_games::faults(&case)),
        (
            "Lost games not ended by its own fault, largest deficit first",
            own_games::losses(&case),
        ),
        ("Time", times(&case)),
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
    let (reported, whom) = match &result {
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
    let grade = result.grade(scoring);
    let grade = grade.map(|grade| format!("grade {grade}{whom}"));
    [reported].into_iter().chain(grade).collect()
}

fn receipt(line: &EntrantLine) -> Vec<String> {
    let Some(timing) = line.timing else {
        return Vec::new();
    };
    let version = line.version.unwrap_or(1);
    let said = timing.words(line.artifact.is_some());
    let mut reported = vec![format!("Version {version}: {said}.")];
    if let Some(replaced) = &line.replaced {
        reported.push(format!("A later version does not count: {replaced}."));
    }
    reported
}

fn total(case: &Case<'_>) -> Vec<String> {
    let standing = case.row;
    let rate = case.competition.scoring.points_per_cpu_second;
    let mut lines = vec![rule(case)];
    for (role, tally) in case
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

fn rule(case: &Case<'_>) -> String {
    let scoring = &case.competition.scoring;
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

fn times(case: &Case<'_>) -> Vec<String> {
    let conditions = &case.competition.conditions;
    let kind = conditions.mode.called();
    let mut turns = case.own.turns_us.clone();
    turns.sort_unstable();
    let Some(&longest) = turns.last() else {
        return Vec::new();
    };
    let at = |part: usize| time(turns[(turns.len() * part).div_ceil(100).max(1) - 1]);
    let mut lines = vec![format!(
        "{}, {kind}: median {}, 95 % up to {}, 99 % up to {}, longest {}",
        counted(turns.len() as u64, "turn"),
        at(50),
        at(95),
        at(99),
        time(longest)
    )];
    if let Some(limit) = conditions.time_of(&case.row.entrant).turn_us {
        lines.push(format!(
            "the limit of a turn is {}; the longest turn took {} of it",
            time(limit),
            percent(longest, limit)
        ));
    }
    if let Some((used, allowed)) = case.own.game_max_us {
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
