//! `submissions.csv`: what became of each submission.

use super::sheet::{Sheet, strings, text};
use crate::error::JudgeError;
use crate::files::write_whole;
use crate::intake::{Entrant, Readiness, Receipt};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Writes the file; `said` is what bots call themselves. Returns the path.
///
/// # Errors
/// When the file cannot be written.
pub fn write_submissions(
    folder: &Path,
    entrants: &[Entrant],
    said: &BTreeMap<String, String>,
) -> Result<PathBuf, JudgeError> {
    let path = folder.join("submissions.csv");
    write_whole(&path, &submissions_sheet(entrants, said).finish())?;
    Ok(path)
}

fn submissions_sheet(entrants: &[Entrant], said: &BTreeMap<String, String>) -> Sheet {
    let mut sheet = Sheet::new(&strings(&[
        "entrant", "form", "plays", "artifact", "version", "received", "name", "nickname",
        "language", "tokens", "reason", "warnings",
    ]));
    for entrant in entrants {
        let Receipt {
            about,
            version,
            replaced,
            ..
        } = &entrant.receipt;
        let (plays, artifact, reason) = match &entrant.readiness {
            Readiness::Ready(artifact) => ("yes", Some(artifact), replaced.as_deref()),
            Readiness::Broken { reason, .. } => ("no", None, Some(reason.as_str())),
        };
        let tokens = artifact.map_or(about.tokens, |artifact| artifact.tokens);
        let own = |text: &Option<String>| text_of(text.as_deref());
        sheet.row(&[
            text(&entrant.name),
            entrant.form.to_owned(),
            plays.to_owned(),
            artifact.map(|a| a.hash.clone()).unwrap_or_default(),
            version
                .as_ref()
                .map(|v| v.number.to_string())
                .unwrap_or_default(),
            version
                .as_ref()
                .map(|v| v.received.clone())
                .unwrap_or_default(),
            own(&about.name),
            own(&about.nickname.clone().or(said.get(&entrant.name).cloned())),
            text_of(about.language.as_deref().or(language(entrant.form))),
            tokens.map(|n| n.to_string()).unwrap_or_default(),
            text_of(reason),
            text(&entrant.warnings.join("; ")),
        ]);
    }
    sheet
}

fn text_of(cell: Option<&str>) -> String {
    text(cell.unwrap_or_default())
}

/// Returns the language of a submission of this form, where it is in a course's language.
fn language(form: &str) -> Option<&str> {
    let mut kits = engines::GAMES.iter().flat_map(|game| game.kits);
    kits.any(|kit| kit.language == form).then_some(form)
}
