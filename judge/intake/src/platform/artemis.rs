//! Artemis's export of student repositories. Each participation is a folder or a zip
//! `COURSE-EXERCISE-NUMBER-LOGIN`: the course's short name, the exercise's title, the number of the
//! participation, and the student's login or the team's short name. With names hidden it is
//! `…-NUMBER-student-submission.git`. Practice repositories begin with `practice-`
//! (ls1intum/Artemis, `getStudentRepositoryName`).
//!
//! The text before the number is the same for all of an exercise. Only this distinguishes such a
//! name from one that somebody has chosen.

use super::Item;
use std::collections::{BTreeMap, BTreeSet};

/// Beginning of the names of practice repositories.
const PRACTICE: &str = "practice-";
/// Text in place of hidden logins.
const HIDDEN: &str = "student-submission";
/// Minimum number of repositories with the same beginning.
const ALIKE_MIN: usize = 2;

/// The kind of a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Repository {
    /// The repository of this login or team.
    Of(String),
    /// A practice repository.
    Practice,
}

/// Finds the repositories among the items.
pub(super) fn named(items: &[Item]) -> BTreeMap<usize, Repository> {
    let names: Vec<&str> = items.iter().map(name).collect();
    // No two participations have one number; a number in the exercise's title is the same for all.
    let mut numbers: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for name in &names {
        for split in splits(name.strip_prefix(PRACTICE).unwrap_or(name)) {
            numbers
                .entry(split.beginning)
                .or_default()
                .insert(split.number);
        }
    }
    // Among the most frequent beginnings, the shortest: the text after it belongs to the login.
    let common = (numbers.iter())
        .map(|(beginning, numbers)| (*beginning, numbers.len()))
        .filter(|(_, count)| *count >= ALIKE_MIN)
        .max_by(|(a, many), (b, more)| many.cmp(more).then(b.len().cmp(&a.len())));
    let Some((common, _)) = common else {
        return BTreeMap::new();
    };
    let mut found = BTreeMap::new();
    for (place, name) in names.iter().enumerate() {
        let practice = name.strip_prefix(PRACTICE);
        let Some(split) = splits(practice.unwrap_or(name)).find(|split| split.beginning == common)
        else {
            continue;
        };
        let repository = if practice.is_some() {
            Repository::Practice
        } else if split.login.starts_with(HIDDEN) {
            Repository::Of(format!("participation {}", split.number))
        } else {
            Repository::Of(split.login.to_owned())
        };
        found.insert(place, repository);
    }
    found
}

/// Returns the name without the ending of a zip.
fn name(item: &Item) -> &str {
    item.name
        .strip_suffix(".zip")
        .filter(|_| !item.is_folder)
        .unwrap_or(&item.name)
}

/// One way to split a name.
struct Split<'a> {
    /// Course and exercise.
    beginning: &'a str,
    number: &'a str,
    login: &'a str,
}

/// Lists all ways to split a name.
fn splits(name: &str) -> impl Iterator<Item = Split<'_>> {
    name.match_indices('-')
        .map(|(at, _)| at)
        .filter_map(move |at| {
            let (beginning, rest) = (&name[..at], &name[at + 1..]);
            let (number, login) = rest.split_once('-')?;
            let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
            let is_repository = beginning.contains('-') && is_number && !login.is_empty();
            is_repository.then_some(Split {
                beginning,
                number,
                login,
            })
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(names: &[&str]) -> Vec<String> {
        let items: Vec<Item> = names
            .iter()
            .map(|name| Item {
                name: (*name).to_owned(),
                is_folder: !name.contains(".zip"),
            })
            .collect();
        let found = named(&items);
        let told = found.into_values().map(|one| match one {
            Repository::Of(login) => login,
            Repository::Practice => "(practice)".to_owned(),
        });
        told.collect()
    }

    #[test]
    fn logins_are_what_comes_after_the_number() {
        let names = [
            "fpv-Crazy_Camel-101-ge12abc",
            "fpv-Crazy_Camel-102-team-5-a.zip",
            "practice-fpv-Crazy_Camel-103-ge12abc",
        ];
        assert_eq!(told(&names), ["ge12abc", "team-5-a", "(practice)"]);
        let with_number = ["c-Sheet-3-Camel-41-ann", "c-Sheet-3-Camel-42-bob"];
        assert_eq!(told(&with_number), ["ann", "bob"]);
        let hidden = [
            "c-Camel-41-student-submission.git",
            "c-Camel-42-student-submission.git",
        ];
        assert_eq!(told(&hidden), ["participation 41", "participation 42"]);
    }

    #[test]
    fn names_that_people_have_chosen_stay() {
        for names in [
            &["group-3-alice", "group-4-bob"][..],
            &["c-Camel-41-ann"],
            &["c-Camel-41-ann", "d-Camel-42-bob"],
            &["alice", "bob"],
        ] {
            assert!(told(names).is_empty(), "{names:?}");
        }
    }
}
