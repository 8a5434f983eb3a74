//! Why a submission did not become a program.

use super::VersionName;
use std::fmt;
use std::path::{Path, PathBuf};

/// What is to blame where a submission does not play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blame {
    /// The submission: its author has to change it.
    Submission,
    /// This machine, which lacks a program or a library: another one may build it.
    Lacking,
    /// This machine in another way, as where a folder cannot be read.
    Machine,
}

/// Why a submission does not play; as text, in one line.
#[derive(Clone, Debug)]
pub struct Broken {
    /// What is to blame.
    pub blame: Blame,
    /// Why, in one line.
    pub reason: String,
    /// Where the compiler's output is, if there is any.
    pub log: Option<PathBuf>,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.blame {
            Blame::Submission => f.write_str(&self.reason),
            Blame::Lacking | Blame::Machine => write!(f, "for reasons of ours: {}", self.reason),
        }
    }
}

/// Why the version that came last does not play, where an earlier one does.
#[derive(Clone, Debug)]
pub struct Replaced {
    /// The version that came last; none where it could not be kept.
    pub(super) last: Option<VersionName>,
    /// Why it does not play; its log's path is below the run's folder.
    pub(super) broken: Broken,
    /// The version that plays.
    pub(super) playing: VersionName,
}

impl Replaced {
    /// Says it; `run` is the run's folder as it is to be shown.
    pub fn words(&self, run: &Path) -> String {
        let last = self.last.as_ref().map(ToString::to_string);
        let last = last.unwrap_or_else(|| "what was handed in last".to_owned());
        let log = self.broken.log.as_ref();
        let see = log.map(|log| format!(" (see {})", run.join(log).display()));
        format!(
            "{last} does not play: {}{}; playing {}",
            self.broken,
            see.unwrap_or_default(),
            self.playing
        )
    }
}

/// Why a build gave no program.
#[derive(Debug)]
pub(super) struct BuildFailure {
    pub(super) reason: String,
    pub(super) output: String,
    pub(super) blame: Blame,
}

impl BuildFailure {
    pub(super) fn brief(reason: String) -> Self {
        Self::with(reason, String::new())
    }

    /// Tells why, with what was written meanwhile.
    pub(super) fn with(reason: String, output: String) -> Self {
        Self {
            reason,
            output,
            blame: Blame::Submission,
        }
    }

    /// Tells what this machine lacks.
    pub(super) fn lacking(reason: String) -> Self {
        Self {
            blame: Blame::Lacking,
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
