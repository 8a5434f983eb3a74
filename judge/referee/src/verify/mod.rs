//! Referees a recorded game again. The recorded moves, faults and times pass through the rules and
//! the clocks once more. The crate reports every deviation from what the table would have written.
//! It shares no code with `judge/referee/src/table`, and knows neither players nor files.
//!
//! A record alone does not suffice to check some of its parts:
//!
//! - the fixture: `fixture`, `state`, and `entrant` and `artifact` of the seats. The setup must be
//!   valid, but need not be the one that was drawn;
//! - the bots' words: `says`, and `line`, `detail` and `exit` of a fault, as far as the rules, the
//!   clock and the kind of fault do not determine them. Two causes that the rules treat alike and
//!   that leave the same evidence are therefore indistinguishable;
//! - measurements that are part of no sum: `uncharged_us`, `startup_wall_us`, `off_turn_us`, within
//!   the limits that the faults and the charge set;
//! - whether the bot was `suspended` and the machine `overloaded`, where that is possible;
//! - where the initialisation is charged, the division of a seat's charge between it and the turns:
//!   only their sum includes it.

mod charges;
mod difference;
mod evidence;
mod walk;
mod words_known;

pub use difference::{Difference, Place};
pub use words_known::WordsKnown;

use self::difference::Differences;
use self::walk::Walk;
use model::FORMAT;
use model::fixture::Conditions;
use model::record::MatchRecord;
use rulebook::JudgeError;
use rulebook::rules::{Rules, RulesError};

/// Lists the deviations of a record from what the rules and the table would have written, given the
/// recorded moves, faults and times. A record may leave the game, with an illegal move or a turn of
/// the wrong seat. The rest of it then cannot be refereed, and only its charges are checked.
///
/// `words` says whose words the record includes; the words of the others must be blank.
///
/// # Errors
/// When the rules fail.
pub fn referee(
    rules: &dyn Rules,
    conditions: &Conditions,
    record: &MatchRecord,
    words: WordsKnown<'_>,
) -> Result<Vec<Difference>, JudgeError> {
    let mut differences = Differences::default();
    differences.compare(Place::Record, "v", &FORMAT, &record.v);
    differences.compare(Place::Record, "game", &conditions.game, &record.game);
    if record.game != conditions.game {
        return Ok(differences.list());
    }
    let started = rules
        .spell_setup(&record.setup)
        .and_then(|spelled| Ok((spelled, rules.start(&record.setup)?)));
    let (spelled, game) = match started {
        Ok(started) => started,
        Err(RulesError::Failed(error)) => return Err(error),
        Err(RulesError::Refused(refused)) => {
            let found = format!("{}: {refused}", record.setup);
            differences.add(Place::Record, "setup", "one that the rules allow", found);
            return Ok(differences.list());
        }
    };
    if spelled.get() != record.setup.get() {
        differences.add(
            Place::Record,
            "setup",
            spelled.get(),
            record.setup.to_string(),
        );
    }
    let seats = game.seats()?;
    if seats != record.seats.len() {
        let words = |number: usize| format!("{number} seats");
        let (expected, found) = (words(seats), words(record.seats.len()));
        differences.add(Place::Record, "seats", expected, found);
        return Ok(differences.list());
    }
    Walk::new(conditions, record, words, game, &mut differences).run()?;
    Ok(differences.list())
}
