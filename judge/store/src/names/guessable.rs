//! Hidden names that a public seed gives away. From a seed and a list of the class, anybody can draw
//! the same pairings and groups. Who meets whom, in which group and in which order, then shows who
//! is behind which name.

use super::PublicNames;
use crate::manifest::{DrawSource, EntrantLine, Manifest};
use model::builtin::is_builtin;
use model::competition::NameRule;
use rulebook::JudgeError;

/// Returns the warning for staff where the names of a run can be guessed.
pub fn guess_warning(manifest: &Manifest) -> Option<String> {
    let hides = |line: &EntrantLine| match manifest.competition.names {
        _ if is_builtin(&line.name) => false,
        _ if line.anonymous => true,
        Some(NameRule::Nickname) => true,
        Some(NameRule::Submission | NameRule::Roster | NameRule::Real) => false,
        None => line.platform_named,
    };
    let people = manifest
        .entrants
        .iter()
        .filter(|line| !is_builtin(&line.name))
        .count();
    // Alone, nobody hides.
    if !can_be_guessed(manifest) || people < 2 || !manifest.entrants.iter().any(hides) {
        return None;
    }
    Some(format!(
        "the seed is public, so nicknames and pseudonyms hide nobody: {HOW}. Nicknames that are known from this run \
         are known wherever they are used again, so ask for new ones before a final; {INSTEAD}"
    ))
}

/// Refuses to show names that hide somebody and can be guessed.
pub fn refuse_guessable(manifest: &Manifest, names: &PublicNames) -> Result<(), JudgeError> {
    if !can_be_guessed(manifest) || !names.hide_somebody() {
        return Ok(());
    }
    Err(JudgeError::input(format!(
        "the seed is public, and this view hides names behind nicknames or pseudonyms: {HOW}; {INSTEAD}"
    )))
}

const HOW: &str = "with a list of the class, anybody can draw the same games, and who meets whom in which group tells who is behind which name";
const INSTEAD: &str = "play without a seed in a new folder, or confirm with guessable = true under [names] in the competition's file and rerun judge run";

fn can_be_guessed(manifest: &Manifest) -> bool {
    matches!(manifest.draw.source, DrawSource::Seed(_)) && !manifest.competition.guessable
}
