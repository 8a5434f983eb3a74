//! The submissions that are being gathered, each under its entrant's name. A defect of one, even of
//! its name, does not affect the others.

use super::executable::restore_modes;
use super::fingerprint::Fingerprints;
use super::ignored::Ignored;
use super::people::{Contest, NameOwners, beyond_one_each, contest, entrant_name};
use super::platform::{Content, Delivery, Item, PlatformMark, Upload, attempts};
use super::polled::PolledRepositories;
use super::received::{ReceivedFiles, folder, unzip};
use super::source::{Contents, SourceFile};
use super::submission::Submission;
use super::versions::Store;
use super::{names, single, source, walk};
use model::fault::quote;
use rulebook::rules::Rules;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use system::foreign::{Facts, ForeignFolder, Opened, Owner};

/// Maximum size of all submissions, in bytes; they are held in memory until they are built.
const ALL_BYTES_MAX: usize = 4 << 30;

/// The submissions that are being gathered.
#[derive(Default)]
pub(super) struct Inbox {
    pub(super) game: Option<Arc<dyn Rules>>,
    /// Each submission with its place, by name.
    pub(super) found: BTreeMap<String, (String, Submission)>,
    /// Size of each submission in bytes, by name.
    bytes: BTreeMap<String, usize>,
    /// Maximum size of all submissions, in bytes.
    bytes_max: usize,
    pub(super) ignored: Vec<Ignored>,
    pub(super) roster: Option<PathBuf>,
    /// Owner of the entry that is being taken.
    owner: Owner,
    /// Folder of the run that they are gathered for, if it exists already.
    results: Option<PathBuf>,
    /// Source of the repositories' contents; `None` if they are fetched at once.
    pub(super) polled: Option<Arc<PolledRepositories>>,
    /// Owners of the names, as a watch knows them.
    pub(super) owners: Option<NameOwners>,
}

impl Inbox {
    /// Makes an empty inbox. `game` is the named game, if any, and `results` the run's folder,
    /// which may be among the submissions.
    pub(super) fn new(game: Option<&Arc<dyn Rules>>, results: Option<&Path>) -> Self {
        Self {
            game: game.cloned(),
            results: results.and_then(|results| results.canonicalize().ok()),
            bytes_max: ALL_BYTES_MAX,
            ..Self::default()
        }
    }

    /// Adds a submission under a name. If two have one name, neither is taken, because nobody knows
    /// which is meant, unless one owner has the name. If all together are too large, it refuses the
    /// largest submission of the author whose submissions take the most space.
    pub(super) fn add(&mut self, name: &str, place: String, received: ReceivedFiles) {
        let received = ReceivedFiles {
            owner: self.owner,
            ..received
        };
        let (name, refusal) = entrant_name(name);
        let received = match refusal {
            Some(reason) => received.refuse(reason),
            None => received,
        };
        let mut own = Submission::new(name.clone(), received, self.game.as_deref());
        let is_taken = |found: &BTreeMap<String, _>, name: &str| found.contains_key(name);
        let other = self.found.get(&name).map(|(_, other)| other);
        let other_owner = other.map(|other| other.owner);
        match contest(&name, own.owner, other_owner, self.owners.as_ref()) {
            Contest::Keeps => {}
            Contest::Loses => own.give_up_name(|name| is_taken(&self.found, name)),
            Contest::Wins => self.displace(&name, |other, is_taken| other.give_up_name(is_taken)),
            Contest::Undecided if self.had_name(&name, other) => {
                let older = other.map_or("", |other| &other.origin);
                own.give_up_name_to(older, |name| is_taken(&self.found, name));
            }
            Contest::Undecided if self.had_name(&name, Some(&own)) => {
                self.displace(&name, |other, is_taken| {
                    other.give_up_name_to(&own.origin, is_taken);
                });
            }
            // Platforms distinguish people by numbers and logins, which normalization does not
            // change. Only names of more than 200 characters are cut, and become equal only to each
            // other. The exact spelling gives no right either: its author would play under the
            // other's name.
            Contest::Undecided => {
                let other = other.expect("it contests the name");
                let reason = format!(
                    "{} and {} have the same entrant name {name:?}; keep one of them",
                    other.origin, own.origin
                );
                if own.owner != other.owner {
                    own.owner = Owner::Unknown;
                }
                own = own.refused_as(name, reason);
            }
        }
        self.insert(place, own);
        while self.bytes.values().sum::<usize>() > self.bytes_max {
            self.refuse_largest();
        }
    }

    fn insert(&mut self, place: String, submission: Submission) {
        let name = submission.name.clone();
        self.bytes.insert(name.clone(), submission.bytes());
        self.found.insert(name, (place, submission));
    }

    /// Returns whether a watch received the newest version of an entrant from this file or folder.
    /// Nobody stops its updates by another one of the same name beside it.
    fn had_name(&self, name: &str, one: Option<&Submission>) -> bool {
        let (Some(run), Some(_), Some(one)) = (&self.results, &self.owners, one) else {
            return false;
        };
        let origin = Store::of_run(run).last_origin(name);
        origin.is_some_and(|origin| origin == one.origin)
    }

    /// Leaves one submission to each user, and ignores the others.
    pub(super) fn one_each(&mut self) {
        let found = self.found.values().map(|(_, one)| one);
        for (name, best) in beyond_one_each(found, self.owners.as_ref()) {
            self.bytes.remove(&name);
            if let Some((_, one)) = self.found.remove(&name) {
                let best = quote(best.as_bytes());
                let usual = format!("each user has one entrant here, and this user's is {best}");
                let reason = one.form.err().unwrap_or(usual);
                self.ignored.push(Ignored::entry(one.origin, reason));
            }
        }
    }

    /// Makes the submission that has a name give it up.
    fn displace(&mut self, name: &str, give_up: impl Fn(&mut Submission, &dyn Fn(&str) -> bool)) {
        if let Some((place, mut other)) = self.found.remove(name) {
            self.bytes.remove(name);
            give_up(&mut other, &|name| self.found.contains_key(name));
            self.insert(place, other);
        }
    }

    /// Returns whether a submission has this name and need not give it to staff.
    pub(super) fn is_staffs_name(&self, name: &str) -> bool {
        let found = self.found.get(name);
        found.is_some_and(|(_, found)| !found.owner.is_students())
    }

    /// Refuses the largest submission of the author whose submissions together take the most space.
    fn refuse_largest(&mut self) {
        let person = |name: &String| self.found.get(name).and_then(|(_, one)| one.owner.person());
        let mut together: BTreeMap<u32, usize> = BTreeMap::new();
        for (name, bytes) in &self.bytes {
            if let Some(person) = person(name) {
                *together.entry(person).or_default() += bytes;
            }
        }
        let room = |(name, bytes): &(&String, &usize)| {
            let all = person(name).and_then(|person| together.get(&person));
            (*all.unwrap_or(bytes), **bytes)
        };
        let largest = self.bytes.iter().max_by_key(room);
        let Some((name, bytes)) = largest.map(|(name, bytes)| (name.clone(), *bytes)) else {
            return;
        };
        self.bytes.remove(&name);
        if let Some((_, submission)) = self.found.get_mut(&name) {
            let (all, own) = (self.bytes_max >> 20, bytes >> 20);
            let whose = match submission.owner.person() {
                Some(_) => " of the user whose submissions take the most room",
                None => "",
            };
            let reason = format!(
                "all submissions are larger than {all} MiB in total, and this one is the largest{whose}, with {own} MiB; make it smaller, or split the run"
            );
            *submission = submission.refused_as(name, reason);
        }
    }

    /// Makes an empty inbox for the same game.
    pub(super) fn beside(&self) -> Self {
        Self {
            game: self.game.clone(),
            bytes_max: self.bytes_max,
            ..Self::default()
        }
    }

    /// Takes the submissions of a later inbox. Earlier submissions of the same people precede them.
    pub(super) fn newer(&mut self, newer: Self) {
        for (name, bytes) in newer.bytes {
            *self.bytes.entry(name).or_default() += bytes;
        }
        self.ignored.extend(newer.ignored);
        for (name, (place, mut submission)) in newer.found {
            if let Some((_, mut before)) = self.found.remove(&name) {
                let mut earlier = std::mem::take(&mut before.earlier);
                if before.content() != submission.content() {
                    earlier.push(before);
                }
                earlier.append(&mut submission.earlier);
                submission.earlier = earlier;
            }
            self.found.insert(name, (place, submission));
        }
    }

    /// Takes an entry of a folder.
    pub(super) fn entry(&mut self, folder: &ForeignFolder, name: &OsStr) {
        let place = folder.path().join(name).display().to_string();
        let opened = folder.entry(name);
        let facts = match &opened {
            Ok(Opened::Folder(own)) => own.facts(),
            Ok(Opened::File(file)) => Facts::of(file),
            Ok(Opened::Other(_)) | Err(_) => folder.facts_of(name),
        };
        self.owner = folder.owner(facts);
        self.opened(opened, &name.to_string_lossy(), place);
        self.owner = Owner::Staff;
    }

    /// Takes an open folder or file; `name` is its name.
    pub(super) fn opened(&mut self, opened: io::Result<Opened>, name: &str, place: String) {
        let origin = quote(name.as_bytes());
        let opened = match opened {
            Ok(opened) => opened,
            Err(e) => {
                let reason = format!("cannot be read ({e}); make it readable");
                let refused = ReceivedFiles::refused(reason);
                return self.add(name, place, ReceivedFiles { origin, ..refused });
            }
        };
        match opened {
            Opened::Other(kind) => {
                let reason = kind.refusal().unwrap_or_default();
                self.ignored.push(Ignored::entry(origin, reason));
            }
            Opened::Folder(own) if walk::is_of_runs(&own) => {
                if self.holds_results(&own) {
                    self.ignored
                        .push(Ignored::entry(origin, "made by judge run"));
                    return;
                }
                let reason = "looks like the results of judge run (run.json and journal.jsonl); move it out of the submissions, or submit the sources";
                let refused = ReceivedFiles::refused(reason.to_owned());
                self.add(name, place, ReceivedFiles { origin, ..refused });
            }
            Opened::Folder(own) => {
                let received = folder(source::read_folder(&own));
                self.add(name, place, ReceivedFiles { origin, ..received });
            }
            Opened::File(file) => {
                let received = self.of_file(name, source::read_file(file, name));
                self.add_file(name, place, received);
            }
        }
    }

    /// Returns whether the run that submissions are gathered for is kept there.
    fn holds_results(&self, folder: &ForeignFolder) -> bool {
        let Some(results) = &self.results else {
            return false;
        };
        let own = folder.facts();
        let is_own = |above: &Path| {
            let above = ForeignFolder::open(above).and_then(|above| above.facts());
            own.as_ref()
                .is_ok_and(|own| above.is_ok_and(|above| above.is_same(own)))
        };
        results.ancestors().any(is_own)
    }

    /// Takes a single file: a zip, a program or a source file. Returns `None` if nobody means it as
    /// a submission. `name` is the author's name for it.
    pub(super) fn of_file(
        &self,
        name: &str,
        read: Result<Contents, String>,
    ) -> Option<ReceivedFiles> {
        match read {
            Ok(Contents {
                files,
                notes,
                fingerprints,
                ..
            }) => {
                let taken = if model::advice::is_archive(name) {
                    files.first().map(|zip| unzip(zip, notes))
                } else {
                    single::take(files, self.game.as_deref())
                };
                taken.map(|received| ReceivedFiles {
                    fingerprints,
                    ..received
                })
            }
            Err(reason) => Some(ReceivedFiles::refused(reason)),
        }
    }

    /// Adds the result of [`Inbox::of_file`], under the name of the file without its ending.
    pub(super) fn add_file(&mut self, name: &str, place: String, received: Option<ReceivedFiles>) {
        let origin = quote(name.as_bytes());
        let Some(received) = received else {
            if !names::is_readme(name) {
                self.ignored.push(Ignored::entry(origin, "not executable"));
            }
            return;
        };
        let received = ReceivedFiles { origin, ..received };
        self.add(names::without_ending(name), place, received);
    }

    /// Takes a learning platform's delivery of one person, after all submissions beside it that no
    /// platform has named; `read` reads its items.
    pub(super) fn delivery(
        &mut self,
        mut delivery: Delivery,
        items: &[Item],
        place: &str,
        mut read: impl FnMut(usize) -> Result<Contents, String>,
    ) {
        if self.found.values().any(|(_, one)| one.mark.is_none()) {
            delivery.mark = delivery.mark.map(PlatformMark::beside_others);
        }
        let mut typed = None;
        let mut uploads = Vec::new();
        let mut refusal = None;
        let mut found = Vec::new();
        for part in &delivery.parts {
            let item = &items[part.item];
            let origin = quote(item.name.as_bytes());
            let name = match &part.content {
                Content::Typed(what) => {
                    typed = Some((*what, origin));
                    continue;
                }
                Content::Whole => {
                    let read = read(part.item);
                    let received = if item.is_folder {
                        Some(folder(read))
                    } else {
                        self.of_file(&item.name, read)
                    };
                    found.extend(received.map(|received| ReceivedFiles {
                        origin,
                        mark: delivery.mark,
                        record: delivery.mark.and_then(PlatformMark::record),
                        ..received
                    }));
                    continue;
                }
                Content::File(name) => name,
            };
            match read(part.item) {
                Ok(contents) => uploads.extend(contents.files.into_iter().map(|file| Upload {
                    number: part.upload,
                    late: part.late,
                    name: origin.clone(),
                    fingerprints: contents.fingerprints.clone(),
                    file: SourceFile {
                        path: name.clone(),
                        ..file
                    },
                })),
                Err(reason) => refusal = Some(format!("{} {reason}", quote(name.as_bytes()))),
            }
        }
        let attempts = attempts(uploads).into_iter();
        let mut attempts: Vec<ReceivedFiles> = attempts
            .map(|attempt| self.attempt(attempt, delivery.mark))
            .collect();
        if let Some(last) = attempts.pop() {
            found.push(ReceivedFiles {
                refusal: refusal.or(last.refusal),
                earlier: attempts,
                ..last
            });
        } else if let Some(reason) = refusal {
            let refused = ReceivedFiles::refused(reason);
            found.push(ReceivedFiles {
                origin: delivery.entrant.clone(),
                mark: delivery.mark,
                ..refused
            });
        } else if found.is_empty()
            && let Some((what, origin)) = typed
        {
            let reason = format!("has no file, only a {what} typed into the learning platform");
            let refused = ReceivedFiles::refused(reason);
            found.push(ReceivedFiles {
                origin,
                mark: delivery.mark,
                ..refused
            });
        }
        for mut received in found {
            let all = received
                .earlier
                .iter_mut()
                .map(|earlier| &mut earlier.files);
            all.chain([&mut received.files])
                .for_each(|files| restore_modes(files));
            self.add(&delivery.entrant, place.to_owned(), received);
        }
    }

    /// Takes the files of one attempt.
    fn attempt(&self, uploads: Vec<Upload>, mark: Option<PlatformMark>) -> ReceivedFiles {
        let late = uploads.iter().any(|upload| upload.late);
        let origins: Vec<String> = uploads.iter().map(|upload| upload.name.clone()).collect();
        let mut files = Vec::new();
        let mut fingerprints = Fingerprints::new();
        for upload in uploads {
            files.push(upload.file);
            fingerprints.extend(upload.fingerprints);
        }
        files.sort_by(|a, b| a.path.cmp(&b.path));
        let contents = |files| Contents {
            files,
            fingerprints: fingerprints.clone(),
            ..Contents::default()
        };
        let received = match files.as_slice() {
            [one] => {
                let name = one.path.clone();
                let single = self.of_file(&name, Ok(contents(files.clone())));
                single.unwrap_or_else(|| contents(files).into())
            }
            _ => folder(Ok(contents(files))),
        };
        let mark = mark.map(|mark| PlatformMark {
            late: mark
                .late
                .map(|_| late)
                .filter(|late| *late || !mark.is_doubted),
            ..mark
        });
        ReceivedFiles {
            origin: origins.join(", "),
            mark,
            record: mark.and_then(PlatformMark::record),
            ..received
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stays_with_its_owner_and_else_with_nobody() {
        let mut owners = NameOwners::default();
        owners.note("ann", 1001);
        owners.note("ann", 1002);
        owners.note("eve", 1002);
        let playing = |entries: &[(&str, &str, Owner)]| {
            let mut inbox = Inbox::new(None, None);
            inbox.owners = Some(owners.clone());
            for (name, origin, owner) in entries {
                let file = SourceFile {
                    path: "bot".to_owned(),
                    bytes: b"#!/bin/sh".to_vec(),
                    executable: true,
                };
                inbox.owner = *owner;
                let received = ReceivedFiles {
                    files: vec![file],
                    origin: (*origin).to_owned(),
                    ..ReceivedFiles::default()
                };
                inbox.add(name, String::new(), received);
            }
            let all = inbox.found.into_iter();
            let playing = all.map(|(name, (_, one))| (name, one.form.is_ok(), one.owner));
            playing.collect::<Vec<_>>()
        };
        let yes = |name: &str, owner| (name.to_owned(), true, owner);
        let no = |name: &str, owner| (name.to_owned(), false, owner);
        let (ann, eve) = (Owner::Person(1001), Owner::Person(1002));
        let own = ("ann", "ann", ann);
        let kept = [yes("ann", ann), no("ann.py", eve)];
        assert_eq!(playing(&[own, ("ann", "ann.py", eve)]), kept);
        assert_eq!(playing(&[("ann", "ann.py", eve), own]), kept);
        let kept = [yes("bob", Owner::Staff), no("bob.zip", eve)];
        assert_eq!(
            playing(&[("bob", "bob.zip", eve), ("bob", "bob", Owner::Staff)]),
            kept
        );
        // The owner of a name has copied this one.
        let other = Owner::Person(1003);
        let kept = [yes("new", other), no("new.zip", eve)];
        let (own, copy) = (("new", "new", other), ("new", "new.zip", eve));
        assert_eq!(playing(&[own, copy]), kept);
        assert_eq!(playing(&[copy, own]), kept);
        // The owner is unknown.
        assert_eq!(
            playing(&[("zoe", "zoe", ann), ("zoe", "zoe.py", eve)]),
            [no("zoe", Owner::Unknown)]
        );
        assert_eq!(
            playing(&[("jos\\u{e9}", "x", eve)]),
            [no("jos\\u_e9}", eve)]
        );
    }

    #[test]
    fn where_all_are_too_large_only_the_largest_is_refused() {
        let mut inbox = Inbox {
            bytes_max: 10,
            ..Inbox::new(None, None)
        };
        for (name, bytes) in [("ann", 4), ("mal", 7), ("zoe", 6)] {
            let file = SourceFile {
                path: "bot".to_owned(),
                bytes: vec![b'x'; bytes],
                executable: true,
            };
            let received = ReceivedFiles {
                files: vec![file],
                ..ReceivedFiles::default()
            };
            inbox.add(name, String::new(), received);
        }
        let refused = inbox
            .found
            .iter()
            .filter(|(_, (_, one))| one.files.is_empty());
        let refused: Vec<&String> = refused.map(|(name, _)| name).collect();
        assert_eq!(refused, ["mal"]);
        let reason = inbox.found["mal"]
            .1
            .form
            .as_ref()
            .expect_err("it is refused");
        assert!(reason.contains("this one is the largest"), "{reason}");
    }
}
