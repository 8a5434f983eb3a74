//! From what is entered to everybody who can play, for all verbs that play.
use super::entering::{Entering, closes};
use super::first_sight::ReceiptSources;
use super::lineup::Lineup;
use super::prepared::Prepared;
use super::run_cgroups::open_run_cgroups;
use super::run_folder::{RunLocation, Traces};
use super::run_tell::{self, Unclaimed};
use super::shown_draw;
use super::watch_lock;
use crate::builtin;
use crate::progress::{counted_stage, stage};
use competition::schedule;
use engines::Entry;
use error::JudgeError;
use intake::{BuildStep, Closing, Collected, Site, Submission, roster};
use journal::manifest::{Machine, Manifest};
use journal::{Games, Journal, Keys, RunKeys};
use report::write_identities;
use sandbox::{Builder, Isolation, WarmCages};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::SystemTime;
use system::run_folder;
use words::competition::Competition;
use words::entrant::{Contestant, Entrant, Readiness, Roster};
use words::fixture::{Conditions, Fixture, Participant};
use words::slurm::SlurmSettings;

/// What a tournament is prepared for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// It is played, and everything is kept.
    Run,
    /// It is played for as long as it takes until everybody is there, and everything is kept,
    /// also which builds failed: elsewhere who runs a command again may have changed the machine.
    Watch,
    /// Some games are tried out. Where there is no run yet, only the programs are kept, for it.
    Trial,
}

/// What is known before anything is built.
pub(super) struct Given {
    /// Folders of programs that the competition names.
    pub(super) toolchains: BTreeMap<String, String>,
    pub(super) entry: &'static Entry,
    pub(super) competition: Competition,
    pub(super) slurm: SlurmSettings,
    pub(super) collected: Collected,
    pub(super) roster: Option<Roster>,
    pub(super) sources: ReceiptSources,
    pub(super) cause: Cause,
    /// When it was received.
    pub(super) now: SystemTime,
}

/// Why games are played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    /// Everybody who can play meets.
    Tournament,
    /// Games of another run are corrected: its programs stay what they were.
    Regrade,
    /// These are compared as they are now: each of them plays, and no earlier version does.
    Match(Vec<String>),
}

impl Entering {
    /// Collects and builds what was submitted, and lists the games; says what it finds.
    ///
    /// # Errors
    /// When the input is wrong, the run's folder cannot serve, or this machine cannot shut
    /// programs in as the competition needs.
    pub(super) fn prepare(
        &self,
        purpose: Purpose,
        stop: &Arc<AtomicBool>,
    ) -> Result<Prepared, JudgeError> {
        let now = SystemTime::now();
        let loaded = self.loaded()?;
        // Before everything is fetched, where the submissions need not tell the game.
        if let Ok((entry, _)) = self.competition(loaded.clone(), &[]) {
            watch_lock::refuse_beside(&self.place().chosen(entry))?;
        }
        let collected = stage("reading the submissions", || {
            self.collect(loaded.as_ref(), None, stop)
        })?;
        let slurm = loaded.as_ref().map(|loaded| loaded.slurm.clone());
        let named = loaded.as_ref().map(|loaded| loaded.toolchains.clone());
        let (entry, competition) = self.competition(loaded.clone(), &collected.submissions)?;
        let (roster, sources) =
            self.read_roster(&collected, (loaded.as_ref(), &competition), now)?;
        let given = Given {
            entry,
            slurm: slurm.unwrap_or_default(),
            toolchains: named.unwrap_or_default(),
            roster,
            sources,
            competition,
            collected,
            cause: Cause::Tournament,
            now,
        };
        self.prepare_given(given, purpose, stop)
    }

    /// Builds what is given, and lists the games; says what it finds.
    ///
    /// # Errors
    /// As [`Entering::prepare`].
    pub(super) fn prepare_given(
        &self,
        given: Given,
        purpose: Purpose,
        stop: &Arc<AtomicBool>,
    ) -> Result<Prepared, JudgeError> {
        let Given {
            entry,
            mut competition,
            slurm,
            toolchains,
            collected,
            roster,
            sources,
            cause,
            now,
        } = given;
        let mut isolation = self.isolation()?;
        let closing = Closing::new(&competition, roster.as_ref());
        self.check_builtins(entry, &competition)?;
        let closes = closes(&competition, roster.as_ref());
        let processes = competition.conditions.processes;
        let run_cgroups = open_run_cgroups(&mut isolation, processes)?;
        let place = self.place();
        let traces = place.traces(entry);
        let folder = run_folder_for(purpose, &place, entry)?;
        isolation.close(&folder);
        let tools = crate::toolchains::toolchains(&toolchains, &isolation)?;
        let (journal, RunKeys { keys, are_new }, begun) =
            open_journal(&place, &cause, &mut competition, &folder)?;
        let competition = Manifest::names_kept(begun.as_ref(), competition);
        // From here on dropped before the journal, which has the lock.
        let mut traces = Some(traces.locked(are_new));
        run_folder::clean(&folder);
        run_tell::greet(&competition.title, &self.submissions, &collected, &journal);
        sources.check(&folder, &collected, (&competition, &closing), now)?;
        let has_begun = cause == Cause::Regrade || !journal.is_empty();
        let site = Site {
            run: &folder,
            game: entry,
            conditions: &competition.conditions,
            jobs: self.jobs(),
            builds: competition.builds,
            kit: &competition.kit,
            toolchains: &tools,
            builder: Builder {
                judge: Path::new(builtin::THIS_PROGRAM),
                isolation: &isolation,
                stop,
            },
            failed_of: (purpose == Purpose::Watch).then_some(&folder),
            has_begun,
            received: now,
            closing: Some(&closing),
        };
        let (mut entrants, unclaimed) = self.enter(
            collected.submissions,
            roster,
            &competition,
            site,
            purpose,
            &mut traces,
        )?;
        Manifest::keep_platform_named(begun.as_ref(), &mut entrants);
        all_play(&cause, &entrants)?;
        let roles = schedule::roles(&competition)?;
        let seats = roles.len();
        let lineup = Lineup::of(entry, &competition, &entrants, seats, &folder, has_begun);
        let (lineup, lacks) = or_lacking(lineup, purpose)?;
        let (contestants, filler) = (lineup.contestants, lineup.filler);
        let machine = Machine::look(!self.workers.no_pin, isolation.confinement());
        let mut manifest = Manifest::new(crate::BUILD, competition, &keys, &entrants, machine);
        shown_draw::mark_late(&keys, &mut manifest, self.on_shown_draw)?;
        manifest.closes = closes;
        manifest.toolchain_folders = toolchains;
        say!("  {}", manifest.draw.words());
        manifest.submissions = place.submissions_name();
        manifest.filler = filler.as_ref().map(Contestant::participant);
        let (games, fixtures) = stage("listing the games", || match lacks {
            None => games(&manifest, &keys, &contestants),
            Some(_) => Ok(Default::default()),
        })?;
        let sitting = contestants.iter().chain(&filler);
        let conditions = &manifest.competition.conditions;
        let machinery = run_tell::machinery_of(&isolation, conditions, sitting.clone());
        if purpose != Purpose::Trial {
            traces.take().into_iter().for_each(Traces::keep);
        }
        Ok(Prepared {
            artifacts: sitting.map(|one| one.artifact.clone()).collect(),
            games,
            fixtures,
            entrants,
            unclaimed,
            slurm,
            lacks,
            folder,
            traces: traces.filter(Traces::is_all),
            journal,
            keys,
            manifest,
            roles,
            isolation,
            run_cgroups,
            machinery,
        })
    }

    /// Looks at how programs are shut in here, away from the submissions.
    ///
    /// # Errors
    /// When they cannot be, and that is not wanted.
    fn isolation(&self) -> Result<Isolation, JudgeError> {
        let mut isolation = Isolation::find();
        isolation.admit(self.workers.weak_isolation)?;
        if self.workers.cold {
            isolation.warm = WarmCages::Missing("--cold".to_owned());
        }
        for submissions in self.submissions.iter().chain(&self.given_in) {
            isolation.close(submissions);
        }
        Ok(isolation)
    }

    /// Builds what was submitted, adds the built-in bots, and says what has become of everybody;
    /// lets traces stay that are of use whatever comes. Returns also whom the roster does not know.
    fn enter(
        &self,
        submissions: Vec<Submission>,
        mut roster: Option<Roster>,
        competition: &Competition,
        site: Site<'_>,
        purpose: Purpose,
        traces: &mut Option<Traces>,
    ) -> Result<(Vec<Entrant>, Unclaimed), JudgeError> {
        let count = submissions.len();
        let built = counted_stage("submissions built", count, |counted| {
            intake::prepare(submissions, site, &|step| match step {
                BuildStep::Begun(name) => counted.begin(name),
                BuildStep::Done(name) => counted.end(name),
            })
        });
        let is_trial = purpose == Purpose::Trial;
        if !matches!(built, Err(JudgeError::Input(_))) {
            if is_trial {
                traces.iter_mut().for_each(Traces::keep_programs);
            } else if built.is_err() {
                // What is interrupted or fails for reasons of the machine is continued.
                traces.take().into_iter().for_each(Traces::keep);
            }
        }
        let mut entrants = built?;
        let names = entrants.iter().map(|entrant| entrant.name.as_str());
        let doubts = (roster.as_mut()).map(|roster| roster::find_entrants(roster, names));
        let doubts = doubts.unwrap_or_default();
        write_identities(site.run, &entrants, roster.as_ref())?;
        for name in self.builtins(competition) {
            let bot = builtin::entrant(site.game, name, site.run, site.has_begun)?;
            entrants.push(bot);
        }
        entrants.sort_by(|a, b| a.name.cmp(&b.name));
        let goes = is_trial && traces.as_ref().is_some_and(Traces::is_all);
        run_tell::readiness(&entrants, site.run, goes);
        if !goes && entrants.iter().any(has_log) {
            // People have been told to look into the folder.
            traces.take().into_iter().for_each(Traces::keep);
        }
        let Some(roster) = &roster else {
            return Ok((entrants, Unclaimed::default()));
        };
        let unclaimed = Unclaimed::of(roster, &doubts, &entrants);
        run_tell::roster(roster, &unclaimed, &entrants);
        Ok((entrants, unclaimed))
    }
}

/// Returns who plays; in a watch nobody, and what lacks, as long as there are not enough.
fn or_lacking(
    lineup: Result<Lineup, JudgeError>,
    purpose: Purpose,
) -> Result<(Lineup, Option<JudgeError>), JudgeError> {
    match lineup {
        Err(lacks @ JudgeError::Input(_)) if purpose == Purpose::Watch => {
            Ok((Lineup::nobody(), Some(lacks)))
        }
        lineup => Ok((lineup?, None)),
    }
}

/// Checks that the two of a match play with what was submitted last.
///
/// # Errors
/// When one of them does not.
fn all_play(cause: &Cause, entrants: &[Entrant]) -> Result<(), JudgeError> {
    let Cause::Match(names) = cause else {
        return Ok(());
    };
    for name in names {
        let Some(entrant) = entrants.iter().find(|one| one.name == *name) else {
            return Err(JudgeError::input(format!(
                "the name {name} looks like another one; rename its folder and rerun the command"
            )));
        };
        let broken = match (&entrant.readiness, &entrant.receipt.replaced) {
            (Readiness::Broken(broken), _) => broken,
            (Readiness::Ready(_), Some(replaced)) => &replaced.broken,
            (Readiness::Ready(_), None) => continue,
        };
        return Err(JudgeError::input(format!(
            "{name} cannot play: {broken}; correct it (judge check shows what is wrong) or leave it out, and rerun the command"
        )));
    }
    Ok(())
}

/// Makes the run's folder, where nobody else plays.
///
/// # Errors
/// When it cannot serve, or a watch goes on there and this is none.
fn run_folder_for(
    purpose: Purpose,
    place: &RunLocation<'_>,
    entry: &Entry,
) -> Result<PathBuf, JudgeError> {
    let folder = place.folder(entry)?;
    if purpose != Purpose::Watch {
        watch_lock::refuse_beside(&folder)?;
    }
    Ok(folder)
}

/// Opens the journal of the run in a folder, or begins one; returns also the manifest of a run that
/// has begun. A begun run keeps its charges.
///
/// # Errors
/// When it is the journal of another run, or cannot be read and written.
fn open_journal(
    place: &RunLocation<'_>,
    cause: &Cause,
    competition: &mut Competition,
    folder: &Path,
) -> Result<(Journal, RunKeys, Option<Manifest>), JudgeError> {
    // Under other settings every line would look foreign.
    let old = place.admits_again(competition, folder)?;
    let open = || Journal::open_with_keys(folder, &competition.conditions);
    let (journal, keys) = stage("reading the journal", open)?;
    if let Some(old) = &old {
        old.check_keys(&keys.keys, folder)?;
    }
    // What a correction plays under is known from the run that it corrects.
    if *cause != Cause::Regrade {
        keep_charges(&mut competition.conditions, old.as_ref(), journal.games());
    }
    Ok((journal, keys, old))
}

/// Takes over from a begun run what is free of a start-up, which no id depends on: from its
/// `run.json`, or from the journal where that is lost.
fn keep_charges(conditions: &mut Conditions, old: Option<&Manifest>, games: &Games) {
    if let Some(old) = old {
        conditions.startup_default_ms = old.competition.conditions.startup_default_ms;
    } else if !games.is_empty() {
        let mut lines = games.machines().values();
        conditions.startup_default_ms = lines.find_map(|line| line.startup_default_ms);
    }
}

/// Returns whether a log of a build is there for people to read.
fn has_log(entrant: &Entrant) -> bool {
    let replaced = entrant.receipt.replaced.as_ref();
    let broken = match &entrant.readiness {
        Readiness::Broken(broken) => Some(broken),
        Readiness::Ready(_) => replaced.map(|replaced| &replaced.broken),
    };
    entrant.compiler_warnings.is_some() || broken.is_some_and(|broken| broken.log.is_some())
}

/// Lists the ids of all games in the order that numbers them, and the games in the order of play.
fn games(
    manifest: &Manifest,
    keys: &Keys,
    contestants: &[Contestant],
) -> Result<(Vec<String>, Vec<Fixture>), JudgeError> {
    let (competition, filler) = (&manifest.competition, manifest.filler.as_ref());
    let draw = keys.draw(competition);
    let mut participants: Vec<Participant> =
        contestants.iter().map(Contestant::participant).collect();
    let numbered = schedule::ids(competition, &draw, &participants, filler)?;
    participants.sort_by_cached_key(|one| keys.opaque_number(&one.entrant));
    let played = schedule::fixtures(competition, &draw, &participants, filler)?;
    Ok((numbered, played))
}
