//! The second half of a run: its games, results and messages.

use super::exit::Done;
use super::interrupt::name_when_leaving;
use super::run_events;
use super::run_sink::{RunSink, emit};
use super::run_tell::{self, Next, RunEnd};
use report::ResultChange;
use rulebook::JudgeError;
use run::commands::{this_command, view_command};
use run::{Place, Scheduled};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Plays a run to its end and writes the results. Returns also the effects of a correction.
pub(super) fn play_out(
    scheduled: Scheduled,
    place: &Place,
    sink: &RunSink,
    stop: &Arc<AtomicBool>,
) -> Result<(Done, Vec<ResultChange>), JudgeError> {
    let (note, machinery) = (scheduled.note_on_states(), scheduled.machinery());
    let mut played = scheduled.begin()?;
    if let Some(note) = note {
        say!("  {note}");
    }
    name_when_leaving(view_command(played.scheduled().folder()));
    let outcome = played.play(place, stop, sink);
    // The files must show the games played even after a failure.
    let written = played.write(sink);
    outcome?;
    let written = written?;
    let entrants = played.scheduled().entrants();
    let found = Some((entrants, played.copies(), machinery.as_slice()));
    let RunEnd { missing, next } =
        run_tell::end(&written, found, Next::new("to continue", this_command()))?;
    if sink.for_programs {
        emit(&run_events::standings(&written.tables.table, missing));
        emit(&run_events::done(&written, missing, &next));
    }
    let done = if missing == 0 {
        Done::Success
    } else {
        Done::Interrupted
    };
    Ok((done, written.tables.changes))
}
