//! The submissions that are being gathered, each under its entrant's name. A defect of one, even of
//! its name, does not affect the others.

use crate::read::executable::{self, restore_modes};
use crate::read::polled::PolledRepositories;
use crate::read::received::{folder, unzip};
use crate::read::source::{self, Fingerprints, PlatformMark, ReceivedFiles, SourceFile};
use crate::read::submission::Submission;
use crate::read::{archive, names, recognise, walk};
use crate::who::people::entrant_name;
use crate::who::platform::{Delivery, Ignored, Item, Upload, attempts};
use engines::{Kit, Sign};
use model::fault::quote;
use model::language::Language;
use model::platform::Content;
use rulebook::rules::Rules;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{io, slice};
use system::foreign::{ForeignFolder, Opened};

/// Maximum size of all submissions, in bytes; they are held in memory until they are built.
const ALL_BYTES_MAX: usize = 4 << 30;

/// The submissions that are being gathered.
#[derive(Default)]
pub(crate) struct Inbox {
    pub(crate) game: Option<Arc<dyn Rules>>,
    /// Each submission with its place, by name.
    pub(crate) found: BTreeMap<String, (String, Submission)>,
    /// Size of each submission in bytes, by name.
    bytes: BTreeMap<String, usize>,
    /// Maximum size of all submissions, in bytes.
    bytes_max: usize,
    pub(crate) ignored: Vec<Ignored>,
    pub(crate) roster: Option<PathBuf>,
    /// Folder of the run that they are gathered for, if it exists already.
    results: Option<PathBuf>,
    /// Source of the repositories' contents; `None` if they are fetched at once.
    pub(crate) polled: Option<Arc<PolledRepositories>>,
}

impl Inbox {
    /// Makes an empty inbox. `game` is the named game, if any, and `results` the run's folder,
    /// which may be among the submissions.
    pub(crate) fn new(game: Option<&Arc<dyn Rules>>, results: Option<&Path>) -> Self {
        Self {
            game: game.cloned(),
            results: results.and_then(|results| results.canonicalize().ok()),
            bytes_max: ALL_BYTES_MAX,
            ..Self::default()
        }
    }

    /// Adds a submission under a name. If two have one name, neither is taken, because nobody knows
    /// which is meant. If all together are too large, it refuses the largest.
    pub(crate) fn add(&mut self, name: &str, place: String, received: ReceivedFiles) {
        let (name, refusal) = entrant_name(name);
        let received = match refusal {
            Some(reason) => received.refuse(reason),
            None => received,
        };
        let mut own = Submission::new(name.clone(), received, self.game.as_deref());
        // Platforms distinguish people by numbers and logins, which normalization does not change.
        // Only names of more than 200 characters are cut, and become equal only to each other.
        if let Some((_, other)) = self.found.get(&name) {
            let reason = format!(
                "{} and {} have the same entrant name {name:?}; keep one of them",
                other.origin, own.origin
            );
            own = own.refused_as(name.clone(), reason);
        }
        self.bytes.insert(name.clone(), own.bytes());
        self.found.insert(name, (place, own));
        while self.bytes.values().sum::<usize>() > self.bytes_max {
            self.refuse_largest();
        }
    }

    fn refuse_largest(&mut self) {
        let largest = self.bytes.iter().max_by_key(|(_, bytes)| **bytes);
        let Some((name, bytes)) = largest.map(|(name, bytes)| (name.clone(), *bytes)) else {
            return;
        };
        self.bytes.remove(&name);
        if let Some((_, submission)) = self.found.get_mut(&name) {
            let (all, own) = (self.bytes_max >> 20, bytes >> 20);
            let reason = format!(
                "all submissions are larger than {all} MiB in total, and this one is the largest, with {own} MiB; make it smaller, or split the run"
            );
            *submission = submission.refused_as(name, reason);
        }
    }

    /// Makes an empty inbox for the same game.
    pub(crate) fn beside(&self) -> Self {
        Self {
            game: self.game.clone(),
            bytes_max: self.bytes_max,
            ..Self::default()
        }
    }

    /// Takes the submissions of a later inbox. Earlier submissions of the same people precede them.
    pub(crate) fn newer(&mut self, newer: Self) {
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
    pub(crate) fn entry(&mut self, folder: &ForeignFolder, name: &OsStr) {
        let place = folder.path().join(name).display().to_string();
        self.opened(folder.entry(name), &name.to_string_lossy(), place);
    }

    /// Takes an open folder or file; `name` is its name.
    pub(crate) fn opened(&mut self, opened: io::Result<Opened>, name: &str, place: String) {
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
    pub(crate) fn of_file(
        &self,
        name: &str,
        read: Result<ReceivedFiles, String>,
    ) -> Option<ReceivedFiles> {
        match read {
            Ok(ReceivedFiles {
                files,
                warnings,
                fingerprints,
                ..
            }) => {
                let taken = if model::advice::is_archive(name) {
                    files.first().map(|zip| unzip(zip, warnings))
                } else {
                    take(files, self.game.as_deref())
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
    pub(crate) fn add_file(&mut self, name: &str, place: String, received: Option<ReceivedFiles>) {
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

    /// Takes a learning platform's delivery of one person; `read` reads its items.
    pub(crate) fn delivery(
        &mut self,
        delivery: &Delivery,
        items: &[Item],
        place: &str,
        mut read: impl FnMut(usize) -> Result<ReceivedFiles, String>,
    ) {
        let mut typed = None;
        let mut uploads = Vec::new();
        let mut found = Vec::new();
        for part in &delivery.parts {
            let item = &items[part.item];
            let origin = quote(item.name.as_bytes());
            if let Content::Typed(what) = part.form.content {
                typed = Some((what, origin));
                continue;
            }
            let read = read(part.item);
            if part.form.content != Content::Whole {
                uploads.extend(part.uploads(&origin, read));
                continue;
            }
            let inside = read
                .as_ref()
                .map_or(Ok(Vec::new()), |contents| part.inside(&origin, contents));
            let received = match inside {
                Err(reason) => Some(ReceivedFiles::refused(reason)),
                Ok(inside) if !inside.is_empty() => {
                    uploads.extend(inside);
                    continue;
                }
                Ok(_) if item.is_folder => Some(folder(read)),
                Ok(_) => self.of_file(&item.name, read),
            };
            let mark = PlatformMark {
                received: part.received,
                ..delivery.mark
            };
            found.extend(received.map(|received| received.marked(origin, mark)));
        }
        let attempts = attempts(uploads).into_iter();
        let attempts = attempts.map(|attempt| self.attempt(attempt, delivery.mark));
        let mut versions: Vec<ReceivedFiles> = attempts.collect();
        if delivery.mark.received.is_some() {
            versions.append(&mut found);
            versions.sort_by_key(|one| one.mark.and_then(|mark| mark.received));
        }
        if let Some(last) = versions.pop() {
            let earlier = versions;
            found.push(ReceivedFiles { earlier, ..last });
        }
        if let Some((what, origin)) = typed.filter(|_| found.is_empty()) {
            let reason = format!("has no file, only a {what} typed into the learning platform");
            found.push(ReceivedFiles::refused(reason).marked(origin, delivery.mark));
        }
        for mut received in found {
            received
                .earlier
                .iter_mut()
                .map(|earlier| &mut earlier.files)
                .chain([&mut received.files])
                .for_each(|files| restore_modes(files));
            self.add(&delivery.entrant, place.to_owned(), received);
        }
    }

    /// Takes the files of one attempt.
    fn attempt(&self, uploads: Vec<Upload>, mark: PlatformMark) -> ReceivedFiles {
        let late = uploads.iter().any(|upload| upload.late);
        let received_at = uploads.iter().filter_map(|upload| upload.received).max();
        let mut origins: Vec<String> = uploads.iter().map(|upload| upload.name.clone()).collect();
        origins.dedup();
        let mut files = Vec::new();
        let mut fingerprints = Fingerprints::new();
        let mut refusal = None;
        for upload in uploads {
            fingerprints.extend(upload.fingerprints);
            match upload.refusal {
                Some(reason) => refusal = Some(reason),
                None => files.push(upload.file),
            }
        }
        files.sort_by(|a, b| a.path.cmp(&b.path));
        let contents = |files| ReceivedFiles {
            files,
            fingerprints: fingerprints.clone(),
            ..ReceivedFiles::default()
        };
        let received = match files.as_slice() {
            [one] => {
                let name = one.path.clone();
                self.of_file(&name, Ok(contents(files.clone())))
                    .unwrap_or_else(|| contents(files))
            }
            _ => folder(Ok(contents(files))),
        };
        let mark = PlatformMark {
            late: mark.late.map(|_| late),
            received: received_at,
            ..mark
        };
        ReceivedFiles {
            refusal: refusal.or(received.refusal.clone()),
            ..received.marked(origins.join(", "), mark)
        }
    }
}

/// Takes a single file. Returns `None` if nobody means it as a submission.
pub(crate) fn take(mut files: Vec<SourceFile>, game: Option<&dyn Rules>) -> Option<ReceivedFiles> {
    let file = files.first_mut()?;
    let mut refusal = None;
    if !file.executable || executable::usual_manifest(slice::from_ref(file), false).is_some() {
        match required_name(file, recognise::kits_of(game)) {
            Ok(Some(name)) => file.path = name,
            Ok(None) if archive::looks_like_a_program(&file.bytes) => file.executable = true,
            Ok(None) => {
                refusal = recognise::misspelled(slice::from_ref(file), game);
                if refusal.is_none() && !Language::is_program_alone(&file.path) {
                    return None;
                }
            }
            Err(reason) => refusal = Some(reason),
        }
    }
    Some(ReceivedFiles {
        files,
        refusal,
        ..ReceivedFiles::default()
    })
}

fn ending(path: &str) -> &str {
    Path::new(path)
        .extension()
        .and_then(|e| e.to_str())
        .unwrap_or_default()
}

/// Returns the name under which a kit takes a single file, by its ending. Learning platforms rename
/// uploaded files.
fn required_name(
    file: &SourceFile,
    kits: impl Iterator<Item = (Arc<dyn Rules>, &'static Kit)>,
) -> Result<Option<String>, String> {
    let path = file.path.as_str();
    let kits: Vec<(Arc<dyn Rules>, &Kit)> = kits.collect();
    if kits.iter().any(|(_, kit)| recognise::says(file, &kit.sign)) {
        return Ok(Some(path.to_owned()));
    }
    let fit: Vec<(&str, &str)> = kits
        .iter()
        .filter_map(|(rules, kit)| match kit.sign {
            Sign::Flat(&[one]) | Sign::Anywhere(one) => Some((one, rules.info().title)),
            Sign::Flat(_) | Sign::Text { .. } => None,
        })
        .filter(|(name, _)| !ending(name).is_empty() && ending(name) == ending(path))
        .collect();
    if let Some((exact, _)) = fit.iter().find(|(name, _)| *name == path) {
        return Ok(Some((*exact).to_owned()));
    }
    let Some((first, _)) = fit.first() else {
        return Ok(None);
    };
    if fit.iter().all(|(name, _)| name == first) {
        return Ok(Some((*first).to_owned()));
    }
    let all: Vec<String> = fit
        .iter()
        .map(|(name, title)| format!("{name} for {title}"))
        .collect();
    Err(format!(
        "{} could be {}; rename it, or choose the game with --game",
        quote(path.as_bytes()),
        all.join(" or ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::who::platform;
    use engines::{Advice, Blind, Calls, Homework};

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

    const fn kit(sign: Sign) -> Kit {
        Kit {
            language: "any",
            sign,
            files: &[],
            calls: Calls {
                start: None,
                turn: &["move"],
                before_first: &[],
            },
            blind: Blind::NOWHERE,
            libraries: &[],
            hints: &[],
            advice: Advice {
                answer: "",
                time: "",
                chance: "",
            },
            project: &[],
            starter: &[],
            solved: &[],
            homework: Homework::NONE,
        }
    }

    const CAMEL: Kit = kit(Sign::Anywhere("assignment.ml"));
    const STONES: Kit = kit(Sign::Flat(&["Stones.hs"]));
    const OTHER_STONES: Kit = kit(Sign::Flat(&["Other.hs"]));
    const PAIR: Kit = kit(Sign::Flat(&["One.cpp", "Two.cpp"]));
    const APE: Kit = kit(Sign::Text {
        ending: "py",
        has: &["def step"],
        lacks: &["ready"],
    });

    fn file(path: &str, text: &str) -> SourceFile {
        SourceFile {
            path: path.to_owned(),
            bytes: text.as_bytes().to_vec(),
            executable: false,
        }
    }

    fn named(path: &str, text: &str) -> Result<Option<String>, String> {
        let game = rulebook::rules::find("catch-the-cat").expect("registered");
        let kits = [&CAMEL, &STONES, &OTHER_STONES, &PAIR, &APE];
        let kits = kits.into_iter().map(|kit| (Arc::clone(&game), kit));
        required_name(&file(path, text), kits)
    }

    #[test]
    fn a_renamed_file_gets_the_name_that_its_kit_asks_for() {
        let some = |name: &str| Ok(Some(name.to_owned()));
        assert_eq!(named("alice_123_assignment.ml", ""), some("assignment.ml"));
        assert_eq!(named("Stones.hs", ""), some("Stones.hs"), "the exact name");
        let ambiguous = named("bob.hs", "").expect_err("two kits");
        assert!(ambiguous.contains("Stones.hs for"), "{ambiguous}");
        assert_eq!(named("carol.cpp", ""), Ok(None), "a kit of two files");
        assert_eq!(named("notes", ""), Ok(None));
    }

    #[test]
    fn a_file_that_shows_its_kit_by_what_is_in_it_keeps_its_name() {
        let own = named("erin_ape.py", "def step(): pass");
        assert_eq!(own, Ok(Some("erin_ape.py".to_owned())));
        assert_eq!(named("erin_ape.py", "print('ready')"), Ok(None));
    }

    #[test]
    fn what_nobody_means_as_a_submission_is_passed_over() {
        assert!(take(vec![file("README.md", "# Hello")], None).is_none());
        let script = take(vec![file("bot", "#!/bin/sh\n")], None).expect("a script");
        assert!(script.files[0].executable, "its mode was lost on the way");
        let bare = take(vec![file("dan.rb", "puts 1")], None).expect("a source file");
        assert_eq!(bare.refusal, None, "its form is refused");
        let alone = take(vec![file("eve.rs", "fn main() {}")], None).expect("a source file");
        assert_eq!(alone.refusal, None, "it is built in the usual way");
        let text = "class Ape:\n    def Step(self, percepts): pass\n";
        let slip = take(vec![file("ape.py", text)], None).expect("a source file");
        let refusal = slip.refusal.expect("it has no step");
        assert!(refusal.contains("ape.py has def Step"), "{refusal}");
    }

    #[test]
    fn an_unreadable_file_refuses_its_own_attempt_only() {
        let items = ["26", "27"].map(|day| Item {
            name: format!("P_ann_attempt_2026-03-{day}-10-00-00_bot.sh"),
            is_folder: false,
        });
        let delivery = &platform::sorted(&items, "").deliveries[0];
        let mut inbox = Inbox::new(None, None);
        inbox.delivery(delivery, &items, "", |at| match at {
            0 => Err("cannot be read".to_owned()),
            _ => Ok(ReceivedFiles {
                files: vec![file("", "#!/bin/sh\n")],
                ..ReceivedFiles::default()
            }),
        });
        let (_, newest) = &inbox.found["ann"];
        assert!(newest.form.is_ok(), "{:?}", newest.form);
        assert!(newest.earlier[0].form.is_err());
    }
}
