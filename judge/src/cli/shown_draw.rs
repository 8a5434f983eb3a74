//! A draw that somebody has been shown is spent: boards and seeds can be read from replays and
//! from what bots wrote, and written into a program.

use error::JudgeError;
use jiff::Timestamp;
use journal::Keys;
use journal::manifest::{DrawSource, EntrantLine, Manifest};
use std::collections::BTreeMap;
use std::time::SystemTime;
use words::builtin::is_builtin;
use words::competition::FINAL;

/// Returns whether it matters who knows the draw of a run.
fn counts(manifest: &Manifest) -> bool {
    let is_secret = matches!(manifest.draw.source, DrawSource::Secret { .. });
    is_secret && manifest.competition.round == FINAL
}

/// Refuses what would show the draw of the final round while somebody may still submit.
///
/// # Errors
/// When that is so; `what` says what would be done.
pub(super) fn refuse_before_deadline(manifest: &Manifest, what: &str) -> Result<(), JudgeError> {
    let Some(closes) = manifest.closes.filter(|_| counts(manifest)) else {
        return Ok(());
    };
    let now = Timestamp::try_from(SystemTime::now());
    if now.is_ok_and(|now| now >= closes) {
        return Ok(());
    }
    let latest = if Some(closes) == manifest.competition.deadline {
        "the deadline"
    } else {
        "the latest extension in the roster"
    };
    Err(JudgeError::input(format!(
        "submissions are open until {closes} ({latest}), and {what} would tell authors what their programs will meet; \
         wait until then, or play a practice round (round = \"practice/1\" in the competition's file)"
    )))
}

/// Notes that the draw of the run's round is known from now on, and what everybody had submitted
/// by then. Returns whether that is new.
pub(super) fn mark(keys: &mut Keys, manifest: &Manifest) -> bool {
    let round = &manifest.competition.round;
    if !counts(manifest) || keys.shown.contains_key(round) {
        return false;
    }
    keys.shown
        .insert(round.clone(), artifacts(&manifest.entrants));
    true
}

fn artifacts(entrants: &[EntrantLine]) -> BTreeMap<String, String> {
    let playing = entrants.iter();
    playing
        .filter_map(|line| Some((line.name.clone(), line.artifact.clone()?)))
        .collect()
}

/// Marks those in the manifest who submitted what they play with after the draw was shown.
///
/// # Errors
/// When there are some, and staff have not said that they may play.
pub(super) fn mark_late(
    keys: &Keys,
    manifest: &mut Manifest,
    may_play: bool,
) -> Result<(), JudgeError> {
    if !counts(manifest) {
        return Ok(());
    }
    let Some(before) = keys.shown.get(&manifest.competition.round) else {
        return Ok(());
    };
    let mut late = Vec::new();
    for line in &mut manifest.entrants {
        let is_new = line.artifact.is_some() && line.artifact.as_ref() != before.get(&line.name);
        line.knew_draw = is_new && !is_builtin(&line.name);
        if line.knew_draw {
            late.push(line.name.clone());
        }
    }
    if late.is_empty() || may_play {
        return Ok(());
    }
    Err(JudgeError::input(format!(
        "games on this draw have been shown, and after that something new was submitted: {}. Such programs can know \
         every board and every random number. Use the earlier submissions, choose another folder with --out for a new \
         draw, or let them play, marked in the table, with --on-shown-draw",
        late.join(", ")
    )))
}
