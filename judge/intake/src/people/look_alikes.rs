//! Names that look alike are made distinct before anything is kept or played under them.

use super::super::submission::Submission;
use model::text::{look, spelled_out};
use std::collections::{BTreeMap, BTreeSet};

/// Makes names that look alike distinct, and warns everybody concerned: those that are not plain
/// ASCII are spelled out in ASCII.
pub(in super::super) fn tell_apart(submissions: &mut [Submission]) {
    let mut taken: BTreeSet<String> = submissions.iter().map(|one| one.name.clone()).collect();
    let mut looks: BTreeMap<String, Vec<&mut Submission>> = BTreeMap::new();
    for submission in submissions {
        let look = look(&submission.name);
        looks.entry(look).or_default().push(submission);
    }
    for alike in looks.into_values().filter(|alike| alike.len() > 1) {
        let names: Vec<String> = alike.iter().map(|one| spelled_out(&one.name)).collect();
        for (index, submission) in alike.into_iter().enumerate() {
            let (spelled, other) = (&names[index], &names[usize::from(index == 0)]);
            let keeps = *spelled == submission.name;
            let remedy = if keeps { "" } else { "; choose another one" };
            submission.warnings.push(format!(
                "the names {spelled} and {other} look alike{remedy}"
            ));
            if keeps || taken.insert(spelled.clone()) {
                submission.name.clone_from(spelled);
            } else {
                submission.form = Err(format!(
                    "looks like {other}, and there is also {spelled}; rename it"
                ));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::received::ReceivedFiles;
    use crate::submission::Form;

    /// Returns the names that play, and those that are refused.
    fn told(names: &[&str]) -> [Vec<String>; 2] {
        let received = |name: &&str| {
            let mut one = Submission::new((*name).to_owned(), ReceivedFiles::default(), None);
            one.form = Ok(Form::Described);
            one
        };
        let mut all: Vec<Submission> = names.iter().map(received).collect();
        tell_apart(&mut all);
        let (plays, refused): (Vec<_>, Vec<_>) = all.into_iter().partition(|one| one.form.is_ok());
        [plays, refused].map(|all| all.into_iter().map(|one| one.name).collect())
    }

    #[test]
    fn all_but_plain_names_are_spelled_out() {
        let [plays, refused] = told(&["jose", "jоse", "josе", "eve"]);
        assert_eq!(plays, ["jose", "j\\u{43e}se", "jos\\u{435}", "eve"]);
        assert!(refused.is_empty());
    }

    #[test]
    fn a_name_that_is_spelled_out_like_another_one_is_refused() {
        let [plays, refused] = told(&["jose", "jоse", "j\\u{43e}se"]);
        assert_eq!(plays, ["jose", "j\\u{43e}se"]);
        assert_eq!(refused, ["jоse"]);
    }
}
