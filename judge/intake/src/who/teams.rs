//! Hidden names and teams, by a platform's list. In Moodle's team assignments each member has a folder
//! with the team's files, `TEAM-NAME_NUMBER`. The worksheet names the team.

use crate::read::source::PlatformMark;
use crate::read::submission::Submission;
use crate::who::collect::Class;
use crate::who::people::ReadRoster;
use crate::who::platform::Ignored;
use model::entrant::Roster;
use std::collections::{BTreeMap, BTreeSet};

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
    let Class {
        submissions: all,
        ignored,
        ..
    } = class;
    let mut teams: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
    for person in &roster.people {
        let is_own = |one: &Submission| {
            let is_named = one.mark.is_some_and(|mark| mark.platform == platform);
            let rest = one.name.strip_prefix(person.section.as_str());
            let is_of_team = rest.is_some_and(|rest| rest.starts_with('-'));
            is_named && is_of_team && one.name == person.submission
        };
        if let Some(place) = all
            .iter()
            .position(is_own)
            .filter(|_| !person.section.is_empty())
        {
            teams
                .entry(person.section.clone())
                .or_default()
                .insert(place);
        }
    }
    let mut joined = BTreeSet::new();
    for (team, places) in teams {
        let mut places = places.into_iter();
        let first = places.next().expect("somebody's");
        let others: Vec<usize> = places.collect();
        let is_equal = |place: &usize| all[*place].content() == all[first].content();
        if all.iter().any(|one| one.name == team) || !others.iter().all(is_equal) {
            let words = format!("the files of the members of {team} differ, so each plays");
            ignored.push(Ignored::several(words));
            continue;
        }
        for person in roster
            .people
            .iter_mut()
            .filter(|person| person.section == team)
        {
            person.submission.clone_from(&team);
        }
        for place in &others {
            let reason = format!("the same files as the others of {team}, which play once");
            ignored.push(Ignored::entry(&all[*place].name, reason));
        }
        all[first].name = team;
        joined.extend(others);
    }
    let mut place = 0..;
    all.retain(|_| place.next().is_none_or(|place| !joined.contains(&place)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::source::SourceFile;
    use model::entrant::Person;

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
