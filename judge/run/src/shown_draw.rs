//! A draw is no longer secret once games on it were seen: a program can contain them.

use jiff::Timestamp;
use model::builtin::is_builtin;
use model::competition::FINAL;
use rulebook::{Result, refuse};
use std::path::Path;
use std::time::SystemTime;
use store::Keys;
use store::manifest::{DrawSource, EntrantLine, Manifest};

fn counts(manifest: &Manifest) -> bool {
    let is_secret = matches!(manifest.draw.source, DrawSource::Secret { .. });
    is_secret && manifest.competition.round == FINAL
}

/// Refuses to show games of the final round while somebody may still submit.
pub fn refuse_showing(manifest: &Manifest) -> Result {
    refuse_showing_at(manifest, now())
}

#[expect(clippy::disallowed_methods, reason = "the deadline of a draw")]
fn now() -> Option<Timestamp> {
    Timestamp::try_from(SystemTime::now()).ok()
}

/// If the time is unknown, it refuses whenever there is a deadline.
pub(crate) fn refuse_showing_at(manifest: &Manifest, now: Option<Timestamp>) -> Result {
    if !counts(manifest) {
        return Ok(());
    }
    refuse_before_deadline(
        manifest,
        now,
        "showing games now",
        "wait until then, or play a practice round (round = \"practice/1\" in the competition's file, with another --out)",
    )
}

/// Refuses to publish a secret, which is that of all rounds, while somebody may still submit.
pub fn refuse_revealing(manifest: &Manifest) -> Result {
    refuse_before_deadline(
        manifest,
        now(),
        "revealing the secret now",
        "wait until then",
    )
}

fn refuse_before_deadline(
    manifest: &Manifest,
    now: Option<Timestamp>,
    what: &str,
    instead: &str,
) -> Result {
    let Some(closes) = manifest.closes else {
        return Ok(());
    };
    if now.is_some_and(|now| now >= closes) {
        return Ok(());
    }
    let latest = if Some(closes) == manifest.competition.deadline {
        "the deadline"
    } else {
        "the latest extension in the roster of the last judge run"
    };
    refuse(format!(
        "submissions are open until {closes} ({latest}), and {what} would tell authors beforehand which games their programs will play; {instead}"
    ))
}

/// Notes that the final draw is known from now on, and the programs at that time.
pub fn mark(keys: &mut Keys, manifest: &Manifest) {
    keys.shown.entry(FINAL.to_owned()).or_insert_with(|| {
        let artifact = |line: &EntrantLine| Some((line.name.clone(), line.artifact.clone()?));
        manifest.entrants.iter().filter_map(artifact).collect()
    });
}

/// Notes that games are shown from now on, before they are. Returns whether that is new.
pub fn mark_shown(folder: &Path, manifest: &Manifest) -> Result<bool> {
    if !counts(manifest) || is_known(&Keys::of_run(folder)?) {
        return Ok(false);
    }
    let _alone = store::lock(folder)?;
    // They may have been changed before we got the lock.
    mark_shown_alone(folder, manifest, &mut Keys::of_run(folder)?)
}

/// Notes the same where no other process works on the run, whose keys these are.
pub(crate) fn mark_shown_alone(
    folder: &Path,
    manifest: &Manifest,
    keys: &mut Keys,
) -> Result<bool> {
    if !counts(manifest) || is_known(keys) {
        return Ok(false);
    }
    mark(keys, manifest);
    keys.write(folder)?;
    Ok(true)
}

fn is_known(keys: &Keys) -> bool {
    keys.shown.contains_key(FINAL)
}

pub(crate) fn mark_late(keys: &Keys, manifest: &mut Manifest, may_play: bool) -> Result {
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
    refuse(format!(
        "these entrants submitted after games on this draw had been shown: {}. Their programs can know every board and every random number. Use the earlier submissions, choose another folder with --out for a new draw, or let them play with --on-shown-draw, which marks them in the table",
        late.join(", ")
    ))
}
