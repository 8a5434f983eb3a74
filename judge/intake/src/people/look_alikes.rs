//! Names that look alike are made distinct before anything is kept or played under them.

use super::super::submission::Submission;
use super::owners::{Right, right};
use model::text::{look, spelled_out};
use std::collections::{BTreeMap, BTreeSet};

/// Makes names that look alike distinct, and warns everybody concerned. The owner with the best
/// right keeps the name: staff, then the user whose login it is, then the first. `since` returns a
/// key that sorts by the time when something was first received under a name, or `None`.
///
/// The other names that are not plain ASCII are spelled out in ASCII. A name in plain ASCII is
/// refused if the first name is not plain ASCII. If no name was first, every name that is not plain
/// ASCII is spelled out.
pub(in super::super) fn tell_apart<T: Ord>(
    submissions: &mut [Submission],
    since: impl Fn(&str) -> Option<T>,
) {
    tell_apart_by(submissions, since, |one| right(&one.name, one.owner, None));
}

/// Does the work of [`tell_apart`]. `right` returns the right of an owner to the name.
fn tell_apart_by<T: Ord>(
    submissions: &mut [Submission],
    since: impl Fn(&str) -> Option<T>,
    right: impl Fn(&Submission) -> Right,
) {
    let mut taken: BTreeSet<String> = submissions.iter().map(|one| one.name.clone()).collect();
    let mut looks: BTreeMap<String, Vec<&mut Submission>> = BTreeMap::new();
    for submission in submissions {
        let look = look(&submission.name);
        looks.entry(look).or_default().push(submission);
    }
    for mut alike in looks.into_values().filter(|alike| alike.len() > 1) {
        alike.sort_by(|a, b| a.name.cmp(&b.name));
        let names: Vec<String> = alike.iter().map(|one| one.name.clone()).collect();
        let rights: Vec<Right> = alike.iter().map(|one| right(one)).collect();
        let best = rights.iter().copied().max().unwrap_or(Right::Never);
        let first = first(&names, |at| rights[at] == best, &since);
        for (index, submission) in alike.into_iter().enumerate() {
            let spelled = spelled_out(&submission.name);
            let other = first.filter(|&first| first != index);
            let other = &names[other.unwrap_or(usize::from(index == 0))];
            let shown = spelled_out(other);
            let keeps = first == Some(index) || spelled == submission.name;
            let remedy = if keeps { "" } else { "; choose another one" };
            submission.warnings.push(format!(
                "the names {spelled} and {shown} look alike{remedy}"
            ));
            if first == Some(index) {
                continue;
            }
            if keeps && first.is_some_and(|_| shown != *other) {
                let why = if rights[index] < best {
                    "which belongs to staff or to the user with this login"
                } else {
                    "which was submitted first"
                };
                submission.form = Err(format!(
                    "the name {spelled} looks like {shown}, {why}; choose another one"
                ));
            } else if !keeps && !taken.insert(spelled.clone()) {
                submission.form = Err(format!(
                    "looks like {shown}, and there is also {spelled}; rename it"
                ));
            } else {
                submission.name = spelled;
            }
        }
    }
}

/// Returns the index of the only name with the best right, or of that among them which existed
/// before all others. Returns `None` if there is none, or several came at the same time.
fn first<T: Ord>(
    names: &[String],
    has_best: impl Fn(usize) -> bool,
    since: &impl Fn(&str) -> Option<T>,
) -> Option<usize> {
    let best: Vec<usize> = (0..names.len()).filter(|&index| has_best(index)).collect();
    if let [only] = best.as_slice()
        && names.len() > 1
    {
        return Some(*only);
    }
    let times: Vec<Option<T>> = best.iter().map(|&index| since(&names[index])).collect();
    let earliest = times.iter().flatten().min()?;
    let mut first = best.iter().zip(&times);
    let mut first = first
        .by_ref()
        .filter(|(_, time)| time.as_ref() == Some(earliest));
    let (only, _) = first.next()?;
    first.next().is_none().then_some(*only)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::received::ReceivedFiles;
    use crate::submission::Form;
    use system::foreign::Owner;

    /// Returns the names that play, and those that are refused. `since` gives the time when a name
    /// was first received.
    fn told(names: &[&str], since: &[(&str, &str)]) -> [Vec<String>; 2] {
        let received = |name: &&str| {
            let mut one = Submission::new((*name).to_owned(), ReceivedFiles::default(), None);
            one.form = Ok(Form::Described);
            one
        };
        let mut all: Vec<Submission> = names.iter().map(received).collect();
        tell_apart(&mut all, |name| {
            let found = since.iter().find(|(known, _)| *known == name);
            found.map(|(_, time)| (*time).to_owned())
        });
        let (plays, refused): (Vec<_>, Vec<_>) = all.into_iter().partition(|one| one.form.is_ok());
        [plays, refused].map(|all| all.into_iter().map(|one| one.name).collect())
    }

    #[test]
    fn where_nobody_was_first_all_but_plain_names_are_spelled_out() {
        let [plays, refused] = told(&["jose", "jоse", "josе", "eve"], &[]);
        assert_eq!(plays, ["jose", "j\\u{43e}se", "jos\\u{435}", "eve"]);
        assert!(refused.is_empty());
        let both = [("jоse", "1"), ("josе", "1")];
        assert_eq!(
            told(&["jоse", "josе"], &both)[0],
            ["j\\u{43e}se", "jos\\u{435}"]
        );
    }

    #[test]
    fn a_look_alike_that_came_first_takes_nothing_from_staff_or_from_a_login() {
        let submitted = |name: &str, owner| {
            let mut one = Submission::new(name.to_owned(), ReceivedFiles::default(), None);
            one.form = Ok(Form::Described);
            one.owner = owner;
            one
        };
        let (ann, eve) = (Owner::Person(1501), Owner::Person(1503));
        let right = |one: &Submission| match (one.owner, one.name.as_str()) {
            (Owner::Staff, _) => Right::Staff,
            (Owner::Person(1501), "ann") => Right::Login,
            _ => Right::None,
        };
        let first = |name: &str| (name != "ann").then_some(1);
        for owner in [ann, Owner::Staff] {
            let mut all = [submitted("ann", owner), submitted("\u{430}nn", eve)];
            tell_apart_by(&mut all, first, right);
            let [own, other] = &all;
            assert_eq!((own.name.as_str(), own.form.is_ok()), ("ann", true));
            assert_eq!(other.name, "\\u{430}nn");
        }
        // The plain name is refused where the other one has the better right.
        let mut all = [submitted("ann", eve), submitted("\u{430}nn", Owner::Staff)];
        tell_apart_by(&mut all, |_| None::<u8>, right);
        let refusal = all[0].form.as_ref().expect_err("refused");
        assert!(refusal.contains("belongs to staff or"), "{refusal}");
        assert_eq!(all[1].name, "\u{430}nn");
    }

    #[test]
    fn whoever_was_there_first_keeps_the_name() {
        let since = [("josé", "1")];
        let cyrillic = told(&["josé", "jоsé"], &since);
        assert_eq!(cyrillic, [vec!["josé", "j\\u{43e}s\\u{e9}"], vec![]]);
        // Refused submissions are kept too, but later.
        for since in [&[("jоse", "1")][..], &[("jоse", "1"), ("jose", "2")]] {
            assert_eq!(told(&["jose", "jоse"], since), [["jоse"], ["jose"]]);
        }
        assert_eq!(
            told(&["jose", "jоse"], &[("jose", "1")])[0],
            ["jose", "j\\u{43e}se"]
        );
    }

    #[test]
    fn a_name_that_is_spelled_out_like_another_one_is_refused() {
        let [plays, refused] = told(&["jose", "jоse", "j\\u{43e}se"], &[]);
        assert_eq!(plays, ["jose", "j\\u{43e}se"]);
        assert_eq!(refused, ["jоse"]);
    }
}
