//! Check that the programs in a run's folder are those that were built.

use super::inspection::Inspection;
use intake::find_kept_program;
use model::builtin::is_builtin;
use model::numbers::counted;
use rulebook::JudgeError;
use run::builtin;
use std::path::Path;
use store::manifest::Manifest;
use system::kept_folder;
use system::run_folder::ARTIFACTS;

pub(super) fn inspect(
    folder: &Path,
    manifest: &Manifest,
    inspection: &mut Inspection,
) -> Result<(), JudgeError> {
    let rules = rulebook::rules::of(&manifest.competition.conditions)?;
    let all = manifest
        .entrants
        .iter()
        .filter_map(|line| Some((&*line.name, line.artifact.as_deref()?)));
    let filler = manifest.filler.iter();
    let all = all.chain(filler.map(|filler| (&*filler.entrant, &*filler.artifact)));
    let (mut number, mut differ, mut closed) = (0, 0, 0);
    for (name, hash) in all {
        number += 1;
        let kept = if is_builtin(name) {
            builtin::find_kept(&*rules, name, hash, folder)
        } else if is_hash(hash) {
            find_kept_program(hash, folder)
        } else {
            Ok(None)
        };
        let reason = match kept {
            Ok(Some(_)) => continue,
            Ok(None) if has_its_content(name, hash, folder)? => {
                closed += 1;
                continue;
            }
            Ok(None) => "it is missing, or has changed since the build".to_owned(),
            Err(JudgeError::Input(reason)) => reason,
            Err(error) => return Err(error),
        };
        differ += 1;
        inspection.differs(format!("artifacts, the program of {name}: {reason}"));
    }
    inspection.row("programs", number, "program", differ);
    if closed > 0 {
        inspection.note(format!(
            "the files of {} have other permissions than those of the build, as after a copy; their content is unchanged, \
             and judge run builds them again",
            counted(closed, "program")
        ));
    }
    Ok(())
}

/// Returns whether only the permissions of a program have changed.
fn has_its_content(name: &str, hash: &str, run: &Path) -> Result<bool, JudgeError> {
    if is_builtin(name) {
        return builtin::has_kept_content(name, hash, run);
    }
    let place = run.join(ARTIFACTS).join(hash);
    Ok(is_hash(hash) && kept_folder::has_noted_content(&place).unwrap_or(false))
}

/// Other names could lead out of the folder.
fn is_hash(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}
