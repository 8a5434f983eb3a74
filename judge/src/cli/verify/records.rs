//! Check of each game once, against the rules and against the draw.

use super::drawn::DrawnStates;
use super::inspection::Inspection;
use model::fixture::Conditions;
use model::record::MatchRecord;
use referee::verify::{Difference, WordsKnown, referee};
use rulebook::JudgeError;
use rulebook::rules::Rules;
use std::fmt::Display;
use std::sync::Arc;

/// The facts that games are checked against.
pub(super) struct Expected<'a> {
    rules: Arc<dyn Rules>,
    pub(super) conditions: &'a Conditions,
    words: WordsKnown<'a>,
    pub(super) drawn: DrawnStates,
}

/// The result of the check of a game.
pub(super) struct Checked {
    /// A number that no game can have, with its field.
    wild: Option<(&'static str, String)>,
    against_rules: Vec<Difference>,
    /// The differences from the draw; `None` if the game is not of the drawn states.
    otherwise_drawn: Option<Vec<String>>,
    /// The entrants whose bots were not started.
    pub(super) not_started: Vec<String>,
}

impl<'a> Expected<'a> {
    /// Creates the checks of the games of one competition.
    ///
    /// # Errors
    /// When the game's rules are unknown.
    pub(super) fn new(
        conditions: &'a Conditions,
        words: WordsKnown<'a>,
        drawn: DrawnStates,
    ) -> Result<Self, JudgeError> {
        Ok(Self {
            rules: rulebook::rules::of(conditions)?,
            conditions,
            words,
            drawn,
        })
    }

    /// Checks a game; `is_drawn` says whether it belongs to the drawn states.
    ///
    /// # Errors
    /// When the rules fail.
    pub(super) fn check(
        &self,
        record: &MatchRecord,
        is_drawn: bool,
    ) -> Result<Checked, JudgeError> {
        let wild = record.wild_number();
        let against_rules = match &wild {
            Some(_) => Vec::new(),
            None => referee(&*self.rules, self.conditions, record, self.words)?,
        };
        Ok(Checked {
            wild,
            against_rules,
            otherwise_drawn: is_drawn.then(|| self.drawn.differences(record)),
            not_started: {
                record
                    .seats
                    .iter()
                    .filter(|seat| seat.not_started)
                    .map(|seat| seat.entrant.clone())
                    .collect()
            },
        })
    }
}

/// The games checked so far.
#[derive(Default)]
pub(super) struct Records {
    refereed: usize,
    against_rules: usize,
    drawn_ones: usize,
    otherwise_drawn: usize,
    /// Whether a game has a number that cannot be added up.
    is_wild: bool,
}

impl Records {
    /// Adds a game; `place` says where it was found.
    pub(super) fn add(
        &mut self,
        place: &dyn Display,
        checked: &Checked,
        inspection: &mut Inspection,
    ) {
        let Checked {
            wild,
            against_rules,
            otherwise_drawn,
            not_started: _,
        } = checked;
        self.refereed += 1;
        self.against_rules += usize::from(wild.is_some() || !against_rules.is_empty());
        if let Some((field, number)) = wild {
            self.is_wild = true;
            inspection.differs(format_args!("{place}: {field}: no game can have {number}"));
        }
        for difference in against_rules {
            inspection.differs(format_args!("{place}: {difference}"));
        }
        let Some(otherwise_drawn) = otherwise_drawn else {
            return;
        };
        self.drawn_ones += 1;
        self.otherwise_drawn += usize::from(!otherwise_drawn.is_empty());
        for difference in otherwise_drawn {
            inspection.differs(format_args!("{place}: {difference}"));
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
        !self.is_wild
    }
}
