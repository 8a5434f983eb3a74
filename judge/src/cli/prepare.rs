//! What `run` and `plan` share: from the flags to everybody who can play.

use super::display::{for_shell, program};
use super::lineup::Lineup;
use super::past_run::PastRun;
use super::places;
use super::run_cgroups::open_run_cgroups;
use super::run_folder::{RunLocation, Traces};
use super::run_tell;
use super::settings::{Scored, Settings, untold_game, with_game};
use super::shown_draw;
use super::watch_lock;
use crate::builtin;
use crate::progress::{counted_stage, stage};
use clap::Args;
use competition::{Loaded, schedule};
use engines::Entry;
use error::JudgeError;
use intake::{BuildStep, Closing, Collected, PolledRepositories, Site, Submission, roster};
use jiff::Timestamp;
use journal::manifest::{Machine, Manifest};
use journal::{Journal, Keys, MachineLine, MachineLines, RunKeys, UnequalMachines};
use play::worker::Order;
use report::write_identities;
use sandbox::{Builder, Isolation, OpenRunCgroups, WarmCages};
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::SystemTime;
use system::run_folder;
use words::artifact::Artifact;
use words::competition::Competition;
use words::entrant::{Contestant, Entrant, Readiness, Roster};
use words::fixture::{Fixture, Participant};
use words::slurm::SlurmSettings;

/// What is said about how games are played on this machine.
#[derive(Args, Clone, Default)]
pub(super) struct Workers {
    /// Number of games to play at once [default: the number of CPUs]
    #[arg(long, allow_negative_numbers = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(super) jobs: Option<u16>,
    /// Do not pin each worker and its bots to one CPU
    #[arg(long)]
    pub(super) no_pin: bool,
    /// Run even if this machine cannot sandbox programs: submissions then have your rights
    #[arg(long)]
    pub(super) weak_isolation: bool,
    /// Sandbox every process from scratch instead of starting it in a warm cage: slower, and the
    /// same games
    #[arg(long)]
    pub(super) cold: bool,
}

impl Workers {
    /// Returns how many games are played at once.
    pub(super) fn jobs(&self) -> usize {
        let all = || std::thread::available_parallelism().map_or(1, usize::from);
        self.jobs.map_or_else(all, usize::from)
    }
}

/// What is said about a tournament.
#[derive(Args, Default)]
pub(super) struct Entering {
    /// A folder with a folder, zip or program for each submission, or a learning platform's
    /// download; or one zip of all; or a text file of git repositories, each line NAME URL
    /// [REFERENCE [FOLDER]]; may be repeated
    #[arg(long, value_name = "PLACE", required_unless_present = "with")]
    pub(super) submissions: Vec<PathBuf>,
    /// A CSV file that says who submitted what: columns submission, id, name, email, section; or
    /// a list that Moodle, Canvas or Artemis has exported
    /// [default: roster.csv beside the submissions, if there is one]
    #[arg(long, value_name = "FILE")]
    roster: Option<PathBuf>,
    /// Enter a built-in bot too, for example builtin:random; may be repeated
    #[arg(long, value_name = "BOT")]
    with: Vec<String>,
    /// The run folder; an existing run is continued [default: results/GAME, or results/GAME-NAME with the name of the submissions' folder]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    workers: Workers,
    /// Let programs play that were submitted after games on this draw had been shown; the table
    /// marks them
    #[arg(long)]
    on_shown_draw: bool,
    /// Continue a run on a machine whose speed differs by more than half from those that its
    /// games were played on; tables and page say so
    #[arg(long)]
    pub(super) mixed: bool,
    #[command(flatten)]
    settings: Settings,
    #[command(flatten)]
    scored: Scored,
}

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

/// A tournament that can be played: everything is built and checked.
pub(super) struct Prepared {
    /// The run's folder, absolute. It is locked as long as the journal is open.
    pub(super) folder: PathBuf,
    /// What goes when this is dropped; nothing for a run.
    pub(super) traces: Option<Traces>,
    pub(super) journal: Journal,
    pub(super) keys: Keys,
    /// Not written yet.
    pub(super) manifest: Manifest,
    pub(super) roles: &'static [&'static str],
    /// The ids of all games, in the order that numbers them: by the entrants' names.
    pub(super) games: Vec<String>,
    /// Every game, in the order of play, which tells nothing of names: what bots write for their
    /// authors stands in that order.
    pub(super) fixtures: Vec<Fixture>,
    pub(super) entrants: Vec<Entrant>,
    pub(super) slurm: SlurmSettings,
    /// Why there is nothing to play yet, in a watch.
    pub(super) lacks: Option<JudgeError>,
    artifacts: Vec<Artifact>,
    isolation: Isolation,
    run_cgroups: Option<OpenRunCgroups>,
    /// How programs are shut in and started, in lines for people.
    pub(super) machinery: Vec<String>,
}

impl Prepared {
    pub(super) const fn competition(&self) -> &Competition {
        &self.manifest.competition
    }

    /// Returns what workers are told first.
    pub(super) fn order(&self) -> Order {
        Order {
            conditions: self.competition().conditions.clone(),
            artifacts: self.artifacts.clone(),
            pin: None,
            isolation: self.isolation.clone(),
            run_cgroups: self
                .run_cgroups
                .as_ref()
                .map(OpenRunCgroups::run_cgroups)
                .cloned(),
        }
    }

    /// Returns what the journal tells of this machine, as one that plays now.
    ///
    /// # Errors
    /// When the machine's clock cannot be read.
    pub(super) fn machine_line(&self) -> Result<Option<MachineLine>, JudgeError> {
        let machine = self.manifest.machine.clone();
        let line = |machine| Ok(MachineLine::look(machine, play::calibrate()?, None));
        machine.map(line).transpose()
    }

    /// Returns how programs are shut in here.
    pub(super) const fn isolation(&self) -> &Isolation {
        &self.isolation
    }

    /// Returns what the entrants play with.
    pub(super) fn artifacts(&self) -> &[Artifact] {
        &self.artifacts
    }

    /// Says so where all initial states are the same.
    pub(super) fn note_on_states(&self) -> Option<String> {
        let states = self.competition().states;
        let setups: HashSet<&str> = self.fixtures.iter().map(|f| f.setup.get()).collect();
        (setups.len() == 1 && states > 1).then(|| {
            format!(
                "note: all {states} initial states are the same, so deterministic bots only repeat \
                 the same games (protocol.md lists the game's settings for --set)"
            )
        })
    }
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
    /// Enters everybody of a past run again, in a folder of its own.
    pub(super) fn again(
        past: &PastRun,
        folder: &Path,
        jobs: Option<u16>,
        weak_isolation: bool,
    ) -> Self {
        let names = past.manifest.entrants.iter().map(|line| &line.name);
        let with = names.filter(|name| words::builtin::is_builtin(name));
        let machine = past.manifest.machine.as_ref();
        Self {
            submissions: vec![past.folder.clone()],
            with: with.cloned().collect(),
            out: Some(folder.to_owned()),
            workers: Workers {
                no_pin: machine.is_some_and(|machine| !machine.pinned),
                jobs,
                weak_isolation,
                ..Workers::default()
            },
            on_shown_draw: true,
            ..Self::default()
        }
    }

    /// Takes the places that were named without a flag.
    ///
    /// # Errors
    /// When several are named and each is a single submission: they are not meant to be classes.
    pub(super) fn take_places(&mut self, places: &mut Vec<PathBuf>) -> Result<(), JudgeError> {
        let singles = (places.len() > 1)
            .then(|| places::singles(places))
            .flatten();
        if let Some(singles) = singles {
            let words = places.iter().map(|path| for_shell(&path.to_string_lossy()));
            let words: Vec<String> = words.collect();
            let named = self.settings.named_game()?;
            let told = named.or_else(|| singles.iter().find_map(Submission::game));
            let command = format!("{} match {}", program(), words[..2].join(" "));
            let games = engines::GAMES.iter();
            let games = games.filter(|one| told.is_none_or(|told| told.info.slug == one.info.slug));
            return Err(JudgeError::input(format!(
                "{} are single submissions; for a tournament, give the folder that all are in; to let two play each \
                 other:\n{}",
                words.join(" and "),
                with_game(&command, games)
            )));
        }
        self.submissions.append(places);
        Ok(())
    }

    /// Enters built-in bots beside what is given, in a folder of their own.
    pub(super) fn in_folder(folder: PathBuf, with: Vec<String>, workers: Workers) -> Self {
        Self {
            with,
            out: Some(folder),
            workers,
            on_shown_draw: true,
            mixed: true,
            ..Self::default()
        }
    }

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
        let collected = stage("reading the submissions", || {
            self.collect(loaded.as_ref(), None, stop)
        })?;
        let slurm = loaded.as_ref().map(|loaded| loaded.slurm.clone());
        let named = loaded.as_ref().map(|loaded| loaded.toolchains.clone());
        let (entry, competition) = self.competition(loaded, &collected.submissions)?;
        let given = Given {
            entry,
            slurm: slurm.unwrap_or_default(),
            toolchains: named.unwrap_or_default(),
            roster: self.read_roster(&collected, &competition, now)?,
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
            competition,
            slurm,
            toolchains,
            collected,
            roster,
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
        let (journal, RunKeys { keys, are_new }) = open_journal(&place, &competition, &folder)?;
        // From here on dropped before the journal, which has the lock.
        let mut traces = Some(traces.locked(are_new));
        run_folder::clean(&folder);
        run_tell::greet(&competition.title, &self.submissions, &collected, &journal);
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
        let entrants = self.enter(
            collected.submissions,
            roster,
            &competition,
            site,
            purpose,
            &mut traces,
        )?;
        if let Cause::Match(names) = &cause {
            all_play(names, &entrants)?;
        }
        let roles = schedule::roles(&competition)?;
        let seats = roles.len();
        let lineup = Lineup::of(entry, &competition, &entrants, seats, &folder, has_begun);
        let (lineup, lacks) = or_lacking(lineup, purpose)?;
        let (contestants, filler) = (lineup.contestants, lineup.filler);
        let machine = Machine::look(!self.workers.no_pin, isolation.confinement());
        let mut manifest = Manifest::new(competition, &keys, &entrants, machine);
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
        let machinery = vec![
            isolation.announce(processes),
            isolation.announce_channels(),
            run_tell::starts(&isolation, processes, sitting.clone()),
        ];
        if purpose != Purpose::Trial {
            traces.take().into_iter().for_each(Traces::keep);
        }
        Ok(Prepared {
            artifacts: sitting.map(|one| one.artifact.clone()).collect(),
            games,
            fixtures,
            entrants,
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
        for submissions in &self.submissions {
            isolation.close(submissions);
        }
        Ok(isolation)
    }

    /// Builds what was submitted, adds the built-in bots, and says what has become of everybody;
    /// lets traces stay that are of use whatever comes.
    fn enter(
        &self,
        submissions: Vec<Submission>,
        mut roster: Option<Roster>,
        competition: &Competition,
        site: Site<'_>,
        purpose: Purpose,
        traces: &mut Option<Traces>,
    ) -> Result<Vec<Entrant>, JudgeError> {
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
        run_tell::late(&entrants);
        if !goes && entrants.iter().any(has_log) {
            // People have been told to look into the folder.
            traces.take().into_iter().for_each(Traces::keep);
        }
        if let Some(roster) = &roster {
            run_tell::roster(roster, &doubts, &entrants);
        }
        Ok(entrants)
    }

    /// Reads who submitted what, where there is a list.
    pub(super) fn read_roster(
        &self,
        collected: &Collected,
        competition: &Competition,
        now: SystemTime,
    ) -> Result<Option<Roster>, JudgeError> {
        let Some(path) = self.roster.as_ref().or(collected.roster.as_ref()) else {
            return Ok(None);
        };
        let mut roster = roster::read_as_far_as_it_goes(path, competition.deadline)?;
        let now = Timestamp::try_from(now).unwrap_or(Timestamp::MAX);
        roster::leave_out_future(&mut roster, now);
        let names = collected.submissions.iter().map(|one| one.name.as_str());
        roster::find_entrants(&mut roster, names);
        Ok(Some(roster))
    }

    pub(super) fn collect(
        &self,
        loaded: Option<&Loaded>,
        polled: Option<&Arc<PolledRepositories>>,
        stop: &AtomicBool,
    ) -> Result<Collected, JudgeError> {
        let game = match loaded {
            Some(loaded) => Some(loaded.entry),
            None => self.settings.named_game()?,
        };
        let location = self.place();
        let results = Some(location.results());
        let (mut collected, rosters) =
            places::collect(&self.submissions, game, results, polled, stop)?;
        if self.roster.is_none() {
            collected.roster = places::only_roster(rosters)?;
        }
        let course = loaded.map(|loaded| loaded.competition.kit.files.as_slice());
        let is_courses = |line: &String| {
            let mut own = course.unwrap_or_default().iter();
            own.any(|file| {
                line.strip_prefix(&file.name)
                    .is_some_and(|rest| rest.starts_with(" ("))
            })
        };
        collected.ignored.retain(|line| !is_courses(line));
        Ok(collected)
    }

    /// Checks that the game has the built-in bots that take part, before anything is made.
    ///
    /// # Errors
    /// When it has not, or one is named twice.
    fn check_builtins(&self, entry: &Entry, competition: &Competition) -> Result<(), JudgeError> {
        let mut seen = HashSet::new();
        for name in self.builtins(competition) {
            let bot = name.strip_prefix(words::builtin::PREFIX).unwrap_or(name);
            builtin::check_name(entry, bot)?;
            if !seen.insert(bot) {
                return Err(JudgeError::input(format!(
                    "--with {}{bot} appears twice; remove one",
                    words::builtin::PREFIX
                )));
            }
        }
        Ok(())
    }

    /// Lists the built-in bots that take part: those asked for, opponents of a gauntlet, and those
    /// whom prizes ask to be ahead of.
    fn builtins<'a>(&'a self, competition: &'a Competition) -> Vec<&'a String> {
        let met = competition.schedule.opponents().iter();
        let met = met.chain(&competition.scoring.prize_needs.ahead_of);
        let met = met
            .filter(|name| name.starts_with(words::builtin::PREFIX) && !self.with.contains(name));
        self.with.iter().chain(met).collect()
    }

    /// Checks that a machine is like those that the games of a run were played on.
    ///
    /// # Errors
    /// When it is not, and that was not asked for.
    pub(super) fn admit_machine(
        &self,
        machine: &MachineLine,
        before: &MachineLines,
    ) -> Result<(), JudgeError> {
        let all = before.values().chain([machine]);
        let Some(unequal) = UnequalMachines::among(all).filter(|_| !self.mixed) else {
            return Ok(());
        };
        if UnequalMachines::among(before.values()).is_some() {
            return Ok(());
        }
        Err(JudgeError::input(format!(
            "this machine is not like those that the games of this run were played on: {}. Clocks would decide games \
             otherwise, and nothing is scaled; continue on such a machine, or accept it with --mixed, which the tables \
             and the page will say",
            unequal.words()
        )))
    }

    /// Returns the flags that a judge elsewhere must have too, to play as this one would.
    pub(super) fn part_flags(&self) -> Vec<String> {
        let flags = [
            ("--no-pin", self.workers.no_pin),
            ("--weak-isolation", self.workers.weak_isolation),
            ("--cold", self.workers.cold),
        ];
        let set = flags.iter().filter(|(_, is_set)| *is_set);
        set.map(|(flag, _)| (*flag).to_owned()).collect()
    }

    /// Returns how many games are played at once.
    pub(super) fn jobs(&self) -> usize {
        self.workers.jobs()
    }

    /// Returns whether each worker is bound to a CPU of its own.
    pub(super) const fn pins(&self) -> bool {
        !self.workers.no_pin
    }

    /// Lists the files and folders in which something changes where somebody submits something, or
    /// the rules change.
    pub(super) fn watched(&self) -> Vec<PathBuf> {
        let competition = self.settings.competition.iter().map(PathBuf::from);
        let all = self.submissions.iter().chain(&self.roster).cloned();
        all.chain(competition).collect()
    }

    /// Returns whether the flags tell which game is played.
    pub(super) const fn names_game(&self) -> bool {
        self.settings.game.is_some() || self.settings.competition.is_some()
    }

    pub(super) fn place(&self) -> RunLocation<'_> {
        RunLocation {
            out: self.out.as_deref(),
            submissions: &self.submissions,
        }
    }

    /// Reads the competition that was named; or the one that lies beside the submissions, unless a
    /// game was named.
    pub(super) fn loaded(&self) -> Result<Option<Loaded>, JudgeError> {
        match self.settings.named_competition()? {
            None if self.settings.game.is_none() => places::competition_in(&self.submissions),
            named => Ok(named),
        }
    }

    /// Takes the competition that was read, or the standard one of the game; with what the
    /// flags change.
    pub(super) fn competition(
        &self,
        loaded: Option<Loaded>,
        submissions: &[Submission],
    ) -> Result<(&'static Entry, Competition), JudgeError> {
        let (entry, competition) = if let Some(loaded) = loaded {
            (loaded.entry, loaded.competition)
        } else {
            let entry = game(&self.settings, submissions)?;
            (entry, competition::standard(entry))
        };
        let competition = self.settings.change(entry, competition)?;
        Ok((entry, self.scored.change(competition)?))
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

/// Checks that all of these play with what was submitted last.
///
/// # Errors
/// When one of them does not.
fn all_play(names: &[String], entrants: &[Entrant]) -> Result<(), JudgeError> {
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

/// Opens the journal of the run in a folder, or begins one.
///
/// # Errors
/// When it is the journal of another run, or cannot be read and written.
fn open_journal(
    place: &RunLocation<'_>,
    competition: &Competition,
    folder: &Path,
) -> Result<(Journal, RunKeys), JudgeError> {
    // Under other settings every line would look foreign.
    let old = place.admits_again(competition, folder)?;
    let open = || Journal::open_with_keys(folder, &competition.conditions);
    let (journal, keys) = stage("reading the journal", open)?;
    if let Some(old) = old {
        old.check_keys(&keys.keys, folder)?;
    }
    Ok((journal, keys))
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

/// Returns when the last of those who may submit may no longer: the deadline of all, or the latest
/// extension.
pub(super) fn closes(competition: &Competition, roster: Option<&Roster>) -> Option<Timestamp> {
    let people = roster.iter().flat_map(|roster| &roster.people);
    let extension = people.filter_map(|person| person.extension).max();
    competition.deadline.max(extension)
}

/// Takes the game that was named, or the one that the submissions are for.
///
/// # Errors
/// When there is no such game, or nothing tells which one it is.
pub(super) fn game(
    settings: &Settings,
    submissions: &[Submission],
) -> Result<&'static Entry, JudgeError> {
    if let Some(entry) = settings.named_game()? {
        return Ok(entry);
    }
    let mut found: Vec<(usize, &'static Entry)> = Vec::new();
    for entry in submissions.iter().filter_map(Submission::game) {
        match found
            .iter_mut()
            .find(|(_, known)| known.info.slug == entry.info.slug)
        {
            Some((count, _)) => *count += 1,
            None => found.push((1, entry)),
        }
    }
    // What most are for is likelier meant.
    found.sort_by_key(|(count, _)| Reverse(*count));
    match found.as_slice() {
        [(_, entry)] => Ok(entry),
        [] => Err(untold_game(
            "the submissions do not show which game they play",
            engines::GAMES.iter(),
        )),
        several @ [(_, one), (_, other), ..] => Err(untold_game(
            &format!(
                "some submissions are for {} and others for {}",
                one.info.slug, other.info.slug
            ),
            several.iter().map(|(_, entry)| *entry),
        )),
    }
}
