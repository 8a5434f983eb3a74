//! Comparison of moments with the games that they count.

use super::inspection::Inspection;
use report::{MOMENTS, PublishedGames, last_moment_again, moment_again};
use rulebook::JudgeError;
use std::collections::HashSet;
use store::manifest::Manifest;
use store::{Games, Keys, Moment};
use system::run_folder::JOURNAL;

/// Number of the last moments of a run that are made again; each takes as long as a table.
const AGAIN_MAX: usize = 20;

/// Checks the moments of a run's journal.
///
/// # Errors
/// When a game cannot be read.
pub(super) fn of_run(
    manifest: &Manifest,
    keys: &Keys,
    games: &Games,
    inspection: &mut Inspection,
) -> Result<(), JudgeError> {
    let all = games.moments().len();
    if all == 0 {
        return Ok(());
    }
    let first = all.saturating_sub(AGAIN_MAX);
    let (mut compared, mut differ) = (0, 0);
    for (number, noted) in games.moments().enumerate().skip(first) {
        if let Some(again) = moment_again(manifest, keys, games, number)? {
            compared += 1;
            differ += compare(JOURNAL, noted, &again, inspection);
        }
    }
    inspection.row("moments", compared, "line", differ);
    if compared < all {
        inspection.note(format!(
            "compared {compared} of {all} moments: the last ones, made under the present settings"
        ));
    }
    Ok(())
}

/// Checks the moments of a public view.
///
/// # Errors
/// When a game cannot be read.
pub(super) fn of_view(
    manifest: &Manifest,
    games: &PublishedGames,
    moments: &[Moment],
    inspection: &mut Inspection,
) -> Result<(), JudgeError> {
    if moments.is_empty() {
        return Ok(());
    }
    let mut differ = 0;
    for (moment, line) in moments.iter().zip(1..) {
        let mut seen = HashSet::new();
        let mut entrants = moment.entrants.iter().map(|one| one.entrant.as_str());
        if !entrants.all(|name| seen.insert(name)) {
            differ += 1;
            inspection.differs(format!("{MOMENTS}, line {line}: somebody is in it twice"));
        }
    }
    match (last_moment_again(manifest, games, moments)?, moments.last()) {
        (Some(again), Some(last)) => differ += compare(MOMENTS, last, &again, inspection),
        _ => inspection.note("no moment covers these games, so only staff can check earlier ranks"),
    }
    inspection.row("moments", moments.len(), "line", differ);
    Ok(())
}

/// Compares ranks and points. Returns 1 if they differ, else 0.
fn compare(place: &str, noted: &Moment, again: &Moment, inspection: &mut Inspection) -> usize {
    let ranked = |moment: &Moment| {
        moment
            .entrants
            .iter()
            .filter(|one| one.rank.is_some())
            .count()
    };
    // It is no longer known who was too late at that time.
    let are_same = ranked(noted) == ranked(again);
    let Some((noted_one, again_one)) =
        noted
            .entrants
            .iter()
            .zip(&again.entrants)
            .find(|(noted, again)| {
                noted.points != again.points || are_same && noted.rank != again.rank
            })
    else {
        if noted.played == again.played {
            return 0;
        }
        inspection.differs(format!(
            "{place}, moment {}: expected {} games, found {}",
            noted.at, again.played, noted.played
        ));
        return 1;
    };
    let told =
        |rank: Option<usize>| rank.map_or_else(|| "none".to_owned(), |rank| rank.to_string());
    inspection.differs(format!(
        "{place}, moment {}, {}: expected rank {} with {} points, found rank {} with {}",
        noted.at,
        noted_one.entrant,
        told(again_one.rank),
        again_one.points,
        told(noted_one.rank),
        noted_one.points
    ));
    1
}
