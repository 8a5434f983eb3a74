//! Bounds on a manifest before any computation: a hostile author may want it to take for ever.

use model::competition::Schedule;
use model::points::Points;
use rulebook::JudgeError;
use rulebook::{CPU_STEP_MS_MAX, RATE_MAX, STATES_MAX, schedule};
use std::collections::HashSet;
use store::manifest::{EntrantLine, Manifest};

/// Limit on games; no run has more.
pub(super) const GAMES_MAX: usize = 20_000_000;
/// Maximum penalty for being late, in points.
const PENALTY_MAX: Points = Points::whole(1_000_000);
/// Limit on places; no table has more.
const RANKS_MAX: usize = 1_000_000_000;

/// Checks that a manifest describes a possible schedule. Returns the number of seats.
///
/// # Errors
/// When it does not.
pub(super) fn check_manifest(manifest: &Manifest) -> Result<usize, JudgeError> {
    let wrong =
        |reason: &str| JudgeError::input(format!("run.json does not describe a run: {reason}"));
    let competition = &manifest.competition;
    let seats = schedule::roles(competition).map_err(|error| match error {
        JudgeError::Rules { .. } => wrong(&error.to_string()),
        error => error,
    })?;
    let seats = seats.len();
    let playing = manifest.playing();
    let mut names: HashSet<&str> = playing.iter().map(|one| &*one.entrant).collect();
    if names.len() < playing.len() {
        return Err(wrong("two entrants have the same name"));
    }
    let drawn = competition.states_drawn();
    if competition.states == 0 || drawn > STATES_MAX {
        return Err(wrong(
            "it has more initial states than a competition can have, or none",
        ));
    }
    if manifest
        .entrants
        .iter()
        .filter_map(EntrantLine::penalty)
        .any(|penalty| !(Points::default()..=PENALTY_MAX).contains(&penalty))
    {
        return Err(wrong("it has a penalty that no competition has"));
    }
    let told = manifest.draw.states.len();
    if told > 0 && told != drawn as usize {
        return Err(wrong(
            "it gives the draw for another number of initial states",
        ));
    }
    let (many, states) = (playing.len() as u128, u128::from(competition.states));
    names.extend(competition.opponents().map(String::as_str));
    let met = |against: &[String]| many * against.len() as u128 * seats as u128;
    let games = match &competition.schedule {
        Schedule::Pairs { .. } => many * many * states,
        Schedule::Gauntlet { against } => met(against) * states,
        Schedule::Groups => many.max(1) * seats as u128 * states,
    };
    let graded = competition
        .scoring
        .graded_games()
        .map_or(0, |games| met(&games.against) * u128::from(games.states));
    if graded > 0 && seats != 2 {
        return Err(wrong("graded games are of two seats"));
    }
    let tests = met(&competition.scoring.prize_needs.ahead_of) * states;
    if games + graded + tests > GAMES_MAX as u128 {
        return Err(wrong("it has more games than can be played"));
    }
    if competition.schedule == Schedule::Groups {
        let filler = manifest.filler.as_ref().map(|filler| &*filler.entrant);
        let others = names.iter().filter(|name| Some(**name) != filler).count();
        if others == 0 || (playing.len() < seats && filler.is_none()) {
            return Err(wrong("there is no entrant to deal into groups"));
        }
    } else if seats != 2 && competition.schedule.opponents().is_empty() {
        return Err(wrong("pairs play a game of two seats"));
    }
    let scoring = &competition.scoring;
    if !(0.0..=RATE_MAX).contains(&scoring.points_per_cpu_second) {
        return Err(wrong("points_per_cpu_second is out of range"));
    }
    if scoring.cpu_step_ms > CPU_STEP_MS_MAX.into() {
        return Err(wrong("cpu_step_ms is out of range"));
    }
    if scoring.prizes.iter().any(|prize| prize.to_rank > RANKS_MAX) {
        return Err(wrong("a prize is for a rank that cannot exist"));
    }
    Ok(seats)
}
