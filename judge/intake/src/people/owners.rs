//! Owners of names, where several people put files side by side.

use super::super::submission::Submission;
use nix::unistd::User;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use system::foreign::Owner;

/// The number of the person who first submitted something under a name, by entrant.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct NameOwners(BTreeMap<String, u32>);

impl NameOwners {
    /// Notes who has submitted something as an entrant; the first one keeps the name.
    pub fn note(&mut self, entrant: &str, person: u32) {
        self.0.entry(entrant.to_owned()).or_insert(person);
    }

    /// Returns the owner of a name.
    pub(in super::super) fn of(&self, entrant: &str) -> Option<u32> {
        self.0.get(entrant).copied()
    }

    /// Lists the names that a person owns.
    pub fn names_of(&self, person: u32) -> impl Iterator<Item = &str> {
        let own = self.0.iter().filter(move |(_, own)| **own == person);
        own.map(|(name, _)| name.as_str())
    }

    /// Returns whether a person owns any name.
    fn has(&self, person: u32) -> bool {
        self.0.values().any(|own| *own == person)
    }
}

/// Right of a person to a name, the weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Right {
    /// None: it belongs to somebody else.
    Never,
    /// None, and they own another name.
    Another,
    /// None.
    None,
    /// They were the first to be received under it.
    First,
    /// None, but a system account's files are no student's, for example those of a web server.
    /// Other programs may write with the rights of such an account.
    System,
    /// It is their login.
    Login,
    /// They are staff.
    Staff,
}

/// The outcome for the person who gives a name.
pub(in super::super) enum Contest {
    /// Nobody else has the name.
    Keeps,
    /// It belongs to the other, or to somebody absent.
    Loses,
    /// It does not belong to the other.
    Wins,
    /// The owner is unknown.
    Undecided,
}

/// Decides the owner of a name that `own` gives, and that `other` has already, if anybody. Staff's
/// files win, then the user whose login it is, then a system account. In a watch, which knows
/// `owners`, the first to be received wins, then the one who has no other name.
pub(in super::super) fn contest(
    name: &str,
    own: Owner,
    other: Option<Owner>,
    owners: Option<&NameOwners>,
) -> Contest {
    let right = right(name, own, owners);
    match other {
        None if right == Right::Never => Contest::Loses,
        None => Contest::Keeps,
        Some(other) if other == own => Contest::Undecided,
        Some(other) => match right.cmp(&self::right(name, other, owners)) {
            Ordering::Less => Contest::Loses,
            Ordering::Equal => Contest::Undecided,
            Ordering::Greater => Contest::Wins,
        },
    }
}

/// Returns the right of an owner to a name.
pub(super) fn right(name: &str, owner: Owner, owners: Option<&NameOwners>) -> Right {
    let person = match owner {
        Owner::Staff => return Right::Staff,
        Owner::System(_) => return Right::System,
        Owner::Person(_) | Owner::Unknown => owner.person(),
    };
    let is_theirs = |holder: u32, right| {
        if person == Some(holder) {
            right
        } else {
            Right::Never
        }
    };
    // The login decides before the first receipt. Otherwise somebody else's version would play for
    // the user with this login.
    if let Some(holder) = login_of(name) {
        return is_theirs(holder, Right::Login);
    }
    if let Some(holder) = owners.and_then(|owners| owners.of(name)) {
        return is_theirs(holder, Right::First);
    }
    // A person who copies the others' names has one already.
    let has_another = person.is_some_and(|person| owners.is_some_and(|all| all.has(person)));
    if has_another {
        Right::Another
    } else {
        Right::None
    }
}

/// Returns the number of the person with this login, if any.
fn login_of(name: &str) -> Option<u32> {
    let user = User::from_name(name).ok().flatten();
    user.and_then(|user| Owner::of_user(user.uid.as_raw()).person())
}

/// Merges the submissions of several places. A student whose name is in another place too gives it
/// up: nobody stops the others' run with somebody's name. Lists the names that staff have given
/// twice, each with both places.
pub fn in_several_places(
    found: Vec<(&Path, Submission)>,
) -> (Vec<Submission>, Vec<(String, [&Path; 2])>) {
    let mut names: HashMap<String, usize> = HashMap::new();
    for (_, one) in &found {
        *names.entry(one.name.clone()).or_default() += 1;
    }
    let mut homes: HashMap<String, &Path> = HashMap::new();
    let mut twice = Vec::new();
    let mut all = Vec::with_capacity(found.len());
    for (place, mut one) in found {
        if names[&one.name] > 1 && one.owner.is_students() {
            one.give_up_name(|name| names.contains_key(name));
            names.insert(one.name.clone(), 1);
        } else if let Some(home) = homes.insert(one.name.clone(), place) {
            twice.push((one.name.clone(), [home, place]));
        }
        all.push(one);
    }
    all.sort_by(|a, b| a.name.cmp(&b.name));
    (all, twice)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::received::ReceivedFiles;

    #[test]
    fn a_system_account_comes_after_staff_and_after_the_user_with_the_login() {
        let root = login_of("root");
        assert_eq!(root, None, "no person");
        let mut owners = NameOwners::default();
        owners.note("zoe", 1001);
        let [web, nobody] = [33, 65_534].map(Owner::of_user);
        for account in [web, nobody] {
            let of = |owner| right("zoe", owner, Some(&owners));
            assert!(of(account) < Right::Login);
            assert!(of(Owner::Person(1001)) < of(account));
            assert!(of(account) < of(Owner::Staff));
            let both = contest("zoe", account, Some(Owner::Staff), Some(&owners));
            assert!(matches!(both, Contest::Loses));
        }
    }

    #[test]
    fn between_places_students_give_a_name_up_and_staff_must_rename() {
        let one = |name: &str, owner| {
            let received = ReceivedFiles {
                origin: format!("{name}.py"),
                owner,
                ..ReceivedFiles::default()
            };
            Submission::new(name.to_owned(), received, None)
        };
        let [here, there] = ["here", "there"].map(Path::new);
        let (all, twice) = in_several_places(vec![
            (here, one("ann", Owner::Person(1001))),
            (here, one("bob", Owner::Staff)),
            (here, one("eve", Owner::Person(1002))),
            (there, one("ann", Owner::Staff)),
            (there, one("bob", Owner::Staff)),
        ]);
        let names: Vec<&str> = all.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["ann", "ann.py", "bob", "bob", "eve"]);
        assert_eq!(twice, [("bob".to_owned(), [here, there])]);
    }
}
