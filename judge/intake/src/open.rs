//! The one way in: a place becomes one submission, or the submissions of a class.

use super::collect::{Class, collect, collect_commit};
use super::earlier_looks::EarlierLooks;
use super::one_or_class::{collect_handed_in, collect_one, is_class, is_single};
use super::submission::Submission;
use error::JudgeError;
use rules::Rules;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// What a place is expected to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// One submission. `FOLDER@REFERENCE` is the folder as it was in a commit of its git repository,
    /// where no file is called so.
    One,
    /// What one person handed in to a grader: a folder of submissions is that person's mistake, and
    /// stands in the submission's form.
    HandedIn,
    /// One submission, or a class: whatever it holds.
    Either,
    /// The class of a tournament, unless its files show that it is one submission.
    Class,
}

/// How a place is opened.
#[derive(Clone, Copy)]
pub struct Opening<'a> {
    /// What it is expected to be.
    pub expected: Expected,
    /// The game that was named, if one was.
    pub game: Option<&'a Arc<dyn Rules>>,
    /// The run's folder, which may be among the submissions.
    pub results: Option<&'a Path>,
    /// What a watch knows: then no repository is fetched here. Others may submit later, and a folder is
    /// a class.
    pub earlier: Option<EarlierLooks<'a>>,
    /// Ends the fetching of repositories.
    pub stop: &'a AtomicBool,
}

impl<'a> Opening<'a> {
    /// Opens a place that nobody watches and that holds no results.
    pub const fn new(
        expected: Expected,
        game: Option<&'a Arc<dyn Rules>>,
        stop: &'a AtomicBool,
    ) -> Self {
        Self {
            expected,
            game,
            results: None,
            earlier: None,
            stop,
        }
    }
}

/// What a place holds.
#[derive(Debug)]
pub enum Opened {
    /// One submission. Whether it can be played is in its form.
    One(Box<Submission>),
    /// The submissions of a class.
    Class(Class),
}

impl Opened {
    /// Takes the submissions, also where there is only one.
    pub fn into_class(self) -> Class {
        match self {
            Self::Class(class) => class,
            Self::One(one) => Class {
                submissions: vec![*one],
                ..Class::default()
            },
        }
    }
}

/// Reads what a place holds: a folder, a zip, a learning platform's download, a program, a source
/// file, or a list of git repositories.
///
/// # Errors
/// When it cannot be read, is not what was expected, or holds no submission. What is wrong with a
/// single submission is in its [`Submission::form`].
pub fn open(place: &Path, opening: Opening<'_>) -> Result<Opened, JudgeError> {
    let game = opening.game;
    let one = |submission| Ok(Opened::One(Box::new(submission)));
    match opening.expected {
        Expected::One => match commit_of(place) {
            Some((folder, reference)) => {
                one(collect_commit(&folder, reference, game, opening.stop)?)
            }
            None => one(collect_one(place, game)?),
        },
        Expected::HandedIn => one(collect_handed_in(place, game)?),
        Expected::Either if !is_class(place, game)? => one(collect_one(place, game)?),
        Expected::Class if opening.earlier.is_none() && is_single(place, game)? => {
            one(collect_one(place, game)?)
        }
        Expected::Either | Expected::Class => {
            let Opening {
                results, earlier, ..
            } = opening;
            collect(place, game, results, earlier, opening.stop).map(Opened::Class)
        }
    }
}

/// Reads one submission, as [`open`] does where one is expected.
///
/// # Errors
/// As there.
pub fn open_one(
    place: &Path,
    game: Option<&Arc<dyn Rules>>,
    stop: &AtomicBool,
) -> Result<Submission, JudgeError> {
    match open(place, Opening::new(Expected::One, game, stop))? {
        Opened::One(one) => Ok(*one),
        Opened::Class(_) => unreachable!("one was expected"),
    }
}

/// Returns the folder or file of this machine that a place leads to.
pub fn folder_of(place: &Path) -> PathBuf {
    commit_of(place).map_or_else(|| place.to_owned(), |(folder, _)| folder)
}

/// Takes `FOLDER@REFERENCE` apart; none where a file is called so, or there is no such folder.
fn commit_of(place: &Path) -> Option<(PathBuf, &str)> {
    let (folder, reference) = place.to_str()?.rsplit_once('@')?;
    let folder = PathBuf::from(folder);
    let is_commit = !reference.is_empty() && !place.exists() && folder.is_dir();
    is_commit.then_some((folder, reference))
}
