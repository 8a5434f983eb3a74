//! One scan: reads submissions, roster and competition, and finds what is due.

use super::acceptance::{AcceptMode, Arrival, Decision};
use super::arrivals::Read;
use super::calendar::{Calendar, Due};
use super::{COPYING_INTERVAL, Watch};
use crate::collected::{ReceiptSources, list_rules};
use crate::{Collected, RunSpec};
use intake::people::{self, ListRules};
use intake::{Class, KeptSubmissions, KeptVersion, Submission};
use jiff::{SignedDuration, Timestamp};
use model::draw::hash;
use model::entrant::Roster;
use model::lateness::Deadlines;
use model::text::spelled_out;
use rulebook::rules::Rules;
use rulebook::{JudgeError, Loaded, Result, refuse};
use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};
use store::manifest::{EntrantLine, Manifest};

/// The longest wait at the deadline for files that are still being copied.
const COPYING_MAX: Duration = Duration::from_secs(60);

#[derive(Clone)]
pub(super) struct Terms {
    pub(super) loaded: Loaded,
    pub(super) file: Option<Loaded>,
}

impl Terms {
    /// `submissions` show the game if nothing else does.
    pub(super) fn of(
        spec: &RunSpec,
        file: Option<Loaded>,
        submissions: &[Submission],
    ) -> Result<Self> {
        Ok(Self {
            loaded: spec.change(file.clone(), submissions)?,
            file,
        })
    }

    pub(super) fn edited(&self, before: &Self) -> Option<String> {
        let (now, before) = (&self.file.as_ref()?.keys, &before.file.as_ref()?.keys);
        let mut keys: BTreeSet<&str> = now.keys().chain(before.keys()).map(|key| &**key).collect();
        keys.retain(|key| now.get(*key) != before.get(*key));
        let keys: Vec<&str> = keys.into_iter().collect();
        (!keys.is_empty()).then(|| keys.join(", "))
    }

    /// Reads the competition again. A game that only the submissions showed stays.
    fn read_again(&self, spec: &RunSpec) -> Result<Self> {
        let file = spec.read_competition()?;
        if file.is_none() && self.file.is_some() {
            return refuse("the competition's file is missing; put it back, or end the watch");
        }
        if file.is_none() && !spec.competition.names_game() {
            return Ok(self.clone());
        }
        Self::of(spec, file, &[])
    }
}

pub(super) struct Scan {
    /// Its round and its sources are as in the competition's file.
    pub(super) collected: Collected,
    calendar: Calendar,
    /// Changes with all of it.
    pub(super) digest: String,
}

impl Scan {
    /// `None` if everybody on the roster has submitted.
    pub(super) fn absent(&self) -> Option<String> {
        let there = self.collected.class.submissions.iter();
        let roster = self.collected.roster.as_ref()?;
        roster.not_submitted(there.map(|one| one.name.as_str()))
    }
}

impl Watch<'_> {
    /// Reads everything and finds what is due. Returns `None` if it cannot be read just now.
    pub(super) fn scan(&mut self, now: Timestamp) -> Result<Option<(Scan, Due)>> {
        match self.scan_with_calendar(now) {
            Ok((found, due)) => {
                self.log_found(&found);
                Ok(Some((found, due)))
            }
            Err(error @ JudgeError::Input(_)) => {
                self.log.say_of(
                    "sources",
                    &format!("waiting: {error}; nothing is built or played until then"),
                );
                // At each scan: permissions may be mended, which no listing shows.
                self.again = Some(now);
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    fn scan_with_calendar(&mut self, now: Timestamp) -> Result<(Scan, Due)> {
        let is_revealed = self.is_revealed()?;
        let mut is_last = self.expected(now, is_revealed).is_last();
        match self.terms.read_again(self.spec) {
            Ok(terms) => self.terms = terms,
            Err(error) => {
                let found = self.scan_until_stable(now, self.taking(is_last))?;
                self.receive(&found.collected.class)?;
                return Err(error);
            }
        }
        loop {
            let found = self.scan_until_stable(now, self.taking(is_last))?;
            // The roster may have extensions, and the deadline may have been moved.
            self.calendar = found.calendar.clone();
            let due = self.remember(|memory| found.calendar.due(now, is_revealed, memory))?;
            let words = self.calendar.words(&due);
            self.log.say_of("calendar", &words);
            if is_last || !due.is_last() {
                return Ok((found, due));
            }
            is_last = true;
            self.clock.wait(COPYING_INTERVAL, self.stop);
        }
    }

    fn taking(&self, is_last: bool) -> AcceptMode {
        if self.memory.last_taken {
            AcceptMode::Closed
        } else if is_last {
            AcceptMode::Final
        } else {
            let seconds = self.terms.loaded.watch.again_after_s;
            AcceptMode::Paced(SignedDuration::from_secs(seconds.into()))
        }
    }

    fn scan_until_stable(&mut self, mut now: Timestamp, taking: AcceptMode) -> Result<Scan> {
        let began = Instant::now();
        let repositories = &self.arrivals.repositories;
        let is_last = taking == AcceptMode::Final;
        if is_last {
            repositories.mark_all_due();
        }
        loop {
            let revision = repositories.revision();
            let found = self.read_sources(now, taking);
            // Each is asked for a bounded time. One may answer while the others are examined.
            let is_answered =
                !is_last || repositories.is_up_to_date() && repositories.revision() == revision;
            let is_whole = !is_last || !self.acceptance.is_copying();
            if found.is_err() || is_answered && (is_whole || began.elapsed() > COPYING_MAX) {
                // The last scan may be the end of the watch.
                self.log_repositories()?;
                return found;
            }
            self.clock.wait(COPYING_INTERVAL, self.stop);
            if self.is_stopped() {
                return Err(JudgeError::Interrupted);
            }
            now = self.clock.read()?;
        }
    }

    fn read_sources(&mut self, now: Timestamp, taking: AcceptMode) -> Result<Scan> {
        self.acceptance.begin(now);
        let loaded = self.terms.loaded.clone();
        let repositories = &self.arrivals.repositories;
        repositories.set_interval(SignedDuration::from_secs(loaded.watch.poll_s.into()));
        let file = self.terms.file.as_ref();
        let mut class = (self.spec).read_places(file, Some(repositories), self.stop)?;
        repositories.remove_unlisted();
        let rules = list_rules(&loaded, now.into())?;
        if let Some(zone) = &rules.zone {
            intake::date_receipts(&mut class.submissions, zone, now);
        }
        let rules = ListRules {
            leaves_out_earlier: true,
            ..rules
        };
        // Teams have their names before they are compared with those of the last scan.
        if let Some(path) = self.spec.roster_path(&class).map(Path::to_owned) {
            match people::read(&path, &rules, &class.submissions) {
                Ok(mut read) => self.has_names |= intake::apply_list(&mut class, &mut read),
                Err(error) if self.has_names => return Err(error),
                Err(_) => {}
            }
        }
        self.admit(&mut class, &*loaded.rules, taking, now)?;
        let mut sources = ReceiptSources::of(&loaded);
        sources.roster = self.spec.roster_path(&class).map(Path::to_owned);
        let read = match &sources.roster {
            Some(path) => people::read(path, &rules, &class.submissions).map(Some),
            None if self.has_roster => refuse(
                "the roster is missing; put it back (for an empty roster, keep only its first line)",
            ),
            None => Ok(None),
        };
        if read.is_err() {
            self.receive(&class)?;
        }
        let roster = read?.map(|read| {
            sources.times_at = read.times_at;
            read.roster
        });
        self.has_roster = roster.is_some();
        let deadlines = Deadlines::new(&loaded.competition, roster.as_ref());
        repositories.set_deadlines(deadlines.changes());
        Ok(Scan {
            calendar: Calendar::of(&loaded.watch, &loaded.competition, &deadlines)?,
            digest: digest(&class, roster.as_ref(), &self.terms),
            collected: Collected {
                spec: self.spec.clone(),
                loaded,
                class,
                roster,
                sources,
                received: SystemTime::from(now),
            },
        })
    }

    /// Keeps the taken versions with their receipts, while a wrong file keeps all from being built.
    fn receive(&self, class: &Class) -> Result {
        let kept = KeptSubmissions::of_run(&self.run);
        class
            .submissions
            .iter()
            .try_for_each(|one| kept.receive(one))
    }

    /// Takes complete versions, and replaces the others by the last taken versions.
    fn admit(
        &mut self,
        class: &mut Class,
        rules: &dyn Rules,
        taking: AcceptMode,
        now: Timestamp,
    ) -> Result {
        let kept = KeptSubmissions::of_run(&self.run);
        let before = Manifest::read(&self.run)?;
        let lines = || before.iter().flat_map(|manifest| &manifest.entrants);
        let mut admitted = Vec::new();
        let mut names = BTreeSet::new();
        let listed = self.arrivals.entries();
        for mut submission in std::mem::take(&mut class.submissions) {
            let name = submission.name.clone();
            let last = kept.newest(&name)?;
            let known = last.as_ref().map(|last| last.content.as_str());
            let waits = self.waits(last.as_ref(), taking);
            let content = submission.content();
            // A reason why a submission cannot be kept is final once it is no longer being copied.
            let refused = submission
                .form
                .as_ref()
                .err()
                .filter(|_| content.is_none() && !submission.is_awaited());
            let is_refused = refused.is_some();
            let seen = content.as_ref().or(refused);
            let read = Read {
                origin: &submission.origin,
                fingerprints: &submission.fingerprints,
                listed: &listed,
            };
            let arrival = Arrival {
                at: submission
                    .received
                    .or_else(|| self.arrivals.since(&read, now)),
                whole: submission.received.is_some(),
            };
            names.insert(name.clone());
            let acceptance = &mut self.acceptance;
            let seen = seen.map(String::as_str);
            match acceptance.decide(&name, seen, arrival, known, taking) {
                Decision::Take(received) => {
                    submission.received = Some(received);
                    if content.is_some() {
                        submission.waits = self.waits_after(last.as_ref(), taking);
                    }
                    admitted.push(submission);
                }
                Decision::Unchanged if content.is_some() => {
                    submission.waits = waits;
                    admitted.push(submission);
                }
                // The reason was reported when the last round began.
                Decision::Wait
                    if is_refused
                        && taking == AcceptMode::Closed
                        && (known.is_none() || lines().any(|line| was_refused(line, &name))) =>
                {
                    admitted.push(submission);
                }
                Decision::Unchanged | Decision::Wait if known.is_some() => {
                    let mut before = kept.take(&name, None, rules)?;
                    before.mark = submission.mark;
                    before.waits = waits;
                    admitted.push(before);
                }
                Decision::Unchanged | Decision::Wait => {}
            }
        }
        // A missing entrant may be about to be replaced.
        for line in lines() {
            let name = &line.name;
            let is_kept = line.version.is_some() && line.artifact.is_some();
            let is_spelled_out = || {
                admitted
                    .iter()
                    .any(|one: &Submission| spelled_out(&one.name) == *name)
            };
            let is_missing = is_kept && !names.contains(name) && !is_spelled_out();
            // All entrants of the beginning of the last round stay in it.
            if is_missing && (taking == AcceptMode::Closed || !self.acceptance.is_gone(name)) {
                let last = kept.newest(name)?;
                let mut submission = kept.take(name, None, rules)?;
                submission.waits = self.waits(last.as_ref(), taking);
                submission.origin.clone_from(&line.origin);
                admitted.push(submission);
            }
        }
        admitted.sort_by(|a, b| a.name.cmp(&b.name));
        class.submissions = admitted;
        Ok(())
    }

    /// `None` if it was tried, or is built now.
    fn waits(&mut self, last: Option<&KeptVersion>, taking: AcceptMode) -> Option<String> {
        let (number, _) = last?.tried.unwrap_or_default();
        (number != last?.number).then(|| self.waits_after(last, taking))?
    }

    /// `last` is the version received before it.
    fn waits_after(&mut self, last: Option<&KeptVersion>, taking: AcceptMode) -> Option<String> {
        if self.disk.is_full() {
            return Some("the judge builds nothing until it has disk space again".to_owned());
        }
        let (_, tried) = last?.tried?;
        let from = self.acceptance.waits_until(tried, taking)?;
        let second = from.round(jiff::Unit::Second).unwrap_or(from);
        Some(format!("the judge builds it at {second}"))
    }
}

/// Returns a text that changes with everything that a round is made from.
fn digest(class: &Class, roster: Option<&Roster>, terms: &Terms) -> String {
    let loaded = &terms.loaded;
    let terms = serde_json::to_string(&(&loaded.competition, &loaded.keys, roster));
    let mut parts = vec![terms.expect("plain data")];
    for submission in &class.submissions {
        parts.push(submission.name.clone());
        parts.push(submission.content().unwrap_or_default());
        parts.push(submission.form.as_ref().err().cloned().unwrap_or_default());
        parts.push(submission.waits.clone().unwrap_or_default());
    }
    let parts: Vec<&[u8]> = parts.iter().map(String::as_bytes).collect();
    hash(&parts)
}

fn was_refused(line: &EntrantLine, name: &str) -> bool {
    let newest = line.newest.as_ref();
    line.name == name && newest.is_some_and(|newest| newest.version.is_none())
}
