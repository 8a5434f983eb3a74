//! Games, each looked at once: by the rules, and by what was drawn.

use super::drawn::DrawnStates;
use super::inspection::Inspection;
use error::JudgeError;
use rules::Rules;
use std::sync::Arc;
use verify::{WordsKnown, referee};
use words::fixture::Conditions;
use words::record::MatchRecord;

/// The games that have been looked at so far.
pub(super) struct Records<'a> {
    rules: Arc<dyn Rules>,
    pub(super) conditions: &'a Conditions,
    pub(super) words: WordsKnown<'a>,
    pub(super) drawn: DrawnStates,
    refereed: usize,
    against_rules: usize,
    drawn_ones: usize,
    otherwise_drawn: usize,
    /// One of them has a number that cannot be added up.
    wild: bool,
}

impl<'a> Records<'a> {
    /// Begins with none.
    ///
    /// # Errors
    /// When there is no such game.
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

    /// Referees a game; `place` is where it stands.
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

    /// Compares a game with what was drawn.
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

    /// Adds what was found to the table; returns whether the games can be added up.
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
