//! The players: the entrants that can play, and the bot for empty seats.

use crate::built::Built;
use crate::builtin;
use crate::event::{RunEvent, Sink};
use model::competition::{Competition, Schedule};
use model::entrant::{Contestant, Entrant};
use rulebook::JudgeError;
use rulebook::nearest::did_you_mean;
use rulebook::rules::Rules;

impl Built {
    /// Returns an unranked built-in bot for the seats that nobody takes, if there are any.
    pub(crate) fn filler(
        &self,
        seats: usize,
        sink: &dyn Sink,
    ) -> Result<Option<Contestant>, JudgeError> {
        let competition = &self.manifest.competition;
        let rules = rulebook::rules::of(&competition.conditions)?;
        let ready = self.entrants.iter().filter(|one| one.artifact().is_some());
        let names: Vec<&str> = ready.map(|one| one.name.as_str()).collect();
        are_there(competition, &self.entrants, &names)?;
        enough(&*rules, competition, &names, (self.entrants.len(), seats))?;
        if competition.schedule != Schedule::Groups || seats <= names.len() {
            return Ok(None);
        }
        let filler = builtin::filler(&*rules, &self.folder, self.has_begun())?;
        let words = format!("{} fills the empty seats and is not ranked", filler.name);
        sink.take(RunEvent::Note(&words));
        Ok(Some(filler))
    }
}

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

/// Also all entrants that a prize must be ahead of.
fn are_there(
    competition: &Competition,
    entrants: &[Entrant],
    ready: &[&str],
) -> Result<(), JudgeError> {
    let is_absent = |name: &&String| !ready.contains(&name.as_str());
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

/// In games for more than two, a built-in bot takes empty seats. Opponents are not ranked.
fn enough(
    rules: &dyn Rules,
    competition: &Competition,
    ready: &[&str],
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
    let is_ranked = |name: &&&str| !opponents.contains(*name);
    let ranked = ready.iter().filter(is_ranked).count();
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
