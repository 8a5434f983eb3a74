//! Identification of received files as a submission in one of its forms.

use super::executable::usual_manifest;
use super::left_out::LeftOut;
use super::received::{Absent, ReceivedFiles};
use super::recognise::recognise;
use super::source::SourceFile;
use super::submission::{Form, Submission, title};
use super::{judge_toml, names};
use model::entrant::{About, Blame};
use rulebook::rules::Rules;

impl Submission {
    /// Identifies a submission. With `game`, it must be for that game.
    pub(super) fn new(name: String, received: ReceivedFiles, game: Option<&dyn Rules>) -> Self {
        let (mut description, mut files): (Vec<_>, Vec<_>) = received
            .files
            .into_iter()
            .partition(|file: &SourceFile| file.path == judge_toml::FILE_NAME);
        let description = description.pop();
        let mut aside: Vec<SourceFile> = Vec::new();
        if !files.iter().all(SourceFile::is_aside) {
            (aside, files) = files.into_iter().partition(SourceFile::is_aside);
        }
        let mut warnings = received.warnings;
        let mut about = description.as_ref().map_or_else(
            || Ok(About::default()),
            |file| judge_toml::read(&file.bytes),
        );
        let form = match (received.refusal, &about) {
            (Some(reason), _) => Err(reason),
            (None, Err(reason)) => Err(reason.clone()),
            (None, Ok(about)) if about.run.is_some() => Ok(Form::Described),
            (None, Ok(_)) => recognise(&mut files, game),
        };
        let mut left_out = received.passed_over;
        if let (Ok(Form::Described), Ok(about)) = (&form, &mut about)
            && about.run.is_none()
        {
            let usual = usual_manifest(&files, false).unwrap_or_default();
            let own = judge_toml::read(usual.as_bytes()).expect("the judge's own");
            (about.build, about.run) = (own.build, own.run);
            let lines: Vec<&str> = usual
                .lines()
                .filter(|line| !line.starts_with('#'))
                .collect();
            let lines = lines.join(", ");
            left_out.push(format!("a judge.toml would change this: {lines}"));
        }
        if let Ok(Form::Sources(..)) = form {
            let mut own = LeftOut::default();
            aside
                .iter()
                .filter_map(|file| names::aside(&file.path))
                .for_each(|(path, why)| own.push(path.to_owned(), why));
            warnings.extend(own.notes("", false));
            left_out.extend(own.notes("", true));
        } else {
            files.append(&mut aside);
        }
        if form.is_err() {
            warnings.append(&mut left_out);
        }
        let earlier = received.earlier.into_iter();
        let earlier = earlier
            .map(|earlier| Self::new(name.clone(), earlier, game))
            .collect();
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
            left_out,
            record: received.record,
            is_awaited: received.absent == Some(Absent::NotYet),
            received: received.received,
            waits: None,
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
