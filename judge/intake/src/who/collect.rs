//! Collects a course's submissions from a folder, a zip of all, or a list of git repositories.

use crate::read::archive::Archive;
use crate::read::names::base_name;
use crate::read::places::{file_name, is_folder, list, unreadable};
use crate::read::polled::PolledRepositories;
use crate::read::received::folder;
use crate::read::repositories::Listed;
use crate::read::source::Allowance;
use crate::read::submission::{Absent, Submission};
use crate::read::walk::read_entry;
use crate::read::{git, repositories};
use crate::who::inbox::Inbox;
use crate::who::one_or_class::{OF_CLASS, collect_one, has_ending};
use crate::who::people;
use crate::who::platform::{self, Ignored, Item};
use model::fault::quote;
use model::platform::list_files;
use rulebook::rules::Rules;
use rulebook::{JudgeError, Result, refuse};
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::SystemTime;
use system::files::if_there;
use system::foreign::{ForeignFolder, Opened};

/// The submissions of a class, and the files next to them.
#[derive(Clone, Debug, Default)]
pub struct Class {
    /// The folder or file that holds them.
    pub place: PathBuf,
    /// The submissions, by name.
    pub submissions: Vec<Submission>,
    /// Entries that are no submissions.
    pub ignored: Vec<Ignored>,
    /// The roster, if it is next to the submissions.
    pub roster: Option<PathBuf>,
}

/// The expected content of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// One submission. `FOLDER@REFERENCE` is the folder in a commit of its git repository, unless a
    /// file has that name.
    One,
    /// The submission of one person to a grader. A folder of submissions is that person's mistake,
    /// and is reported in the submission's form.
    HandedIn,
    /// One submission or a class, by its content.
    Either,
    /// The class of a tournament, unless its files show that it is one submission.
    Class,
}

/// Options for opening a place.
#[derive(Clone, Copy)]
pub struct Opening<'a> {
    /// The expected content.
    pub expected: Expected,
    /// The named game, if any.
    pub game: Option<&'a Arc<dyn Rules>>,
    /// The run's folder, which may be among the submissions.
    pub results: Option<&'a Path>,
    /// The repositories of a watch, if one opens the place. None is fetched then, and a folder is a
    /// class, because others may submit later.
    pub polled: Option<&'a Arc<PolledRepositories>>,
    /// Ends the fetching of repositories.
    pub stop: &'a AtomicBool,
}

impl<'a> Opening<'a> {
    /// Returns the options for a place without a watch and without results in it.
    pub const fn new(
        expected: Expected,
        game: Option<&'a Arc<dyn Rules>>,
        stop: &'a AtomicBool,
    ) -> Self {
        Self {
            expected,
            game,
            results: None,
            polled: None,
            stop,
        }
    }
}

/// Reads all submissions of a place. Follows the list of repositories in a folder only if staff have
/// called the folder a class.
pub(crate) fn collect(place: &Path, opening: Opening<'_>) -> Result<Class> {
    let mut inbox = Inbox::new(opening.game, opening.results);
    inbox.polled = opening.polled.cloned();
    let opened = Opened::at(place).map_err(|e| unreadable(place, &e))?;
    let is_file = matches!(opened, Opened::File(_));
    match opened {
        Opened::File(file) if has_ending(place, "zip") => {
            inbox.course_zip(file, place)?;
            // It may be one submission that holds no submissions of a class.
            if inbox.found.is_empty()
                && let Ok(one) = collect_one(place, opening.game)
                && one.form.is_ok()
            {
                inbox.ignored.clear();
                inbox.found.insert(one.name.clone(), one);
            }
        }
        Opened::File(file) if has_ending(place, "txt") => inbox.list(file, place, opening.stop)?,
        Opened::File(_) | Opened::Other(_) => {
            return refuse(format!(
                "{} is a single file; give a folder that holds submissions and nothing else, a zip of all submissions, or a list of repositories whose name ends with .txt",
                place.display()
            ));
        }
        Opened::Folder(folder) => inbox.folder(&folder, opening)?,
    }
    if inbox.found.is_empty() {
        let mut seen = format!("no submissions in {}", place.display());
        if !inbox.ignored.is_empty() {
            seen = format!("{seen}, but {}", Ignored::listed(&inbox.ignored));
        }
        return Err(unknown_layout(&seen));
    }
    if is_file {
        inbox.roster = roster(&place.with_file_name(people::FILE_NAME));
    }
    Ok(Class {
        place: place.to_owned(),
        submissions: inbox.found.into_values().collect(),
        ignored: inbox.ignored,
        roster: inbox.roster,
    })
}

/// Names the submission after the folder and the reference.
pub(crate) fn collect_commit(
    folder: &Path,
    reference: &str,
    game: Option<&Arc<dyn Rules>>,
    stop: &AtomicBool,
) -> Result<Submission> {
    let failed = |reason: String| {
        JudgeError::input(format!(
            "cannot read the submission {}@{reference}: {reason}; give FOLDER@REFERENCE, with a folder in a git \
             repository and one of its branches, tags or commits",
            folder.display()
        ))
    };
    let there = folder.canonicalize().map_err(|e| failed(e.to_string()))?;
    let repository = git::find_commit(&there, reference, stop)?.map_err(failed)?;
    let mut inbox = Inbox::new(game, None);
    for received in git::fetch_all(vec![repository], stop)? {
        inbox.add(&format!("{}@{reference}", file_name(&there)), received);
    }
    Ok(inbox.found.into_values().next().expect("it was added"))
}

impl Inbox {
    fn folder(&mut self, folder: &ForeignFolder, opening: Opening<'_>) -> Result {
        let mut names = list(folder)?;
        let of_class: Vec<&str> = OF_CLASS.into_iter().chain(list_files()).collect();
        names.retain(|name| of_class.iter().all(|known| name != known));
        let mut repositories = None;
        let list_path = folder.path().join(repositories::LIST_NAME);
        if opening.expected == Expected::Class {
            let file = folder.file(OsStr::new(repositories::LIST_NAME));
            repositories = if_there(file).map_err(|e| repositories::unreadable(&list_path, &e))?;
        } else if folder.has_file(repositories::LIST_NAME) {
            let reason = "not used: its author may be a student; if it is yours, give this file";
            let ignored = Ignored::entry(repositories::LIST_NAME, reason);
            self.ignored.push(ignored);
        }
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
        let mut assigned = platform::assign_items(&items, &file_name(folder.path()));
        self.ignored.append(&mut assigned.ignored);
        for own in assigned.unassigned {
            self.entry(folder, &names[own]);
        }
        for delivery in assigned.deliveries {
            self.delivery(&delivery, &items, |item, allowance| {
                read_entry(folder, &names[item], allowance)
            });
        }
        repositories.map_or(Ok(()), |list| self.list(list, &list_path, opening.stop))
    }

    pub(crate) fn course_zip(&mut self, file: File, path: &Path) -> Result {
        let failed = |reason: String| {
            JudgeError::input(format!(
                "{} {reason}; download it again, or unpack it and give the folder",
                path.display()
            ))
        };
        let mut archive = Archive::open(BufReader::new(file)).map_err(failed)?;
        let left_out = std::mem::take(&mut archive.left_outside).into_iter();
        self.ignored.extend(left_out.map(Ignored::several));
        let is_class = self.is_class_with_documents(&mut archive);
        let (above, groups) = archive.groups(is_class);
        let left_out = archive.left_out_of_groups(&above).into_iter();
        self.ignored.extend(left_out.map(Ignored::several));
        if let Some(list) = list_files().find(|name| groups.contains_key(*name)) {
            return refuse(format!(
                "{} has the list of people {list}, which is read next to folders only; unpack the zip and give the folder",
                path.display()
            ));
        }
        let items = items_of(&above, &groups);
        let paths: Vec<Vec<String>> = groups.into_values().collect();
        let mut assigned = platform::assign_items(&items, base_name(above.trim_end_matches('/')));
        self.ignored.append(&mut assigned.ignored);
        let mut read = |at: usize, allowance| {
            let inside = format!("{above}{}/", items[at].name);
            let prefix = if items[at].is_folder { &inside } else { &above };
            archive.read(&paths[at], prefix, allowance)
        };
        for own in assigned.unassigned {
            let Item { name, is_folder } = &items[own];
            let read = read(own, Allowance::whole());
            if *is_folder {
                self.add_folder(name, read);
            } else {
                self.add_file(name, read);
            }
        }
        for delivery in assigned.deliveries {
            self.delivery(&delivery, &items, &mut read);
        }
        Ok(())
    }

    /// Folders next to documents are parts of one submission unless several can play on their own.
    fn is_class_with_documents(&self, archive: &mut Archive<BufReader<File>>) -> bool {
        let places = archive.beside_documents();
        let mut is_playing = |place: &String| {
            folder(archive.read_folder(place, Allowance::whole()))
                .identified("", self.game.as_deref())
                .form
                .is_ok()
        };
        places.iter().filter(|place| is_playing(place)).count() > 1
    }

    fn list(&mut self, file: File, list: &Path, stop: &AtomicBool) -> Result {
        let (mut names, mut good) = (Vec::new(), Vec::new());
        for Listed {
            name,
            line,
            repository,
        } in repositories::read_list(file, list)?
        {
            let reason = match repository {
                Ok(repository) => {
                    names.push(name);
                    good.push(repository);
                    continue;
                }
                Err(reason) => reason,
            };
            if let Some(polled) = &self.polled {
                polled.mark_listed(&name);
            }
            // A broken line replaces no other submission of this name.
            if self.found.contains_key(&name) {
                let place = format!("line {line} of {}", list.display());
                self.ignored.push(Ignored::entry(place, reason));
                continue;
            }
            let origin = format!("line {line} of {}", file_name(list));
            let reason = format!("{origin}: {reason}");
            let refused = Submission::absent(Absent::Unreachable, reason);
            self.add(&name, Submission { origin, ..refused });
        }
        let fetched = if let Some(polled) = &self.polled {
            let all = names.iter().zip(&good);
            all.map(|(name, repository)| polled.content_of(name, repository))
                .collect()
        } else {
            git::fetch_all(good, stop)?
        };
        for (name, received) in names.iter().zip(fetched) {
            // Nothing was submitted in a repository without a commit.
            match received.refusal() {
                Some(reason) if received.absent == Some(Absent::Empty) => {
                    self.ignored.push(Ignored::entry(name, reason));
                }
                _ => self.add(name, received),
            }
        }
        Ok(())
    }

    /// Takes the zips of a class, oldest first, if a folder holds nothing else.
    fn class_zips(&mut self, folder: &ForeignFolder, names: &[OsString]) -> Result<bool> {
        let mut classes = Vec::new();
        let mut unreadable = Vec::new();
        for name in names {
            match class_zip(folder, name) {
                Ok(Some(file)) => classes.push((changed(&file), name, file)),
                Ok(None) => return Ok(false),
                Err(reason) => {
                    let name = quote(name.as_encoded_bytes());
                    unreadable.push(Ignored::entry(name, reason));
                }
            }
        }
        if classes.is_empty() {
            return Ok(false);
        }
        self.ignored.append(&mut unreadable);
        classes.sort_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)));
        for (_, name, file) in classes {
            let mut class = Self::new(self.game.as_ref(), None);
            class.course_zip(file, &folder.path().join(name))?;
            self.newer(class);
        }
        Ok(true)
    }
}

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

/// A link counts as a roster, and is refused where the roster is read.
fn roster(path: &Path) -> Option<PathBuf> {
    path.symlink_metadata().is_ok().then(|| path.to_owned())
}

/// Opens a zip in which every name comes from a platform. One that cannot be read is perhaps still
/// being copied.
fn class_zip(folder: &ForeignFolder, name: &OsStr) -> Result<Option<File>, String> {
    if !model::advice::is_archive(&name.to_string_lossy()) {
        return Ok(None);
    }
    let opened = folder.entry(name);
    let Opened::File(file) = opened.map_err(|e| format!("cannot be read: {e}"))? else {
        return Ok(None);
    };
    let (above, groups) = Archive::open(BufReader::new(&file))?.groups(true);
    let around = base_name(above.trim_end_matches('/'));
    let assigned = platform::assign_items(&items_of(&above, &groups), around);
    Ok((assigned.unassigned.is_empty() && !assigned.deliveries.is_empty()).then_some(file))
}

fn items_of(above: &str, groups: &BTreeMap<String, Vec<String>>) -> Vec<Item> {
    let item = |(name, paths): (&String, &Vec<String>)| Item {
        is_folder: *paths != [format!("{above}{name}")],
        name: name.clone(),
    };
    groups.iter().map(item).collect()
}

fn changed(file: &File) -> SystemTime {
    file.metadata()
        .and_then(|meta| meta.modified())
        .unwrap_or(SystemTime::UNIX_EPOCH)
}
