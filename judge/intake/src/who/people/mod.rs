//! People, their submissions and their names. `entrant_name` writes a name that can be shown, and
//! `spell_out_lookalikes` spells out those that look alike. `claims.rs` decides whose a submission
//! is.
//! `store::names` gives public names.

mod claims;
mod roster;

use crate::read::submission::Submission;
use model::builtin::{FILLER_PREFIX, PREFIX};
use model::fault::quote;
use model::text::{skeleton, spelled_out};
use std::collections::{BTreeMap, BTreeSet};
use unicode_normalization::UnicodeNormalization;

pub use claims::{Claims, claim};
pub use roster::{FILE_NAME, ListRules, ReadRoster, read, read_whole};

pub(crate) fn spell_out_lookalikes(submissions: &mut [Submission]) {
    let mut taken: BTreeSet<String> = submissions.iter().map(|one| one.name.clone()).collect();
    let mut skeletons: BTreeMap<String, Vec<&mut Submission>> = BTreeMap::new();
    for submission in submissions {
        let skeleton = skeleton(&submission.name);
        skeletons.entry(skeleton).or_default().push(submission);
    }
    for alike in skeletons.into_values().filter(|alike| alike.len() > 1) {
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

const SPELLED: &str = "\\u{";

/// Makes the name of an entrant from that of a submission. Refuses, with the reason, names of the
/// judge's own bots, and names that others are compared by.
pub(crate) fn entrant_name(submission: &str) -> (String, Option<String>) {
    if submission.contains(SPELLED) {
        let name = written(&submission.replace(SPELLED, "\\u_"));
        return (name, Some(format!("has {SPELLED} in its name; rename it")));
    }
    let name = written(submission);
    let seen = skeleton(&name);
    let reserved = [PREFIX, FILLER_PREFIX];
    let Some(reserved) = reserved
        .iter()
        .find(|begin| seen.starts_with(&skeleton(begin)))
    else {
        return (name, None);
    };
    let reason = format!(
        "would be called {name:?}, but names that begin with {reserved:?} are reserved for built-in bots; rename it"
    );
    (
        spelled_out(&name).replacen([':', '('], "_", 1),
        Some(reason),
    )
}

/// Independent of how the author's system composes letters, and fit to be shown.
fn written(submission: &str) -> String {
    let name: String = submission.nfc().collect();
    without_commands(&with_blanks_shown(&name))
}

fn with_blanks_shown(name: &str) -> String {
    let inner = name.trim_matches(' ');
    let shown = |blanks: &str| "\\u{20}".repeat(blanks.len());
    let (before, rest) = name.split_at(name.len() - name.trim_start_matches(' ').len());
    let after = &rest[inner.len()..];
    format!("{}{}{}", shown(before), quote(inner), shown(after))
}

fn without_commands(name: &str) -> String {
    let name = name.replace("##[", "#\\u{23}[");
    match name.strip_prefix("::") {
        Some(rest) => format!("\\u{{3a}}:{rest}"),
        None => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::submission::Form;

    fn reported(names: &[&str]) -> [Vec<String>; 2] {
        let received = |name: &&str| {
            let mut one = Submission::of(Vec::new()).identified(name, None);
            one.form = Ok(Form::Described);
            one
        };
        let mut all: Vec<Submission> = names.iter().map(received).collect();
        spell_out_lookalikes(&mut all);
        let (plays, refused): (Vec<_>, Vec<_>) = all.into_iter().partition(|one| one.form.is_ok());
        [plays, refused].map(|all| all.into_iter().map(|one| one.name).collect())
    }

    #[test]
    fn all_but_plain_names_are_spelled_out() {
        let [plays, refused] = reported(&["jose", "jоse", "josе", "eve"]);
        assert_eq!(plays, ["jose", "j\\u{43e}se", "jos\\u{435}", "eve"]);
        assert!(refused.is_empty());
        // A name may be equal to one that is spelled out.
        let [plays, refused] = reported(&["jose", "jоse", "j\\u{43e}se"]);
        assert_eq!(plays, ["jose", "j\\u{43e}se"]);
        assert_eq!(refused, ["jоse"]);
    }

    #[test]
    fn leading_command_markers_in_names_are_escaped() {
        for (name, shown) in [
            ("::error::eve", "\\u{3a}:error::eve"),
            ("a##[error]", "a#\\u{23}[error]"),
            ("eve::", "eve::"),
            (":eve", ":eve"),
        ] {
            assert_eq!(without_commands(name), shown);
        }
    }

    #[test]
    fn outer_blanks_of_names_are_shown() {
        assert_eq!(with_blanks_shown("an n"), "an n");
        assert_eq!(with_blanks_shown("ann  "), "ann\\u{20}\\u{20}");
        assert_eq!(with_blanks_shown(" ann"), "\\u{20}ann");
        assert_eq!(with_blanks_shown("  "), "\\u{20}\\u{20}");
    }
}
