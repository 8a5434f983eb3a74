//! A single submission: how it differs from a class, and how it is read.

use crate::read::names::GAME_FILE;
use crate::read::places::{did_you_mean_bot, file_name, is_folder, list};
use crate::read::recognise::{kits, recognise};
use crate::read::source::SourceFile;
use crate::read::submission::Submission;
use crate::read::{executable, judge_toml, repositories};
use crate::who::inbox::Inbox;
use crate::who::people;
use crate::who::platform::Ignored;
use engines::{Kit, Sign};
use model::advice::is_archive;
use model::competition;
use model::fault::quote;
use nix::unistd::geteuid;
use rulebook::rules::Rules;
use rulebook::{JudgeError, Result, refuse};
use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use system::foreign::{ForeignFolder, Kind, Opened};

/// Files next to the submissions of a class.
pub(crate) const OF_CLASS: [&str; 3] = [
    repositories::LIST_NAME,
    people::FILE_NAME,
    competition::FILE_NAME,
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Holds {
    /// A single file, or a folder with a program's files, in which nothing can play on its own.
    One,
    /// A list of repositories, or a folder or zip with a roster, two submissions that can be played, or
    /// only folders and archives. A list in a folder does not count: its author may have written it.
    Several,
    /// Neither is sure, as in an empty folder.
    Unclear,
}

pub(crate) fn kind_of(place: &Path, game: Option<&Arc<dyn Rules>>) -> Result<Holds> {
    let Ok(there) = place.canonicalize() else {
        return Ok(Holds::Unclear);
    };
    Ok(match Opened::at(&there) {
        Ok(Opened::Folder(folder)) => return kind_of_folder(&folder, game),
        Ok(Opened::File(_)) if has_ending(place, "txt") => Holds::Several,
        Ok(Opened::File(file)) if has_ending(place, "zip") => {
            let zip = file.try_clone().map(Opened::File);
            // Also a class of another game is one.
            let mut all = Inbox::new(None, None);
            let is_several = bot_in(zip, &there, game).is_none()
                && all.course_zip(file, &there).is_ok()
                && (all.found.len() > 1 && all.ignored.is_empty() || all.ready() > 1);
            if is_several {
                Holds::Several
            } else {
                Holds::Unclear
            }
        }
        Ok(Opened::File(_)) => Holds::One,
        Ok(Opened::Other(_)) | Err(_) => Holds::Unclear,
    })
}

/// Returns whether a path ends with a dot and these letters, of any case.
pub(crate) fn has_ending(place: &Path, known: &str) -> bool {
    let ending = place.extension();
    ending.is_some_and(|ending| ending.eq_ignore_ascii_case(known))
}

fn kind_of_folder(folder: &ForeignFolder, game: Option<&Arc<dyn Rules>>) -> Result<Holds> {
    let bot = bot_in(folder.again().map(Opened::Folder), folder.path(), game);
    let all = list(folder)?;
    let is_archive = |name: &&OsString| is_archive(&name.to_string_lossy());
    let (folders, files): (Vec<&OsString>, Vec<&OsString>) =
        all.iter().partition(|name| is_folder(folder, name));
    let mut inside = Inbox::new(None, None);
    let archives = files.iter().copied().filter(is_archive);
    for name in folders.into_iter().chain(archives) {
        inside.entry(folder, name);
    }
    let ready = inside.ready();
    let is_several = if let Some(bot) = bot {
        files.is_empty() && ready > 1 && !lies_at_top(&bot, game.map(AsRef::as_ref))
    } else {
        // Also a class in which nobody's program can be used.
        all.len() > 1 && files.iter().all(is_archive)
            || folder.has_file(people::FILE_NAME)
            || ready > 1
    };
    Ok(match playing_below_max(&files) {
        _ if is_several => Holds::Several,
        Some(most) if ready <= most => Holds::One,
        _ => Holds::Unclear,
    })
}

/// Returns whether a tournament takes a place as one submission.
pub fn is_single(place: &Path, game: Option<&Arc<dyn Rules>>) -> bool {
    kind_of(place, game).is_ok_and(|holds| holds == Holds::One)
}

/// Lists the folders in a place that hold several submissions each, sorted.
pub fn classes_in(place: &Path) -> Vec<PathBuf> {
    let holds_several = |inner: &PathBuf| {
        let is_several = || kind_of(inner, None).is_ok_and(|holds| holds == Holds::Several);
        inner.is_dir() && !holds_games(inner) && is_several()
    };
    inner_of(place).filter(holds_several).collect()
}

fn inner_of(place: &Path) -> impl Iterator<Item = PathBuf> {
    let folder = ForeignFolder::open(place).ok();
    let names = folder.and_then(|folder| list(&folder).ok());
    names.into_iter().flatten().map(|name| place.join(name))
}

fn holds_games(place: &Path) -> bool {
    let files = [GAME_FILE, competition::FILE_NAME];
    inner_of(place).any(|inner| files.iter().any(|name| inner.join(name).is_file()))
}

fn bot_in(
    opened: io::Result<Opened>,
    place: &Path,
    game: Option<&Arc<dyn Rules>>,
) -> Option<Submission> {
    let mut one = Inbox::new(game, None);
    one.opened(opened, &file_name(place));
    one.found
        .into_values()
        .find(|found| found.form.is_ok() || found.description.is_some())
}

/// Returns the only entry of a place, if it is a folder of staff: an author's is no class.
pub(crate) fn only_folder(place: &Path) -> Option<PathBuf> {
    let folder = ForeignFolder::open(place).ok()?;
    let names = list(&folder).ok()?;
    let [only] = names.as_slice() else {
        return None;
    };
    let (own, inner) = (folder.facts().ok()?, folder.facts_of(only).ok()?);
    let staff = [0, geteuid().as_raw(), own.owner];
    (inner.kind == Kind::Folder && staff.contains(&inner.owner)).then(|| place.join(only))
}

impl Inbox {
    fn ready(&self) -> usize {
        let found = self.found.values();
        found.filter(|found| found.form.is_ok()).count()
    }
}

/// Returns the maximum number of folders and archives that can play on their own next to files of
/// these names. `None` if the names are neither those of a program nor those of a course's project.
fn playing_below_max(names: &[&OsString]) -> Option<usize> {
    let has = |name: &str| names.iter().any(|own| *own == name);
    if OF_CLASS.into_iter().any(has) {
        return None;
    }
    let is_project = |kit: &Kit| {
        let mut files = kit.project.iter().map(|(path, _)| *path);
        let has_folders = kit.project.iter().any(|(path, _)| path.contains('/'));
        has_folders && files.any(|path| !path.contains('/') && has(path))
    };
    if kits(None).any(|(_, kit)| is_project(kit)) {
        return Some(1);
    }
    let has_sources = |kit: &Kit| match &kit.sign {
        Sign::Flat(all) => all.iter().all(|name| has(name)),
        Sign::Anywhere(name) => has(name),
        Sign::Text { .. } => false,
    };
    let is_program = has(judge_toml::FILE_NAME)
        || names.iter().any(executable::is_named_as_program)
        || kits(None).any(|(_, kit)| has_sources(kit));
    is_program.then_some(0)
}

fn lies_at_top(found: &Submission, game: Option<&dyn Rules>) -> bool {
    let mut at_top = found.files.clone();
    at_top.retain(SourceFile::is_flat);
    found.description.is_some() || recognise(&mut at_top, game).is_ok()
}

/// Returns whether a place is a folder with a list of repositories in it.
pub fn has_list(place: &Path) -> bool {
    let folder = ForeignFolder::open(place);
    folder.is_ok_and(|folder| folder.has_file(repositories::LIST_NAME))
}

/// Returns the refusal of a folder whose list may be a student's. `command` follows the list.
pub fn strangers_list(place: &Path, command: &str) -> JudgeError {
    JudgeError::input(format!(
        "{} has a {}, which its author may have written, so none of its repositories is fetched; if it is yours: {command}",
        place.display(),
        repositories::LIST_NAME
    ))
}

pub(crate) fn collect_one(path: &Path, game: Option<&Arc<dyn Rules>>) -> Result<Submission> {
    let (submission, inner) = one_and_inner(path, game)?;
    if let Some(place) = inner.first() {
        let seems = if inner.len() > 1 {
            "seems to hold several submissions; give one of them, for example"
        } else {
            "is not a submission, but seems to hold one; give that one:"
        };
        return refuse(format!(
            "{} {seems} {}",
            path.display(),
            path.join(place).display()
        ));
    }
    Ok(submission)
}

/// A folder of submissions is the author's mistake, and is reported in the submission's form.
pub(crate) fn collect_handed_in(path: &Path, game: Option<&Arc<dyn Rules>>) -> Result<Submission> {
    let (mut submission, inner) = one_and_inner(path, game)?;
    let names = inner.iter().map(quote).collect::<Vec<_>>().join(", ");
    submission.form = match inner.len() {
        0 => return Ok(submission),
        1 => Err(format!(
            "holds a submission inside other files; submit only the content of {names}"
        )),
        _ => Err(format!(
            "holds several submissions ({names}); submit one of them"
        )),
    };
    Ok(submission)
}

fn one_and_inner(path: &Path, game: Option<&Arc<dyn Rules>>) -> Result<(Submission, Vec<String>)> {
    let shown = path.display();
    let refused = |refusal: String| {
        JudgeError::input(format!(
            "{refusal}; give a folder of sources, a zip or an executable file"
        ))
    };
    let failed = |e: io::Error| {
        refused(match e.kind() {
            ErrorKind::NotFound => {
                format!("{shown} does not exist{}", did_you_mean_bot(path, game))
            }
            _ => format!("cannot read the submission {shown}: {e}"),
        })
    };
    let there = path.canonicalize().map_err(failed)?;
    let opened = Opened::at(&there).map_err(failed)?;
    let around = match &opened {
        Opened::Folder(folder) => Some(folder.again().map_err(failed)?),
        Opened::File(_) | Opened::Other(_) => None,
    };
    let mut inbox = Inbox::new(game, None);
    inbox.opened(Ok(opened), &file_name(&there));
    let submission = inbox.found.into_values().next().ok_or_else(|| {
        let reasons = match &*Ignored::listed(&inbox.ignored) {
            "" => "it has no program, and no source that the judge knows".to_owned(),
            reasons => reasons.to_owned(),
        };
        refused(format!("{shown} is not a submission: {reasons}"))
    })?;
    let is_refused = submission.form.is_err() && submission.description.is_none();
    let inner = match around.filter(|_| is_refused) {
        Some(around) => ready_in(&around, game)?,
        None => Vec::new(),
    };
    Ok((submission, inner))
}

/// Names the folders that are submissions, and the files next to them. Empty without such folders.
fn ready_in(around: &ForeignFolder, game: Option<&Arc<dyn Rules>>) -> Result<Vec<String>> {
    let mut folders = Vec::new();
    let mut files = Vec::new();
    for name in list(around)? {
        let mut inbox = Inbox::new(game, None);
        inbox.entry(around, &name);
        let is_folder = is_folder(around, &name);
        let name = name.to_string_lossy().into_owned();
        // A file that was renamed to fit was not meant as a submission of its own.
        let is_whole = |found: &Submission| match found.files.as_slice() {
            [one] if !is_folder && !is_archive(&name) => name.ends_with(&one.path),
            _ => true,
        };
        let mut found = inbox.found.values();
        if found.any(|found| found.form.is_ok() && is_whole(found)) {
            let ready = if is_folder { &mut folders } else { &mut files };
            ready.push(name);
        }
    }
    // Files that could be submissions of their own are one submission with a defect around them.
    if !folders.is_empty() {
        folders.append(&mut files);
    }
    Ok(folders)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    fn is_class(place: &Path) -> bool {
        kind_of(place, None).expect("readable") == Holds::Several
    }

    fn bot(folder: &Path) {
        let path = folder.join("bot.py");
        fs::write(&path, "#!/usr/bin/env python3\n").expect("writable");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("writable");
    }

    fn write(folder: &Path, path: &str, text: &str) {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().expect("in the folder")).expect("writable");
        fs::write(path, text).expect("writable");
    }

    #[test]
    fn folder_names_distinguish_one_submission_from_class() {
        for (names, expected) in [
            (&["bot"][..], Some(0)),
            (&["bot.py", "helper.py"], Some(0)),
            (&["judge.toml", "main.rs"], Some(0)),
            (&["Cat.h", "Catcher.h"], Some(0)),
            (&["ReversiAI.hs", "Reversi.hs"], Some(0)),
            (&["assignment.ml"], Some(0)),
            (&["dune-project"], Some(1)),
            // A class may begin with one person's file, or have the course's next to it.
            (&[], None),
            (&["alice.py"], None),
            (&["Cat.h"], None),
            (&["Reversi.hs"], None),
            (&["IAgent.h", "notes.txt"], None),
            (&["bot", "roster.csv"], None),
            (&["judge.toml", "submissions.txt"], None),
            (&["bot", "competition.toml"], None),
        ] {
            let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
            let names: Vec<OsString> = names.iter().map(OsString::from).collect();
            let names: Vec<&OsString> = names.iter().collect();
            assert_eq!(playing_below_max(&names), expected, "{names:?}");
        }
    }

    #[test]
    fn folder_of_playable_folders_is_always_class() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |path: &str| write(folder.path(), path, "");
        let is_single = || is_single(folder.path(), None);
        assert!(!is_single(), "nothing is there yet");
        write("dune-project");
        write("src/assignment.ml");
        assert!(is_single(), "the course's project");
        write("bob/assignment.ml");
        assert!(!is_single(), "two people");
        write("roster.csv");
        fs::remove_dir_all(folder.path().join("bob")).expect("writable");
        assert!(!is_single(), "a class of one");
    }

    #[test]
    fn class_remains_class_when_other_game_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let all = folder.path().canonicalize().expect("there");
        for name in ["ann", "bob"] {
            write(&all.join(name), "Cat.h", "class Cat {};\n");
            write(&all.join(name), "Catcher.h", "class Catcher {};\n");
        }
        for game in ["catch-the-cat", "reversi"] {
            let game = rulebook::rules::find(game).expect("registered");
            let holds = kind_of(&all, Some(&game)).expect("readable");
            assert_eq!(holds, Holds::Several);
        }
    }

    #[test]
    fn folders_and_archives_alone_are_a_class() {
        for (paths, expected) in [
            (&["ann/bot.exe", "bob/bot"][..], true),
            (&["ann.tar.gz", "bob.7z", "cem/x"], true),
            (&["src/x.cc"], false),
            (&["src/x.cc", "include/x.h", "README.md"], false),
            (&["src/assignment.ml", "test/x"], false),
            (&["ann/assignment.ml", "bob/src/assignment.ml"], true),
        ] {
            let folder = tempfile::tempdir().expect("a folder");
            for path in paths {
                write(folder.path(), path, "MZ");
            }
            assert_eq!(is_class(folder.path()), expected, "{paths:?}");
            assert!(!is_single(folder.path(), None), "{paths:?}");
        }
    }

    #[test]
    fn only_a_folder_of_staff_is_entered() {
        let folder = tempfile::tempdir().expect("a folder");
        let inner = folder.path().join("eve");
        fs::create_dir(&inner).expect("writable");
        assert_eq!(only_folder(folder.path()).as_ref(), Some(&inner));
        if geteuid().is_root() {
            std::os::unix::fs::chown(&inner, Some(65_534), None).expect("we are root");
            assert_eq!(only_folder(folder.path()), None);
        }
    }

    #[test]
    fn repository_list_alone_makes_no_class() {
        let folder = tempfile::tempdir().expect("a folder");
        let one = folder.path().canonicalize().expect("there");
        fs::write(one.join(repositories::LIST_NAME), "eve /secret\n").expect("writable");
        assert!(!is_class(&one), "a list alone");
        let late = one.join("late");
        fs::create_dir(&late).expect("writable");
        bot(&late);
        assert!(!is_class(&one), "and a folder");
        fs::remove_dir_all(late).expect("writable");
        fs::write(one.join(people::FILE_NAME), "submission,id\n").expect("writable");
        assert!(is_class(&one), "and a roster");
        fs::remove_file(one.join(people::FILE_NAME)).expect("writable");
        bot(&one);
        assert!(!is_class(&one), "a bot");
    }

    #[test]
    fn folders_for_different_games_are_class() {
        let folder = tempfile::tempdir().expect("a folder");
        let all = folder.path().canonicalize().expect("there");
        let file = |path: &str, text: &str| write(&all, path, text);
        let is_class = || is_class(&all);
        file("ann/src/assignment.ml", "let x = 1\n");
        assert!(!is_class(), "one submission and a folder around it");
        file("old/src/assignment.ml", "let x = 2\n");
        bot(&all.join("old"));
        file("ann/notes/ReversiAI.txt", "what I know\n");
        file("bob/ReversiAI.hs", "module ReversiAI where\n");
        assert!(is_class(), "two games");
        file("assignment.ml", "let x = 3\n");
        assert!(!is_class(), "a submission beside others");
    }
}
