//! Whose the files and folders of a class are, by a learning platform's names for them.

mod attempts;

pub(crate) use attempts::{Upload, attempts};

use crate::read::source::{PlatformMark, SourceFile};
use crate::read::submission::Submission;
use crate::read::unreadable::Allowance;
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
pub(crate) struct Sorted {
    /// Items that no platform has named. Each is a submission of its own, if it is one.
    pub(crate) own: Vec<usize>,
    pub(crate) deliveries: Vec<Delivery>,
    pub(crate) ignored: Vec<Ignored>,
}

/// Finds each item's person in `around`, asking the platform first that has named most items.
pub(crate) fn sorted(items: &[Item], around: &str) -> Sorted {
    let mut sorted = Sorted {
        own: (0..items.len()).collect(),
        ..Sorted::default()
    };
    while sorted.take_most(items, around) {}
    sorted
}

impl Sorted {
    fn take_most(&mut self, items: &[Item], around: &str) -> bool {
        let rest: Vec<(usize, &Item)> = self.own.iter().map(|&own| (own, &items[own])).collect();
        let mut best = None;
        let mut most = 0;
        for platform in PLATFORMS {
            let parts = named_by(platform, &rest, around);
            let count = parts.iter().flatten().count();
            if count > most {
                (most, best) = (count, Some((platform, parts)));
            }
        }
        let Some((platform, parts)) = best else {
            return false;
        };
        let mut deliveries: BTreeMap<String, Delivery> = BTreeMap::new();
        let places = mem::take(&mut self.own);
        for (place, part) in places.into_iter().zip(parts) {
            let item = &items[place];
            let Some(part) = part else {
                self.own.push(place);
                continue;
            };
            let mut ignore = |reason: &str| {
                let name = quote(&item.name);
                self.ignored.push(Ignored::entry(name, reason));
            };
            if let Some(once) = platform.once.filter(|_| is_ambiguous(platform, &item.name)) {
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
            delivery.mark.late = match (delivery.mark.late, part.late) {
                (Some(before), Some(late)) => Some(before || late),
                (before, late) => before.or(late),
            };
            delivery.mark.received = delivery.mark.received.max(part.received);
            delivery.parts.push(part);
        }
        self.deliveries.extend(deliveries.into_values());
        true
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
    let of = |sign: NameSign| {
        let named = parts.iter().flatten();
        named.filter(move |part| part.form.sign == sign)
    };
    let folders = items.iter().filter(|(_, item)| item.is_folder).count();
    // A login has one folder: what several have before a number is no login.
    let logins: BTreeSet<&String> = of(NameSign::All).map(|part| &part.entrant).collect();
    let named = of(NameSign::All).count();
    let are_not_all = named < 2 || 2 * named < folders || logins.len() < named;
    let are_few = 2 * of(NameSign::Same).count() < folders;
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
    for form in platform
        .names
        .iter()
        .filter(|form| form.sign == NameSign::Same)
    {
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

fn is_ambiguous(platform: &Platform, name: &str) -> bool {
    let times = platform.once.map(|once| name.matches(once).count());
    times.is_some_and(|times| times > 1)
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
        let is_apart = self.received.is_some();
        files
            .map(|file| self.upload(&read, origin, file, &self.file, (self.upload, is_apart)))
            .collect()
    }

    fn upload(
        &self,
        read: &Submission,
        origin: &str,
        file: SourceFile,
        path: &str,
        (number, is_apart): (u64, bool),
    ) -> Upload {
        Upload {
            number,
            is_apart,
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
            uploads.push(self.upload(read, origin, file.clone(), name, (number, true)));
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
        .filter(|platform| !is_ambiguous(platform, name))
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
        let all: Vec<String> = all.iter().map(Self::to_string).collect();
        all.join(", ")
    }
}

impl fmt::Display for Ignored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(names: &[&str]) -> Vec<Item> {
        let item = |name: &&str| Item {
            name: name.trim_end_matches('/').to_owned(),
            is_folder: name.ends_with('/'),
        };
        names.iter().map(item).collect()
    }

    /// Returns each delivery, what is no platform's, and the number of ignored items.
    fn reported(names: &[&str], around: &str) -> (Vec<String>, Vec<String>, usize) {
        let items = files(names);
        let sorted = sorted(&items, around);
        let reported = |one: &Delivery| {
            let Delivery {
                entrant,
                parts,
                mark,
            } = one;
            let late = mark
                .late
                .map_or("", |late| if late { " late" } else { " in time" });
            let received = mark.received.map(|at| format!(" {at}")).unwrap_or_default();
            let files: Vec<&str> = parts.iter().map(|part| part.file.as_str()).collect();
            format!("{entrant}: {}{late}{received}", files.join(","))
                .trim_end()
                .to_owned()
        };
        (
            sorted.deliveries.iter().map(reported).collect(),
            sorted
                .own
                .iter()
                .map(|&own| items[own].name.clone())
                .collect(),
            sorted.ignored.len(),
        )
    }

    /// Downloads of three lines: names in a folder, deliveries, and the number of ignored items with
    /// what is no platform's.
    const DOWNLOADS: &str = "\
leeann_LATE_12_345_Cat.h | leeann_LATE_12_346_a_1.h | leebob_13_400_hw.zip | eve/
leeann_12: Cat.h,a_1.h late | leebob_13: hw.zip in time
0 eve
Ann Lee_17_assignsubmission_file_/ | Ann Lee_17_assignsubmission_onlinetext_/ | eve/
Ann Lee_17: ,text
0 eve
# By the author's own name, and by that of the file.
Ann Lee_17_assignsubmission_file_bot.py | Ann Lee_17_assignsubmission_file_x_23_assignsubmission_file_bot.py | Eve_23_assignsubmission_file_Ann Lee_17_assignsubmission_file_bot.py
Ann Lee_17: bot.py
2
# Attempts of a day are no repositories, also next to a file of staff.
P 1_ann_attempt_2026-03-27-18-05-00_bot.py | P 1_ann_attempt_2026-03-27-18-05-00.txt | notes.txt
ann: bot.py,text 2026-03-27T18:05:00
0 notes.txt
# An author on Canvas has chosen the end of a name.
leeann_LATE_3_44_x_bob_attempt_2026-03-01-00-00-00_bot.py | roebob_4_45_notes.txt
leeann_3: x_bob_attempt_2026-03-01-00-00-00_bot.py late | roebob_4: notes.txt in time
0
1-2 - Jörg - Al Müller - Mar 26, 2026 1005 AM/ | 1-3 - Ann - Mar 26, 2026 605 PM - bot.py | index.html
Ann_1: bot.py 2026-03-26T18:05:00 | Jörg - Al Müller_1:  2026-03-26T10:05:00
0 index.html
c-Camel-1-ann/ | c-Camel-2-bob.zip | practice-c-Camel-3-bob/
ann: | bob:
1
c-Sheet-3-Camel-41-ann/ | c-Sheet-3-Camel-42-student-submission.git/
ann: | participation 42:
0
Lee, Ann(alee)/ | von der Roe, Bob(b.roe)/ | grades.csv
alee: | b.roe:
0 grades.csv
Lee, Ann(alee)_Submission attachment(s)_bot.py
alee: bot.py
0
Lee_Ann_alee_4711/ | von der Roe_Bob_broe_4712/
alee: | broe:
0
Ann Lee_17_assignsubmission_file_/ | Bob Roe_18_assignsubmission_file_/ | roebob_4_45_bot.py
Ann Lee_17: | Bob Roe_18: | roebob_4: bot.py in time
0
Lee, Ann(alee)/ | Roe, Bob(broe)/ | staff/
alee: | broe:
0 staff";

    #[test]
    fn downloads_are_sorted_by_people() {
        let lines = DOWNLOADS.lines().filter(|line| !line.starts_with('#'));
        for download in lines.collect::<Vec<_>>().chunks(3) {
            let names: Vec<&str> = download[0].split(" | ").collect();
            let (deliveries, own, ignored) = reported(&names, "");
            assert_eq!(deliveries.join(" | "), download[1]);
            let rest = format!("{ignored} {}", own.join(" | "));
            assert_eq!(rest.trim_end(), download[2], "{names:?}");
        }
        let (deliveries, own, ignored) = reported(&["Ann Lee/"], "Submitted files");
        assert_eq!(deliveries, ["Ann Lee:"]);
        assert_eq!((own.len(), ignored), (0, 0));
    }

    #[test]
    fn names_that_people_have_chosen_stay() {
        for names in "\
group-3-alice/ | group-4-bob/
c-Camel-41-ann/
c-Camel-41-ann/ | d-Camel-42-bob/
hw-bob-1-x/ | hw-bob-2-x/ | hw-ann/ | hw-cem/ | hw-dee/
my_big_bot_2/ | alice/
bot (2)/
bot (2)/ | alice/
bot (2)/ | alice (3)/
smith_ann_bot_1/ | lee_bob_bot_2/
alice_123_assignment.ml | Alice_1_2_bot.py | _1_2_bot.py | 1_2_3 | my_text.html
my_attempt_2.py | a_b_attempt_2026-13-27-18-05-00_bot.py
12-13 - Ann/ | a-b - Ann - Mar 27, 2026 605 PM/ | 1-2 - Ann - yesterday/"
            .lines()
        {
            let names: Vec<&str> = names.split(" | ").collect();
            let (deliveries, own, _) = reported(&names, "Ann Lee");
            assert!(deliveries.is_empty(), "{deliveries:?}");
            assert_eq!(own.len(), names.len());
        }
    }

    #[test]
    fn only_authors_folder_of_platform_is_read() {
        let form = |platform: &str, of: Named| {
            let mut all = PLATFORMS.iter();
            let record = all.find(|one| one.name == platform).expect("a platform");
            let mut forms = record.names.iter();
            forms.find(|form| form.of == of).expect("there")
        };
        let inside = |platform, paths: &[&str]| {
            let files = paths.iter().map(|path| SourceFile::new(path, ""));
            let contents = Submission::of(files.collect());
            let part = Part::new(0, form(platform, Named::Folder), &Parts::default());
            let uploads = part.inside("origin", &contents)?;
            let reported = uploads
                .iter()
                .map(|one| format!("{} {}", one.number, one.file.path));
            Ok::<_, String>(reported.collect::<Vec<_>>())
        };
        let sakai = ["Submission attachment(s)/bot.py", "timestamp.txt"];
        assert_eq!(inside("Sakai", &sakai), Ok(vec!["0 bot.py".to_owned()]));
        let teams = ["Contest/Version 1/bot.py", "Contest/Version 2/src/bot.py"];
        let expected = vec!["1 bot.py".to_owned(), "2 src/bot.py".to_owned()];
        assert_eq!(inside("Microsoft Teams", &teams), Ok(expected));
        let several =
            inside("Microsoft Teams", &["One/bot.py", "Two/bot.py"]).expect_err("two assignments");
        assert!(several.contains("(One, Two)"), "{several}");
    }
}
