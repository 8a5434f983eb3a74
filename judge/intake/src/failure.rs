//! Why a submission did not become a program.

use super::disturbed::Disturbed;
use words::entrant::Blame;

/// Why a build gave no program.
#[derive(Debug)]
pub(super) struct BuildFailure {
    pub(super) reason: String,
    pub(super) output: String,
    pub(super) blame: Blame,
    /// Whether another build may give one.
    pub(super) disturbed: Disturbed,
    /// Whether it was ended at its limit of wall or CPU time.
    pub(super) timed_out: bool,
}

impl BuildFailure {
    pub(super) fn brief(reason: String) -> Self {
        Self::with(reason, String::new())
    }

    /// Makes one of a reason, with what was written meanwhile.
    pub(super) fn with(reason: String, output: String) -> Self {
        Self {
            reason,
            output,
            blame: Blame::Submission,
            disturbed: Disturbed::No,
            timed_out: false,
        }
    }

    /// Makes one of what this machine lacks.
    pub(super) fn lacking(reason: String) -> Self {
        Self {
            blame: Blame::Lacking,
            ..Self::brief(reason)
        }
    }

    /// Makes one of what is built later, and says why.
    pub(super) fn waiting(reason: String) -> Self {
        Self {
            blame: Blame::Waiting,
            ..Self::brief(reason)
        }
    }

    /// Takes the last line as the reason, where the step was a check of ours that says there
    /// what is wrong.
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

/// Splits what a step said into its last line and what stands before it.
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
