//! Comparison of a view's moments with its games. Those of a run are signed in its journal.

use super::inspection::Inspection;
use report::{MOMENTS, PublishedGames, last_moment_again};
use rulebook::JudgeError;
use std::collections::HashSet;
use store::Moment;
use store::manifest::Manifest;

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
        (Some(again), Some(last)) => differ += compare(last, &again, inspection),
        _ => inspection.note("no moment covers these games, so only staff can check earlier ranks"),
    }
    inspection.row("moments", moments.len(), "line", differ);
    Ok(())
}

/// Compares ranks and points. Returns 1 if they differ, else 0.
fn compare(noted: &Moment, again: &Moment, inspection: &mut Inspection) -> usize {
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
            "{MOMENTS}, moment {}: expected {} games, found {}",
            noted.at, again.played, noted.played
        ));
        return 1;
    };
    let told =
        |rank: Option<usize>| rank.map_or_else(|| "none".to_owned(), |rank| rank.to_string());
    inspection.differs(format!(
        "{MOMENTS}, moment {}, {}: expected rank {} with {} points, found rank {} with {}",
        noted.at,
        noted_one.entrant,
        told(again_one.rank),
        again_one.points,
        told(noted_one.rank),
        noted_one.points
    ));
    1
}
