//! `submissions.csv`: what became of each submission.

use super::sheet::{Sheet, strings, text};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use system::error::JudgeError;
use system::files::write_whole;
use words::entrant::{Entrant, Readiness, Receipt};

/// Writes the file; `said` is what bots call themselves. Gives the path.
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
    // The file lies in the run's folder.
    let here = "";
    for entrant in entrants {
        let Receipt {
            about,
            version,
            replaced,
            ..
        } = &entrant.receipt;
        let (plays, artifact, reason) = match &entrant.readiness {
            Readiness::Ready(artifact) => (
                "yes",
                Some(artifact),
                replaced.as_ref().map(|it| it.words(here)),
            ),
            Readiness::Broken(broken) => ("no", None, Some(broken.to_string())),
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
            text_of(reason.as_deref()),
            text(&entrant.notes(here).join("; ")),
        ]);
    }
    sheet
}

fn text_of(cell: Option<&str>) -> String {
    text(cell.unwrap_or_default())
}

/// Gives the language of a submission of this form, where it is in a course's language.
fn language(form: &str) -> Option<&str> {
    let mut kits = engines::GAMES.iter().flat_map(|game| game.kits);
    kits.any(|kit| kit.language == form).then_some(form)
}
