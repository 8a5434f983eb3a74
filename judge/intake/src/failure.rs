//! Reasons why a submission did not become a program.

use super::disturbed::Disturbed;
use model::entrant::Blame;

/// Why a build produced no program.
#[derive(Debug)]
pub(super) struct BuildFailure {
    pub(super) reason: String,
    pub(super) output: String,
    pub(super) blame: Blame,
    /// Whether another build may succeed.
    pub(super) disturbed: Disturbed,
    /// Whether it was ended at its limit of wall or CPU time.
    pub(super) timed_out: bool,
}

impl BuildFailure {
    pub(super) fn brief(reason: String) -> Self {
        Self::with(reason, String::new())
    }

    /// Makes a failure from a reason and the output of the build.
    pub(super) fn with(reason: String, output: String) -> Self {
        Self {
            reason,
            output,
            blame: Blame::Submission,
            disturbed: Disturbed::No,
            timed_out: false,
        }
    }

    /// Makes a failure for a program that this machine lacks.
    pub(super) fn lacking(reason: String) -> Self {
        Self {
            blame: Blame::Lacking,
            ..Self::brief(reason)
        }
    }

    /// Makes a failure for a build that is postponed, with the reason.
    pub(super) fn waiting(reason: String) -> Self {
        Self {
            blame: Blame::Waiting,
            ..Self::brief(reason)
        }
    }

    /// Uses the last line of output as the reason, for a step that is a check of ours and names the
    /// error there.
    pub(super) fn in_its_last_words(self) -> Self {
        let (_, last) = split_last_line(&self.output);
        Self {
            reason: if last.is_empty() {
                self.reason.clone()
            } else {
                last.to_owned()
            },
            ..self
        }
    }
}

/// Splits the output of a step into the text before its last line and that line.
pub(super) fn split_last_line(output: &str) -> (&str, &str) {
    let text = output.trim_end();
    text.rfind('\n')
        .map_or(("", text), |end| (&text[..=end], &text[end + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_is_found_whatever_stands_before_it() {
        assert_eq!(split_last_line("[]\n"), ("", "[]"));
        assert_eq!(split_last_line("a\nb\n[1]"), ("a\nb\n", "[1]"));
        assert_eq!(split_last_line(""), ("", ""));
    }
}
