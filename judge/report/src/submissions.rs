//! `submissions.csv`: what became of each submission.

use super::sheet::{Rows, Sheet, SheetColumns, or_empty, text, text_or_empty, yes_or_no};
use error::JudgeError;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use system::files::write_whole;
use words::entrant::{Entrant, Readiness};

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
    let asks = entrants.iter().any(|one| one.receipt.comment.is_some());
    let mut columns = columns(said);
    if asks {
        columns = columns.with("comment_words", |entrant| {
            let comment = entrant.receipt.comment.as_ref();
            or_empty(comment.map(|comment| comment.words))
        });
    }
    let mut sheet = Sheet::new(columns);
    for entrant in entrants {
        sheet.row(entrant);
    }
    write_whole(&path, &sheet.finish())?;
    Ok(path)
}

/// The rows of `submissions.csv`.
enum Submissions {}

impl Rows for Submissions {
    type Row<'a> = Entrant;
}

fn columns(said: &BTreeMap<String, String>) -> SheetColumns<'_, Submissions> {
    // The file lies in the run's folder.
    let here = "";
    SheetColumns::<Submissions>::new()
        .with("entrant", |entrant| text(&entrant.name))
        .with("form", |entrant| entrant.form.to_owned())
        .with("plays", |entrant| yes_or_no(entrant.artifact().is_some()))
        .with("artifact", |entrant| {
            or_empty(entrant.artifact().map(|artifact| &artifact.hash))
        })
        .with("version", |entrant| {
            or_empty(entrant.receipt.version.as_ref().map(|v| v.number))
        })
        .with("received", |entrant| {
            or_empty(entrant.receipt.version.as_ref().map(|v| &v.received))
        })
        .with("name", |entrant| {
            text_or_empty(entrant.receipt.about.name.as_deref())
        })
        .with("nickname", |entrant| {
            let own = entrant.receipt.about.nickname.as_ref();
            let nickname = own.or_else(|| said.get(&entrant.name));
            text_or_empty(nickname.map(String::as_str))
        })
        .with("language", |entrant| {
            let own = entrant.receipt.about.language.as_deref();
            text_or_empty(own.or_else(|| language(entrant.form)))
        })
        .with("tokens", |entrant| {
            let own = entrant.receipt.about.tokens;
            or_empty(entrant.artifact().map_or(own, |artifact| artifact.tokens))
        })
        .with("reason", |entrant| {
            let reason = match &entrant.readiness {
                Readiness::Ready(_) => {
                    let replaced = entrant.receipt.replaced.as_ref();
                    replaced.map(|replaced| replaced.words(here))
                }
                Readiness::Broken(broken) => Some(broken.to_string()),
            };
            text_or_empty(reason.as_deref())
        })
        .with("warnings", |entrant| text(&entrant.notes(here).join("; ")))
}

/// Returns the language of a submission of this form, where it is in a course's language.
fn language(form: &str) -> Option<&str> {
    let mut kits = engines::GAMES.iter().flat_map(|game| game.kits);
    kits.any(|kit| kit.language == form).then_some(form)
}
