//! A single submission: how it differs from a class, and how it is read.

use super::inbox::Inbox;
use super::names::GAME_FILE;
use super::recognise::{kits, recognise};
use super::source::SourceFile;
use super::submission::Submission;
use super::{executable, judge_toml, people, repositories};
use crate::described::did_you_mean_bot;
use crate::identify::{file_name, is_folder, list, unreadable};
use crate::platform::Ignored;
use engines::{Kit, Sign};
use model::competition;
use model::fault::quote;
use nix::unistd::geteuid;
use rulebook::JudgeError;
use rulebook::rules::Rules;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use system::foreign::{ForeignFolder, Kind, Opened};

/// Returns whether a place holds several submissions. That is a list of repositories, or a folder
/// or zip that is no submission itself. Such a folder or zip has two submissions that can be
/// played, a roster, or several folders and archives and nothing else. A list in a folder does not
/// count: its author may have written it.
pub(super) fn is_class(place: &Path, game: Option<&Arc<dyn Rules>>) -> Result<bool, JudgeError> {
    let ending = place.extension().unwrap_or_default();
    let has_ending = |known| ending.eq_ignore_ascii_case(known);
    let there = real(place);
    match there.as_ref().map(|there| (Opened::at(there), there)) {
        Ok((Ok(Opened::File(_)), _)) if has_ending("txt") => Ok(true),
        Ok((Ok(Opened::File(file)), there)) if has_ending("zip") => {
            let mut one = Inbox::new(game, None);
            let zip = file.try_clone().map(Opened::File);
            one.opened(zip, &file_name(there), String::new());
            if one.found.values().any(|(_, found)| is_bot(found)) {
                return Ok(false);
            }
            // Also a class of another game is one.
            let mut all = Inbox::new(None, None);
            let is_read = all.course_zip(file, there).is_ok();
            let is_nothing_else = all.found.len() > 1 && all.ignored.is_empty();
            Ok(is_read && (is_nothing_else || all.has_several_ready()))
        }
        Ok((Ok(Opened::Folder(folder)), _)) => is_class_folder(&folder, game),
        _ => Ok(false),
    }
}

/// Returns whether a folder holds several submissions, as [`is_class`].
fn is_class_folder(
    folder: &ForeignFolder,
    game: Option<&Arc<dyn Rules>>,
) -> Result<bool, JudgeError> {
    let mut one = Inbox::new(game, None);
    let again = folder.again().map(Opened::Folder);
    one.opened(again, &file_name(folder.path()), String::new());
    if one.found.values().any(|(_, found)| is_bot(found)) {
        let mut found = one.found.values();
        let by_itself = found.any(|(_, found)| lies_at_top(found, game.map(AsRef::as_ref)));
        return Ok(!by_itself && holds_several(folder, game)?);
    }
    let may_be_one = |name: &OsString| {
        is_folder(folder, name) || model::advice::is_archive(&name.to_string_lossy())
    };
    let (inner, beside): (Vec<OsString>, Vec<OsString>) =
        list(folder)?.into_iter().partition(may_be_one);
    // Also a class in which nobody's program can be used.
    let is_nothing_else = inner.len() > 1 && beside.is_empty();
    if is_nothing_else || folder.has_file(people::FILE_NAME) {
        return Ok(true);
    }
    let mut all = Inbox::new(None, None);
    for name in &inner {
        all.entry(folder, name);
    }
    Ok(all.has_several_ready())
}

/// Returns whether a place holds one submission. Where its content does not show whether it does or
/// holds a class, as that of an empty folder, it does if `unclear_is_one`.
pub(super) fn is_one(
    place: &Path,
    game: Option<&Arc<dyn Rules>>,
    unclear_is_one: bool,
) -> Result<bool, JudgeError> {
    // No place is both.
    if unclear_is_one {
        Ok(!is_class(place, game)?)
    } else {
        is_single(place, game)
    }
}

/// Returns the folder in a place that holds nothing else, if it is staff's: what an author handed in
/// is no class.
pub(super) fn only_folder(place: &Path) -> Option<PathBuf> {
    let folder = ForeignFolder::open(place).ok()?;
    let names = list(&folder).ok()?;
    let [only] = names.as_slice() else {
        return None;
    };
    let (own, inner) = (folder.facts().ok()?, folder.facts_of(only).ok()?);
    let staff = [0, geteuid().as_raw(), own.owner];
    (inner.kind == Kind::Folder && staff.contains(&inner.owner)).then(|| place.join(only))
}

/// Returns whether these are the files of one bot.
fn is_bot(found: &Submission) -> bool {
    found.form.is_ok() || found.description.is_some()
}

impl Inbox {
    fn has_several_ready(&self) -> bool {
        self.found
            .values()
            .filter(|(_, found)| found.form.is_ok())
            .count()
            > 1
    }
}

/// Returns whether a tournament takes a place as one submission, although it takes folders and zips
/// as classes. Such a place is a single file, or a folder that directly contains a program's files.
/// Their names are ones that only a submission uses, and nothing in the folder can play on its own.
pub fn is_single(place: &Path, game: Option<&Arc<dyn Rules>>) -> Result<bool, JudgeError> {
    let opened = Opened::at(place).map_err(|e| unreadable(place, &e))?;
    let folder = match &opened {
        Opened::Folder(folder) => folder,
        Opened::File(_) => {
            let ending = place.extension().unwrap_or_default();
            return Ok(!["zip", "txt"]
                .into_iter()
                .any(|known| ending.eq_ignore_ascii_case(known)));
        }
        Opened::Other(_) => return Ok(false),
    };
    let is_file = |name: &OsString| {
        let facts = folder.facts_of(name);
        facts.is_ok_and(|facts| facts.kind == Kind::File)
    };
    let (files, others): (Vec<OsString>, Vec<OsString>) =
        list(folder)?.into_iter().partition(is_file);
    let names: Vec<String> = files
        .iter()
        .map(|name| name.to_string_lossy().into_owned())
        .collect();
    let Some(kind) = Named::of(&names) else {
        return Ok(false);
    };
    let mut below = Inbox::new(game, None);
    let archives = files
        .iter()
        .zip(&names)
        .filter(|(_, name)| model::advice::is_archive(name));
    for name in others.iter().chain(archives.map(|(name, _)| name)) {
        below.entry(folder, name);
    }
    Ok(below
        .found
        .values()
        .filter(|(_, one)| one.form.is_ok())
        .count()
        <= kind.playing_below_max())
}

/// The kind of a single submission, by the names of the files directly in its folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Named {
    /// Files of a program.
    Program,
    /// Files of a course's project, with its sources in subfolders.
    Project,
}

impl Named {
    /// Examines the names. Returns `None` if they show nothing, or others are submitted beside
    /// them.
    fn of(names: &[String]) -> Option<Self> {
        let has = |name: &str| names.iter().any(|own| own == name);
        if [
            repositories::LIST_NAME,
            people::FILE_NAME,
            competition::FILE_NAME,
        ]
        .into_iter()
        .any(has)
        {
            return None;
        }
        let is_project = |kit: &Kit| {
            let mut files = kit.project.iter().map(|(path, _)| *path);
            let has_folders = kit.project.iter().any(|(path, _)| path.contains('/'));
            has_folders && files.any(|path| !path.contains('/') && has(path))
        };
        if kits().any(|(_, kit)| is_project(kit)) {
            return Some(Self::Project);
        }
        let has_sources = |kit: &Kit| match &kit.sign {
            Sign::Flat(all) => all.iter().all(|name| has(name)),
            Sign::Anywhere(name) => has(name),
            Sign::Text { .. } => false,
        };
        let is_program = has(judge_toml::FILE_NAME)
            || names
                .iter()
                .any(|name| executable::is_named_as_program(name))
            || kits().any(|(_, kit)| has_sources(kit));
        is_program.then_some(Self::Program)
    }

    /// Returns the maximum number of folders and zips in the folder that can play on their own.
    const fn playing_below_max(self) -> usize {
        match self {
            Self::Program => 0,
            Self::Project => 1,
        }
    }
}

/// Returns whether the files directly in a submission's folder can play, or describe its build.
fn lies_at_top(found: &Submission, game: Option<&dyn Rules>) -> bool {
    let mut at_top: Vec<SourceFile> = found
        .files
        .iter()
        .filter(|file| !file.path.contains('/'))
        .cloned()
        .collect();
    found.description.is_some() || recognise(&mut at_top, game).is_ok()
}

/// Returns whether several subfolders are submissions of their own: they can play different games,
/// or there is nothing else. A kit finds its files in any of them, and ignores the others.
fn holds_several(
    folder: &ForeignFolder,
    game: Option<&Arc<dyn Rules>>,
) -> Result<bool, JudgeError> {
    let (folders, others): (Vec<OsString>, Vec<OsString>) = list(folder)?
        .into_iter()
        .partition(|inner| is_folder(folder, inner));
    let mut inside = Inbox::new(game, None);
    for inner in &folders {
        inside.entry(folder, inner);
    }
    let games: BTreeSet<&str> = inside
        .found
        .values()
        .filter_map(|(_, found)| found.form.as_ref().ok().and_then(|_| found.game()))
        .collect();
    Ok(games.len() > 1 || others.is_empty() && inside.has_several_ready())
}

/// Lists the folders in a place that hold several submissions each, sorted. Empty if the place cannot
/// be read.
pub fn classes_in(place: &Path) -> Vec<PathBuf> {
    let Ok(folder) = ForeignFolder::open(place) else {
        return Vec::new();
    };
    let inner = list(&folder)
        .unwrap_or_default()
        .into_iter()
        .filter(|name| is_folder(&folder, name))
        .map(|name| place.join(name));
    inner
        .filter(|inner| !holds_games(inner) && is_class(inner, None).unwrap_or(false))
        .collect()
}

/// Returns whether a folder holds games of one's own or competitions, each in a folder.
fn holds_games(place: &Path) -> bool {
    let Ok(folder) = ForeignFolder::open(place) else {
        return false;
    };
    let mut inner = list(&folder)
        .unwrap_or_default()
        .into_iter()
        .filter_map(|name| ForeignFolder::open(&place.join(name)).ok());
    let files = [GAME_FILE, competition::FILE_NAME];
    inner.any(|game| files.iter().any(|name| game.has_file(name)))
}

/// Returns whether a place is a folder with a list of repositories in it.
pub fn has_list(place: &Path) -> bool {
    let folder = ForeignFolder::open(place);
    folder.is_ok_and(|folder| folder.has_file(repositories::LIST_NAME))
}

/// Returns the refusal of a folder whose list of repositories may be a student's. `command` is the
/// command that follows the list.
pub fn strangers_list(place: &Path, command: &str) -> JudgeError {
    JudgeError::input(format!(
        "{} has a {}, which its author may have written, so none of its repositories is fetched; if it is yours: {command}",
        place.display(),
        repositories::LIST_NAME
    ))
}

/// Reads one submission: a folder, a zip, a program or a source file. `game` is the named game, if
/// any. Whether it can be played is in its form.
pub(super) fn collect_one(
    path: &Path,
    game: Option<&Arc<dyn Rules>>,
) -> Result<Submission, JudgeError> {
    let (submission, inner) = one_and_inner(path, game)?;
    if let Some(place) = inner.first() {
        let seems = if inner.len() > 1 {
            "seems to hold several submissions; give one of them, for example"
        } else {
            "is not a submission, but seems to hold one; give that one:"
        };
        return Err(JudgeError::input(format!(
            "{} {seems} {}",
            path.display(),
            path.join(place).display()
        )));
    }
    Ok(submission)
}

/// Reads a submission that one person gave to a grader, as [`collect_one`]. A folder of submissions
/// is that person's mistake, and is reported in its form.
pub(super) fn collect_handed_in(
    path: &Path,
    game: Option<&Arc<dyn Rules>>,
) -> Result<Submission, JudgeError> {
    let (mut submission, inner) = one_and_inner(path, game)?;
    let names: Vec<String> = inner.iter().map(|name| quote(name.as_bytes())).collect();
    match names.as_slice() {
        [] => {}
        [one] => {
            submission.form = Err(format!(
                "holds a submission inside other files; submit only the content of {one}"
            ));
        }
        several => {
            let several = several.join(", ");
            submission.form = Err(format!(
                "holds several submissions ({several}); submit one of them"
            ));
        }
    }
    Ok(submission)
}

/// Reads one submission. If it is none, names the entries in it that are submissions.
fn one_and_inner(
    path: &Path,
    game: Option<&Arc<dyn Rules>>,
) -> Result<(Submission, Vec<String>), JudgeError> {
    let failed = |e: io::Error| {
        let shown = path.display();
        let refusal = match e.kind() {
            ErrorKind::NotFound => {
                format!("{shown} does not exist{}", did_you_mean_bot(path, game))
            }
            _ => format!("cannot read the submission {shown}: {e}"),
        };
        JudgeError::input(format!(
            "{refusal}; give a folder of sources, a zip or an executable file"
        ))
    };
    let there = real(path).map_err(failed)?;
    let opened = Opened::at(&there).map_err(failed)?;
    let around = match &opened {
        Opened::Folder(folder) => Some(folder.again().map_err(failed)?),
        Opened::File(_) | Opened::Other(_) => None,
    };
    let mut inbox = Inbox::new(game, None);
    inbox.opened(Ok(opened), &file_name(&there), String::new());
    let (_, submission) = inbox.found.into_values().next().ok_or_else(|| {
        let reasons = Ignored::listed(&inbox.ignored);
        let reasons = if reasons.is_empty() {
            "it has no program, and no source that the judge knows".to_owned()
        } else {
            reasons
        };
        JudgeError::input(format!(
            "{} is not a submission: {reasons}; give a folder of sources, a zip or an executable file",
            path.display()
        ))
    })?;
    if submission.form.is_err()
        && submission.description.is_none()
        && let Some(around) = around
    {
        return Ok((submission, ready_in(&around, game)?));
    }
    Ok((submission, Vec::new()))
}

/// Names the folders that are submissions in a folder that is none, and the files beside them.
/// Empty without such folders.
fn ready_in(
    around: &ForeignFolder,
    game: Option<&Arc<dyn Rules>>,
) -> Result<Vec<String>, JudgeError> {
    let mut folders = Vec::new();
    let mut files = Vec::new();
    for name in list(around)? {
        let mut inbox = Inbox::new(game, None);
        inbox.entry(around, &name);
        let is_folder = is_folder(around, &name);
        let name = name.to_string_lossy().into_owned();
        // A file that was renamed to fit was not meant as a submission of its own.
        let is_whole = |found: &Submission| match found.files.as_slice() {
            [one] if !is_folder && !model::advice::is_archive(&name) => name.ends_with(&one.path),
            _ => true,
        };
        let is_ready = |found: &Submission| found.form.is_ok() && is_whole(found);
        if inbox.found.values().any(|(_, found)| is_ready(found)) {
            let ready = if is_folder { &mut folders } else { &mut files };
            ready.push(name);
        }
    }
    // Files that could be submissions of their own are one submission with a defect around them.
    if folders.is_empty() {
        return Ok(folders);
    }
    folders.extend(files);
    Ok(folders)
}

/// Returns the target of a path that staff named, which has a name.
fn real(path: &Path) -> io::Result<PathBuf> {
    path.canonicalize()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    fn bot(folder: &Path) {
        let path = folder.join("bot.py");
        fs::write(&path, "#!/usr/bin/env python3\n").expect("ours");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("ours");
    }

    #[test]
    fn the_names_in_a_folder_show_whether_it_is_one_submission() {
        for (names, expected) in [
            (&["bot"][..], Some(Named::Program)),
            (&["bot.py", "helper.py"], Some(Named::Program)),
            (&["judge.toml", "main.rs"], Some(Named::Program)),
            (&["Cat.h", "Catcher.h"], Some(Named::Program)),
            (&["ReversiAI.hs", "Reversi.hs"], Some(Named::Program)),
            (&["assignment.ml"], Some(Named::Program)),
            (&["dune-project"], Some(Named::Project)),
            // A class may begin with one person's file, or have the course's beside it.
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
            assert_eq!(Named::of(&names), expected, "{names:?}");
        }
    }

    #[test]
    fn a_folder_whose_folders_play_by_themselves_is_a_class_whatever_lies_beside_them() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |path: &str, text: &str| {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().expect("ours")).expect("ours");
            fs::write(path, text).expect("ours");
        };
        let is_single = || is_single(folder.path(), None).expect("it can be read");
        assert!(!is_single(), "nothing is there yet");
        write("dune-project", "");
        write("src/assignment.ml", "");
        assert!(is_single(), "the course's project");
        write("bob/assignment.ml", "");
        assert!(!is_single(), "two people");
        write("roster.csv", "");
        fs::remove_dir_all(folder.path().join("bob")).expect("ours");
        assert!(!is_single(), "a class of one");
    }

    #[test]
    fn a_class_stays_one_where_another_game_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let all = folder.path().canonicalize().expect("there");
        for name in ["ann", "bob"] {
            fs::create_dir(all.join(name)).expect("ours");
            let file = all.join(name).join("Cat.h");
            fs::write(file, "class Cat {};\n").expect("ours");
            let file = all.join(name).join("Catcher.h");
            fs::write(file, "class Catcher {};\n").expect("ours");
        }
        for game in ["catch-the-cat", "reversi"] {
            let game = rulebook::rules::find(game).expect("registered");
            assert!(is_class(&all, Some(&game)).expect("readable"));
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
                let path = folder.path().join(path);
                fs::create_dir_all(path.parent().expect("in the folder")).expect("ours");
                fs::write(path, "MZ").expect("ours");
            }
            let is_class = is_class(folder.path(), None).expect("readable");
            assert_eq!(is_class, expected, "{paths:?}");
            assert!(
                !is_single(folder.path(), None).expect("readable"),
                "{paths:?}"
            );
        }
    }

    #[test]
    fn only_a_folder_of_staff_is_entered() {
        let folder = tempfile::tempdir().expect("a folder");
        let inner = folder.path().join("eve");
        fs::create_dir(&inner).expect("ours");
        assert_eq!(only_folder(folder.path()).as_ref(), Some(&inner));
        if geteuid().is_root() {
            std::os::unix::fs::chown(&inner, Some(65_534), None).expect("we are root");
            assert_eq!(only_folder(folder.path()), None);
        }
    }

    #[test]
    fn a_list_in_a_folder_makes_it_no_class() {
        let folder = tempfile::tempdir().expect("a folder");
        let one = folder.path().canonicalize().expect("there");
        fs::write(one.join(repositories::LIST_NAME), "eve /secret\n").expect("ours");
        assert!(!is_class(&one, None).expect("readable"), "a list alone");
        let late = one.join("late");
        fs::create_dir(&late).expect("ours");
        bot(&late);
        assert!(!is_class(&one, None).expect("readable"), "and a folder");
        fs::remove_dir_all(late).expect("ours");
        fs::write(one.join(people::FILE_NAME), "submission,id\n").expect("ours");
        assert!(is_class(&one, None).expect("readable"), "and a roster");
        fs::remove_file(one.join(people::FILE_NAME)).expect("ours");
        bot(&one);
        assert!(!is_class(&one, None).expect("readable"), "a bot");
    }

    #[test]
    fn folders_that_play_different_games_are_a_class_wherever_a_kit_finds_its_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let all = folder.path().canonicalize().expect("there");
        let file = |path: &str, text: &str| {
            let path = all.join(path);
            fs::create_dir_all(path.parent().expect("in the folder")).expect("ours");
            fs::write(path, text).expect("ours");
        };
        let is_class = || is_class(&all, None).expect("readable");
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
