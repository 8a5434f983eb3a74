//! Games, each looked at once: by the rules, and by what was drawn.

use super::drawn::DrawnStates;
use super::inspection::Inspection;
use verify::{WordsKnown, referee};
use words::fixture::Conditions;
use words::record::MatchRecord;

/// The games that have been looked at so far.
pub(super) struct Records<'a> {
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
    pub(super) fn new(
        conditions: &'a Conditions,
        words: WordsKnown<'a>,
        drawn: DrawnStates,
    ) -> Self {
        Self {
            conditions,
            words,
            drawn,
            refereed: 0,
            against_rules: 0,
            drawn_ones: 0,
            otherwise_drawn: 0,
            wild: false,
        }
    }

    /// Referees a game; `place` is where it stands.
    pub(super) fn referee(
        &mut self,
        place: &str,
        record: &MatchRecord,
        inspection: &mut Inspection,
    ) {
        self.refereed += 1;
        if let Some((field, number)) = record.wild_number() {
            self.wild = true;
            self.against_rules += 1;
            inspection.differs(format!("{place}: {field}: no game can have {number}"));
            return;
        }
        match referee(self.conditions, record, self.words) {
            Ok(differences) => {
                self.against_rules += usize::from(!differences.is_empty());
                for difference in differences {
                    inspection.differs(format!("{place}: {difference}"));
                }
            }
            Err(unknown) => {
                self.against_rules += 1;
                inspection.differs(format!("{place}: {unknown}"));
            }
        }
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
