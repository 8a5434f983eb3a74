//! One look. The newest version that was taken plays in place of one that may not be taken yet.

use super::Watch;
use super::acceptance::{Arrival, Decision, Taking};
use super::arrivals::Read;
use super::calendar::Calendar;
use super::terms::Terms;
use crate::collected::list_rules;
use crate::{Given, ReceiptSources};
use intake::people::{self, ListRules};
use intake::{Class, KeptSubmissions, KeptVersion, Submission};
use jiff::{SignedDuration, Timestamp};
use model::draw::hash;
use model::entrant::Roster;
use model::lateness::Deadlines;
use model::text::spelled_out;
use rulebook::JudgeError;
use rulebook::rules::Rules;
use std::collections::BTreeSet;
use std::path::Path;
use std::time::SystemTime;
use store::manifest::{EntrantLine, Manifest};

pub(super) struct Found {
    /// The input of a round; its round and its sources are as in the competition's file.
    pub(super) given: Given,
    pub(super) calendar: Calendar,
    /// Changes with all of it.
    pub(super) digest: String,
}

impl Found {
    /// `None` if everybody on the roster has submitted.
    pub(super) fn absent(&self) -> Option<String> {
        let there = self.given.class.submissions.iter();
        let roster = self.given.roster.as_ref()?;
        roster.not_submitted(there.map(|one| one.name.as_str()))
    }
}

impl Watch<'_> {
    pub(super) fn look_once(
        &mut self,
        now: Timestamp,
        taking: Taking,
    ) -> Result<Found, JudgeError> {
        self.acceptance.begin(now);
        let loaded = self.terms.loaded.clone();
        let repositories = &self.listing.repositories;
        repositories.ask_every(SignedDuration::from_secs(loaded.watch.poll_s.into()));
        let file = self.terms.file.as_ref();
        let mut collected = (self.spec).read_places(file, Some(repositories), self.stop)?;
        repositories.forget_unlisted();
        let rules = list_rules(&loaded, now.into())?;
        if let Some(zone) = &rules.zone {
            intake::date_receipts(&mut collected.submissions, zone, now);
        }
        let rules = ListRules {
            leaves_out_earlier: true,
            ..rules
        };
        // Teams have their names before they are compared with those of the last look.
        if let Some(path) = self.spec.roster_path(&collected).map(Path::to_owned) {
            match people::read(&path, &rules, &collected.submissions) {
                Ok(mut read) => self.has_names |= intake::apply_list(&mut collected, &mut read),
                Err(error) if self.has_names => return Err(error),
                Err(_) => {}
            }
        }
        self.admit(&mut collected, &*loaded.rules, taking, now)?;
        let mut sources = ReceiptSources::of(&loaded);
        sources.roster = self.spec.roster_path(&collected).map(Path::to_owned);
        let read = (sources.roster.as_ref())
            .map(|path| people::read(path, &rules, &collected.submissions));
        let read = match read.transpose() {
            Ok(None) if self.has_roster => Err(JudgeError::input(
                "the roster is missing; put it back (for an empty roster, keep only its first line)",
            )),
            read => read,
        };
        if read.is_err() {
            self.receive(&collected)?;
        }
        let roster = read?.map(|read| {
            sources.times_at = read.times_at;
            read.roster
        });
        self.has_roster = roster.is_some();
        let deadlines = Deadlines::new(&loaded.competition, roster.as_ref());
        self.listing.repositories.ask_around(deadlines.changes());
        Ok(Found {
            calendar: Calendar::of(&loaded.watch, &loaded.competition, &deadlines)?,
            digest: digest(&collected, roster.as_ref(), &self.terms),
            given: Given {
                loaded,
                class: collected,
                roster,
                sources,
                received: SystemTime::from(now),
            },
        })
    }

    /// Keeps the taken versions with their receipts, while a wrong file keeps all from being built.
    pub(super) fn receive(&self, collected: &Class) -> Result<(), JudgeError> {
        let kept = KeptSubmissions::of_run(&self.run);
        collected
            .submissions
            .iter()
            .try_for_each(|one| kept.receive(one))
    }

    /// Takes complete versions, and replaces the others by the last taken versions.
    fn admit(
        &mut self,
        collected: &mut Class,
        rules: &dyn Rules,
        taking: Taking,
        now: Timestamp,
    ) -> Result<(), JudgeError> {
        let kept = KeptSubmissions::of_run(&self.run);
        let before = Manifest::read(&self.run)?;
        let lines = || before.iter().flat_map(|manifest| &manifest.entrants);
        let mut admitted = Vec::new();
        let mut names = BTreeSet::new();
        let listed = self.listing.entries();
        for mut submission in std::mem::take(&mut collected.submissions) {
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
            let came = Arrival {
                at: submission
                    .received
                    .or_else(|| self.arrivals.since(&read, now)),
                whole: submission.received.is_some(),
            };
            names.insert(name.clone());
            let acceptance = &mut self.acceptance;
            let seen = seen.map(String::as_str);
            match acceptance.decide(&name, seen, came, known, taking) {
                Decision::Take(received) => {
                    submission.received = Some(received);
                    if content.is_some() {
                        submission.waits = self.waits_after(last.as_ref(), taking);
                    }
                    admitted.push(submission);
                }
                Decision::AsBefore if content.is_some() => {
                    submission.waits = waits;
                    admitted.push(submission);
                }
                // The reason was reported when the last round began.
                Decision::Wait
                    if is_refused
                        && taking == Taking::Nothing
                        && (known.is_none() || lines().any(|line| was_refused(line, &name))) =>
                {
                    admitted.push(submission);
                }
                Decision::AsBefore | Decision::Wait if known.is_some() => {
                    let mut before = kept.take(&name, None, rules)?;
                    before.mark = submission.mark;
                    before.waits = waits;
                    admitted.push(before);
                }
                Decision::AsBefore | Decision::Wait => {}
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
            if is_missing && (taking == Taking::Nothing || !self.acceptance.is_gone(name)) {
                let last = kept.newest(name)?;
                let mut submission = kept.take(name, None, rules)?;
                submission.waits = self.waits(last.as_ref(), taking);
                submission.origin.clone_from(&line.origin);
                admitted.push(submission);
            }
        }
        admitted.sort_by(|a, b| a.name.cmp(&b.name));
        collected.submissions = admitted;
        Ok(())
    }

    /// `None` if it was tried, or is built now.
    fn waits(&mut self, last: Option<&KeptVersion>, taking: Taking) -> Option<String> {
        let (number, _) = last?.tried.unwrap_or_default();
        (number != last?.number).then(|| self.waits_after(last, taking))?
    }

    /// `last` is the version received before it.
    fn waits_after(&mut self, last: Option<&KeptVersion>, taking: Taking) -> Option<String> {
        if self.disk.is_full() {
            return Some("the judge builds nothing until it has disk space again".to_owned());
        }
        let (_, tried) = last?.tried?;
        let from = self.acceptance.waits_until(tried, taking)?;
        let from = from.round(jiff::Unit::Second).unwrap_or(from);
        Some(format!("the judge builds it at {from}"))
    }
}

/// Returns a text that changes with everything that a round is made from.
fn digest(class: &Class, roster: Option<&Roster>, terms: &Terms) -> String {
    let roster = serde_json::to_string(&roster).expect("plain data");
    let mut parts = vec![terms.digest(), roster];
    for submission in &class.submissions {
        parts.push(submission.name.clone());
        parts.push(submission.content().unwrap_or_default());
        parts.push(submission.form.as_ref().err().cloned().unwrap_or_default());
        parts.push(submission.waits.clone().unwrap_or_default());
    }
    let parts: Vec<&[u8]> = parts.iter().map(String::as_bytes).collect();
    hash(&parts)
}

/// Returns whether an entrant's newest version could not be kept.
fn was_refused(line: &EntrantLine, name: &str) -> bool {
    let newest = line.newest.as_ref();
    line.name == name && newest.is_some_and(|newest| newest.version.is_none())
}

#[cfg(test)]
mod tests {
    use super::super::arrivals::Listing;
    use std::fs;

    #[test]
    fn changes_are_seen_and_run_output_is_ignored() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let at = |name: &str| folder.path().join(name);
        fs::create_dir_all(at("ann/src")).expect("writable");
        fs::create_dir(at("out")).expect("writable");
        let listing = Listing {
            places: vec![folder.path().to_owned()],
            but: vec![at("out").canonicalize().expect("there")],
            ..Listing::default()
        };
        let digest = || listing.digest();
        let mut seen = vec![digest()];
        fs::write(at("ann/src/bot"), "one").expect("writable");
        seen.push(digest());
        fs::write(at("ann/src/bot"), "two").expect("writable");
        seen.push(digest());
        fs::create_dir(at("bob")).expect("writable");
        seen.push(digest());
        let mut different = seen.clone();
        different.sort_unstable();
        different.dedup();
        assert_eq!(different.len(), seen.len());
        fs::write(at("out/journal"), "much").expect("writable");
        assert_eq!(digest(), seen[3]);
        // The same again, with other times.
        fs::remove_file(at("ann/src/bot")).expect("writable");
        fs::write(at("ann/src/bot"), "two").expect("writable");
        assert_eq!(digest(), seen[3]);
    }
}
