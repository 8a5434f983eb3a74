//! Referees a recorded game again: the recorded moves, faults and times go once more through
//! the rules and the clocks, and whatever the table would have written otherwise is named. It
//! shares no code with `judge/table`, and knows neither players nor files.
//!
//! Some of a record cannot be told from the record alone:
//!
//! - which fixture it is of: `fixture`, `state`, and `entrant` and `artifact` of the seats, and
//!   whether the setup is the one that was drawn (it is only checked to be one);
//! - what the bots wrote: `says`, and `line`, `detail` and `exit` of a fault, as far as the rules,
//!   the clock and the kind of fault do not settle them; and so which of two causes it was that
//!   the rules treat alike and that leave the same evidence;
//! - what was measured and is added to nothing: `uncharged_us`, `startup_wall_us`,
//!   `off_turn_us`, within what the faults and the charge say of them; whether the bot was
//!   `suspended` and the machine `overloaded`, where they may have been;
//! - where the initialisation is charged, how a seat's charge is divided between it and the
//!   turns: it is only in the sum.

mod charges;
mod difference;
mod evidence;
mod walk;
mod words_known;

pub use difference::{Difference, Place};
pub use words_known::WordsKnown;

use self::difference::Differences;
use self::walk::Walk;
use error::JudgeError;
use rules::{Rules, RulesError};
use words::fixture::Conditions;
use words::record::{self, MatchRecord};

/// Lists what is not as the rules and the table would have written it, given the recorded moves,
/// faults and times. Where the record leaves the game (a move that is not legal, a turn of the
/// wrong seat), what follows cannot be refereed and is not looked at, except for the charges.
///
/// `words` says whose words are in the record; those of the others must be blank.
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
    differences.compare(Place::Record, "v", &record::VERSION, &record.v);
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
