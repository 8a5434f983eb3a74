//! The entry point of intake: a place becomes one submission, or the submissions of a class.

use crate::read::places::file_name;
use crate::read::repositories::LIST_NAME;
use crate::read::source::PlatformMark;
use crate::read::submission::Submission;
use crate::who::collect::{Class, Expected, Opening, collect, collect_commit, unknown_layout};
use crate::who::one_or_class::{
    Holds, classes_in, collect_handed_in, collect_one, has_list, kind_of, only_folder,
    strangers_list,
};
use crate::who::people::ReadRoster;
use crate::who::platform::{self, Ignored, Item};
use model::entrant::Roster;
use model::text::{for_shell, listed};
use rulebook::rules::Rules;
use rulebook::{Result, refuse};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The content of a place.
#[derive(Debug)]
pub enum Opened {
    /// One submission. Whether it can be played is in its form.
    One(Box<Submission>),
    /// The submissions of a class.
    Class(Class),
}

impl Opened {
    /// Returns the submissions as a class, also if there is only one.
    pub fn into_class(self) -> Class {
        match self {
            Self::Class(class) => class,
            Self::One(one) => Class {
                submissions: vec![*one],
                ..Class::default()
            },
        }
    }
}

/// Reads a folder, an archive, a platform's download, a program, or a list of repositories.
pub fn open(place: &Path, opening: Opening<'_>) -> Result<Opened> {
    let game = opening.game;
    let submission = match opening.expected {
        Expected::One => open_one(place, game, opening.stop)?,
        Expected::HandedIn => collect_handed_in(place, game)?,
        Expected::Either | Expected::Class if opening.polled.is_some() => {
            return open_class(place, opening);
        }
        Expected::Either | Expected::Class => {
            let place = &inside(place, game)?;
            match (kind_of(place, game)?, opening.expected) {
                // Only next to the others is a platform's name known as a person's, which stays
                // with staff.
                (Holds::One, Expected::Class) if is_delivery(place) => {
                    return refuse(format!(
                        "{} has a learning platform's name, which only staff may see; give the folder of the whole download, or rename it",
                        place.display()
                    ));
                }
                (Holds::One, _) | (Holds::Unclear, Expected::Either) => {}
                (Holds::Several | Holds::Unclear, _) => return open_class(place, opening),
            }
            let submission = collect_one(place, game)?;
            if opening.expected == Expected::Either
                && submission.form.is_err()
                && submission.description.is_none()
                && has_list(place)
            {
                let list = for_shell(&place.join(LIST_NAME).display().to_string());
                return Err(strangers_list(place, &format!("judge check {list}")));
            }
            submission
        }
    };
    Ok(Opened::One(Box::new(submission)))
}

fn open_class(place: &Path, opening: Opening<'_>) -> Result<Opened> {
    let class = collect(place, opening)?;
    let is_known = |one: &Submission| one.form.is_ok() || one.mark.is_some() || one.is_awaited();
    if opening.polled.is_none() && !class.submissions.iter().any(is_known) {
        let inner = classes_in(place);
        if !inner.is_empty() {
            let names: Vec<String> = inner.iter().map(|inner| file_name(inner)).collect();
            return Err(unknown_layout(&format!(
                "{} has folders that hold several submissions each ({}), which can be given with --submissions",
                place.display(),
                listed(&names)
            )));
        }
    }
    Ok(Opened::Class(class))
}

/// Returns the folder of a class in a place that holds nothing else, or the place itself.
fn inside(place: &Path, game: Option<&Arc<dyn Rules>>) -> Result<PathBuf> {
    if let Some(only) = only_folder(place).filter(|only| !is_delivery(only)) {
        let inner = inside(&only, game)?;
        if inner != only || kind_of(&only, game)? == Holds::Several {
            return Ok(inner);
        }
    }
    Ok(place.to_owned())
}

fn is_delivery(place: &Path) -> bool {
    let item = Item {
        name: file_name(place),
        is_folder: place.is_dir(),
    };
    let around = place.parent().map(file_name).unwrap_or_default();
    platform::assign_items(&[item], &around)
        .unassigned
        .is_empty()
}

/// Reads one submission, as [`open`] does for [`Expected::One`].
pub fn open_one(
    place: &Path,
    game: Option<&Arc<dyn Rules>>,
    stop: &AtomicBool,
) -> Result<Submission> {
    match commit_of(place) {
        Some((folder, reference)) => collect_commit(&folder, reference, game, stop),
        None => collect_one(place, game),
    }
}

/// Returns the folder or file on this machine that a place refers to.
pub fn folder_of(place: &Path) -> PathBuf {
    commit_of(place).map_or_else(|| place.to_owned(), |(folder, _)| folder)
}

/// Returns `None` if a file has that name, or there is no such folder.
fn commit_of(place: &Path) -> Option<(PathBuf, &str)> {
    let (folder, reference) = place.to_str()?.rsplit_once('@')?;
    let folder = PathBuf::from(folder);
    let is_commit = !reference.is_empty() && !place.exists() && folder.is_dir();
    is_commit.then_some((folder, reference))
}

/// Applies a list to a class. Returns whether it is a platform's that changes names or marks.
pub fn apply_list(class: &mut Class, read: &mut ReadRoster) -> bool {
    let Some((platform, form)) = read.list else {
        return false;
    };
    if form.has_named {
        for one in &mut class.submissions {
            one.mark.get_or_insert(PlatformMark {
                platform: platform.name,
                ..PlatformMark::default()
            });
        }
    }
    if form.is_of_teams {
        join_teams(class, &mut read.roster, platform.name);
    }
    form.has_named || form.is_of_teams
}

fn join_teams(class: &mut Class, roster: &mut Roster, platform: &str) {
    let all = &mut class.submissions;
    let mut teams: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
    for person in &roster.people {
        let team = &person.section;
        let is_own = |one: &Submission| {
            let rest = one.name.strip_prefix(team.as_str());
            one.mark.is_some_and(|mark| mark.platform == platform)
                && rest.is_some_and(|rest| rest.starts_with('-'))
                && one.name == person.submission
        };
        let place = all.iter().position(is_own);
        if let Some(place) = place.filter(|_| !team.is_empty()) {
            teams.entry(team.clone()).or_default().insert(place);
        }
    }
    let mut joined = BTreeSet::new();
    for (team, mut places) in teams {
        let first = places.pop_first().expect("somebody's");
        let is_equal = |place: &usize| all[*place].content() == all[first].content();
        if all.iter().any(|one| one.name == team) || !places.iter().all(is_equal) {
            let words = format!("the files of the members of {team} differ, so each plays");
            class.ignored.push(Ignored::several(words));
            continue;
        }
        for person in &mut roster.people {
            if person.section == team {
                person.submission.clone_from(&team);
            }
        }
        for place in &places {
            let reason = format!("the same files as the others of {team}, which play once");
            let ignored = Ignored::entry(&all[*place].name, reason);
            class.ignored.push(ignored);
        }
        all[first].name = team;
        joined.append(&mut places);
    }
    let mut place = 0..;
    all.retain(|_| place.next().is_none_or(|place| !joined.contains(&place)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::source::SourceFile;
    use model::entrant::Person;
    use std::fs;

    #[test]
    fn a_folder_around_a_class_is_that_class() {
        let folder = tempfile::tempdir().expect("a folder");
        let klass = folder.path().join("download/klass");
        let stop = AtomicBool::new(false);
        let names = |name: &str, expected| {
            let opening = Opening::new(expected, None, &stop);
            let opened = open(&folder.path().join(name), opening).expect("readable");
            let class = opened.into_class().submissions.into_iter();
            class.map(|one| one.name).collect::<Vec<_>>()
        };
        for (name, expected) in [("ann", &["klass"][..]), ("bob", &["ann", "bob"])] {
            fs::create_dir_all(klass.join(name)).expect("writable");
            fs::write(klass.join(name).join("bot.py"), "#!/usr/bin/env python3\n")
                .expect("writable");
            assert_eq!(names("download", Expected::Class), expected);
        }
        assert_eq!(names("", Expected::Class), ["ann", "bob"]);
        assert_eq!(names("download", Expected::Either), ["ann", "bob"]);
        let delivery = klass.with_file_name("Ann Lee_1_assignsubmission_file_");
        fs::rename(&klass, delivery).expect("writable");
        assert_eq!(names("download", Expected::Class).len(), 1, "one person's");
    }

    #[test]
    fn repository_list_outside_class_fetches_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join(LIST_NAME), "eve /secret\n").expect("writable");
        let stop = AtomicBool::new(false);
        let refusal = || {
            let opening = Opening::new(Expected::Either, None, &stop);
            let opened = open(folder.path(), opening);
            opened.expect_err("no submissions").to_string()
        };
        let alone = refusal();
        let words = "its author may have written, so none of its repositories is fetched";
        assert!(alone.contains(words), "{alone}");
        fs::write(folder.path().join("roster.csv"), "submission,id\n").expect("writable");
        let class = refusal();
        assert!(class.contains("submissions.txt (not used"), "{class}");
    }

    #[test]
    fn equal_files_of_a_team_are_one_submission() {
        let class = [
            ("Lab-1-Ann-Lena Lee_4", "Lab-1", "a"),
            ("Lab-1-Ann-Marie Roe_5", "Lab-1", "a"),
            ("Lab-2-Cem_7", "Lab-2", "b"),
            ("Lab-2-Dee_8", "Lab-2", "c"),
            ("Kim Min-ho_9", "", "a"),
            ("Kim Min-ji_10", "", "a"),
        ];
        let mut roster = Roster::default();
        let submission = |(name, section, text): &(&str, &str, &str)| {
            let file = SourceFile {
                executable: true,
                ..SourceFile::new("bot.py", *text)
            };
            let received = Submission {
                mark: Some(PlatformMark {
                    platform: "Moodle",
                    ..PlatformMark::default()
                }),
                ..Submission::of(vec![file])
            };
            roster.people.push(Person {
                submission: (*name).to_owned(),
                id: (*name).to_owned(),
                section: (*section).to_owned(),
                ..Person::default()
            });
            received.identified(name, None)
        };
        let mut joined = Class {
            submissions: class.iter().map(submission).collect(),
            ..Class::default()
        };
        join_teams(&mut joined, &mut roster, "Moodle");
        let names = joined.submissions.iter().map(|one| &*one.name);
        let others = class[2..].iter().map(|one| one.0);
        assert!(names.eq(["Lab-1"].into_iter().chain(others.clone())));
        assert_eq!(joined.ignored.len(), 2, "{:?}", joined.ignored);
        let theirs = roster.people.iter().map(|one| &*one.submission);
        assert!(theirs.eq(["Lab-1", "Lab-1"].into_iter().chain(others)));
    }
}
