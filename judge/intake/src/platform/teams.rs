//! Moodle's team assignments. Each member has a folder with the team's files, `TEAM-NAME_NUMBER`.

use super::Ignored;
use crate::submission::Submission;
use std::collections::{BTreeMap, BTreeSet};

/// Joins the equal submissions of a team's members into one, named after the team. It remembers the
/// members' names for the list of people. Names with a `-` may be people's own, so all of the class
/// must have one.
pub(crate) fn join(mut all: Vec<Submission>, ignored: &mut Vec<Ignored>) -> Vec<Submission> {
    let is_moodles = |one: &Submission| {
        let is_marked = one
            .mark
            .is_some_and(|mark| mark == super::PlatformMark::default());
        let (_, number) = one.name.rsplit_once('_').unwrap_or_default();
        is_marked && !number.is_empty() && number.bytes().all(|c| c.is_ascii_digit())
    };
    if !all
        .iter()
        .all(|one| is_moodles(one) && one.name.contains('-'))
    {
        return all;
    }
    let mut by_team: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (place, one) in all.iter().enumerate() {
        for (at, _) in one.name.match_indices('-') {
            by_team
                .entry(one.name[..at].to_owned())
                .or_default()
                .push(place);
        }
    }
    let has_equal_files = |places: &[usize]| {
        let first = &all[places[0]];
        let is_equal = |place: &usize| all[*place].content() == first.content();
        !first.all_files().is_empty() && places.len() > 1 && places.iter().all(is_equal)
    };
    let mut teams: Vec<(String, Vec<usize>)> = by_team.into_iter().collect();
    teams.retain(|(_, places)| has_equal_files(places));
    teams.sort_by_key(|(team, places)| (usize::MAX - places.len(), usize::MAX - team.len()));
    let mut joined = BTreeSet::new();
    for (team, places) in teams {
        let is_taken = all.iter().any(|one| one.name == team);
        if is_taken || places.iter().any(|place| joined.contains(place)) {
            continue;
        }
        let members: Vec<String> = places
            .iter()
            .map(|place| all[*place].name.clone())
            .collect();
        let reason = format!("the same files as the others of {team}, which play once");
        let others = members.iter().skip(1);
        ignored.extend(others.map(|member| Ignored::entry(member, reason.clone())));
        let first = &mut all[places[0]];
        first.name = team;
        first.members = members;
        joined.extend(&places[1..]);
        joined.insert(places[0]);
    }
    let is_kept =
        |(place, one): &(usize, Submission)| !joined.contains(place) || !one.members.is_empty();
    let all = all.into_iter().enumerate().filter(is_kept);
    all.map(|(_, one)| one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::PlatformMark;
    use crate::received::ReceivedFiles;
    use crate::source::SourceFile;

    fn joined(class: &[(&str, &str)]) -> Vec<String> {
        let submission = |(name, text): &(&str, &str)| {
            let file = SourceFile {
                path: "bot.py".to_owned(),
                bytes: text.as_bytes().to_vec(),
                executable: true,
            };
            let received = ReceivedFiles {
                files: vec![file],
                mark: Some(PlatformMark::default()),
                ..ReceivedFiles::default()
            };
            Submission::new((*name).to_owned(), received, None)
        };
        let all = join(class.iter().map(submission).collect(), &mut Vec::new());
        all.into_iter().map(|one| one.name).collect()
    }

    #[test]
    fn equal_files_of_a_team_are_one_submission() {
        let class = [
            ("Lab-1-Ann-Lena Lee_4", "a"),
            ("Lab-1-Ann-Marie Roe_5", "a"),
            ("Lab-1-Bob_6", "a"),
            ("Lab-2-Cem_7", "b"),
            ("Lab-2-Dee_8", "b"),
            ("Lab-3-Eve_9", "a"),
        ];
        assert_eq!(joined(&class), ["Lab-1", "Lab-2", "Lab-3-Eve_9"]);
    }

    #[test]
    fn where_somebody_has_no_team_nobody_has() {
        let class = [
            ("Ann-Lena Lee_4", "a"),
            ("Ann-Marie Roe_5", "a"),
            ("Bob_6", "a"),
        ];
        assert_eq!(joined(&class).len(), 3);
        let class = [("Red-Ann_4", "a"), ("Red-Bob_5", "b")];
        assert_eq!(joined(&class).len(), 2);
    }
}
