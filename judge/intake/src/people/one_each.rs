//! One entrant for each user, where users put files side by side.

use super::super::submission::Submission;
use super::owners::{NameOwners, right};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Lists the submissions of users who have a better one there, each with the name of that one. The
/// better one has the user's login as its name, or else came first in a watch, or else can be
/// played, or else is the first by name. Staff's and system accounts' submissions are not listed.
/// If all belong to one user, this user has gathered a class, and none is listed.
pub(in super::super) fn beyond_one_each<'a>(
    found: impl Iterator<Item = &'a Submission>,
    owners: Option<&NameOwners>,
) -> Vec<(String, String)> {
    let all: Vec<&Submission> = found.collect();
    if all.iter().all(|one| one.owner == all[0].owner) {
        return Vec::new();
    }
    let mut by_user: BTreeMap<u32, Vec<&Submission>> = BTreeMap::new();
    for one in all {
        if let Some(user) = one.owner.person() {
            by_user.entry(user).or_default().push(one);
        }
    }
    let mut beyond = Vec::new();
    for all in by_user.into_values() {
        let rank = |one: &&Submission| {
            let right = right(&one.name, one.owner, owners);
            (right, one.form.is_ok(), Reverse(one.name.clone()))
        };
        let Some(best) = all.iter().copied().max_by_key(rank) else {
            continue;
        };
        let others = all.into_iter().filter(|one| one.name != best.name);
        beyond.extend(others.map(|one| (one.name.clone(), best.name.clone())));
    }
    beyond
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::received::ReceivedFiles;
    use crate::submission::Form;
    use system::foreign::Owner;

    #[test]
    fn each_user_has_the_entrant_that_came_first_and_staff_has_any_number() {
        let eve = Owner::Person(4_000_001_503);
        let one = |name: &str, owner, plays: bool| {
            let received = ReceivedFiles {
                owner,
                ..ReceivedFiles::default()
            };
            let mut one = Submission::new(name.to_owned(), received, None);
            one.form = plays.then_some(Form::Described).ok_or_else(String::new);
            one
        };
        let all = [
            one("a", eve, false),
            one("b", eve, true),
            one("c", eve, true),
            one("x", Owner::Staff, true),
            one("y", Owner::Staff, true),
            one("z", Owner::System(33), true),
            one("zz", Owner::System(33), true),
        ];
        let beyond = |owners: Option<&NameOwners>| beyond_one_each(all.iter(), owners);
        let pair = |name: &str, best: &str| (name.to_owned(), best.to_owned());
        assert_eq!(beyond(None), [pair("a", "b"), pair("c", "b")]);
        assert_eq!(beyond_one_each(all[..3].iter(), None), []);
        let mut owners = NameOwners::default();
        owners.note("c", 4_000_001_503);
        assert_eq!(beyond(Some(&owners)), [pair("a", "c"), pair("b", "c")]);
    }
}
