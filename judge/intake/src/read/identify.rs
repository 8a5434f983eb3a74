//! Identifies the entries of a folder, and received files as a submission in one of its forms.

use crate::read::executable::usual_manifest;
use crate::read::left_out::LeftOut;
use crate::read::meant::unreadable_words;
use crate::read::recognise::recognise;
use crate::read::source::SourceFile;
use crate::read::submission::{Absent, Form, Submission, title};
use crate::read::{judge_toml, names};
use model::entrant::{About, Blame};
use rulebook::JudgeError;
use rulebook::rules::Rules;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::{io, mem};
use system::foreign::{ForeignFolder, Kind};

impl Submission {
    /// With `game`, it must be for that game.
    pub(crate) fn identified(mut self, name: &str, game: Option<&dyn Rules>) -> Self {
        name.clone_into(&mut self.name);
        let (mut description, mut files): (Vec<_>, Vec<_>) = mem::take(&mut self.files)
            .into_iter()
            .partition(|file: &SourceFile| file.path == judge_toml::FILE_NAME);
        self.description = description.pop();
        let mut aside: Vec<SourceFile> = Vec::new();
        if !files.iter().all(SourceFile::is_aside) {
            (aside, files) = files.into_iter().partition(SourceFile::is_aside);
        }
        let mut about = self.description.as_ref().map_or_else(
            || Ok(About::default()),
            |file| judge_toml::read(&file.bytes),
        );
        self.form = match (self.refusal(), &about) {
            (Some(reason), _) | (None, Err(reason)) => Err(reason.clone()),
            (None, Ok(about)) if about.run.is_some() => Ok(Form::Described),
            (None, Ok(_)) => recognise(&mut files, game),
        };
        if let (Ok(Form::Described), Ok(about)) = (&self.form, &mut about)
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
            self.left_out
                .push(format!("a judge.toml would change this: {lines}"));
        }
        if let Ok(Form::Sources(..)) = self.form {
            let mut own = LeftOut::default();
            aside
                .iter()
                .filter_map(|file| names::aside(&file.path))
                .for_each(|(path, why)| own.push(path.to_owned(), why));
            self.warnings.extend(own.notes("", false));
            self.left_out.extend(own.notes("", true));
        } else {
            files.append(&mut aside);
        }
        if self.form.is_err() {
            self.warnings.append(&mut self.left_out);
        }
        let earlier = mem::take(&mut self.earlier).into_iter();
        self.earlier = earlier.map(|one| one.identified(name, game)).collect();
        if let Some(Absent::NotYet | Absent::Unreachable) = self.absent {
            self.blame = Blame::Machine;
        }
        (self.files, self.about) = (files, about.unwrap_or_default());
        if let Ok(Form::Sources(_, kit)) = self.form {
            let language = self.about.language.take();
            self.about.language = language.or_else(|| Some(kit.language.to_owned()));
        }
        if self.about.class.is_some() && !self.has_classes() {
            let note = "judge.toml: class has no effect here: it chooses between Python classes";
            self.warnings.push(note.to_owned());
        }
        if let (Ok(Form::Sources(other, _)), Some(own)) = (&self.form, &self.about.game)
            && own != other
        {
            self.form = Err(format!(
                "judge.toml: game is {own}, but the sources are for {}; correct the key game",
                title(other)
            ));
        }
        if let Some(game) = game {
            self.admit(game);
        }
        self
    }
}

const ENTRIES_MAX: usize = 100_000;

pub(crate) fn list(folder: &ForeignFolder) -> Result<Vec<OsString>, JudgeError> {
    names_of(folder, ENTRIES_MAX).map_err(|e| unreadable(folder.path(), &e))
}

fn names_of(folder: &ForeignFolder, names_max: usize) -> io::Result<Vec<OsString>> {
    let mut names = folder
        .names()?
        .filter(|name| name.as_ref().map_or(true, |name| is_visible(name)))
        .take(names_max + 1)
        .collect::<io::Result<Vec<_>>>()?;
    if names.len() > names_max {
        return Err(io::Error::other(format!(
            "it has more than {names_max} entries; split it into several folders"
        )));
    }
    names.sort();
    Ok(names)
}

fn is_visible(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    !name.starts_with('.') && !names::is_junk(&name)
}

/// Returns whether an entry is a folder, and not a link to one.
pub(crate) fn is_folder(folder: &ForeignFolder, name: &OsStr) -> bool {
    let facts = folder.facts_of(name);
    facts.is_ok_and(|facts| facts.kind == Kind::Folder)
}

pub(crate) fn unreadable(folder: &Path, error: &io::Error) -> JudgeError {
    JudgeError::input(format!(
        "{} {}; give a folder with a folder, zip or program for each submission",
        folder.display(),
        unreadable_words(folder, error)
    ))
}

pub(crate) fn file_name(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn what_is_hidden_is_no_entry() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for name in [".hidden", "ann", "bob"] {
            fs::write(folder.path().join(name), "").expect("writable");
        }
        let folder = ForeignFolder::open(folder.path()).expect("there");
        assert_eq!(names_of(&folder, 2).expect("they fit"), ["ann", "bob"]);
        names_of(&folder, 1).expect_err("too many");
    }
}
