//! What was wrong with a journal when it was opened.

use words::numbers::counted;

/// What was wrong with a journal when it was opened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// The lines that are no games of this run, or come twice.
    pub damaged: Vec<DamagedLine>,
    /// The numbers of the lines, from 1, before which others are missing.
    pub missing_before: Vec<usize>,
    /// The last line that was there when the run ended is gone.
    pub is_cut_off: bool,
}

/// A line that is set aside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DamagedLine {
    /// Its number in the file, from 1.
    pub number: usize,
    /// What is wrong with it.
    pub reason: String,
}

/// So many lines are told one by one.
const TOLD: usize = 5;

impl Findings {
    /// Returns whether nothing was wrong.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Says what was wrong, a text for each line of output.
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
