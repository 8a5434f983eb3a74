//! Problems that were found when a journal was opened.

use model::numbers::counted;

/// Problems that were found when a journal was opened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// Lines that are not games of this run, or are duplicates.
    pub damaged: Vec<DamagedLine>,
    /// The numbers of the lines, from 1, before which lines are missing.
    pub missing_before: Vec<usize>,
    /// Whether the last line at the end of an earlier run is missing.
    pub is_cut_off: bool,
}

/// A line that is set aside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DamagedLine {
    /// Its number in the file, from 1.
    pub number: usize,
    /// The reason.
    pub reason: String,
}

/// Maximum number of lines reported individually.
const TOLD: usize = 5;

impl Findings {
    /// Returns whether no problem was found.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Describes the problems, one text for each line of output.
    pub fn words(&self) -> Vec<String> {
        let mut words: Vec<String> = Vec::new();
        for line in self.damaged.iter().take(TOLD) {
            words.push(format!(
                "line {} of the journal: {}",
                line.number, line.reason
            ));
        }
        if self.damaged.len() > TOLD {
            let more = self.damaged.len() - TOLD;
            words.push(format!("and {} more", counted(more as u64, "line")));
        }
        for number in self.missing_before.iter().take(TOLD) {
            words.push(format!(
                "lines of the journal are missing before line {number}"
            ));
        }
        if self.is_cut_off {
            words.push("the journal is shorter than when the run ended".to_owned());
        }
        words
    }
}
