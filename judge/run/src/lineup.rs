//! The players: the entrants that can play, and the bot for empty seats.

use crate::builtin;
use crate::event::{RunEvent, Sink};
use model::competition::{Competition, Schedule};
use model::entrant::{Contestant, Entrant};
use rulebook::JudgeError;
use rulebook::nearest::did_you_mean;
use rulebook::rules::Rules;
use std::path::Path;

/// Lists the entrants that can play; `seats` is the number of seats of a game. Also returns a built-in
/// bot for the seats that nobody takes, if there are any. It is not ranked. `has_begun` means that
/// games of the run have been played.
pub(crate) fn lineup(
    rules: &dyn Rules,
    competition: &Competition,
    entrants: &[Entrant],
    seats: usize,
    (folder, has_begun): (&Path, bool),
    sink: &dyn Sink,
) -> Result<(Vec<Contestant>, Option<Contestant>), JudgeError> {
    let contestants = contestants(entrants);
    are_there(competition, entrants, &contestants)?;
    enough(rules, competition, &contestants, (entrants.len(), seats))?;
    if competition.schedule != Schedule::Groups || seats <= contestants.len() {
        return Ok((contestants, None));
    }
    let filler = builtin::filler(rules, folder, has_begun)?;
    let words = format!("{} fills the empty seats and is not ranked", filler.name);
    sink.take(RunEvent::Note(&words));
    Ok((contestants, Some(filler)))
}

/// Checks that all clocks of single entrants are of entrants of this run.
pub(crate) fn clocks_are_of(
    competition: &Competition,
    entrants: &[Entrant],
) -> Result<(), JudgeError> {
    let names = || entrants.iter().map(|one| one.name.as_str());
    let mut clocks = competition.conditions.clocks.keys();
    let Some(unknown) = clocks.find(|clock| names().all(|name| name != *clock)) else {
        return Ok(());
    };
    Err(JudgeError::input(format!(
        "[clock.entrants.{unknown}]: no entrant has this name{}; correct it, or remove the table",
        did_you_mean(unknown, names())
    )))
}

/// Checks that all opponents of a gauntlet or of graded games can play, and all entrants that a
/// prize must be ahead of.
fn are_there(
    competition: &Competition,
    entrants: &[Entrant],
    contestants: &[Contestant],
) -> Result<(), JudgeError> {
    let is_there = |name: &String| contestants.iter().any(|one| one.name == *name);
    let is_absent = |name: &&String| !is_there(name);
    if let Some(name) = competition.opponents().find(is_absent) {
        return Err(JudgeError::input(format!(
            "the competition is played against {name}, which is missing or cannot play; add it to the submissions, or change `against`"
        )));
    }
    let ahead_of = &competition.scoring.prize_needs.ahead_of;
    if let Some(name) = ahead_of.iter().find(is_absent) {
        return Err(JudgeError::input(format!(
            "a prize requires being ahead of {name}, which is missing or cannot play; add it to the submissions, or change `ahead_of`"
        )));
    }
    let is_too_late = |one: &&Entrant| one.timing.is_some_and(|it| it.is_too_late());
    let mut late = entrants.iter().filter(is_too_late);
    if let Some(one) = late.find(|one| ahead_of.contains(&one.name)) {
        return Err(JudgeError::input(format!(
            "a prize requires being ahead of {}, which was received too late and has no rank; give it an `extension` \
             in the roster, or change `ahead_of`",
            one.name
        )));
    }
    Ok(())
}

/// Checks that there are enough entrants to rank. In games for more than two, a built-in bot takes
/// the seats that stay empty. Opponents of a gauntlet or of graded games are not ranked.
fn enough(
    rules: &dyn Rules,
    competition: &Competition,
    contestants: &[Contestant],
    (entrants, seats): (usize, usize),
) -> Result<(), JudgeError> {
    let scoring = &competition.scoring;
    let tests = scoring
        .prize_needs
        .ahead_of
        .iter()
        .filter(|name| scoring.is_prize_test(name));
    let opponents: Vec<&str> = competition
        .opponents()
        .chain(tests)
        .map(String::as_str)
        .collect();
    let is_ranked = |one: &&Contestant| !opponents.contains(&one.name.as_str());
    let ranked = contestants.iter().filter(is_ranked).count();
    let self_play = competition.schedule.self_play();
    let one_is_enough = self_play || !opponents.is_empty() || seats > 2;
    let least = if one_is_enough { 1 } else { 2 };
    if ranked >= least {
        return Ok(());
    }
    let known: Vec<String> = rules
        .baselines()
        .into_iter()
        .map(|(name, _)| format!("{}{name}", model::builtin::PREFIX))
        .filter(|name| !opponents.contains(&name.as_str()))
        .map(|name| format!("--with {name}"))
        .collect();
    let besides = match &*opponents {
        [] => String::new(),
        opponents => format!(" against {}", opponents.join(", ")),
    };
    let known = known.join(", ");
    Err(JudgeError::input(if (entrants, ranked) == (1, 1) {
        format!(
            "there is only 1 entrant, but a tournament needs {least}; add a submission, or a built-in bot ({known})"
        )
    } else {
        format!(
            "only {ranked} of the entrants can play{besides}, but a tournament needs {least}; fix the others, or \
             enter built-in bots ({known})"
        )
    }))
}

fn contestants(entrants: &[Entrant]) -> Vec<Contestant> {
    entrants
        .iter()
        .filter_map(|entrant| {
            Some(Contestant {
                name: entrant.name.clone(),
                artifact: entrant.artifact()?.clone(),
            })
        })
        .collect()
}
