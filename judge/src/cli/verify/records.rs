//! Check of each game once, against the rules and against the draw.

use super::drawn::DrawnStates;
use super::inspection::Inspection;
use error::JudgeError;
use rules::Rules;
use std::sync::Arc;
use verify::{WordsKnown, referee};
use words::fixture::Conditions;
use words::record::MatchRecord;

/// The games checked so far.
pub(super) struct Records<'a> {
    rules: Arc<dyn Rules>,
    pub(super) conditions: &'a Conditions,
    pub(super) words: WordsKnown<'a>,
    pub(super) drawn: DrawnStates,
    refereed: usize,
    against_rules: usize,
    drawn_ones: usize,
    otherwise_drawn: usize,
    /// Whether a game has a number that cannot be added up.
    wild: bool,
}

impl<'a> Records<'a> {
    /// Starts without games.
    ///
    /// # Errors
    /// When the game's rules are unknown.
    pub(super) fn new(
        conditions: &'a Conditions,
        words: WordsKnown<'a>,
        drawn: DrawnStates,
    ) -> Result<Self, JudgeError> {
        Ok(Self {
            rules: rules::of(conditions)?,
            conditions,
            words,
            drawn,
            refereed: 0,
            against_rules: 0,
            drawn_ones: 0,
            otherwise_drawn: 0,
            wild: false,
        })
    }

    /// Referees a game; `place` says where it was found.
    ///
    /// # Errors
    /// When the rules fail.
    pub(super) fn referee(
        &mut self,
        place: &str,
        record: &MatchRecord,
        inspection: &mut Inspection,
    ) -> Result<(), JudgeError> {
        self.refereed += 1;
        if let Some((field, number)) = record.wild_number() {
            self.wild = true;
            self.against_rules += 1;
            inspection.differs(format!("{place}: {field}: no game can have {number}"));
            return Ok(());
        }
        let differences = referee(&*self.rules, self.conditions, record, self.words)?;
        self.against_rules += usize::from(!differences.is_empty());
        for difference in differences {
            inspection.differs(format!("{place}: {difference}"));
        }
        Ok(())
    }

    /// Compares a game with the draw.
    pub(super) fn compare_draw(
        &mut self,
        place: &str,
        record: &MatchRecord,
        inspection: &mut Inspection,
    ) {
        self.drawn_ones += 1;
        let differences = self.drawn.differences(record);
        self.otherwise_drawn += usize::from(!differences.is_empty());
        for difference in differences {
            inspection.differs(format!("{place}: {difference}"));
        }
    }

    /// Adds the result to the table. Returns whether the games can be added up.
    pub(super) fn tell(self, inspection: &mut Inspection) -> bool {
        inspection.row(
            "rules, faults, clocks",
            self.refereed,
            "game",
            self.against_rules,
        );
        inspection.row(
            "setups and seeds",
            self.drawn_ones,
            "game",
            self.otherwise_drawn,
        );
        !self.wild
    }
}
