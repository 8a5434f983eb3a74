//! How the name of a submission is written as its entrant's.

use unicode_normalization::UnicodeNormalization;
use words::fault::quote;

/// Makes the name of an entrant from that of a submission: one name, however the system that wrote
/// it composes letters, and fit to be shown.
pub(super) fn entrant_name(submission: &str) -> String {
    let name: String = submission.nfc().collect();
    without_commands(&with_blanks_shown(&name))
}

/// Makes a name fit to be shown, where a blank at either end would not be seen.
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

/// Makes a name that a line may begin with: GitHub's runner takes `::` there, and `##[` anywhere,
/// for a command.
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
