//! Submissions that are late only by the judge's clock: staff decide before anything is played.

use crate::commands::shown;
use intake::{KeptSubmissions, Submission};
use jiff::Timestamp;
use jiff::tz::{Offset, TimeZone};
use model::entrant::Roster;
use model::lateness::Deadlines;
use model::text::listed;
use rulebook::JudgeError;
use rulebook::Loaded;
use std::path::{Path, PathBuf};

#[derive(Clone, Debug, Default)]
pub(crate) struct ReceiptSources {
    pub(crate) roster: Option<PathBuf>,
    /// Zone in which a platform's times in the roster were read; `None` if it has none.
    pub(crate) times_at: Option<TimeZone>,
    /// Offset from UTC with which the deadline is written.
    pub(crate) zone: Option<Offset>,
    /// Whether the competition's file accepts the judge's clock.
    pub(crate) judges_clock_counts: bool,
}

impl ReceiptSources {
    pub(crate) fn of(loaded: &Loaded) -> Self {
        Self {
            zone: loaded.zone,
            judges_clock_counts: loaded.judges_clock_counts,
            ..Self::default()
        }
    }

    pub(crate) fn note(&self) -> Option<String> {
        let (roster, zone) = (self.roster.as_ref()?, self.times_at.as_ref()?);
        Some(format!(
            "times of receipt in {} are read in the {}; they are exact to the minute",
            shown(roster),
            zone_words(zone)
        ))
    }

    /// `run` has the receipts noted before.
    pub(crate) fn refuse_late(
        &self,
        run: &Path,
        submissions: &[Submission],
        roster: Option<&Roster>,
        deadlines: &Deadlines,
        now: Timestamp,
    ) -> Result<(), JudgeError> {
        let Some(deadline) = deadlines.of_all().filter(|_| !self.judges_clock_counts) else {
            return Ok(());
        };
        let late = KeptSubmissions::of_run(run).late_by_first_sight(submissions, deadlines, now)?;
        let [first, ..] = late.as_slice() else {
            return Ok(());
        };
        let (count, were, them) = match late.len() {
            1 => ("1 submission".to_owned(), "was", "it"),
            count => (format!("{count} submissions"), "were", "them"),
        };
        let zone = self.zone.unwrap_or(Offset::UTC);
        let example = zone.to_datetime(deadline);
        let example = format!("{example}{}", suffix(zone));
        let cells = [first, first, example.as_str()].map(cell).join(",");
        let record = match &self.roster {
            Some(file) => format!(
                "{}write the time into the column received of {} (add it if it is missing), as {example}",
                roster
                    .and_then(|roster| unmatched(roster, &late, file))
                    .unwrap_or_default(),
                shown(file)
            ),
            None => format!(
                "give a file with --roster, with one line for each as\nsubmission,id,received\n{cells}{}",
                if submissions
                    .iter()
                    .all(|one| one.mark.is_none_or(|mark| mark.platform == "Moodle"))
                {
                    "\nMoodle's grading worksheet has these times: give it with --roster."
                } else {
                    ""
                }
            ),
        };
        Err(JudgeError::input(format!(
            "cannot tell whether {count} {were} in time: the judge first sees {them} now, after the deadline \
             {example}: {}\nIf the platform received {them} in time, {record}\nTo use the judge's clock instead, add \
             this line to the competition's file, above its first table:\nreceived = \"judge\"",
            listed(&late)
        )))
    }
}

pub(crate) fn zone_words(zone: &TimeZone) -> String {
    match zone.to_fixed_offset() {
        Ok(offset) => format!("deadline's zone, {}", written(offset)),
        Err(_) => format!("zone {}", zone.iana_name().unwrap_or_default()),
    }
}

/// A roster's times count only for submissions that it matches.
fn unmatched(roster: &Roster, late: &[String], file: &Path) -> Option<String> {
    let is_matched = |name: &&String| roster.people.iter().any(|who| who.submission == **name);
    let unmatched: Vec<&str> = late
        .iter()
        .filter(|name| !is_matched(name))
        .map(String::as_str)
        .collect();
    (!unmatched.is_empty()).then(|| {
        format!(
            "first write these names into the column submission of {} (add it if it is missing), each in its author's line, because no line matches them: {}\n\
             Where a line matches and has no time, ",
            shown(file),
            listed(&unmatched)
        )
    })
}

fn cell(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

pub(crate) fn written(offset: Offset) -> String {
    match offset {
        Offset::UTC => "UTC".to_owned(),
        offset => format!("UTC{}", suffix(offset)),
    }
}

fn suffix(offset: Offset) -> String {
    let seconds = offset.seconds();
    if seconds == 0 {
        return "Z".to_owned();
    }
    let sign = if seconds < 0 { '-' } else { '+' };
    let minutes = seconds.abs() / 60;
    format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::entrant::Person;

    #[test]
    fn submissions_that_no_line_matches_are_named() {
        let person = |submission: &str| Person {
            submission: submission.to_owned(),
            ..Person::default()
        };
        let roster = Roster {
            people: vec![person("ann"), person("")],
            ..Roster::default()
        };
        let late = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
            unmatched(&roster, &names, Path::new("roster.csv"))
        };
        assert_eq!(late(&["ann"]), None);
        let reported = late(&["ann", "bob", "cid"]).expect("two are not matched");
        assert!(
            reported.contains("no line matches them: bob, cid\n"),
            "{reported}"
        );
    }

    #[test]
    fn offsets_are_written_as_people_read_them() {
        for (seconds, expected) in [
            (0, "UTC"),
            (3600, "UTC+01:00"),
            (-12_600, "UTC-03:30"),
            (20_700, "UTC+05:45"),
        ] {
            let offset = Offset::from_seconds(seconds).expect("allowed");
            assert_eq!(written(offset), expected);
        }
    }
}
