//! The reports of a watch: one line for each event, and each event once.

use super::time::Clock;
use crate::commands::shown;
use crate::{RunEvent, Sink};
use model::entrant::{Entrant, Readiness};
use model::numbers::counted;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Reports to a sink, and remembers what it has reported.
pub(super) struct WatchLog<'a> {
    sink: &'a dyn Sink,
    clock: Clock,
    /// By subject: the last report on it.
    said: BTreeMap<String, String>,
}

impl<'a> WatchLog<'a> {
    pub(super) const fn new(sink: &'a dyn Sink, clock: Clock) -> Self {
        Self {
            sink,
            clock,
            said: BTreeMap::new(),
        }
    }

    /// Reports something.
    pub(super) fn say(&self, what: &str) {
        let at = self.clock.now();
        self.sink.take(RunEvent::Log { at, words: what });
    }

    /// Reports something on a subject, unless that was the last report on it.
    pub(super) fn say_of(&mut self, subject: &str, what: &str) {
        let before = self.said.insert(subject.to_owned(), what.to_owned());
        if before.as_deref() != Some(what) {
            self.say(what);
        }
    }

    /// Reports something on a subject that has no report yet.
    pub(super) fn say_first(&mut self, subject: &str, what: &str) {
        if !self.said.contains_key(subject) {
            self.say_of(subject, what);
        }
    }

    /// Reports that a subject is settled, if there was a report on it.
    pub(super) fn say_over(&mut self, subject: &str, what: &str) {
        if self.said.remove(subject).is_some() {
            self.say(what);
        }
    }

    /// Reports on all entrants: first their number and those who do not play, later only changes.
    pub(super) fn entrants(&mut self, entrants: &[Entrant], run: &Path) {
        let is_first = !self.said.keys().any(|subject| subject.starts_with(ENTRANT));
        if is_first && !entrants.is_empty() {
            let plays = entrants.iter().filter(|one| one.artifact().is_some());
            let entered = counted(entrants.len() as u64, "entrant");
            self.say(&format!("{entered}, {} of them can play", plays.count()));
        }
        for entrant in entrants {
            let subject = format!("{ENTRANT}{}", entrant.name);
            let told = told(entrant, run);
            if !entrant.warnings.is_empty() {
                let notes = entrant.warnings.join("; ");
                let note = format!("{}: note: {notes}", entrant.name);
                self.say_of(&format!("{NOTE}{}", entrant.name), &note);
            }
            let is_quiet = is_first && entrant.artifact().is_some() && !is_replaced(entrant);
            if is_quiet {
                self.said.insert(subject, told);
            } else {
                self.say_of(&subject, &told);
            }
        }
        let there: BTreeSet<String> = entrants
            .iter()
            .map(|one| format!("{ENTRANT}{}", one.name))
            .collect();
        self.said
            .retain(|subject, _| !subject.starts_with(ENTRANT) || there.contains(subject));
    }
}

/// The beginning of subjects that are entrants.
const ENTRANT: &str = "entrant ";
/// The beginning of subjects that are notes on an entrant.
const NOTE: &str = "note on ";

fn is_replaced(entrant: &Entrant) -> bool {
    entrant.receipt.replaced.is_some()
}

/// Returns the state of an entrant's newest version.
fn told(entrant: &Entrant, run: &Path) -> String {
    let name = &entrant.name;
    let receipt = &entrant.receipt;
    if let Some(replaced) = &receipt.replaced {
        return format!("{name}: {}", replaced.words(&shown(run)));
    }
    let version = receipt.version.as_ref();
    match &entrant.readiness {
        Readiness::Broken(broken) => {
            let log = broken.log.as_deref().map(Path::new);
            let see = log.map(|log| format!(" (see {})", shown(log)));
            // If nothing was received, the reason names it.
            let what = version.map(|version| format!("{version} {}: ", broken.what()));
            let (what, see) = (what.unwrap_or_default(), see.unwrap_or_default());
            format!("{name}: {what}{broken}{see}")
        }
        Readiness::Ready(_) => version.map_or_else(
            || format!("{name}: plays"),
            |version| format!("{name}: plays {version}"),
        ),
    }
}
