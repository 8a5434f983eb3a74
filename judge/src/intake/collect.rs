//! Finding the submissions in what a course hands over: a folder of folders, files and zips,
//! one zip of all, or a list of git repositories.

use super::archive::{self, Archive};
use super::handed::{Handed, folder, unzip};
use super::repositories::{self, Repository};
use super::{SourceFile, Submission, git, names, roster, single, source};
use crate::competition;
use crate::error::JudgeError;
use crate::fault::quote;
use engines::Entry;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// What was found in a folder.
#[derive(Debug, Default)]
pub struct Collected {
    /// The submissions, by name.
    pub submissions: Vec<Submission>,
    /// Files that are no submissions.
    pub ignored: Vec<String>,
    /// The list of people, where it lies beside the submissions.
    pub roster: Option<PathBuf>,
}

/// Beginnings of names that no submission may take.
const RESERVED: [&str; 2] = [crate::builtin::PREFIX, crate::builtin::FILLER_PREFIX];

/// The most bytes of all submissions; they are held in memory until they are built.
const ALL_BYTES_MAX: usize = 4 << 30;

/// What Moodle puts behind the name and number of a participant.
const MOODLE_ENDINGS: [&str; 2] = ["_assignsubmission_file_", "_assignsubmission_file"];

/// Reads every submission: of a folder, each folder, zip, program and source file in it, and
/// the repositories that its `submissions.txt` lists; of a zip, each folder, zip and file in
/// it; of a text file, the repositories that it lists. `game` is the game that was named, if
/// one was; `stop` ends the fetching of repositories.
///
/// # Errors
/// When they cannot be read, there are none, or two would enter under one name. What is wrong
/// with a single submission is in its [`Submission::form`].
pub fn collect(
    place: &Path,
    game: Option<&'static Entry>,
    stop: &AtomicBool,
) -> Result<Collected, JudgeError> {
    let mut inbox = Inbox {
        game,
        ..Inbox::default()
    };
    let ending = place.extension().unwrap_or_default();
    let has_ending = |known| ending.eq_ignore_ascii_case(known);
    if place.is_file() && has_ending("zip") {
        inbox.course_zip(place)?;
    } else if place.is_file() && has_ending("txt") {
        inbox.list(place, stop)?;
    } else if place.is_file() {
        return Err(JudgeError::input(format!(
            "{} is a single file; name the folder that it lies in, a zip of all submissions, or a list of repositories whose name ends with .txt",
            place.display()
        )));
    } else {
        inbox.folder(place, stop)?;
    }
    if inbox.found.is_empty() {
        return Err(inbox.nothing_in(place));
    }
    let submissions = inbox.found.into_values().map(|(_, submission)| submission);
    Ok(Collected {
        submissions: submissions.collect(),
        ignored: inbox.ignored,
        roster: inbox.roster,
    })
}

/// Reads one submission: a folder, a zip, a program or a source file. Whether it can be played
/// is in its form.
///
/// # Errors
/// When there is none of these, or it is a folder of submissions.
pub fn collect_one(path: &Path) -> Result<Submission, JudgeError> {
    let there = path.canonicalize().map_err(|e| {
        JudgeError::input(format!(
            "cannot read the submission {}: {e}; name a folder of sources, a zip or an executable file",
            path.display()
        ))
    })?;
    let mut inbox = Inbox::default();
    inbox.path(&there, &file_name(&there))?;
    let found = inbox.found.into_values().next();
    let (_, submission) = found.ok_or_else(|| {
        JudgeError::input(format!(
            "{} is no submission: {}; name a folder of sources, a zip or an executable file",
            path.display(),
            inbox.ignored.join(", ")
        ))
    })?;
    if submission.form.is_err() && submission.description.is_none() && there.is_dir() {
        let mut several = Inbox::default();
        for inner in list(&there)? {
            several.path(&inner, &file_name(&inner))?;
        }
        let inner = several.found.into_values();
        // What was given another name to fit was not meant to stand alone.
        let is_whole = |(place, inner): &(String, Submission)| match inner.files.as_slice() {
            [one] if Path::new(place).is_file() && !archive::is_named_as_archive(place) => {
                place.ends_with(&one.path)
            }
            _ => true,
        };
        let ready: Vec<String> = inner
            .filter(|found| found.1.form.is_ok() && is_whole(found))
            .map(|(place, _)| place)
            .collect();
        // One file that could stand alone is a submission with something wrong around it.
        let several = ready.len() > 1 || ready.iter().any(|place| Path::new(place).is_dir());
        if let Some(place) = ready.first().filter(|_| several) {
            return Err(JudgeError::input(format!(
                "{} seems to hold several submissions; name one of them, as {}",
                path.display(),
                path.join(file_name(Path::new(place))).display()
            )));
        }
    }
    Ok(submission)
}

#[derive(Default)]
struct Inbox {
    game: Option<&'static Entry>,
    /// By name, with what it lies in.
    found: BTreeMap<String, (String, Submission)>,
    /// How much all of them are.
    bytes: usize,
    ignored: Vec<String>,
    roster: Option<PathBuf>,
}

impl Inbox {
    fn add(&mut self, name: &str, place: String, handed: Handed) -> Result<(), JudgeError> {
        let name = quote(without_ending(name, &MOODLE_ENDINGS).as_bytes());
        let reserved = RESERVED
            .iter()
            .find(|reserved| name.starts_with(**reserved));
        if let Some(reserved) = reserved {
            return Err(JudgeError::input(format!(
                "{place} would enter as {name:?}, and names that begin with {reserved:?} belong to the built-in bots; rename it"
            )));
        }
        if let Some((other, _)) = self.found.get(&name) {
            return Err(JudgeError::input(format!(
                "{other} and {place} would both enter as {name:?}; rename one of them"
            )));
        }
        self.bytes += handed
            .files
            .iter()
            .map(|file| file.bytes.len())
            .sum::<usize>();
        if self.bytes > ALL_BYTES_MAX {
            return Err(JudgeError::input(format!(
                "the submissions are larger than {} GiB in all; run them in several parts",
                ALL_BYTES_MAX >> 30
            )));
        }
        let submission = Submission::new(name.clone(), handed, self.game);
        self.found.insert(name, (place, submission));
        Ok(())
    }

    fn folder(&mut self, folder: &Path, stop: &AtomicBool) -> Result<(), JudgeError> {
        let mut paths = list(folder)?;
        paths.sort();
        let mut listed = None;
        for path in paths {
            let name = file_name(&path);
            match name.as_str() {
                repositories::LIST_NAME => listed = Some(path),
                roster::FILE_NAME => self.roster = Some(path),
                competition::FILE_NAME => {}
                _ => self.path(&path, &name)?,
            }
        }
        match listed {
            Some(list) => self.list(&list, stop),
            None => Ok(()),
        }
    }

    /// Takes a folder or file on the disk.
    fn path(&mut self, path: &Path, name: &str) -> Result<(), JudgeError> {
        let place = path.display().to_string();
        let meta = match fs::symlink_metadata(path) {
            Ok(meta) => meta,
            Err(e) => {
                let reason = format!("cannot be looked at ({e}); make it readable for you");
                return self.add(name, place, Handed::refused(reason));
            }
        };
        let pass_over = |reason: &str| format!("{} ({reason})", quote(name.as_bytes()));
        let kind = meta.file_type();
        if !kind.is_dir() && !kind.is_file() {
            self.ignored.push(pass_over(if kind.is_symlink() {
                "links are not followed"
            } else {
                "neither folder nor file"
            }));
            return Ok(());
        }
        let mut warnings = Vec::new();
        let read = source::read_all(path, &mut warnings);
        if kind.is_dir() {
            let mut handed = folder(read, warnings);
            handed.origin = quote(name.as_bytes());
            return self.add(name, place, handed);
        }
        self.file(name, place, read)
    }

    /// Takes what is one file: a zip, a program or a source file.
    fn file(
        &mut self,
        name: &str,
        place: String,
        read: Result<Vec<SourceFile>, String>,
    ) -> Result<(), JudgeError> {
        let handed = match read {
            Ok(files) if archive::is_named_as_archive(name) => Some(unzip(files, Vec::new())),
            Ok(files) => single::take(files, self.game),
            Err(reason) => Some(Handed::refused(reason)),
        };
        let Some(mut handed) = handed else {
            if !names::is_readme(name) {
                self.ignored
                    .push(format!("{} (not executable)", quote(name.as_bytes())));
            }
            return Ok(());
        };
        handed.origin = quote(name.as_bytes());
        let stem = Path::new(name).file_stem().unwrap_or_default();
        self.add(&stem.to_string_lossy(), place, handed)
    }

    /// Takes a zip of all submissions, as learning platforms give it.
    fn course_zip(&mut self, path: &Path) -> Result<(), JudgeError> {
        let failed = |reason: String| {
            JudgeError::input(format!(
                "{} {reason}; download it again, or unpack it and name the folder",
                path.display()
            ))
        };
        let file = File::open(path).map_err(|e| failed(format!("cannot be read: {e}")))?;
        let mut archive = Archive::open(BufReader::new(file)).map_err(failed)?;
        self.ignored.append(&mut archive.warnings);
        let (above, groups) = archive.groups();
        for (name, paths) in groups {
            let prefix = format!("{above}{name}/");
            let place = format!("{} in {}", quote(name.as_bytes()), path.display());
            if paths.len() == 1 && paths[0] == format!("{above}{name}") {
                let read = archive.read(&paths, &above);
                self.file(&name, place, read)?;
            } else {
                let read = archive.read(&paths, &prefix);
                let mut handed = folder(read, Vec::new());
                handed.origin = quote(name.as_bytes());
                self.add(&name, place, handed)?;
            }
        }
        Ok(())
    }

    /// Takes the repositories of a list.
    fn list(&mut self, list: &Path, stop: &AtomicBool) -> Result<(), JudgeError> {
        let listed = repositories::read_list(list)?;
        let fetched = git::fetch_all(&listed, stop)?;
        for (Repository { name, line, .. }, handed) in listed.iter().zip(fetched) {
            self.add(name, format!("line {line} of {}", list.display()), handed)?;
        }
        Ok(())
    }

    fn nothing_in(&self, place: &Path) -> JudgeError {
        let hint = if self.ignored.is_empty() || place.is_file() {
            String::new()
        } else {
            let ignored = self.ignored.join(", ");
            format!(
                " (passed over: {ignored}); if this is a single submission, name the folder above it"
            )
        };
        JudgeError::input(format!(
            "no submissions in {}: a submission is a folder of sources, a zip of one, or an executable file that speaks the protocol (see protocol.md){hint}",
            place.display()
        ))
    }
}

fn list(folder: &Path) -> Result<Vec<PathBuf>, JudgeError> {
    let failed = |e: std::io::Error| {
        JudgeError::input(format!(
            "cannot read the submissions folder {}: {e}; name a folder that holds a folder, zip or program for each submission",
            folder.display()
        ))
    };
    let entries = fs::read_dir(folder).map_err(failed)?;
    let paths: Result<Vec<PathBuf>, _> = entries.map(|entry| entry.map(|e| e.path())).collect();
    let mut paths = paths.map_err(failed)?;
    paths.retain(|path| {
        let name = file_name(path);
        !name.starts_with('.') && !names::is_junk(&name)
    });
    Ok(paths)
}

fn file_name(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

fn without_ending<'a>(name: &'a str, endings: &[&str]) -> &'a str {
    endings
        .iter()
        .find_map(|ending| name.strip_suffix(ending))
        .filter(|rest| !rest.is_empty())
        .unwrap_or(name)
}
