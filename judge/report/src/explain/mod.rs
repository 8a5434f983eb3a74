//! Explains every number in one row of the table, in words that its author can follow.

mod own_games;
mod rank;
mod total;
mod uncertainty;

pub use self::own_games::GameCommands;
use self::own_games::{Case, OwnGames};
pub(crate) use self::total::cpu_step;
use super::gather::standings;
use super::submission_result::no_result;
use super::words::titled;
use crate::views::PlayedRun;
use model::numbers::{count, counted, so_many_points};
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
    let mut own = OwnGames::of(entrant, competition);
    let roles = schedule::roles(competition)?;
    let mut played = 0;
    let table = standings(run.manifest, run, &mut |game, result, counts| {
        played += 1;
        let mut seats = result.seats.iter().map(|seat| seat.entrant.as_str());
        if competition.scoring.is_unranked(&mut seats) {
            own.add_faults(roles, game, result);
        }
        if counts && result.has(entrant) {
            own.add(roles, game, result);
            let whole = run.games.read(result.fixture)?;
            own.times.add(
                entrant,
                &competition.conditions,
                &whole.expect("it was read just now"),
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
    lines.extend(receipt(run, entrant));
    let line = line_of(run, entrant);
    let comment = line.and_then(|line| line.comment.as_ref());
    if let Some((comment, asked)) = comment.zip(competition.kit.comment_words) {
        lines.push(format!("Description: {}.", comment.words(asked)));
    }
    let Some(row) = table.row(entrant) else {
        lines.extend(unranked(run, &table, entrant));
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
    if row.standing.total.games == 0 {
        let graded = row
            .standing
            .graded
            .as_ref()
            .map_or(0, |graded| graded.games);
        lines.push(match graded {
            0 => "None of its games has been played yet, or none counts.".to_owned(),
            _ => "Only its games for the grade have been played.".to_owned(),
        });
        if let Some(reason) = &row.standing.disqualified {
            lines.push(format!("Disqualified: {reason}."));
        }
        if row.standing.graded.is_some() {
            lines.extend(rank::grade(&case));
            lines.extend(own_games::faults(&case));
        }
        return Ok(lines);
    }
    lines.extend(rank::headline(&case));
    let parts = [
        ("Total", total::lines(&case)),
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
        ("Time", total::times(&case)),
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

fn line_of<'a>(run: &PlayedRun<'a>, entrant: &str) -> Option<&'a EntrantLine> {
    run.manifest
        .entrants
        .iter()
        .find(|line| line.name == entrant)
}

/// Explains why an entrant is not ranked, and its grade.
fn unranked(run: &PlayedRun<'_>, table: &StandingsTable, entrant: &str) -> Vec<String> {
    let scoring = &run.manifest.competition.scoring;
    let graded = |grade: &str, whom: &str| format!("grade {grade}, as for {whom}");
    let mut removed = table.removed.iter();
    if let Some(Removed { reason, grade, .. }) = removed.find(|one| one.entrant == entrant) {
        let grade = grade.as_ref().map(|grade| format!("grade {grade}"));
        let line = format!("Disqualified and removed from the table with all its games: {reason}.");
        return [line].into_iter().chain(grade).collect();
    }
    let mut lines = no_result(scoring, &run.manifest.entrants);
    if let Some(line) = lines.find(|line| line.entrant == entrant) {
        let (told, whom) = if line.is_too_late {
            let told = "Not ranked: it was received too late for a rank, a prize or a grade. Its games count for the others.";
            (told.to_owned(), "people who submitted nothing")
        } else {
            let reason = line.reason;
            let told = format!(
                "Does not play: {reason}. Any compiler output is in logs/build/ of the run folder."
            );
            (told, "submissions that do not play")
        };
        let grade = line.grade.as_deref().map(|grade| graded(grade, whom));
        return [told].into_iter().chain(grade).collect();
    }
    let mut beside = table.beside.iter();
    vec![match beside.find(|beside| beside.entrant == entrant) {
        Some(beside) => format!(
            "Not ranked: built-in bots take a rank only if the competition's file says rank_builtins = true. It \
             earned {} in {}, {} won.",
            so_many_points(beside.total.points),
            counted(beside.total.games, "game"),
            beside.total.wins
        ),
        None => "Not ranked: the others are measured against it.".to_owned(),
    }]
}

/// Describes the version that plays, when it was received, and the consequences.
fn receipt(run: &PlayedRun<'_>, entrant: &str) -> Vec<String> {
    let line = line_of(run, entrant);
    let Some((line, timing)) = line.and_then(|line| Some((line, line.timing?))) else {
        return Vec::new();
    };
    let version = line.version.unwrap_or(1);
    let said = timing.words(line.artifact.is_some());
    let mut told = vec![format!("Version {version}: {said}.")];
    if let Some(replaced) = &line.replaced {
        told.push(format!("A later version does not count: {replaced}."));
    }
    told
}
