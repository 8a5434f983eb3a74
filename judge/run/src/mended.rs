//! A begun run whose game has been mended. Another version of its program takes over the recorded
//! games if each of them replays equally.

use crate::event::{RunEvent, Sink, stage};
use model::competition::Competition;
use model::fixture::Conditions;
use model::record::MatchRecord;
use referee::verify::{WordsKnown, referee};
use rulebook::JudgeError;
use rulebook::rules::Rules;
use rulebook::schedule;
use std::fs;
use std::path::Path;
use store::manifest::Manifest;
use store::{Games, Inspector, Keys};
use system::run_folder;

/// Gives conditions the identity of the run in a folder, if another version of the game began it.
/// All ids stay. [`check`] then compares the versions.
pub(crate) fn identify(conditions: &mut Conditions, folder: &Path) -> Result<(), JudgeError> {
    let journal = fs::metadata(folder.join(run_folder::JOURNAL));
    if journal.map_or(0, |journal| journal.len()) == 0 {
        return Ok(());
    }
    let begun = Manifest::read(folder)?.map(|begun| begun.competition.conditions);
    let is_of_program = |of: &Conditions| of.game_program.is_some();
    let begun = begun.filter(|begun| begun.game == conditions.game && is_of_program(begun));
    if let Some(begun) = begun.filter(|_| is_of_program(conditions)) {
        conditions.keep_game(&begun);
    }
    Ok(())
}

/// Replays the games of a begun run by the version that takes it over. The journal is locked, so
/// nobody adds games meanwhile.
pub(crate) fn check(
    rules: &dyn Rules,
    competition: &Competition,
    folder: &Path,
    sink: &dyn Sink,
) -> Result<(), JudgeError> {
    let Some(begun) = Manifest::read(folder)?.map(|begun| begun.competition) else {
        return Ok(());
    };
    let (conditions, last) = (&competition.conditions, begun.conditions.rules_program());
    if last.is_none() || last == conditions.rules_program() {
        return Ok(());
    }
    let draw = Keys::of_run(folder)?.draw(&begun);
    // Returns the first difference in a game, if any.
    let difference = |record: &MatchRecord| {
        let state = record.state;
        if draw.state(state).digest() == record.draw
            && schedule::setup(rules, &begun, &draw, state)?.get() != record.setup.get()
        {
            return Ok(Some(format!("it draws another initial state {state}")));
        }
        let found = referee(rules, conditions, record, WordsKnown::All)?;
        Ok(found.first().map(ToString::to_string))
    };
    let mut take = |line: usize, _, difference| {
        let reason = match difference {
            Ok(None) => return Ok(()),
            Ok(Some(difference)) => {
                format!("the game in line {line} of its journal differs: {difference}")
            }
            Err(JudgeError::Game { reason, .. }) => {
                format!("it fails in the game in line {line} of the journal: {reason}")
            }
            Err(error) => return Err(error),
        };
        Err(JudgeError::input(format!(
            "{} was played with another version of the game, and this one cannot take it over: {reason}. Continue \
             with the old version, or choose another folder with --out",
            folder.display()
        )))
    };
    let inspector = Inspector {
        inspect: &difference,
        take: &mut take,
    };
    let games = stage(sink, "comparing the game's versions", || {
        Games::inspect(folder, conditions, Vec::new(), inspector)
    })?;
    sink.take(RunEvent::Note(&format!(
        "this is another version of the game; all {} recorded games replay equally, and keep their ids",
        games.len()
    )));
    Ok(())
}
