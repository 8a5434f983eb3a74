//! Submissions that come from several places: put together, with the roster that lies
//! beside them.

use crate::commands::{path_for_shell, program, with_game};
use error::JudgeError;
use intake::{Class, EarlierLooks, Expected, Opened, Opening, Submission};
use rules::Rules;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The most names that come twice which a message lists.
const NAMES_SHOWN_MAX: usize = 5;

/// Reads the submissions of all places, and lists the rosters that lie beside them; `game`,
/// `results` and `earlier` are as in [`Opening`].
///
/// # Errors
/// As there; and when two places have the same name.
pub fn collect(
    places: &[PathBuf],
    game: Option<&Arc<dyn Rules>>,
    results: Option<&Path>,
    earlier: Option<EarlierLooks<'_>>,
    stop: &AtomicBool,
) -> Result<(Class, Vec<PathBuf>), JudgeError> {
    named_once(places)?;
    let mut all = Class::default();
    let mut rosters = Vec::new();
    let mut found: Vec<(&Path, Submission)> = Vec::new();
    for place in places {
        let opening = Opening {
            expected: Expected::Class,
            game,
            results,
            earlier,
            stop,
        };
        let class = intake::open(place, opening)?.into_class();
        found.extend(class.submissions.into_iter().map(|one| (&**place, one)));
        all.ignored.extend(class.ignored);
        rosters.extend(class.roster);
    }
    let mut names: HashMap<String, usize> = HashMap::new();
    for (_, one) in &found {
        *names.entry(one.name.clone()).or_default() += 1;
    }
    let mut homes: HashMap<String, &Path> = HashMap::new();
    let mut twice = Vec::new();
    for (place, mut one) in found {
        // Nobody stops the others' run with a name of somebody in another place.
        if names[&one.name] > 1 && one.owner.is_students() {
            one.give_up_name(|name| names.contains_key(name));
            names.insert(one.name.clone(), 1);
        } else if let Some(home) = homes.insert(one.name.clone(), place) {
            let (home, place) = (home.display(), place.display());
            twice.push(format!("{} is in {home} and in {place}", one.name));
        }
        all.submissions.push(one);
    }
    if twice.is_empty() {
        all.submissions.sort_by(|a, b| a.name.cmp(&b.name));
        return Ok((all, rosters));
    }
    let more = match twice.len().checked_sub(NAMES_SHOWN_MAX) {
        Some(more @ 1..) => format!("; and {more} more"),
        _ => String::new(),
    };
    twice.truncate(NAMES_SHOWN_MAX);
    Err(JudgeError::input(format!(
        "{}{more}; names of entrants must differ, so rename one of the two",
        twice.join("; ")
    )))
}

/// Returns whether all places are there, whatever lies in them.
pub(crate) fn are_there(places: &[PathBuf]) -> bool {
    places.iter().all(|place| place.exists())
}

/// Refuses several places that were named without saying that they are classes where each is a single
/// submission; `game` is the one that was named, if one was.
///
/// # Errors
/// When each is one; the message has commands that do what may be meant.
pub fn refuse_singles(places: &[PathBuf], game: Option<&Arc<dyn Rules>>) -> Result<(), JudgeError> {
    let singles = (places.len() > 1).then(|| singles(places)).flatten();
    let Some(singles) = singles else {
        return Ok(());
    };
    let words: Vec<String> = places.iter().map(|path| path_for_shell(path)).collect();
    let told = game.cloned();
    let told = told.or_else(|| singles.iter().find_map(Submission::game));
    let command = |flag: &str| format!("{} match {} {flag}", program(), words[..2].join(" "));
    let slugs = match told {
        Some(told) => vec![told.info().slug],
        None => rules::built_in().map(|rules| rules.info().slug).collect(),
    };
    Err(JudgeError::input(format!(
        "{} are single submissions, but each of several places must be a folder of submissions. Move them into one \
         empty folder and give that folder, or let two of them play each other:\n{}",
        words.join(" and "),
        with_game(command, slugs.into_iter())
    )))
}

/// Reads places each of which is a submission itself; none where one of them is not.
fn singles(places: &[PathBuf]) -> Option<Vec<Submission>> {
    let stop = AtomicBool::new(false);
    let single = |place: &PathBuf| {
        let opening = Opening::new(Expected::Either, None, &stop);
        match intake::open(place, opening) {
            Ok(Opened::One(one)) if one.form.is_ok() => Some(*one),
            _ => None,
        }
    };
    places.iter().map(single).collect()
}

/// Checks that no place is there twice.
fn named_once(places: &[PathBuf]) -> Result<(), JudgeError> {
    let real = |place: &PathBuf| place.canonicalize().unwrap_or_else(|_| place.clone());
    for (at, place) in places.iter().enumerate() {
        if places[..at].iter().any(|other| real(other) == real(place)) {
            return Err(JudgeError::input(format!(
                "{} appears twice; remove one",
                place.display()
            )));
        }
    }
    Ok(())
}

/// Takes the only roster that lies beside submissions.
///
/// # Errors
/// When there are two.
pub(crate) fn only_roster(rosters: Vec<PathBuf>) -> Result<Option<PathBuf>, JudgeError> {
    if let [one, other, ..] = rosters.as_slice()
        && one != other
    {
        return Err(JudgeError::input(format!(
            "there is a list of people in {} and another in {}; put them together and name the file with --roster",
            one.display(),
            other.display()
        )));
    }
    Ok(rosters.into_iter().next())
}
