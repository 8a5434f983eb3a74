//! Who plays: those of the entrants that can, and whoever takes the empty chairs.

use crate::builtin;
use engines::Entry;
use error::JudgeError;
use std::path::Path;
use words::competition::{Competition, Schedule};
use words::entrant::{Contestant, Entrant, Readiness};
use words::timing::Lateness;

/// Those who play.
pub(super) struct Lineup {
    pub(super) contestants: Vec<Contestant>,
    /// Who takes the chairs that nobody else takes; not ranked.
    pub(super) filler: Option<Contestant>,
}

impl Lineup {
    /// Lists nobody.
    pub(super) const fn nobody() -> Self {
        Self {
            contestants: Vec::new(),
            filler: None,
        }
    }

    /// Lists everybody who can play; `seats` is the number of chairs of a game, and `has_begun`
    /// tells whether games of the run have been played.
    ///
    /// # Errors
    /// When there are not enough, or somebody whom a gauntlet is against is not there.
    pub(super) fn of(
        entry: &'static Entry,
        competition: &Competition,
        entrants: &[Entrant],
        seats: usize,
        folder: &Path,
        has_begun: bool,
    ) -> Result<Self, JudgeError> {
        let contestants = contestants(entrants);
        are_there(competition, entrants, &contestants)?;
        enough(entry, competition, &contestants, (entrants.len(), seats))?;
        let empty_chairs = competition.schedule == Schedule::Groups && seats > contestants.len();
        let filler = empty_chairs
            .then(|| filler(entry, folder, has_begun))
            .transpose()?;
        Ok(Self {
            contestants,
            filler,
        })
    }
}

/// Checks that everybody can play whom a gauntlet is against, or whom prizes ask to be ahead of.
fn are_there(
    competition: &Competition,
    entrants: &[Entrant],
    contestants: &[Contestant],
) -> Result<(), JudgeError> {
    let absent = |names: &[String]| {
        let is_there = |name: &String| contestants.iter().any(|one| one.name == *name);
        names.iter().find(|name| !is_there(name)).cloned()
    };
    if let Some(name) = absent(competition.schedule.opponents()) {
        return Err(JudgeError::input(format!(
            "the competition is played against {name}, which is not there or cannot play; put it beside the other submissions, or change `against`"
        )));
    }
    let ahead_of = &competition.scoring.prize_needs.ahead_of;
    if let Some(name) = absent(ahead_of) {
        return Err(JudgeError::input(format!(
            "prizes ask for being ahead of {name}, which is not there or cannot play; put it beside the other submissions, or change `ahead_of`"
        )));
    }
    let is_too_late = |one: &&Entrant| {
        let timing = one.receipt.timing;
        timing.is_some_and(|timing| timing.lateness == Lateness::TooLate)
    };
    let mut late = entrants.iter().filter(is_too_late);
    if let Some(one) = late.find(|one| ahead_of.contains(&one.name)) {
        return Err(JudgeError::input(format!(
            "prizes ask for being ahead of {}, which came too late and has no rank; give it an `extension` in the roster, or change `ahead_of`",
            one.name
        )));
    }
    Ok(())
}

/// Takes a built-in bot for the chairs that nobody else takes.
fn filler(entry: &'static Entry, folder: &Path, has_begun: bool) -> Result<Contestant, JudgeError> {
    let (filler, note) = builtin::filler(entry, folder, has_begun)?;
    let name = &filler.name;
    say!("  {name} takes the empty seats and is not ranked");
    if let Some(note) = note {
        say!("  {name}: note: {note}");
    }
    Ok(filler)
}

/// Checks that there are enough to be ranked; in games for more than two, a built-in bot takes
/// the chairs that stay empty. The opponents of a gauntlet are not ranked.
fn enough(
    entry: &Entry,
    competition: &Competition,
    contestants: &[Contestant],
    (entrants, seats): (usize, usize),
) -> Result<(), JudgeError> {
    let schedule = &competition.schedule;
    let opponents = schedule.opponents();
    let ranked = contestants
        .iter()
        .filter(|one| !opponents.contains(&one.name));
    let ranked = ranked.count();
    let one_is_enough = schedule.self_play() || !opponents.is_empty() || seats > 2;
    let least = if one_is_enough { 1 } else { 2 };
    if ranked >= least {
        return Ok(());
    }
    let known = entry.baselines().into_iter();
    let known = known.map(|(name, _)| format!("{}{name}", words::builtin::PREFIX));
    let known = known.filter(|name| !opponents.contains(name));
    let known: Vec<String> = known.map(|name| format!("--with {name}")).collect();
    let besides = match opponents {
        [] => String::new(),
        opponents => format!(
            " besides {}, which they are measured against",
            opponents.join(", ")
        ),
    };
    let known = known.join(", ");
    Err(JudgeError::input(if (entrants, ranked) == (1, 1) {
        format!(
            "there is only 1 entrant, but a tournament needs {least}; add a submission, or a built-in bot ({known})"
        )
    } else {
        format!(
            "{ranked} of the entrants can play{besides}, but a tournament needs {least}; fix the others, or enter built-in \
             bots ({known})"
        )
    }))
}

fn contestants(entrants: &[Entrant]) -> Vec<Contestant> {
    let playing = entrants
        .iter()
        .filter_map(|entrant| match &entrant.readiness {
            Readiness::Ready(artifact) => Some(Contestant {
                name: entrant.name.clone(),
                artifact: artifact.clone(),
            }),
            Readiness::Broken(_) => None,
        });
    playing.collect()
}
