//! The reports of a watch on itself: one line for each event, and each event once.

use super::Time;
use super::calendar::Due;
use super::scan::Scan;
use super::{AGAIN, Watch, WatchEnd};
use crate::commands::shown;
use crate::{RunEvent, Scheduled, Sink};
use intake::people::Claims;
use intake::{Ignored, KeptSubmissions, RemovedVersions, RepositoryEvent};
use model::entrant::Entrant;
use model::numbers::{about, counted};
use model::text::for_shell;
use rulebook::{JudgeError, Result};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

pub(super) struct WatchLog<'a> {
    sink: &'a dyn Sink,
    clock: &'a dyn Time,
    said: BTreeMap<String, String>,
}

impl<'a> WatchLog<'a> {
    pub(super) const fn new(sink: &'a dyn Sink, clock: &'a dyn Time) -> Self {
        Self {
            sink,
            clock,
            said: BTreeMap::new(),
        }
    }

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

    fn say_first(&mut self, subject: &str, what: &str) {
        if !self.said.contains_key(subject) {
            self.say_of(subject, what);
        }
    }

    pub(super) fn say_over(&mut self, subject: &str, what: &str) {
        if self.said.remove(subject).is_some() {
            self.say(what);
        }
    }

    fn entrants(&mut self, entrants: &[Entrant], run: &Path) {
        let is_first = !self.said.keys().any(|subject| subject.starts_with(ENTRANT));
        if is_first && !entrants.is_empty() {
            let plays = entrants.iter().filter(|one| one.artifact().is_some());
            let entered = counted(entrants.len(), "entrant");
            self.say(&format!("{entered}, {} of them can play", plays.count()));
        }
        for entrant in entrants {
            let subject = format!("{ENTRANT}{}", entrant.name);
            let reported = reported(entrant, run);
            if !entrant.warnings.is_empty() {
                let notes = entrant.warnings.join("; ");
                let note = format!("{}: note: {notes}", entrant.name);
                self.say_of(&format!("{NOTE}{}", entrant.name), &note);
            }
            let is_quiet = is_first && entrant.artifact().is_some() && entrant.replaced.is_none();
            if is_quiet {
                self.said.insert(subject, reported);
            } else {
                self.say_of(&subject, &reported);
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

const ENTRANT: &str = "entrant ";
const NOTE: &str = "note on ";

fn reported(entrant: &Entrant, run: &Path) -> String {
    let name = &entrant.name;
    if let Some(replaced) = &entrant.replaced {
        return format!("{name}: {}", replaced.words(&shown(run)));
    }
    let version = entrant.version.as_ref();
    match &entrant.program {
        Err(broken) => {
            let log = broken.log.as_deref().map(Path::new);
            let see = log.map(|log| format!(" (see {})", shown(log)));
            // If nothing was received, the reason names it.
            let what = version.map(|version| format!("{version} {}: ", broken.what()));
            let (what, see) = (what.unwrap_or_default(), see.unwrap_or_default());
            format!("{name}: {what}{broken}{see}")
        }
        Ok(_) => version.map_or_else(
            || format!("{name}: plays"),
            |version| format!("{name}: plays {version}"),
        ),
    }
}

impl Watch<'_> {
    pub(super) fn log_begin(&self) {
        let title = &self.terms.loaded.competition.title;
        let run = shown(&self.run);
        self.log
            .say(&format!("watching for {title}; the results are in {run}"));
    }

    pub(super) fn interrupted(&self) -> WatchEnd {
        let run = shown(&self.run);
        self.log.say(&format!(
            "interrupted; the results are in {run}; rerun the same command to continue"
        ));
        WatchEnd::Interrupted
    }

    pub(super) fn log_found(&mut self, found: &Scan) {
        self.log.say_over("sources", "everything can be read again");
        if let Some(roster) = &found.collected.roster
            && !roster.left_out.is_empty()
        {
            self.log.say_of(
                "left out",
                &format!("roster: left out {}", roster.left_out.join("; ")),
            );
        }
        if let Some(note) = found.collected.sources.note() {
            self.log.say_of("times", &note);
        }
        let ignored = &found.collected.class.ignored;
        if !ignored.is_empty() {
            let ignored = Ignored::listed(ignored);
            self.log.say_of("ignored", &format!("ignored: {ignored}"));
        }
    }

    pub(super) fn log_wrong(&self, wrong: &[(String, PathBuf)]) {
        for (name, text) in wrong {
            let see = shown(text);
            self.log.say(&format!(
                "{name}: judge check found something to fix: see {see}"
            ));
        }
    }

    pub(super) fn log_played(&mut self) {
        self.log.say_over("failure", "the run continues");
        self.log
            .say_over("published", "the published results can be written again");
        match self.last_is_frozen() {
            None => {}
            Some(false) => self.log.say("all games have been played"),
            Some(true) => {
                let run = for_shell(&self.run.to_string_lossy());
                self.log.say_of("end", &format!(
                    "the final round has been played; the published results stay frozen until you run: judge reveal {run}"
                ));
            }
        }
    }

    pub(super) fn log_failure(&mut self, error: &JudgeError) {
        let again = about(AGAIN.as_secs_f64());
        self.log
            .say_of("failure", &format!("{error}; retrying in {again}"));
    }

    /// `absent` lists the people on the roster who have submitted nothing.
    pub(super) fn log_people(&mut self, scheduled: &Scheduled, absent: Option<String>) {
        self.log.entrants(&scheduled.entrants, &self.run);
        let is_all_there =
            !self.acceptance.is_copying() && self.arrivals.repositories.is_up_to_date();
        if let Some(absent) = absent.filter(|_| is_all_there) {
            self.log.say_first("absent", &absent);
        }
        let Claims { unclaimed, doubts } = &scheduled.claims;
        for doubt in doubts {
            let doubt = format!("roster: {doubt}");
            self.log.say_of(&doubt, &doubt);
        }
        let new = unclaimed.difference(&self.unclaimed);
        if let Some(reported) = Claims::not_on_roster(new) {
            self.log.say_of("unclaimed", &reported);
        } else if unclaimed.is_empty() {
            self.log
                .say_over("unclaimed", "everybody is on the roster now");
        }
        self.unclaimed.clone_from(unclaimed);
    }

    pub(super) fn log_repositories(&self) -> Result {
        let kept = KeptSubmissions::of_run(&self.run);
        for event in self.arrivals.repositories.take_events() {
            let reported = match event {
                RepositoryEvent::Fails(name, reason) if kept.newest(&name)?.is_some() => {
                    format!(
                        "{name}: {reason}; its last version stays in use, and judge will ask again"
                    )
                }
                // The report on the entrant contains it.
                RepositoryEvent::Fails(..) => continue,
                RepositoryEvent::Recovered(name) => format!("{name}: its repository answers again"),
            };
            self.log.say(&reported);
        }
        Ok(())
    }

    pub(super) fn log_removed(&self, removed: &[RemovedVersions]) {
        for one in removed {
            let versions = counted(one.versions, "version");
            let megabytes = one.bytes.div_ceil(1_000_000);
            let whose = match one.entrant.as_str() {
                "" => "that were replaced before they were built".to_owned(),
                entrant => format!("of {entrant} that do not play"),
            };
            self.log.say(&format!(
                "removed the files of {versions} {whose}, to make room ({megabytes} MB)"
            ));
        }
    }

    pub(super) fn log_lacks(&mut self, lacks: &JudgeError, entrants: &[Entrant]) {
        let reported = if entrants.iter().any(|one| one.artifact().is_some()) {
            format!("waiting: {lacks}")
        } else {
            "waiting for submissions: no entrant can play yet".to_owned()
        };
        self.log.say_of("lacks", &reported);
    }

    pub(super) fn log_due(&mut self, due: &Due) {
        let round = &due.round;
        self.log.say_of("round", &format!("round {round}"));
        if due.frozen {
            self.log.say_of(
                "frozen",
                "the published results are frozen from now on, until judge reveal",
            );
        } else {
            self.log
                .say_over("frozen", "the published results are no longer frozen");
        }
    }
}
