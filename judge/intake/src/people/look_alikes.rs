//! Names that look alike are made distinct before anything is kept or played under them.

use super::super::submission::Submission;
use model::text::{look, spelled_out};
use std::collections::{BTreeMap, BTreeSet};

/// Makes names that look alike distinct, and warns everybody concerned. The first to be received
/// keeps the name. `since` returns a key that sorts by the time when something was first received
/// under a name, or `None`.
///
/// The other names that are not plain ASCII are spelled out in ASCII. A name in plain ASCII is
/// refused if the first name is not plain ASCII. If no name was first, every name that is not plain
/// ASCII is spelled out.
pub(in super::super) fn tell_apart<T: Ord>(
    submissions: &mut [Submission],
    since: impl Fn(&str) -> Option<T>,
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
        let first = first(&names, &since);
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
                submission.form = Err(format!(
                    "the name {spelled} looks like {shown}, which was submitted first; choose another one"
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

/// Returns the index of the name that existed before all others. Returns `None` if there is none,
/// or several came at the same time.
fn first<T: Ord>(names: &[String], since: &impl Fn(&str) -> Option<T>) -> Option<usize> {
    let times: Vec<Option<T>> = names.iter().map(|name| since(name)).collect();
    let earliest = Some(times.iter().flatten().min()?);
    let mut first = (0..names.len()).filter(|&index| times[index].as_ref() == earliest);
    let only = first.next()?;
    first.next().is_none().then_some(only)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::received::ReceivedFiles;
    use crate::submission::Form;

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
