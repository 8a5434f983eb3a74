//! Conversion of a submission's name into its entrant's name.

use model::builtin::{FILLER_PREFIX, PREFIX};
use model::fault::quote;
use model::text::{look, spelled_out};
use unicode_normalization::UnicodeNormalization;

/// First characters of a character that is spelled out.
const SPELLED: &str = "\\u{";

/// Makes the name of an entrant from that of a submission. Refuses, with the reason, the names of
/// the judge's own bots, and names that others are compared by. A refused submission gets another
/// name.
pub(in super::super) fn entrant_name(submission: &str) -> (String, Option<String>) {
    if submission.contains(SPELLED) {
        let name = written(&submission.replace(SPELLED, "\\u_"));
        return (name, Some(format!("has {SPELLED} in its name; rename it")));
    }
    let name = written(submission);
    let seen = look(&name);
    let reserved = [PREFIX, FILLER_PREFIX];
    let Some(reserved) = reserved.iter().find(|begin| seen.starts_with(&look(begin))) else {
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

/// Writes a name in one form, independent of how the author's system composes letters, and fit to
/// be shown.
pub(super) fn written(submission: &str) -> String {
    let name: String = submission.nfc().collect();
    without_commands(&with_blanks_shown(&name))
}

/// Makes blanks at either end of a name visible.
fn with_blanks_shown(name: &str) -> String {
    let inner = name.trim_matches(' ');
    let shown = |blanks: &str| "\\u{20}".repeat(blanks.len());
    let (before, rest) = name.split_at(name.len() - name.trim_start_matches(' ').len());
    let after = &rest[inner.len()..];
    format!(
        "{}{}{}",
        shown(before),
        quote(inner.as_bytes()),
        shown(after)
    )
}

/// Makes a name safe at the beginning of a line. GitHub's runner takes `::` there, and `##[`
/// anywhere, for a command.
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

    #[test]
    fn a_name_that_begins_a_line_is_no_command() {
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
    fn blanks_at_the_ends_of_a_name_are_seen() {
        assert_eq!(with_blanks_shown("an n"), "an n");
        assert_eq!(with_blanks_shown("ann  "), "ann\\u{20}\\u{20}");
        assert_eq!(with_blanks_shown(" ann"), "\\u{20}ann");
        assert_eq!(with_blanks_shown("  "), "\\u{20}\\u{20}");
    }
}
