//! Submissions from several places, merged, with the roster next to them.

use crate::commands::{path_for_shell, program};
use intake::{Class, Expected, Opening, PolledRepositories};
use model::text::listed_sentences;
use rulebook::JudgeError;
use rulebook::rules::Rules;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use system::run_folder;

/// Reads the submissions of all places, and lists the rosters next to them. Arguments are as in
/// [`Opening`]; `admit` checks the folder that holds a class.
pub fn collect(
    places: &[PathBuf],
    game: Option<&Arc<dyn Rules>>,
    results: Option<&Path>,
    polled: Option<&Arc<PolledRepositories>>,
    admit: &dyn Fn(&Path) -> Result<(), JudgeError>,
    stop: &AtomicBool,
) -> Result<(Class, Vec<PathBuf>), JudgeError> {
    named_once(places)?;
    let mut all = Class::default();
    let mut rosters = Vec::new();
    let mut homes: HashMap<String, &Path> = HashMap::new();
    let mut twice = Vec::new();
    for place in places {
        refuse_run(place)?;
        let opening = Opening {
            expected: Expected::Class,
            game,
            results,
            polled,
            stop,
        };
        let class = intake::open(place, opening)?.into_class();
        admit(&class.place)?;
        for one in class.submissions {
            if let Some(home) = homes.insert(one.name.clone(), place) {
                let (name, home, place) = (&one.name, home.display(), place.display());
                twice.push(format!("{name} is in {home} and in {place}"));
            }
            all.submissions.push(one);
        }
        all.ignored.extend(class.ignored);
        rosters.extend(class.roster);
    }
    if twice.is_empty() {
        all.submissions.sort_by(|a, b| a.name.cmp(&b.name));
        return Ok((all, rosters));
    }
    Err(JudgeError::input(format!(
        "{}; names of entrants must differ, so rename one of the two",
        listed_sentences(&twice)
    )))
}

fn refuse_run(place: &Path) -> Result<(), JudgeError> {
    let is_run = [run_folder::MANIFEST, run_folder::JOURNAL]
        .iter()
        .all(|name| place.join(name).is_file());
    if !is_run {
        return Ok(());
    }
    Err(JudgeError::input(format!(
        "{} is a run, and not its submissions; to see its results: {} explain {}",
        place.display(),
        program(),
        path_for_shell(place)
    )))
}

pub(crate) fn are_there(places: &[PathBuf]) -> bool {
    places.iter().all(|place| place.exists())
}

pub(crate) fn named_once(places: &[PathBuf]) -> Result<(), JudgeError> {
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

pub(crate) fn only_roster(rosters: Vec<PathBuf>) -> Result<Option<PathBuf>, JudgeError> {
    if let [one, other, ..] = rosters.as_slice()
        && one != other
    {
        return Err(JudgeError::input(format!(
            "found two rosters, {} and {}; merge them into one file and name it with --roster",
            one.display(),
            other.display()
        )));
    }
    Ok(rosters.into_iter().next())
}
