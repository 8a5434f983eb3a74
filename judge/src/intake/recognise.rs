//! Telling what a submission is from the names of its files.

use super::{Form, SourceFile, executable};
use engines::{Entry, GAMES, Kit};

/// Tells what a submission is: sources for a kit whose required files are all there, or a
/// program.
pub(super) fn recognise(files: &[SourceFile]) -> Result<Form, String> {
    let has = |name: &str| files.iter().any(|file| file.path == name);
    for (entry, kit) in kits() {
        if kit.required.iter().all(|name| has(name)) {
            return Ok(Form::Sources(entry, kit));
        }
    }
    let found = executable::find(files);
    if let (Err(_), Some(hint)) = (&found, almost(files)) {
        return Err(hint);
    }
    let program = found?;
    executable::check(&files[program])?;
    Ok(Form::Executable(program))
}

/// Every kit with its game.
pub(super) fn kits() -> impl Iterator<Item = (&'static Entry, &'static Kit)> {
    GAMES
        .iter()
        .flat_map(|entry| entry.kits.iter().map(move |kit| (entry, kit)))
}

/// Finds what a beginner nearly got right: a required file that is missing, in the wrong
/// case, or in a subfolder.
fn almost(files: &[SourceFile]) -> Option<String> {
    for (entry, kit) in kits() {
        let mut hints = Vec::new();
        let mut present = 0;
        for required in kit.required {
            let same = |path: &str| path.eq_ignore_ascii_case(required);
            if files.iter().any(|f| f.path == *required) {
                present += 1;
            } else if let Some(file) = files.iter().find(|f| same(&f.path)) {
                hints.push(format!("{} must be spelled {required}", file.path));
                present += 1;
            } else if let Some(file) = files
                .iter()
                .find(|f| f.path.rsplit('/').next().is_some_and(same))
            {
                hints.push(format!(
                    "{} must lie in the submission's folder itself, as {required}",
                    file.path
                ));
                present += 1;
            } else {
                hints.push(format!("{required} is missing"));
            }
        }
        if present > 0 {
            let title = entry.info.title;
            return Some(format!(
                "looks like {title} in {}, but {}",
                kit.language,
                hints.join(", and ")
            ));
        }
    }
    None
}
