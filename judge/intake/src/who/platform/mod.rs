//! Whose the files and folders of a class are, by a learning platform's names for them.

use crate::read::source::{Allowance, PlatformMark, SourceFile};
use crate::read::submission::Submission;
use jiff::civil::DateTime;
use model::advice::archive_stem;
use model::fault::quote;
use model::platform::{
    Content, NameForm, NameSign, Named, PLATFORMS, Parts, Platform, each_match, first_match, times,
};
use model::text::listed;
use std::collections::{BTreeMap, BTreeSet};
use std::{fmt, mem};

/// Maximum size of all versions of one person, as a multiple of the bounds of one.
const VERSIONS_MAX: usize = 4;

#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub(crate) name: String,
    pub(crate) is_folder: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Delivery {
    pub(crate) entrant: String,
    pub(crate) parts: Vec<Part>,
    pub(crate) mark: PlatformMark,
}

#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) item: usize,
    entrant: String,
    pub(crate) form: &'static NameForm,
    /// The author's name for it, if it is a file, or the word for what was typed.
    pub(crate) file: String,
    /// The platform's mark; `None` as late where its names do not say.
    pub(crate) late: Option<bool>,
    /// The number of the upload; higher ones came later.
    pub(crate) upload: u64,
    /// When it was received, in the platform's zone.
    pub(crate) received: Option<DateTime>,
}

#[derive(Debug, Default)]
pub(crate) struct Assigned {
    /// Items that no platform has named. Each is a submission of its own, if it is one.
    pub(crate) unassigned: Vec<usize>,
    pub(crate) deliveries: Vec<Delivery>,
    pub(crate) ignored: Vec<Ignored>,
}

/// Finds each item's person in `around`, asking the platform first that has named most items.
pub(crate) fn assign_items(items: &[Item], around: &str) -> Assigned {
    let mut assigned = Assigned {
        unassigned: (0..items.len()).collect(),
        ..Assigned::default()
    };
    loop {
        let rest: Vec<(usize, &Item)> = assigned
            .unassigned
            .iter()
            .map(|&own| (own, &items[own]))
            .collect();
        // The first of those that have named equally many.
        let most = PLATFORMS
            .iter()
            .rev()
            .map(|platform| (platform, named_by(platform, &rest, around)))
            .max_by_key(|(_, parts)| parts.iter().flatten().count());
        let Some((platform, parts)) = most.filter(|(_, parts)| parts.iter().any(Option::is_some))
        else {
            return assigned;
        };
        let mut deliveries: BTreeMap<String, Delivery> = BTreeMap::new();
        for (place, part) in mem::take(&mut assigned.unassigned).into_iter().zip(parts) {
            let Some(part) = part else {
                assigned.unassigned.push(place);
                continue;
            };
            let name = &items[place].name;
            let mut ignore = |reason: &str| {
                let ignored = Ignored::entry(quote(name), reason);
                assigned.ignored.push(ignored);
            };
            if let Some(once) = twice_in(platform, name) {
                ignore(&format!(
                    "it has {once} twice, so it is not clear whose it is; give it a name that has it once"
                ));
                continue;
            }
            if let Content::Nothing(reason) = part.form.content {
                ignore(reason);
                continue;
            }
            let delivery = deliveries
                .entry(part.entrant.clone())
                .or_insert_with(|| Delivery {
                    entrant: part.entrant.clone(),
                    parts: Vec::new(),
                    mark: PlatformMark {
                        platform: platform.name,
                        ..PlatformMark::default()
                    },
                });
            // One that is late makes all late.
            delivery.mark.late = delivery.mark.late.max(part.late);
            delivery.mark.received = delivery.mark.received.max(part.received);
            delivery.parts.push(part);
        }
        assigned.deliveries.extend(deliveries.into_values());
    }
}

fn named_by(
    platform: &'static Platform,
    items: &[(usize, &Item)],
    around: &str,
) -> Vec<Option<Part>> {
    let same = common(platform, items);
    let read = |&(place, item): &(usize, &Item)| {
        platform.names.iter().find_map(|form| {
            let text = text_of(form, item)?;
            let parts = match form.sign {
                NameSign::Around(name) if name != around => None,
                NameSign::Same => with_same(form, text, same?),
                NameSign::Form | NameSign::All | NameSign::Around(_) => {
                    first_match(form.pattern, text)
                }
            };
            Some(Part::new(place, form, &parts?))
        })
    };
    let mut parts: Vec<Option<Part>> = items.iter().map(read).collect();
    let of = |sign: NameSign| -> Vec<&String> {
        let named = parts.iter().flatten();
        named
            .filter(|part| part.form.sign == sign)
            .map(|part| &part.entrant)
            .collect()
    };
    let folders = items.iter().filter(|(_, item)| item.is_folder).count();
    let logins = of(NameSign::All);
    let named = logins.len();
    // A login has one folder: what several have before a number is no login.
    let are_different = BTreeSet::from_iter(logins).len() == named;
    let are_not_all = named < 2 || 2 * named < folders || !are_different;
    let are_few = 2 * of(NameSign::Same).len() < folders;
    for part in &mut parts {
        part.take_if(|part| match part.form.sign {
            NameSign::All => are_not_all,
            NameSign::Same => are_few,
            NameSign::Form | NameSign::Around(_) => false,
        });
    }
    parts
}

fn text_of<'a>(form: &NameForm, item: &'a Item) -> Option<&'a str> {
    match (form.of, item.is_folder) {
        (Named::Folder | Named::Packed | Named::Any, true) | (Named::File | Named::Any, false) => {
            Some(&item.name)
        }
        (Named::Packed, false) => archive_stem(&item.name),
        (Named::Folder, false) | (Named::File, true) => None,
    }
}

/// Finds the text that is the same in most names: of those, the shortest, because the text after it
/// belongs to the login. Several items have it, each with another number.
fn common<'a>(platform: &'static Platform, items: &[(usize, &'a Item)]) -> Option<&'a str> {
    let mut numbers: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let forms = platform.names.iter();
    for form in forms.filter(|form| form.sign == NameSign::Same) {
        for text in items.iter().filter_map(|(_, item)| text_of(form, item)) {
            each_match(form.pattern, text, &mut |parts| {
                let all = numbers.entry(parts.get("same")).or_default();
                all.insert(parts.get("number"));
                false
            });
        }
    }
    (numbers.iter())
        .map(|(same, numbers)| (*same, numbers.len()))
        .filter(|(_, count)| *count > 1)
        .max_by(|(a, many), (b, more)| many.cmp(more).then(b.len().cmp(&a.len())))
        .map(|(same, _)| same)
}

fn with_same<'a>(form: &'static NameForm, text: &'a str, same: &str) -> Option<Parts<'a>> {
    let mut found = None;
    each_match(form.pattern, text, &mut |parts| {
        found = (parts.get("same") == same).then(|| parts.clone());
        found.is_some()
    });
    found
}

/// Returns the text that a platform's names have once, where a name has it more than once.
fn twice_in(platform: &Platform, name: &str) -> Option<&'static str> {
    let once = platform.once?;
    (name.matches(once).count() > 1).then_some(once)
}

impl Part {
    fn new(item: usize, form: &'static NameForm, parts: &Parts<'_>) -> Self {
        let received = times::in_name(parts.get("time"));
        let at = received.map(|at| at.strftime("%Y%m%d%H%M%S").to_string());
        let upload = at.as_deref().unwrap_or(parts.get("upload"));
        Self {
            item,
            entrant: parts.fill(form.entrant),
            form,
            file: match form.content {
                Content::File(file) | Content::Typed(file) => parts.fill(file),
                Content::Whole | Content::Nothing(_) => String::new(),
            },
            late: form.pattern.contains('[').then_some(parts.is_marked),
            upload: upload.parse().unwrap_or_default(),
            received,
        }
    }

    /// Returns how much of it may be read. A platform may keep all of a person's versions in it.
    pub(crate) fn allowance(&self) -> Allowance {
        let has_versions = !self.form.inside.is_empty();
        Allowance::whole().times(if has_versions { VERSIONS_MAX } else { 1 })
    }

    /// Returns what a file is: one upload, or none where a strange thing has its name.
    pub(crate) fn uploads(&self, origin: &str, read: Result<Submission, String>) -> Vec<Upload> {
        let mut read = read.unwrap_or_else(|reason| Submission {
            form: Err(format!("{} {reason}", quote(&self.file))),
            ..Submission::of(vec![SourceFile::default()])
        });
        let files = mem::take(&mut read.files).into_iter();
        files
            .map(|file| self.upload(&read, origin, file, &self.file, self.upload))
            .collect()
    }

    fn upload(
        &self,
        read: &Submission,
        origin: &str,
        file: SourceFile,
        path: &str,
        number: u64,
    ) -> Upload {
        Upload {
            number,
            keeps_attempts_apart: self.received.is_some() || !self.form.inside.is_empty(),
            late: self.late == Some(true),
            received: self.received,
            file: SourceFile {
                path: path.to_owned(),
                ..file
            },
            read: Submission {
                form: read.form.clone(),
                origin: origin.to_owned(),
                fingerprints: read.fingerprints.clone(),
                ..Submission::of(Vec::new())
            },
        }
    }

    /// Returns the author's files in a platform's folders; empty if there are no such folders.
    pub(crate) fn inside(&self, origin: &str, read: &Submission) -> Result<Vec<Upload>, String> {
        let mut assignments = BTreeSet::new();
        let mut uploads = Vec::new();
        for file in &read.files {
            let mut forms = self.form.inside.iter();
            let Some(parts) = forms.find_map(|form| first_match(form, &file.path)) else {
                continue;
            };
            assignments.insert(parts.get("folder"));
            let number = parts.get("upload").parse().unwrap_or_default();
            let name = parts.get("file");
            uploads.push(self.upload(read, origin, file.clone(), name, number));
        }
        if assignments.len() > 1 {
            let all: Vec<&str> = assignments.into_iter().collect();
            return Err(format!(
                "holds several assignments ({}); move all but one out of the download",
                listed(&all)
            ));
        }
        Ok(uploads)
    }
}

pub(crate) fn entrant_of(name: &str) -> Option<String> {
    PLATFORMS
        .iter()
        .filter(|platform| twice_in(platform, name).is_none())
        .flat_map(|platform| platform.names)
        .filter(|form| matches!(form.sign, NameSign::Form | NameSign::All))
        .find_map(|form| Some(first_match(form.pattern, name)?.fill(form.entrant)))
}

/// Entries among submissions that are none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ignored {
    /// The name of a single entry, or the place of a line in a list.
    entry: Option<String>,
    words: String,
}

impl Ignored {
    /// Returns an ignored entry, by its name or the place of its line.
    pub fn entry(name: impl Into<String>, reason: impl fmt::Display) -> Self {
        let name = name.into();
        Self {
            words: format!("{name} ({reason})"),
            entry: Some(name),
        }
    }

    pub(crate) fn several(words: String) -> Self {
        Self { entry: None, words }
    }

    /// Returns whether it is the entry of this name.
    pub fn is(&self, entry: &str) -> bool {
        self.entry.as_deref() == Some(entry)
    }

    /// Lists all in one line.
    pub fn listed(all: &[Self]) -> String {
        let words: Vec<&str> = all.iter().map(|one| &*one.words).collect();
        words.join(", ")
    }
}

impl fmt::Display for Ignored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words)
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Upload {
    /// Its number; higher ones came later.
    pub(crate) number: u64,
    /// Whether the platform keeps attempts apart, each with a number.
    pub(crate) keeps_attempts_apart: bool,
    pub(crate) late: bool,
    /// When it was received, if its name says so; the same for all files of an attempt.
    pub(crate) received: Option<DateTime>,
    pub(crate) file: SourceFile,
    pub(crate) read: Submission,
}

/// Groups uploads into attempts, oldest first, and restores the authors' names of the files. A
/// number is the author's own if another file names it (`#include "part-1.h"`).
pub(crate) fn attempts(mut uploads: Vec<Upload>) -> Vec<Vec<Upload>> {
    let names: Vec<String> = (0..uploads.len())
        .map(|at| own_name(&uploads, at))
        .collect();
    for (upload, name) in uploads.iter_mut().zip(names) {
        upload.file.path = name;
    }
    uploads.sort_by_key(|upload| (upload.late, upload.number));
    let mut attempts: Vec<Vec<Upload>> = Vec::new();
    for upload in uploads {
        let Some(last) = attempts.last_mut() else {
            attempts.push(vec![upload]);
            continue;
        };
        let is_again = |one: &Upload| one.file.path == upload.file.path;
        let next = match last.iter().position(is_again) {
            Some(first) => widest_gap(last, first, upload.number),
            None if last.iter().all(|one| one.late != upload.late) => last.len(),
            None if upload.keeps_attempts_apart
                && last.iter().all(|one| one.number != upload.number) =>
            {
                last.len()
            }
            None => {
                last.push(upload);
                continue;
            }
        };
        let mut attempt = last.split_off(next);
        attempt.push(upload);
        attempts.push(attempt);
    }
    attempts
}

/// Returns where the next attempt begins, after `first`: at the widest gap between numbers.
fn widest_gap(uploads: &[Upload], first: usize, next: u64) -> usize {
    let number = |at: usize| uploads.get(at).map_or(next, |upload| upload.number);
    (first + 1..=uploads.len())
        .max_by_key(|&at| number(at).saturating_sub(number(at - 1)))
        .unwrap_or(uploads.len())
}

fn own_name(uploads: &[Upload], at: usize) -> String {
    let path = &uploads[at].file.path;
    let is_named_by = |(other, one): (usize, &Upload)| {
        let mut pieces = one.file.bytes.windows(path.len());
        other != at && pieces.any(|piece| piece == path.as_bytes())
    };
    match without_number(path) {
        // A platform that keeps attempts apart renames no file.
        Some(plain)
            if !uploads[at].keeps_attempts_apart
                && !uploads.iter().enumerate().any(is_named_by) =>
        {
            plain
        }
        _ => path.clone(),
    }
}

/// Removes `-1` from a name, before its ending.
fn without_number(path: &str) -> Option<String> {
    let (stem, ending) = path.rsplit_once('.').unwrap_or((path, ""));
    let (plain, number) = stem.rsplit_once('-')?;
    let is_number = !number.is_empty()
        && number.len() <= 3
        && !number.starts_with('0')
        && number.bytes().all(|byte| byte.is_ascii_digit());
    let dot = if path.len() > stem.len() { "." } else { "" };
    (is_number && !plain.is_empty()).then(|| format!("{plain}{dot}{ending}"))
}

#[cfg(test)]
mod tests;
