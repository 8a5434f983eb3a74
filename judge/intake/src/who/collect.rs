//! Collection of the submissions of a course: a folder of folders, files and zips, one zip of all,
//! or a list of git repositories.

use crate::read::archive::Archive;
use crate::read::identify::{self, file_name, is_folder, unreadable};
use crate::read::names::base_name;
use crate::read::polled::PolledRepositories;
use crate::read::received::folder;
use crate::read::source::{Absent, ReceivedFiles, read_entry};
use crate::read::submission::Submission;
use crate::read::{git, repositories};
use crate::who::inbox::Inbox;
use crate::who::one_or_class::collect_one;
use crate::who::people;
use crate::who::platform::{self, Ignored, Item};
use model::competition;
use model::fault::quote;
use model::platform::list_files;
use rulebook::JudgeError;
use rulebook::rules::Rules;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{BufReader, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use system::foreign::{ForeignFolder, Opened};

/// The submissions of a class, and the files beside them.
#[derive(Clone, Debug, Default)]
pub struct Class {
    /// The folder or file that holds them.
    pub place: PathBuf,
    /// The submissions, by name.
    pub submissions: Vec<Submission>,
    /// Entries that are no submissions.
    pub ignored: Vec<Ignored>,
    /// The roster, if it is beside the submissions.
    pub roster: Option<PathBuf>,
}

/// Reads all submissions of a place:
///
/// - of a folder, each folder, zip, program and source file in it, and the repositories that its
///   `submissions.txt` lists;
/// - of a zip, each folder, zip and file in it;
/// - of a text file, the repositories that it lists.
///
/// `game` is the named game, if any, and `results` the run's folder, which may be among the
/// submissions. `stop` ends the fetching of repositories. The list in a folder is followed only if
/// staff have called the folder a class.
///
/// With `polled`, no repository is fetched here: its content when it was last asked counts.
pub(crate) fn collect(
    place: &Path,
    game: Option<&Arc<dyn Rules>>,
    is_called_class: bool,
    results: Option<&Path>,
    polled: Option<&Arc<PolledRepositories>>,
    stop: &AtomicBool,
) -> Result<Class, JudgeError> {
    let mut inbox = Inbox::new(game, results);
    inbox.polled = polled.cloned();
    let ending = place.extension().unwrap_or_default();
    let has_ending = |known| ending.eq_ignore_ascii_case(known);
    let opened = Opened::at(place).map_err(|e| unreadable(place, &e))?;
    let is_file = matches!(opened, Opened::File(_));
    match opened {
        Opened::File(file) if has_ending("zip") => {
            inbox.course_zip(file, place)?;
            inbox.single_zip(place);
        }
        Opened::File(file) if has_ending("txt") => inbox.list(file, place, stop)?,
        Opened::File(_) | Opened::Other(_) => {
            return Err(JudgeError::input(format!(
                "{} is a single file; give a folder that holds submissions and nothing else, a zip of all submissions, or a list of repositories whose name ends with .txt",
                place.display()
            )));
        }
        Opened::Folder(folder) => inbox.folder(&folder, is_called_class, stop)?,
    }
    if inbox.found.is_empty() {
        return Err(inbox.nothing_in(place));
    }
    if is_file {
        inbox.roster = roster(&place.with_file_name(people::FILE_NAME));
    }
    let submissions = inbox.found.into_values().map(|(_, submission)| submission);
    Ok(Class {
        place: place.to_owned(),
        submissions: submissions.collect(),
        ignored: inbox.ignored,
        roster: inbox.roster,
    })
}

/// Reads one submission from a commit: a folder on this machine in a git repository, at the branch,
/// tag or commit `reference`. The submission is named after the folder and the reference. `stop`
/// ends the fetching.
pub(crate) fn collect_commit(
    folder: &Path,
    reference: &str,
    game: Option<&Arc<dyn Rules>>,
    stop: &AtomicBool,
) -> Result<Submission, JudgeError> {
    let place = format!("{}@{reference}", folder.display());
    let failed = |reason: String| {
        JudgeError::input(format!(
            "cannot read the submission {place}: {reason}; give FOLDER@REFERENCE, with a folder in a git repository \
             and one of its branches, tags or commits"
        ))
    };
    let there = folder.canonicalize().map_err(|e| failed(e.to_string()))?;
    let repository = git::find_commit(&there, reference, stop)?.map_err(failed)?;
    let received = git::fetch_all(&[&repository], stop)?
        .into_iter()
        .next()
        .expect("one for each repository");
    let name = format!("{}@{reference}", file_name(&there));
    let mut inbox = Inbox::new(game, None);
    inbox.add(&name, place, received);
    let found = inbox.found.into_values().next().expect("it was added");
    Ok(found.1)
}

impl Inbox {
    fn folder(
        &mut self,
        folder: &ForeignFolder,
        is_called_class: bool,
        stop: &AtomicBool,
    ) -> Result<(), JudgeError> {
        let mut names = identify::list(folder)?;
        let of_class = [
            repositories::LIST_NAME,
            people::FILE_NAME,
            competition::FILE_NAME,
        ];
        let of_class = of_class.into_iter().chain(list_files()).collect::<Vec<_>>();
        names.retain(|name| of_class.iter().all(|known| name != known));
        let repositories = if is_called_class {
            list_in(folder)?
        } else {
            self.not_followed(folder);
            None
        };
        let mut rosters = [people::FILE_NAME].into_iter().chain(list_files());
        self.roster = rosters.find_map(|name| roster(&folder.path().join(name)));
        if repositories.is_none() && self.class_zips(folder, &names)? {
            return Ok(());
        }
        let item = |name: &OsString| Item {
            name: name.to_string_lossy().into_owned(),
            is_folder: is_folder(folder, name),
        };
        let items: Vec<Item> = names.iter().map(item).collect();
        let mut sorted = platform::sorted(&items, &file_name(folder.path()));
        self.ignored.append(&mut sorted.ignored);
        for own in sorted.own {
            self.entry(folder, &names[own]);
        }
        for delivery in sorted.deliveries {
            let first = delivery.parts[0].item;
            let place = folder.path().join(&names[first]).display().to_string();
            self.delivery(&delivery, &items, &place, |item| {
                read_entry(folder, &names[item])
            });
        }
        match repositories {
            Some(list) => self.list(list, &folder.path().join(repositories::LIST_NAME), stop),
            None => Ok(()),
        }
    }

    /// Notes the list of repositories in a folder that nobody has called a class.
    fn not_followed(&mut self, folder: &ForeignFolder) {
        let name = repositories::LIST_NAME;
        if folder.has_file(name) {
            let reason = "not used: its author may be a student; if it is yours, give this file";
            self.ignored.push(Ignored::entry(name, reason));
        }
    }

    /// Takes a place that is one submission.
    fn single(&mut self, one: Submission, place: &Path) {
        let place = place.display().to_string();
        self.found.insert(one.name.clone(), (place, one));
    }

    /// Takes a zip as one submission, if it is one and holds no submissions of a class.
    fn single_zip(&mut self, path: &Path) {
        let one = self
            .found
            .is_empty()
            .then(|| collect_one(path, self.game.as_ref()));
        if let Some(Ok(one)) = one
            && one.form.is_ok()
        {
            self.ignored.clear();
            self.single(one, path);
        }
    }

    /// Takes a zip of all submissions, as learning platforms give it. `path` is its place, for
    /// messages.
    pub(crate) fn course_zip(&mut self, file: File, path: &Path) -> Result<(), JudgeError> {
        let failed = |reason: String| {
            JudgeError::input(format!(
                "{} {reason}; download it again, or unpack it and give the folder",
                path.display()
            ))
        };
        let mut archive = Archive::open(BufReader::new(file)).map_err(failed)?;
        let left_out = std::mem::take(&mut archive.left_outside).into_iter();
        self.ignored.extend(left_out.map(Ignored::Several));
        let is_class = self.is_class_with_documents(&mut archive);
        let (above, groups) = archive.groups(is_class);
        let left_out = archive.left_out_of_groups(&above).into_iter();
        self.ignored.extend(left_out.map(Ignored::Several));
        if let Some(list) = list_files().find(|name| groups.contains_key(*name)) {
            return Err(JudgeError::input(format!(
                "{} has the list of people {list}, which is read next to folders only; unpack the zip and give the folder",
                path.display()
            )));
        }
        let (names, paths): (Vec<String>, Vec<Vec<String>>) = groups.into_iter().unzip();
        let is_file = |at: usize| paths[at] == [format!("{above}{}", names[at])];
        let items = names.iter().enumerate().map(|(at, name)| Item {
            name: name.clone(),
            is_folder: !is_file(at),
        });
        let items: Vec<Item> = items.collect();
        let mut sorted = platform::sorted(&items, base_name(above.trim_end_matches('/')));
        self.ignored.append(&mut sorted.ignored);
        let place = |at: usize| {
            let name = quote(items[at].name.as_bytes());
            format!("{name} in {}", path.display())
        };
        let mut read = |at: usize| {
            let inside = format!("{above}{}/", items[at].name);
            let prefix = if items[at].is_folder { &inside } else { &above };
            archive.read(&paths[at], prefix)
        };
        for own in sorted.own {
            let name = &items[own].name;
            if items[own].is_folder {
                let mut received = folder(read(own));
                received.origin = quote(name.as_bytes());
                self.add(name, place(own), received);
            } else {
                let received = self.of_file(name, read(own));
                self.add_file(name, place(own), received);
            }
        }
        for delivery in sorted.deliveries {
            let place = place(delivery.parts[0].item);
            self.delivery(&delivery, &items, &place, &mut read);
        }
        Ok(())
    }

    /// Returns whether folders with documents beside them are the submissions of a class. They are
    /// parts of one submission unless several of them can play on their own.
    fn is_class_with_documents(&self, archive: &mut Archive<BufReader<File>>) -> bool {
        let playing = archive.beside_documents().into_iter().filter(|place| {
            let received = folder(archive.read_folder(place));
            Submission::new(String::new(), received, self.game.as_deref())
                .form
                .is_ok()
        });
        playing.count() > 1
    }

    /// Takes the repositories of a list, which is at `list`.
    fn list(&mut self, file: File, list: &Path, stop: &AtomicBool) -> Result<(), JudgeError> {
        let listed = repositories::read_list(file, list)?;
        let place = |line: usize| format!("line {line} of {}", list.display());
        let mut good = Vec::new();
        for one in listed {
            if let Some(polled) = self.polled.as_ref().filter(|_| one.repository.is_err()) {
                polled.keep(&one.name);
            }
            match one.repository {
                Ok(repository) => good.push((one.name, one.line, repository)),
                // A broken line replaces no other submission of this name.
                Err(reason) if self.found.contains_key(&one.name) => {
                    self.ignored.push(Ignored::entry(place(one.line), reason));
                }
                Err(reason) => {
                    let origin = format!("line {} of {}", one.line, file_name(list));
                    let reason = format!("{origin}: {reason}");
                    let refused = ReceivedFiles::absent(Absent::Unreachable, reason);
                    self.add(
                        &one.name,
                        place(one.line),
                        ReceivedFiles { origin, ..refused },
                    );
                }
            }
        }
        if let Some(polled) = self.polled.clone() {
            for (name, line, repository) in &good {
                self.fetched(name, place(*line), polled.of(name, repository));
            }
            return Ok(());
        }
        let repositories: Vec<_> = good.iter().map(|(_, _, one)| one).collect();
        let fetched = git::fetch_all(&repositories, stop)?;
        for ((name, line, _), received) in good.iter().zip(fetched) {
            self.fetched(name, place(*line), received);
        }
        Ok(())
    }

    /// Takes the content of a listed repository. Nothing was submitted in one without a commit.
    fn fetched(&mut self, name: &str, place: String, received: ReceivedFiles) {
        match received.refusal {
            Some(reason) if received.absent == Some(Absent::Empty) => {
                self.ignored.push(Ignored::entry(name, reason));
            }
            _ => self.add(name, place, received),
        }
    }

    fn nothing_in(&self, place: &Path) -> JudgeError {
        let seen = format!("no submissions in {}", place.display());
        let ignored = Ignored::listed(&self.ignored);
        unknown_layout(&if ignored.is_empty() {
            seen
        } else {
            format!("{seen}, but {ignored}")
        })
    }
}

/// Returns the refusal of a place whose layout is not known. `seen` says what is there.
pub(crate) fn unknown_layout(seen: &str) -> JudgeError {
    JudgeError::input(format!(
        "{seen}; known are a folder, an archive or a program for each entrant, a {} of repositories, and downloads of \
         {}. Put each entrant's files into a folder of its own, and say whose they are in a {} there, with the columns \
         submission, id and name (judge check shows what a single submission lacks)",
        repositories::LIST_NAME,
        model::platform::names(),
        people::FILE_NAME,
    ))
}

/// Opens the list of repositories in a folder, if there is one.
fn list_in(folder: &ForeignFolder) -> Result<Option<File>, JudgeError> {
    let name = OsStr::new(repositories::LIST_NAME);
    match folder.file(name) {
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(None),
        opened => opened
            .map(Some)
            .map_err(|e| repositories::unreadable(&folder.path().join(name), &e)),
    }
}

/// Returns the roster at a path, if there is one. A link counts as a roster, and is refused where
/// the roster is read.
fn roster(path: &Path) -> Option<PathBuf> {
    path.symlink_metadata().is_ok().then(|| path.to_owned())
}
