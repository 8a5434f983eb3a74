//! The submissions that are being gathered, by entrant; a defect of one does not affect the others.

use crate::read::executable::{self, restore_modes};
use crate::read::polled::PolledRepositories;
use crate::read::received::{folder, unzip};
use crate::read::recognise::ending;
use crate::read::source::{Allowance, PlatformMark, SourceFile};
use crate::read::submission::Submission;
use crate::read::{archive, names, recognise, walk};
use crate::who::people::entrant_name;
use crate::who::platform::{Delivery, Ignored, Item, Upload, attempts};
use engines::{GameInfo, Kit, Sign};
use model::advice::is_archive;
use model::fault::quote;
use model::language::Language;
use model::lateness::ReceiptRecord;
use model::platform::Content;
use rulebook::rules::Rules;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{io, mem, slice};
use system::foreign::{ForeignFolder, Opened};

/// Maximum size of all submissions, in bytes; they are held in memory until they are built.
const ALL_BYTES_MAX: usize = 4 << 30;

#[derive(Default)]
pub(crate) struct Inbox {
    pub(crate) game: Option<Arc<dyn Rules>>,
    pub(crate) found: BTreeMap<String, Submission>,
    bytes: usize,
    bytes_max: usize,
    pub(crate) ignored: Vec<Ignored>,
    pub(crate) roster: Option<PathBuf>,
    /// Folder of the run that they are gathered for, if it exists already.
    results: Option<PathBuf>,
    /// Source of the repositories' contents; `None` if they are fetched at once.
    pub(crate) polled: Option<Arc<PolledRepositories>>,
}

impl Inbox {
    /// `results` is the run's folder, which may be among the submissions.
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
    pub(crate) fn add(&mut self, name: &str, mut received: Submission) {
        let (name, refusal) = entrant_name(name);
        if let Some(reason) = refusal {
            received.refuse(reason);
        }
        let mut own = received.identified(&name, self.game.as_deref());
        // Platforms distinguish people by numbers and logins, which normalization does not change.
        // Only names of more than 200 characters are cut, and become equal only to each other.
        if let Some(other) = self.found.remove(&name) {
            self.bytes -= other.bytes();
            own.refuse(format!(
                "{} and {} have the same entrant name {name:?}; keep one of them",
                other.origin, own.origin
            ));
        }
        self.bytes += own.bytes();
        self.found.insert(name, own);
        while self.bytes > self.bytes_max {
            let all = self.found.values_mut();
            let largest = all.max_by_key(|one| one.bytes()).expect("one was added");
            let (all, own) = (self.bytes_max >> 20, largest.bytes() >> 20);
            self.bytes -= largest.bytes();
            largest.refuse(format!(
                "all submissions are larger than {all} MiB in total, and this one is the largest, with {own} MiB; make it smaller, or split the run"
            ));
        }
    }

    /// Takes the submissions of a later inbox. Earlier submissions of the same people precede them.
    pub(crate) fn newer(&mut self, newer: Self) {
        self.bytes += newer.bytes;
        self.ignored.extend(newer.ignored);
        for (name, mut submission) in newer.found {
            if let Some(mut before) = self.found.remove(&name) {
                let mut earlier = mem::take(&mut before.earlier);
                if before.content() != submission.content() {
                    earlier.push(before);
                }
                earlier.append(&mut submission.earlier);
                submission.earlier = earlier;
            }
            self.found.insert(name, submission);
        }
    }

    pub(crate) fn entry(&mut self, folder: &ForeignFolder, name: &OsStr) {
        self.opened(folder.entry(name), &name.to_string_lossy());
    }

    pub(crate) fn opened(&mut self, opened: io::Result<Opened>, name: &str) {
        let read = match opened {
            Err(e) => Err(format!("cannot be read ({e}); make it readable")),
            Ok(Opened::Other(kind)) => {
                return self.ignore(name, kind.refusal().unwrap_or_default());
            }
            Ok(Opened::Folder(own)) if walk::is_of_runs(&own) => {
                if self.holds_results(&own) {
                    return self.ignore(name, "made by judge run");
                }
                Err("looks like the results of judge run (run.json and journal.jsonl); move it out of the submissions, or submit the sources".to_owned())
            }
            Ok(Opened::Folder(own)) => walk::read_folder(&own, Allowance::whole()),
            Ok(Opened::File(file)) => {
                return self.add_file(name, walk::read_file(file, name));
            }
        };
        self.add_folder(name, read);
    }

    fn ignore(&mut self, name: &str, reason: &str) {
        let name = quote(name);
        self.ignored.push(Ignored::entry(name, reason));
    }

    pub(crate) fn add_folder(&mut self, name: &str, read: Result<Submission, String>) {
        let origin = quote(name);
        let received = Submission {
            origin,
            ..folder(read)
        };
        self.add(name, received);
    }

    /// Adds a file under its name without the ending, if somebody means it as a submission.
    pub(crate) fn add_file(&mut self, name: &str, read: Result<Submission, String>) {
        if let Some(received) = self.of_file(name, read) {
            let origin = quote(name);
            let received = Submission { origin, ..received };
            self.add(names::without_ending(name), received);
        } else if !names::is_readme(name) {
            self.ignore(name, "not executable");
        }
    }

    fn holds_results(&self, folder: &ForeignFolder) -> bool {
        let (Some(results), Ok(own)) = (&self.results, folder.facts()) else {
            return false;
        };
        results.ancestors().any(|above| {
            let above = ForeignFolder::open(above).and_then(|above| above.facts());
            above.is_ok_and(|above| above.is_same(&own))
        })
    }

    /// Returns `None` if nobody means the file as a submission.
    fn of_file(&self, name: &str, read: Result<Submission, String>) -> Option<Submission> {
        let read = match read {
            Ok(read) => read,
            Err(reason) => return Some(Submission::unreadable(reason)),
        };
        Some(Submission {
            fingerprints: read.fingerprints,
            ..if is_archive(name) {
                unzip(read.files.first()?, read.warnings)
            } else {
                take(read.files, self.game.as_deref())?
            }
        })
    }

    /// Takes a learning platform's delivery of one person; `read` reads its items.
    pub(crate) fn delivery(
        &mut self,
        delivery: &Delivery,
        items: &[Item],
        mut read: impl FnMut(usize, Allowance) -> Result<Submission, String>,
    ) {
        let mut typed = None;
        let mut uploads = Vec::new();
        let mut found = Vec::new();
        for part in &delivery.parts {
            let item = &items[part.item];
            let origin = quote(&item.name);
            if let Content::Typed(_) = part.form.content {
                typed = Some((&part.file, origin));
                continue;
            }
            let read = read(part.item, part.allowance());
            if part.form.content != Content::Whole {
                uploads.extend(part.uploads(&origin, read));
                continue;
            }
            let received = match read.and_then(|read| Ok((part.inside(&origin, &read)?, read))) {
                Err(reason) => Some(Submission::unreadable(reason)),
                Ok((inside, _)) if !inside.is_empty() => {
                    uploads.extend(inside);
                    continue;
                }
                Ok((_, contents)) if item.is_folder => Some(folder(contents.within_bounds())),
                Ok((_, contents)) => self.of_file(&item.name, Ok(contents)),
            };
            let mark = PlatformMark {
                received: part.received,
                ..delivery.mark
            };
            found.extend(received.map(|received| marked(received, origin, mark)));
        }
        let mut earlier: Vec<Submission> = attempts(uploads)
            .into_iter()
            .map(|attempt| self.attempt(attempt, delivery.mark))
            .collect();
        if delivery.mark.received.is_some() {
            earlier.append(&mut found);
            earlier.sort_by_key(|one| one.mark.and_then(|mark| mark.received));
        }
        if let Some(last) = earlier.pop() {
            found.push(Submission { earlier, ..last });
        }
        if let Some((what, origin)) = typed.filter(|_| found.is_empty()) {
            let reason = format!("has no file, only a {what} typed into the learning platform");
            found.push(marked(
                Submission::unreadable(reason),
                origin,
                delivery.mark,
            ));
        }
        for received in found {
            self.add(&delivery.entrant, received);
        }
    }

    fn attempt(&self, uploads: Vec<Upload>, mark: PlatformMark) -> Submission {
        let mark = PlatformMark {
            late: mark.late.map(|_| uploads.iter().any(|upload| upload.late)),
            received: uploads.iter().filter_map(|upload| upload.received).max(),
            ..mark
        };
        let mut origins = Vec::new();
        let mut contents = Submission::of(Vec::new());
        let mut refusal = None;
        for Upload { file, read, .. } in uploads {
            match read.refusal() {
                Some(reason) => refusal = Some(reason.clone()),
                None => contents.files.push(file),
            }
            contents.fingerprints.extend(read.fingerprints);
            origins.push(read.origin);
        }
        origins.dedup();
        contents.files.sort_by(|a, b| a.path.cmp(&b.path));
        let mut received = match contents.within_bounds() {
            Ok(one) if one.files.len() == 1 => {
                let name = one.files[0].path.clone();
                self.of_file(&name, Ok(one.clone())).unwrap_or(one)
            }
            read => folder(read),
        };
        if let Some(reason) = refusal {
            received.form = Err(reason);
        }
        marked(received, origins.join(", "), mark)
    }
}

fn marked(mut received: Submission, origin: String, mark: PlatformMark) -> Submission {
    restore_modes(&mut received.files);
    Submission {
        origin,
        mark: Some(mark),
        record: (mark.late == Some(false)).then_some(ReceiptRecord::InTime),
        ..received
    }
}

fn take(mut files: Vec<SourceFile>, game: Option<&dyn Rules>) -> Option<Submission> {
    let file = files.first_mut()?;
    let mut refusal = String::new();
    if !file.executable || executable::usual_manifest(slice::from_ref(file), false).is_some() {
        match required_name(file, recognise::kits(game)) {
            Ok(Some(name)) => file.path = name,
            Ok(None) if archive::looks_like_a_program(&file.bytes) => file.executable = true,
            Ok(None) => match recognise::misspelled(slice::from_ref(file), game) {
                Some(reason) => refusal = reason,
                None if Language::is_program_alone(&file.path) => {}
                None => return None,
            },
            Err(reason) => refusal = reason,
        }
    }
    Some(Submission {
        form: Err(refusal),
        ..Submission::of(files)
    })
}

/// Returns the name under which a kit takes a single file: learning platforms rename files.
fn required_name(
    file: &SourceFile,
    kits: impl Iterator<Item = (&'static GameInfo, &'static Kit)>,
) -> Result<Option<String>, String> {
    let path = file.path.as_str();
    let kits: Vec<(&GameInfo, &Kit)> = kits.collect();
    if kits.iter().any(|(_, kit)| recognise::says(file, &kit.sign)) {
        return Ok(Some(path.to_owned()));
    }
    let fit: Vec<(&str, &str)> = kits
        .iter()
        .filter_map(|(info, kit)| match kit.sign {
            Sign::Flat(&[one]) | Sign::Anywhere(one) => Some((one, info.title)),
            Sign::Flat(_) | Sign::Text { .. } => None,
        })
        .filter(|(name, _)| !ending(name).is_empty() && ending(name) == ending(path))
        .collect();
    let exact = fit.iter().find(|(name, _)| *name == path);
    let Some((name, _)) = exact.or(fit.first()) else {
        return Ok(None);
    };
    if exact.is_some() || fit.iter().all(|(other, _)| other == name) {
        return Ok(Some((*name).to_owned()));
    }
    let all: Vec<String> = fit
        .iter()
        .map(|(name, title)| format!("{name} for {title}"))
        .collect();
    Err(format!(
        "{} could be {}; rename it, or choose the game with --game",
        quote(path),
        all.join(" or ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::who::platform;

    #[test]
    fn only_largest_submission_is_refused_beyond_total_limit() {
        let mut inbox = Inbox {
            bytes_max: 10,
            ..Inbox::new(None, None)
        };
        for (name, bytes) in [("ann", 4), ("mal", 7), ("zoe", 6)] {
            let file = SourceFile {
                executable: true,
                ..SourceFile::new("bot", vec![b'x'; bytes])
            };
            inbox.add(name, Submission::of(vec![file]));
        }
        let refused = inbox.found.iter().filter(|(_, one)| one.files.is_empty());
        let refused: Vec<&String> = refused.map(|(name, _)| name).collect();
        assert_eq!(refused, ["mal"]);
        let reason = inbox.found["mal"].refusal().expect("it is refused");
        assert!(reason.contains("this one is the largest"), "{reason}");
    }

    fn file(path: &str, text: &str) -> SourceFile {
        SourceFile::new(path, text)
    }

    fn named(path: &str, text: &str) -> Result<Option<String>, String> {
        let signs = [
            Sign::Anywhere("assignment.ml"),
            Sign::Flat(&["Stones.hs"]),
            Sign::Flat(&["Other.hs"]),
            Sign::Flat(&["One.cpp", "Two.cpp"]),
            Sign::Text {
                ending: "py",
                has: &["def step"],
                lacks: &["ready"],
            },
        ];
        let kits = signs.map(|sign| {
            let (game, kit) = recognise::kits(None).next().expect("registered");
            let kit: &Kit = Box::leak(Box::new(Kit { sign, ..*kit }));
            (game, kit)
        });
        required_name(&file(path, text), kits.into_iter())
    }

    #[test]
    fn renamed_file_gets_name_required_by_kit() {
        let some = |name: &str| Ok(Some(name.to_owned()));
        assert_eq!(named("alice_123_assignment.ml", ""), some("assignment.ml"));
        assert_eq!(named("Stones.hs", ""), some("Stones.hs"), "the exact name");
        let ambiguous = named("bob.hs", "").expect_err("two kits");
        assert!(ambiguous.contains("Stones.hs for"), "{ambiguous}");
        assert_eq!(named("carol.cpp", ""), Ok(None), "a kit of two files");
        assert_eq!(named("notes", ""), Ok(None));
        let own = named("erin_ape.py", "def step(): pass");
        assert_eq!(own, some("erin_ape.py"), "it is recognised by its content");
        assert_eq!(named("erin_ape.py", "print('ready')"), Ok(None));
    }

    #[test]
    fn unintended_files_are_skipped() {
        assert!(take(vec![file("README.md", "# Hello")], None).is_none());
        let script = take(vec![file("bot", "#!/bin/sh\n")], None).expect("a script");
        assert!(script.files[0].executable, "its mode was lost on the way");
        let bare = take(vec![file("dan.rb", "puts 1")], None).expect("a source file");
        assert_eq!(bare.refusal(), None, "its form is refused");
        let alone = take(vec![file("eve.rs", "fn main() {}")], None).expect("a source file");
        assert_eq!(alone.refusal(), None, "it is built in the usual way");
        let text = "class Ape:\n    def Step(self, percepts): pass\n";
        let slip = take(vec![file("ape.py", text)], None).expect("a source file");
        let refusal = slip.refusal().expect("it has no step");
        assert!(refusal.contains("ape.py has def Step"), "{refusal}");
    }

    #[test]
    fn an_unreadable_file_refuses_its_own_attempt_only() {
        let items = ["26", "27"].map(|day| Item {
            name: format!("P_ann_attempt_2026-03-{day}-10-00-00_bot.sh"),
            is_folder: false,
        });
        let delivery = &platform::assign_items(&items, "").deliveries[0];
        let mut inbox = Inbox::new(None, None);
        inbox.delivery(delivery, &items, |at, _| match at {
            0 => Err("cannot be read".to_owned()),
            _ => Ok(Submission::of(vec![file("", "#!/bin/sh\n")])),
        });
        let newest = &inbox.found["ann"];
        assert!(newest.form.is_ok(), "{:?}", newest.form);
        assert!(newest.earlier[0].form.is_err());
    }
}
