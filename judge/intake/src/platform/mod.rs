//! Learning platforms' names for files, and the files and folders of a class that are one person's
//! submission.

mod artemis;
mod attempts;
mod canvas;
mod dated;
mod moodle;
mod teams;

pub(super) use attempts::{Upload, attempts};
use std::fmt;
pub use teams::join_teams;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use model::fault::quote;
use model::lateness::ReceiptRecord;
use std::collections::BTreeMap;

/// The information in a learning platform's name for a submission.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlatformMark {
    /// Whether the platform marks it as late; `None` where its names do not say.
    pub late: Option<bool>,
    /// When it was received, in the platform's zone; `None` where its names do not say.
    pub received: Option<DateTime>,
}

impl PlatformMark {
    /// Returns the receipt that the mark proves.
    pub(super) fn record(self) -> Option<ReceiptRecord> {
        (self.late == Some(false)).then_some(ReceiptRecord::InTime)
    }

    /// Returns the receipt that the mark proves in a zone. It is not later than `now`.
    pub(super) fn record_in(self, zone: &TimeZone, now: Timestamp) -> Option<ReceiptRecord> {
        let received = self.received?.to_zoned(zone.clone()).ok()?.timestamp();
        (received <= now).then_some(ReceiptRecord::At(received))
    }
}

/// One person's submission.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Delivery {
    /// The entrant's name.
    pub(super) entrant: String,
    pub(super) parts: Vec<Part>,
    /// The platform's mark; `None` where the name is the author's or staff's own.
    pub(super) mark: Option<PlatformMark>,
}

/// One file or folder of a submission.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    /// Its index among the items.
    pub(super) item: usize,
    pub(super) content: Content,
    /// Whether the platform marks it as late.
    pub(super) late: bool,
    /// The number of the upload.
    pub(super) upload: u64,
    /// When it was received, in the platform's zone.
    pub(super) received: Option<DateTime>,
}

/// Finds the person of each item, and lists items that are no submissions, with the reason. An item
/// that no platform has named is a submission of its own, if it is one; these come first.
pub(super) fn deliveries(items: &[Item]) -> (Vec<Delivery>, Vec<Ignored>) {
    let artemis = artemis::named(items);
    let is_blackboards = dated::is_blackboards(items);
    let mut ignored = Vec::new();
    let mut own = Vec::new();
    let mut named: BTreeMap<String, Delivery> = BTreeMap::new();
    for (place, item) in items.iter().enumerate() {
        if moodle::is_ambiguous(&item.name) {
            ignored.push(Ignored::entry(
                quote(item.name.as_bytes()),
                "it has _assignsubmission_ twice, so it is not clear whose it is; give it a name that has it once",
            ));
            continue;
        }
        let part = |content| Part {
            item: place,
            content,
            late: false,
            upload: 0,
            received: None,
        };
        let is_dated = item.is_folder || is_blackboards;
        let dated = dated::named(item).filter(|_| is_dated);
        let found = match artemis.get(&place).filter(|_| dated.is_none()) {
            Some(artemis::Repository::Practice) => {
                ignored.push(Ignored::entry(&item.name, "a practice repository"));
                continue;
            }
            Some(artemis::Repository::Of(entrant)) => Some(Named {
                entrant: entrant.clone(),
                content: Content::Whole,
                late: None,
                upload: 0,
                received: None,
            }),
            None => moodle::named(item)
                .or(dated)
                .or_else(|| canvas::named(item)),
        };
        let Some(found) = found else {
            own.push(Delivery {
                entrant: item.name.clone(),
                parts: vec![part(Content::Whole)],
                mark: None,
            });
            continue;
        };
        let part = Part {
            late: found.late == Some(true),
            upload: found.upload,
            received: found.received,
            ..part(found.content)
        };
        let entrant = found.entrant.clone();
        let delivery = named.entry(found.entrant).or_insert_with(|| Delivery {
            entrant,
            parts: Vec::new(),
            mark: Some(PlatformMark::default()),
        });
        delivery.parts.push(part);
        delivery.mark = Some(PlatformMark {
            late: found
                .late
                .map(|_| delivery.parts.iter().any(|part| part.late)),
            received: delivery.parts.iter().filter_map(|part| part.received).max(),
        });
    }
    own.extend(named.into_values());
    (own, ignored)
}

/// Returns whether a file has a platform's name for files of many people in one folder.
pub(super) fn has_named_file(name: &str) -> bool {
    let item = Item {
        name: name.to_owned(),
        is_folder: false,
    };
    [moodle::named, canvas::named, dated::named]
        .iter()
        .any(|named| named(&item).is_some())
}

/// Returns the entrant of a file or folder, if a platform has named it.
pub(super) fn entrant_of(name: &str) -> Option<String> {
    let item = |is_folder| Item {
        name: name.to_owned(),
        is_folder,
    };
    [true, false]
        .into_iter()
        .find_map(|is_folder| {
            moodle::named(&item(is_folder)).or_else(|| dated::named(&item(is_folder)))
        })
        .or_else(|| canvas::named(&item(false)))
        .map(|named| named.entrant)
}

/// A file or folder of a class, beside the others.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub(super) name: String,
    pub(super) is_folder: bool,
}

/// The meaning of a platform's name for one file or folder.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Named {
    /// Name of the entrant: the person's name and number, or the login.
    entrant: String,
    content: Content,
    late: Option<bool>,
    /// The number of the upload; higher ones came later.
    upload: u64,
    /// When it was received, in the platform's zone.
    received: Option<DateTime>,
}

/// The kind of a platform's file or folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// A submission as a whole: a folder, or a zip of one.
    Whole,
    /// A file, with its author's name for it.
    File(String),
    /// A text or a link that was typed in, and no file of the author's. The word names which.
    Typed(&'static str),
}

/// An entry among submissions that is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ignored {
    /// One entry.
    Entry {
        /// Its name, or the place of a line in a list.
        name: String,
        /// Why it is no submission.
        reason: String,
    },
    /// Several entries, in words.
    Several(String),
}

impl Ignored {
    /// Returns an ignored entry, by its name or the place of its line.
    pub fn entry(name: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::Entry {
            name: name.into(),
            reason: reason.into(),
        }
    }

    /// Returns whether it is the entry of this name.
    pub fn is(&self, entry: &str) -> bool {
        matches!(self, Self::Entry { name, .. } if name == entry)
    }

    /// Lists all in one line.
    pub fn listed(all: &[Self]) -> String {
        let all: Vec<String> = all.iter().map(Self::to_string).collect();
        all.join(", ")
    }
}

impl fmt::Display for Ignored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Entry { name, reason } => write!(f, "{name} ({reason})"),
            Self::Several(words) => f.write_str(words),
        }
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

    #[test]
    fn files_of_one_person_are_put_together_and_others_stay_as_they_are() {
        let items = files(&[
            "leeann_LATE_12_345_Cat.h",
            "leeann_LATE_12_346_Catcher.h",
            "leebob_13_400_hw.zip",
            "Ann Lee_17_assignsubmission_file_/",
            "Ann Lee_17_assignsubmission_onlinetext_/",
            "eve/",
        ]);
        let (all, ignored) = deliveries(&items);
        let told: Vec<(&str, usize, Option<PlatformMark>)> = all
            .iter()
            .map(|one| (one.entrant.as_str(), one.parts.len(), one.mark))
            .collect();
        let mark = |late| {
            Some(PlatformMark {
                late,
                received: None,
            })
        };
        assert_eq!(
            told,
            [
                ("eve", 1, None),
                ("Ann Lee_17", 2, mark(None)),
                ("leeann_12", 2, mark(Some(true))),
                ("leebob_13", 1, mark(Some(false))),
            ]
        );
        assert!(ignored.is_empty());
    }

    #[test]
    fn nobody_gives_files_to_somebody_else_by_a_name() {
        let items = files(&[
            "Ann Lee_17_assignsubmission_file_bot.py",
            // By the author's own name, and by that of the file.
            "Ann Lee_17_assignsubmission_file_x_23_assignsubmission_file_bot.py",
            "Eve_23_assignsubmission_file_Ann Lee_17_assignsubmission_file_bot.py",
        ]);
        let (all, ignored) = deliveries(&items);
        let told: Vec<(&str, usize)> = all
            .iter()
            .map(|one| (one.entrant.as_str(), one.parts.len()))
            .collect();
        assert_eq!(told, [("Ann Lee_17", 1)]);
        assert_eq!(ignored.len(), 2, "{ignored:?}");
    }

    #[test]
    fn attempts_of_a_day_are_no_repositories() {
        let attempt = |day: &str, end: &str| format!("P 1_ann_attempt_2026-03-{day}-10-00-00{end}");
        let names = [
            attempt("26", "_bot.py"),
            attempt("27", "_bot.py"),
            attempt("27", ".txt"),
        ];
        let told = |names: &[String], more: &[&str]| {
            let names: Vec<&str> = names
                .iter()
                .map(String::as_str)
                .chain(more.iter().copied())
                .collect();
            let (all, _) = deliveries(&files(&names));
            let told = all.iter().map(|one| (one.entrant.clone(), one.parts.len()));
            told.collect::<Vec<_>>()
        };
        assert_eq!(told(&names, &[]), [("ann".to_owned(), 3)]);
        // Without the texts about attempts, and next to a file of staff.
        let found = told(&names[..2], &["notes.txt"]);
        assert!(found.contains(&("ann".to_owned(), 2)), "{found:?}");
        // An author on Canvas has chosen the end of a name.
        let chosen = "leeann_LATE_3_44_x_bob_attempt_2026-03-01-00-00-00_bot.py";
        let canvas = told(&[], &[chosen, "roebob_4_45_notes.txt"]);
        let names: Vec<&str> = canvas.iter().map(|one| one.0.as_str()).collect();
        assert_eq!(names, ["leeann_3", "roebob_4"]);
    }

    #[test]
    fn a_practice_repository_is_no_submission() {
        let items = files(&[
            "c-Camel-1-ann/",
            "c-Camel-2-bob/",
            "practice-c-Camel-3-bob/",
        ]);
        let (all, ignored) = deliveries(&items);
        let names: Vec<&str> = all.iter().map(|one| one.entrant.as_str()).collect();
        assert_eq!(names, ["ann", "bob"]);
        let practice = Ignored::entry("practice-c-Camel-3-bob", "a practice repository");
        assert_eq!(ignored, [practice]);
    }
}
