//! Builds submissions, several at a time; where the newest version fails, the last good one plays.

mod make;

use crate::at_once::at_once;
use crate::build::built_program::Product;
use crate::build::failed_builds::{BuildFailure, FailedBuilds, built};
use crate::build::program_store::{CachedBuilds, ProgramCache, ProgramStore};
use crate::build::sources;
use crate::build::toolchains::Toolchains;
use crate::build::toolchains::found::Toolchain;
use crate::read::submission::Submission;
use crate::who::people;
use crate::who::versions::{History, KeptSubmissions};
use model::artifact::Artifact;
use model::competition::{BuildLimits, CourseKit};
use model::entrant::{Blame, Broken, Entrant, Replaced, VersionName};
use model::entrants_folder::EntrantsFolder;
use model::fixture::Conditions;
use model::lateness::{Deadlines, Lateness, ReceiptRecord, ReceivedBy, Timing};
use model::text::readable;
use rulebook::rules::Rules;
use rulebook::{IoContext, Result, refuse};
use sandbox::Builder;
use std::collections::BTreeMap;
use std::mem;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::SystemTime;
use system::files::{if_there, make_folder, write_whole};
use system::run_folder;

/// Place and terms of the builds.
#[derive(Clone, Copy, Debug)]
pub struct BuildContext<'a> {
    /// The run's folder: programs are written to its `artifacts/`, compilers' output to
    /// `logs/build/`, and received files to `versions/`.
    pub run: &'a Path,
    /// The game that they must be for.
    pub game: &'a dyn Rules,
    /// The conditions that it is played under.
    pub conditions: &'a Conditions,
    /// Number of builds at a time.
    pub jobs: usize,
    /// Time limits of each build.
    pub builds: BuildLimits,
    /// The course's additions to the kits.
    pub kit: &'a CourseKit,
    /// The compilers and interpreters of this machine.
    pub toolchains: &'a Toolchains,
    /// Runs compilers. Once it is stopped, nothing more is built.
    pub builder: Builder<'a>,
    /// The run that remembers failed builds; `None` if every build is started.
    pub failed_of: Option<&'a Path>,
    /// Programs that were built before; `None` if every build is started.
    pub cache: Option<&'a ProgramCache>,
    /// Whether games of the run have been played: then it keeps the programs that it began with.
    pub has_begun: bool,
    /// When the submissions were received.
    pub received: SystemTime,
    /// Until when they count; `None` where deadlines do not matter.
    pub deadlines: Option<&'a Deadlines>,
}

/// Progress of a submission, by its name.
#[derive(Clone, Copy, Debug)]
pub enum BuildStep<'a> {
    /// It is being kept and built.
    Begun(&'a str),
    /// It can be run, or the reason why not is known.
    Done(&'a str),
}

/// Keeps and builds every submission, and lists the withdrawn ones. `tell` receives each step.
pub fn prepare(
    mut submissions: Vec<Submission>,
    context: BuildContext<'_>,
    tell: &(dyn Fn(BuildStep<'_>) + Sync),
) -> Result<Vec<Entrant>> {
    let terms = (context.builds, context.kit);
    let builder = SubmissionBuilder {
        context,
        programs: ProgramStore::open(context.run, context.builder.isolation)?,
        logs: run_folder::logs(context.run)?.join("build"),
        store: KeptSubmissions::open(context.run)?,
        failed: context
            .failed_of
            .map(|run| FailedBuilds::of_run(run, context.builds)),
        cached: context
            .cache
            .and_then(|cache| CachedBuilds::of(cache, &context.builder, terms, context.toolchains)),
        toolchains: Mutex::default(),
        changed: Mutex::default(),
    };
    make_folder(&builder.logs)?;
    people::spell_out_lookalikes(&mut submissions);
    let mut entrants = at_once(context.jobs, submissions, |submission| {
        let name = submission.name.clone();
        tell(BuildStep::Begun(&name));
        let entrant = builder.build_all_versions(submission)?;
        tell(BuildStep::Done(&name));
        Ok(entrant)
    })?;
    let present = entrants.iter().map(|entrant| entrant.name.as_str());
    let withdrawn = builder.store.withdrawn(&present.collect())?;
    for (name, version, origin) in withdrawn {
        let reason = format!("withdrawn: {version} is no longer among the submissions");
        entrants.push(Entrant {
            origin,
            version: Some(version),
            ..Entrant::new(name, "", Err(broken(Blame::Withdrawn, reason)))
        });
    }
    entrants.sort_by(|a, b| a.name.cmp(&b.name));
    let mut changed = builder.changed.into_inner().expect("no builder panics");
    if changed.is_empty() {
        return Ok(entrants);
    }
    changed.sort();
    let run = context.run.display();
    refuse(format!(
        "all games of {} would be played again: the programs that played them are damaged or missing in \
         {run}/artifacts, and building them now gives other programs (another version of judge, the kit or the \
         compiler). Restore that folder from a backup, or use the judge that run.json names, and rerun the command; \
         to play these games again, first move the entrants' lists of versions (in {run}/versions) away",
        changed.join(", ")
    ))
}

struct SubmissionBuilder<'a> {
    context: BuildContext<'a>,
    programs: ProgramStore,
    logs: PathBuf,
    store: KeptSubmissions,
    failed: Option<FailedBuilds>,
    cached: Option<CachedBuilds<'a>>,
    toolchains: Mutex<BTreeMap<&'static str, Result<Toolchain, String>>>,
    /// Entrants whose program was lost and would now be another one.
    changed: Mutex<Vec<String>>,
}

impl SubmissionBuilder<'_> {
    /// A failure of one submission, such as an unreadable folder, does not affect the others.
    fn build_all_versions(&self, mut submission: Submission) -> Result<Entrant> {
        let mut in_time_before = false;
        for mut earlier in mem::take(&mut submission.earlier) {
            earlier.name.clone_from(&submission.name);
            let files = earlier.all_files();
            // The roster's time of receipt counts for the newest one alone.
            let record = earlier.record;
            in_time_before =
                record == Some(ReceiptRecord::InTime) && files == submission.all_files();
            let history = self.store.history(&earlier.name)?;
            if !history.has_passed(&files, &earlier.origin) {
                self.build_or_report(earlier, record)?;
            }
        }
        let record = match self.context.deadlines {
            Some(deadlines) if !in_time_before => {
                deadlines.record(&submission.name, submission.record)
            }
            // The same files again: their receipt is that of another sending.
            Some(_) | None => submission.record,
        };
        self.build_or_report(submission, record)
    }

    fn build_or_report(
        &self,
        mut submission: Submission,
        record: Option<ReceiptRecord>,
    ) -> Result<Entrant> {
        self.enter(&mut submission, record).or_else(|error| {
            if !error.is_of_one_place() {
                return Err(error);
            }
            let broken = broken(Blame::Machine, error.to_string());
            Ok(entrant(&submission, Err(broken), None, None))
        })
    }

    /// Keeps and builds a submission. Where it does not play, an earlier version may.
    fn enter(&self, submission: &mut Submission, record: Option<ReceiptRecord>) -> Result<Entrant> {
        submission.admit(self.context.game);
        let mut history = self.store.history(&submission.name)?;
        let files = submission.all_files();
        if !files.is_empty() {
            let received = submission
                .received
                .map_or(self.context.received, SystemTime::from);
            history.receive(&files, &submission.origin, received, record)?;
        }
        let newest = history.last().filter(|_| !files.is_empty());
        let made = self.build(submission, &mut history, newest)?;
        let log = self.write_log(&submission.name, &made)?;
        submission.warnings.extend(history.note_on_damage());
        let asked = self.context.kit.comment_words;
        submission.comment = asked.and_then(|_| sources::longest_comment(submission));
        let timing = newest.and_then(|newest| self.timing(&history, newest));
        let marked_late = submission.mark.and_then(|mark| mark.late);
        let against = timing.and_then(|timing| timing.against_mark(marked_late?));
        submission.warnings.extend(against.map(str::to_owned));
        let version = newest.map(|newest| history.name(newest));
        let log_below = || {
            let below = log.strip_prefix(self.context.run);
            below.unwrap_or(&log).display().to_string()
        };
        match made {
            Ok(Product {
                artifact, output, ..
            }) => {
                let lateness = lateness_of(timing);
                let late = |words: &dyn Fn(Timing) -> String| {
                    broken(Blame::Submission, timing.map(words).unwrap_or_default())
                };
                // Where the newest version is late, an earlier one may play.
                if lateness > Lateness::InTime
                    && timing.is_none_or(|timing| timing.by != ReceivedBy::Staff)
                    && let Some(earlier) =
                        self.earlier(&submission.name, &history, Some(lateness))?
                {
                    let playing = lateness_of(earlier.timing);
                    let broken = late(&|timing| timing.words_instead_of(playing));
                    return Ok(instead(submission, earlier, version, broken));
                }
                if self.leaves_out(lateness) {
                    let broken = late(&|timing| timing.words(false));
                    return Ok(entrant(submission, Err(broken), version, timing));
                }
                Ok(Entrant {
                    compiler_warnings: (!output.is_empty()).then(log_below),
                    ..entrant(submission, Ok(artifact), version, timing)
                })
            }
            Err(failure) => {
                let has_log = !failure.output.is_empty();
                let mut broken = broken(failure.blame, plain_line(&failure.reason));
                let Some(earlier) = self.earlier(&submission.name, &history, None)? else {
                    broken.log = has_log.then(|| log.display().to_string());
                    return Ok(entrant(submission, Err(broken), version, timing));
                };
                broken.log = has_log.then(log_below);
                Ok(instead(submission, earlier, version, broken))
            }
        }
    }

    fn build(
        &self,
        submission: &mut Submission,
        history: &mut History,
        newest: Option<usize>,
    ) -> Result<Result<Product, BuildFailure>> {
        let before = newest
            .filter(|_| self.context.has_begun)
            .and_then(|newest| history.artifact(newest))
            .map(str::to_owned);
        let made = match submission.waits.take() {
            Some(reason) => Err(BuildFailure {
                blame: Blame::Waiting,
                ..BuildFailure::brief(reason)
            }),
            None => built(self.make(submission, before.as_deref()))?,
        };
        match &made {
            _ if newest.is_none() => {}
            // A different program stops the run; the list must still name the one before.
            Ok(made) if before.is_some_and(|before| before != made.artifact.hash) => {}
            Ok(made) => history.note(Some(&made.artifact.hash))?,
            Err(failure) if failure.blame == Blame::Submission => history.note(None)?,
            Err(_) => {}
        }
        Ok(made)
    }

    /// Writes the compiler's output, or removes that of an earlier version. Returns its place.
    fn write_log(&self, name: &str, made: &Result<Product, BuildFailure>) -> Result<PathBuf> {
        let log = self.logs.join(EntrantsFolder::Logs.file_of(name, ".txt"));
        let (Ok(Product { output, .. }) | Err(BuildFailure { output, .. })) = made;
        if output.is_empty() {
            if_there(std::fs::remove_file(&log)).or_io("write", &log)?;
        } else {
            write_whole(&log, plain(output).as_bytes())?;
        }
        Ok(log)
    }

    fn timing(&self, history: &History, index: usize) -> Option<Timing> {
        let deadlines = self.context.deadlines?;
        Some(history.timing(index, deadlines))
    }

    fn leaves_out(&self, lateness: Lateness) -> bool {
        let deadlines = self.context.deadlines;
        deadlines.is_some_and(|deadlines| deadlines.leaves_out(lateness))
    }

    /// Finds the newest earlier version that worked and still does. A version in time precedes all
    /// late ones, and one as late as `limit` is never taken.
    fn earlier(
        &self,
        name: &str,
        history: &History,
        limit: Option<Lateness>,
    ) -> Result<Option<Entrant>> {
        let mut working = history.working();
        let lateness = |index: usize| lateness_of(self.timing(history, index));
        working.retain(|&index| {
            let own = lateness(index);
            limit.is_none_or(|limit| own < limit) && !self.leaves_out(own)
        });
        working.sort_by_key(|&index| lateness(index));
        for index in working {
            let Some(kept) = history.submission(index) else {
                continue;
            };
            let mut older = kept.identified(name, Some(self.context.game));
            let before = history.artifact(index).filter(|_| self.context.has_begun);
            if let Ok(made) = built(self.make(&mut older, before))? {
                let (version, timing) = (history.name(index), self.timing(history, index));
                let playing = entrant(&older, Ok(made.artifact), Some(version), timing);
                return Ok(Some(playing));
            }
        }
        Ok(None)
    }
}

fn lateness_of(timing: Option<Timing>) -> Lateness {
    timing.map_or(Lateness::InTime, |timing| timing.lateness)
}

fn broken(blame: Blame, reason: String) -> Broken {
    Broken {
        blame,
        reason,
        log: None,
    }
}

/// The author's wishes are those of the newest version.
fn instead(
    submission: &Submission,
    earlier: Entrant,
    last: Option<VersionName>,
    broken: Broken,
) -> Entrant {
    Entrant {
        warnings: submission.warnings.clone(),
        anonymous: earlier.anonymous || submission.is_anonymous(),
        platform_named: submission.mark.is_some(),
        comment: submission.comment.clone(),
        replaced: earlier.version.clone().map(|playing| Replaced {
            last,
            broken,
            playing,
        }),
        ..earlier
    }
}

fn entrant(
    submission: &Submission,
    program: Result<Artifact, Broken>,
    version: Option<VersionName>,
    timing: Option<Timing>,
) -> Entrant {
    let form = submission.form.as_ref().map_or("", |form| form.name());
    Entrant {
        warnings: submission.warnings.clone(),
        anonymous: submission.is_anonymous(),
        platform_named: submission.mark.is_some(),
        about: submission.about.clone(),
        origin: submission.origin.clone(),
        version,
        timing,
        comment: submission.comment.clone(),
        ..Entrant::new(submission.name.clone(), form, program)
    }
}

/// First character of a sequence that colours text or moves the cursor, and a last one.
const ESCAPE: char = '\u{1b}';
const BELL: char = '\u{7}';

fn plain(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match (c, rest.peek()) {
            (ESCAPE, Some('[')) => {
                // Up to the letter that gives the meaning of the numbers before it.
                rest.find(|c| matches!(c, '@'..='Z' | '\\'..='~'));
            }
            (ESCAPE, Some(']')) => {
                while rest.next_if(|c| *c != BELL && *c != ESCAPE).is_some() {}
                rest.next();
                rest.next_if_eq(&'\\');
            }
            ('\r', Some('\n')) => {}
            _ => kept.push(c),
        }
    }
    readable(&kept)
}

fn plain_line(text: &str) -> String {
    plain(text.trim()).replace(['\n', '\t'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_stripped_and_other_controls_escaped() {
        for (text, shown) in [
            ("\u{1b}[1m\u{1b}[31merror\u{1b}[0m: no\r\n", "error: no\n"),
            ("\u{1b}]0;title\u{7}a\u{1b}]8;;http://x\u{1b}\\b", "ab"),
            ("a\u{8}b\rc", "a\\u{8}b\\u{d}c"),
            ("\u{1b}[", ""),
            ("\u{1b}c", "\\u{1b}c"),
            ("ünïcode\t‘x’", "ünïcode\t‘x’"),
        ] {
            assert_eq!(plain(text), shown);
        }
        assert_eq!(plain_line(" a\nb\n"), "a b");
    }
}
