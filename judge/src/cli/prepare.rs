//! What `run` and `plan` share: from the flags to everybody who can play.

use super::competition_file;
use super::lineup::Lineup;
use super::past_run::PastRun;
use super::run_cgroups::open_run_cgroups;
use super::run_folder::{RunLocation, Traces};
use super::run_tell;
use super::settings::{Scored, Settings};
use super::shown_draw;
use crate::builtin;
use crate::progress::{counted_stage, stage};
use clap::Args;
use competition::{Loaded, schedule};
use engines::Entry;
use error::JudgeError;
use intake::{Closing, Collected, Site, Submission, roster};
use jiff::Timestamp;
use journal::manifest::{Machine, Manifest};
use journal::{Journal, Keys, MachineLine, MachineLines, RunKeys, UnequalMachines};
use play::worker::Order;
use report::write_identities;
use sandbox::{Builder, Isolation, OpenRunCgroups, WarmCages};
use std::collections::HashSet;
use std::fs;
use std::io::ErrorKind;
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

/// What is said about a tournament.
#[derive(Args, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
pub(super) struct Entering {
    /// A folder with a folder, zip or program for each submission, or a learning platform's
    /// download; or one zip of all; or a text file of git repositories, each line NAME URL
    /// [REFERENCE [FOLDER]]
    #[arg(long, value_name = "PLACE", required_unless_present = "with")]
    pub(super) submissions: Option<PathBuf>,
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
    /// Number of games to play at once [default: the number of CPUs]
    #[arg(long, allow_negative_numbers = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// Do not pin each worker and its bots to one CPU
    #[arg(long)]
    pub(super) no_pin: bool,
    /// Run even if this machine cannot sandbox programs: submissions then have your rights
    #[arg(long)]
    weak_isolation: bool,
    /// Sandbox every process from scratch instead of starting it in a warm cage: slower, and the
    /// same games
    #[arg(long)]
    cold: bool,
    /// Let programs play that were submitted after games on this draw had been shown; the table
    /// marks them
    #[arg(long)]
    on_shown_draw: bool,
    /// Continue a run on a machine whose speed differs by more than a quarter from those that its
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
    artifacts: Vec<Artifact>,
    isolation: Isolation,
    run_cgroups: Option<OpenRunCgroups>,
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
    pub(super) entry: &'static Entry,
    pub(super) competition: Competition,
    pub(super) slurm: SlurmSettings,
    pub(super) collected: Collected,
    pub(super) roster: Option<Roster>,
    /// Games of another run are corrected: its programs stay what they were.
    pub(super) is_regrade: bool,
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
            submissions: Some(past.folder.clone()),
            with: with.cloned().collect(),
            out: Some(folder.to_owned()),
            no_pin: machine.is_some_and(|machine| !machine.pinned),
            on_shown_draw: true,
            mixed: true,
            jobs,
            weak_isolation,
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
        let loaded = self.loaded()?;
        let collected = stage("reading the submissions", || {
            self.collect(loaded.as_ref(), stop)
        })?;
        let slurm = loaded.as_ref().map(|loaded| loaded.slurm.clone());
        let (entry, competition) = self.competition(loaded, &collected.submissions)?;
        let given = Given {
            entry,
            slurm: slurm.unwrap_or_default(),
            roster: self.read_roster(&collected, &competition)?,
            competition,
            collected,
            is_regrade: false,
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
            collected,
            roster,
            is_regrade,
        } = given;
        let mut isolation = self.isolation()?;
        let closing = Closing::new(&competition, roster.as_ref());
        self.check_builtins(entry, &competition)?;
        let closes = closes(&competition, roster.as_ref());
        let processes = competition.conditions.processes;
        let run_cgroups = open_run_cgroups(&mut isolation, processes)?;
        let place = self.place();
        let traces = place.traces(entry);
        let folder = place.folder(entry)?;
        isolation.close(&folder);
        let (journal, RunKeys { keys, are_new }) = open_journal(&place, &competition, &folder)?;
        // From here on dropped before the journal, which has the lock.
        let traces = traces.locked(are_new);
        run_folder::clean(&folder);
        run_tell::greet(
            &competition.title,
            self.submissions.as_deref(),
            &collected,
            &journal,
        );
        say!("  {}", isolation.announce(processes));
        say!("  {}", isolation.announce_channels());
        let has_begun = is_regrade || !journal.is_empty();
        let site = Site {
            run: &folder,
            game: entry,
            conditions: &competition.conditions,
            jobs: self.jobs(),
            builds: competition.builds,
            kit: &competition.kit,
            builder: Builder {
                judge: Path::new(builtin::THIS_PROGRAM),
                isolation: &isolation,
                stop,
            },
            has_begun,
            received: SystemTime::now(),
            closing: Some(&closing),
        };
        let mut traces = Some(traces);
        let entrants = self.enter(
            collected.submissions,
            roster,
            &competition,
            site,
            purpose,
            &mut traces,
        )?;
        let roles = schedule::roles(&competition)?;
        let Lineup {
            contestants,
            filler,
        } = Lineup::of(
            entry,
            &competition,
            &entrants,
            roles.len(),
            &folder,
            has_begun,
        )?;
        let machine = Machine::look(!self.no_pin, isolation.confinement());
        let mut manifest = Manifest::new(competition, &keys, &entrants, machine);
        shown_draw::mark_late(&keys, &mut manifest, self.on_shown_draw)?;
        manifest.closes = closes;
        say!("  {}", manifest.draw.words());
        manifest.submissions = place.submissions_name();
        manifest.filler = filler.as_ref().map(Contestant::participant);
        let (games, fixtures) = stage("listing the games", || {
            games(&manifest, &keys, &contestants)
        })?;
        let sitting = contestants.iter().chain(&filler);
        run_tell::starts(&isolation, processes, sitting.clone());
        if purpose == Purpose::Run {
            traces.take().into_iter().for_each(Traces::keep);
        }
        Ok(Prepared {
            artifacts: sitting.map(|one| one.artifact.clone()).collect(),
            games,
            fixtures,
            entrants,
            slurm,
            folder,
            traces: traces.filter(Traces::is_all),
            journal,
            keys,
            manifest,
            roles,
            isolation,
            run_cgroups,
        })
    }

    /// Looks at how programs are shut in here, away from the submissions.
    ///
    /// # Errors
    /// When they cannot be, and that is not wanted.
    fn isolation(&self) -> Result<Isolation, JudgeError> {
        let mut isolation = Isolation::find();
        isolation.admit(self.weak_isolation)?;
        if self.cold {
            isolation.warm = WarmCages::Missing("--cold".to_owned());
        }
        if let Some(submissions) = &self.submissions {
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
        let built = counted_stage("submissions built", count, |step| {
            intake::prepare(submissions, site, step)
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
    fn read_roster(
        &self,
        collected: &Collected,
        competition: &Competition,
    ) -> Result<Option<Roster>, JudgeError> {
        let Some(path) = self.roster.as_ref().or(collected.roster.as_ref()) else {
            return Ok(None);
        };
        let mut roster = roster::read_as_far_as_it_goes(path, competition.deadline)?;
        roster::leave_out_future(&mut roster, Timestamp::now());
        let names = collected.submissions.iter().map(|one| one.name.as_str());
        roster::find_entrants(&mut roster, names);
        Ok(Some(roster))
    }

    fn collect(&self, loaded: Option<&Loaded>, stop: &AtomicBool) -> Result<Collected, JudgeError> {
        let Some(place) = &self.submissions else {
            return Ok(Collected::default());
        };
        let game = match loaded {
            Some(loaded) => Some(loaded.entry),
            None => self.settings.named_game()?,
        };
        let location = self.place();
        let mut collected = intake::collect(place, game, Some(location.results()), stop)?;
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
            ("--no-pin", self.no_pin),
            ("--weak-isolation", self.weak_isolation),
            ("--cold", self.cold),
        ];
        let set = flags.iter().filter(|(_, is_set)| *is_set);
        set.map(|(flag, _)| (*flag).to_owned()).collect()
    }

    /// Returns how many games are played at once.
    pub(super) fn jobs(&self) -> usize {
        let all = || std::thread::available_parallelism().map_or(1, usize::from);
        self.jobs.map_or_else(all, usize::from)
    }

    fn place(&self) -> RunLocation<'_> {
        RunLocation {
            out: self.out.as_deref(),
            submissions: self.submissions.as_deref(),
        }
    }

    /// Reads the competition that was named, or the one in the folder of submissions.
    fn loaded(&self) -> Result<Option<Loaded>, JudgeError> {
        match self.settings.named_competition()? {
            None => self.competition_in_folder(),
            named => Ok(named),
        }
    }

    /// Takes the competition that was read, or the standard one of the game; with what the
    /// flags change.
    fn competition(
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

    /// Reads `competition.toml` beside the submissions, unless a game was named.
    fn competition_in_folder(&self) -> Result<Option<Loaded>, JudgeError> {
        let Some(folder) = self
            .submissions
            .as_ref()
            .filter(|place| self.settings.game.is_none() && place.is_dir())
        else {
            return Ok(None);
        };
        let path = folder.join(words::competition::FILE_NAME);
        match fs::read_to_string(&path) {
            Ok(text) => competition_file::read(&path, &path.display().to_string(), &text).map(Some),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(JudgeError::io("read", &path, error)),
        }
    }
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
fn closes(competition: &Competition, roster: Option<&Roster>) -> Option<Timestamp> {
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
    let mut found: Vec<&'static Entry> = Vec::new();
    for submission in submissions {
        if let Some(entry) = submission.game()
            && !found.iter().any(|known| known.info.slug == entry.info.slug)
        {
            found.push(entry);
        }
    }
    let say = |text: &str| {
        Err(JudgeError::input(format!(
            "{text}; choose the game with --game"
        )))
    };
    match found.as_slice() {
        [entry] => Ok(entry),
        [] => {
            let known: Vec<&str> = engines::GAMES.iter().map(|g| g.info.slug).collect();
            say(&format!(
                "the submissions do not show which game they play (games: {})",
                known.join(", ")
            ))
        }
        [one, other, ..] => say(&format!(
            "some submissions are for {} and others for {}",
            one.info.slug, other.info.slug
        )),
    }
}
