//! Identification of received files as a submission in one of its forms.

use super::judge_toml;
use super::received::{Absent, ReceivedFiles};
use super::recognise::recognise;
use super::source::SourceFile;
use super::submission::{Form, Submission, title};
use rules::Rules;
use words::entrant::{About, Blame};
use words::fault::quote;

impl Submission {
    /// Identifies a submission. With `game`, it must be for that game.
    pub(super) fn new(name: String, received: ReceivedFiles, game: Option<&dyn Rules>) -> Self {
        let is_description = |file: &SourceFile| file.path == judge_toml::FILE_NAME;
        let (mut description, mut files): (Vec<_>, Vec<_>) =
            received.files.into_iter().partition(is_description);
        let description = description.pop();
        let mut warnings = received.warnings;
        let about = description
            .as_ref()
            .map(|file| judge_toml::read(&file.bytes));
        let about = about.unwrap_or_else(|| Ok(About::default()));
        let form = match (received.refusal, &about) {
            (Some(reason), _) => Err(reason),
            (None, Err(reason)) => Err(reason.clone()),
            (None, Ok(about)) if about.run.is_some() => Ok(Form::Described),
            (None, Ok(_)) => recognise(&mut files, game),
        };
        if form.is_err() || names_one_of(description.as_ref(), &received.passed_over) {
            let note = passed_over(&received.passed_over);
            warnings.extend(note);
        }
        let earlier = received.earlier.into_iter();
        let earlier = earlier.map(|earlier| Self::new(name.clone(), earlier, game));
        let earlier = earlier.collect();
        let mut submission = Self {
            name,
            form,
            blame: match received.absent {
                Some(Absent::NotYet | Absent::Unreachable) => Blame::Machine,
                Some(Absent::Empty | Absent::Unfit) | None => Blame::Submission,
            },
            files,
            mark: received.mark,
            earlier,
            about: about.unwrap_or_default(),
            origin: received.origin,
            warnings,
            record: received.record,
            is_awaited: received.absent == Some(Absent::NotYet),
            received: received.received,
            waits: None,
            owner: received.owner,
            fingerprints: received.fingerprints,
            description,
            comment: None,
        };
        if let Ok(Form::Sources(_, kit)) = submission.form {
            let language = submission.about.language.take();
            submission.about.language = language.or_else(|| Some(kit.language.to_owned()));
        }
        if submission.about.class.is_some() && !submission.has_classes() {
            let note = "judge.toml: class has no effect here: it chooses between Python classes";
            submission.warnings.push(note.to_owned());
        }
        if let (Ok(Form::Sources(other, _)), Some(own)) = (&submission.form, &submission.about.game)
            && own != other
        {
            submission.form = Err(format!(
                "judge.toml: game is {own}, but the sources are for {}; correct the key game",
                title(other)
            ));
        }
        if let Some(game) = game {
            submission.admit(game);
        }
        submission
    }
}

/// Returns whether a `judge.toml` names one of these folders.
fn names_one_of(description: Option<&SourceFile>, folders: &[String]) -> bool {
    description.is_some_and(|file| {
        let text = String::from_utf8_lossy(&file.bytes);
        folders.iter().any(|folder| text.contains(folder.as_str()))
    })
}

/// Returns the note on folders that were skipped because tools have made them.
fn passed_over(folders: &[String]) -> Option<String> {
    if folders.is_empty() {
        return None;
    }
    let shown: Vec<String> = folders
        .iter()
        .map(|folder| quote(folder.as_bytes()))
        .collect();
    Some(format!(
        "ignored {}: judge does not read folders that tools fetch or build; build them from judge.toml, or rename the folder",
        shown.join(", ")
    ))
}
