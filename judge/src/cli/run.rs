//! `judge run`: the straight line from a folder of submissions to the results.

use super::run_folder::Place;
use super::settings::Settings;
use super::yard::open_yard;
use super::{Done, run_tell};
use crate::artifact::Artifact;
use crate::author_log::AuthorLog;
use crate::builtin;
use crate::competition::{self, Competition, Loaded};
use crate::error::JudgeError;
use crate::fixture::Fixture;
use crate::intake::{self, Collected, Entrant, Form, Readiness, Roster, Site, Submission};
use crate::journal::Journal;
use crate::manifest::{Machine, Manifest};
use crate::report::{
    FirstFaults, Progress, RunFiles, Written, final_table, html, ranked, write_csvs,
    write_identities,
};
use crate::sandbox::{Isolation, OpenYard};
use crate::schedule::{self, Contestant};
use crate::scoring::{Ranked, Standings};
use crate::tournament::{self, Event, Plan};
use crate::worker::Order;
use clap::Args;
use engines::Entry;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use std::collections::{HashMap, HashSet};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

#[derive(Args)]
pub(super) struct Run {
    /// The folder that holds a folder, zip or program for each submission; or one zip of all,
    /// or a text file of lines NAME URL [REFERENCE] for git repositories
    #[arg(long, value_name = "PLACE", required_unless_present = "with")]
    submissions: Option<PathBuf>,
    /// Who is behind which submission: columns submission, id, name, email, section
    /// [default: roster.csv beside the submissions, if there is one]
    #[arg(long, value_name = "FILE")]
    roster: Option<PathBuf>,
    /// Also enter a built-in bot, as builtin:random; may be repeated
    #[arg(long, value_name = "BOT")]
    with: Vec<String>,
    /// The run's folder; an existing run is continued [default: results/GAME, or results/GAME-NAME with the name of the submissions' folder]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// How many games to play at once [default: the number of CPUs]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// Do not bind workers and their bots to one CPU each
    #[arg(long)]
    no_pin: bool,
    /// Also run where the machine cannot shut programs in: submissions then have your rights
    #[arg(long)]
    weak_isolation: bool,
    #[command(flatten)]
    settings: Settings,
}

/// Who plays what, and where it is written down.
struct Contest<'a> {
    competition: &'a Competition,
    ranked: Vec<Ranked>,
    artifacts: Vec<Artifact>,
    fixtures: Vec<Fixture>,
    roles: &'static [&'static str],
    folder: &'a Path,
    isolation: &'a Isolation,
    yard: Option<&'a OpenYard>,
}

impl Run {
    pub(super) fn execute(&self) -> Result<Done, JudgeError> {
        let stop = stop_on_interrupt()?;
        let loaded = self.loaded()?;
        let collected = self.collect(loaded.as_ref(), &stop)?;
        let roster = self.roster.as_ref().or(collected.roster.as_ref());
        let roster = roster.map(|path| Roster::read(path)).transpose()?;
        let mut isolation = Isolation::find();
        isolation.admit(self.weak_isolation)?;
        let (entry, competition) = self.competition(loaded, &collected.submissions)?;
        let processes = competition.conditions.processes;
        let yard = open_yard(&mut isolation, processes)?;
        let place = self.place();
        let folder = place.folder(entry)?;
        let mut journal = Journal::open(&folder)?;
        let old = Manifest::read(&folder)?;
        if let Some(old) = old.filter(|_| !journal.is_empty()) {
            old.admits(&competition, &folder)?;
            place.admits(&old, &folder)?;
        }
        run_tell::greet(
            &competition.title,
            self.submissions.as_deref(),
            &collected,
            &journal,
        );
        say!("  {}", isolation.announce(processes));
        let site = Site {
            run: &folder,
            game: entry,
            conditions: &competition.conditions,
            jobs: self.jobs(),
            isolation: &isolation,
            received: SystemTime::now(),
            stop: &stop,
        };
        let mut entrants = intake::prepare(collected.submissions, site)?;
        write_identities(&folder, &entrants, roster.as_ref())?;
        self.enter_builtins(&mut entrants, entry, &competition, &folder)?;
        run_tell::readiness(&entrants);
        if let Some(roster) = &roster {
            run_tell::roster(roster, &entrants);
        }
        let contestants = contestants(&entrants);
        opponents_are_there(&competition, &contestants)?;
        let roles = schedule::roles(&competition)?;
        enough(
            entry,
            contestants.len(),
            roles.len(),
            competition.schedule.self_play(),
        )?;
        let empty_chairs = roles.len() > contestants.len();
        let filler = empty_chairs.then(|| filler(entry, &folder)).transpose()?;
        let machine = Machine::look(!self.no_pin, isolation.clone());
        let mut manifest = Manifest::new(competition.clone(), &entrants, machine);
        manifest.submissions = place.submissions_name();
        manifest.filler = filler.as_ref().map(Contestant::sitter);
        manifest.write(&folder)?;
        let contest = Contest {
            fixtures: schedule::fixtures(&competition, &contestants, filler.as_ref())?,
            artifacts: contestants
                .iter()
                .chain(&filler)
                .map(|c| c.artifact.clone())
                .collect(),
            ranked: ranked(&competition, &entrants),
            competition: &competition,
            roles,
            folder: &folder,
            isolation: &isolation,
            yard: yard.as_ref(),
        };
        let outcome = self.play(&contest, &mut journal, &stop);
        let fixtures = contest.fixtures;
        let run = RunFiles {
            folder: &folder,
            competition: &competition,
            entrants: &entrants,
            fixtures: &fixtures,
            journal: &journal,
        };
        // Whatever happened, the files show what was played.
        let written = write_files(&run, &manifest);
        outcome?;
        let written = written?;
        say!("\n{}", final_table(&competition, roles, &written.table));
        run_tell::faults(&folder, &written.first_faults);
        let missing = fixtures.iter().filter(|f| !journal.contains(&f.id)).count();
        run_tell::ending(&folder, &written.paths, missing);
        Ok(if missing == 0 {
            Done::Well
        } else {
            Done::Interrupted
        })
    }

    fn collect(&self, loaded: Option<&Loaded>, stop: &AtomicBool) -> Result<Collected, JudgeError> {
        let Some(place) = &self.submissions else {
            return Ok(Collected::default());
        };
        let game = match loaded {
            Some(loaded) => Some(loaded.entry),
            None => self.settings.named_game()?,
        };
        intake::collect(place, game, stop)
    }

    /// Adds the built-in bots that take part, in the order of names.
    fn enter_builtins(
        &self,
        entrants: &mut Vec<Entrant>,
        entry: &'static Entry,
        competition: &Competition,
        folder: &Path,
    ) -> Result<(), JudgeError> {
        for name in self.builtins(competition) {
            entrants.push(builtin::entrant(entry, name, folder)?);
        }
        entrants.sort_by(|a, b| a.name.cmp(&b.name));
        let twice = entrants.windows(2).find(|two| two[0].name == two[1].name);
        twice.map_or(Ok(()), |two| {
            let name = &two[0].name;
            Err(JudgeError::input(format!("--with {name} is given twice")))
        })
    }

    /// Lists the built-in bots that take part: those asked for, and opponents of a gauntlet.
    fn builtins<'a>(&'a self, competition: &'a Competition) -> Vec<&'a String> {
        let met = competition.schedule.opponents().iter();
        let met = met.filter(|name| name.starts_with(builtin::PREFIX) && !self.with.contains(name));
        self.with.iter().chain(met).collect()
    }

    fn jobs(&self) -> usize {
        let all = || std::thread::available_parallelism().map_or(1, usize::from);
        self.jobs.map_or_else(all, usize::from)
    }

    fn place(&self) -> Place<'_> {
        Place {
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
            (entry, Competition::standard(entry))
        };
        Ok((entry, self.settings.change(entry, competition)?))
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
        let path = folder.join(competition::FILE_NAME);
        match fs::read_to_string(&path) {
            Ok(text) => competition::read(&path.display().to_string(), &text).map(Some),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(JudgeError::io("read", &path, error)),
        }
    }

    fn play(
        &self,
        contest: &Contest<'_>,
        journal: &mut Journal,
        stop: &Arc<AtomicBool>,
    ) -> Result<(), JudgeError> {
        let judge = PathBuf::from(builtin::THIS_PROGRAM);
        let plan = Plan {
            judge: &judge,
            order: Order {
                conditions: contest.competition.conditions.clone(),
                artifacts: contest.artifacts.clone(),
                pin: None,
                isolation: contest.isolation.clone(),
                games_max: 1,
                yard: contest.yard.map(OpenYard::yard).cloned(),
            },
            pin: !self.no_pin,
            jobs: self.jobs(),
            stop: Arc::clone(stop),
        };
        let fixtures = &contest.fixtures;
        let scoring = &contest.competition.scoring;
        let mut standings = Standings::new(scoring, &contest.ranked, contest.roles.len());
        let mut firsts = FirstFaults::default();
        let mut played = 0;
        for (fixture, game) in fixtures.iter().zip(1..) {
            if let Some(record) = journal.read(&fixture.id)? {
                standings.add(&record);
                firsts.of(contest.roles, game, &record);
                played += 1;
            }
        }
        let setups: HashSet<&str> = fixtures.iter().map(|f| f.setup.get()).collect();
        if setups.len() == 1 && contest.competition.states > 1 {
            say!(
                "  note: all {} initial states are the same; bots that always play alike only repeat themselves (protocol.md tells the game's settings for --set)",
                contest.competition.states
            );
        }
        if played == 0 {
            say!("{} games to play", fixtures.len());
        } else {
            say!(
                "{} games, of which {played} have been played before",
                fixtures.len()
            );
        }
        let ids = fixtures.iter().map(|fixture| fixture.id.as_str());
        let numbers: HashMap<&str, usize> = ids.zip(1..).collect();
        let log = AuthorLog::open(contest.folder)?;
        let mut progress = Progress::new(standings, played, fixtures.len());
        let mut log_failure = Ok(());
        let mut draining = false;
        let result = tournament::play(&plan, fixtures, journal, &mut |event| {
            match event {
                Event::Finished(record, stderr) => {
                    progress.finished(record);
                    for first in firsts.of(contest.roles, numbers[record.fixture.as_str()], record)
                    {
                        let lines = run_tell::first_fault(contest.folder, &first);
                        progress.say(&format!("first fault of {}", lines.join("\n")));
                    }
                    if log_failure.is_ok() {
                        log_failure = log.add(record, stderr);
                    }
                }
                Event::Again(reason) => {
                    progress.say(&format!("a game will be played again: {reason}"));
                }
                Event::Tick => {}
            }
            if stop.load(Ordering::Relaxed) && !draining {
                draining = true;
                progress.say("interrupted: waiting for the games in play (press Ctrl-C again to give them up)");
            }
            progress.tick();
        });
        progress.close();
        result.and(log_failure)
    }
}

/// Writes what people read of a run: its tables and its page.
fn write_files(run: &RunFiles<'_>, manifest: &Manifest) -> Result<Written, JudgeError> {
    let mut written = write_csvs(run)?;
    let ids: Vec<String> = run.fixtures.iter().map(|f| f.id.clone()).collect();
    let source = html::Source {
        folder: run.folder,
        competition: run.competition,
        entrants: &manifest.entrants,
        ids: &ids,
        table: &written.table,
    };
    let page = html::write_report(&source, &|id| run.journal.read(id))?;
    written.paths.push(page);
    Ok(written)
}

/// Checks that everybody whom a gauntlet is against can play.
fn opponents_are_there(
    competition: &Competition,
    contestants: &[Contestant],
) -> Result<(), JudgeError> {
    let mut opponents = competition.schedule.opponents().iter();
    let absent = opponents.find(|name| contestants.iter().all(|one| one.name != **name));
    absent.map_or(Ok(()), |name| {
        Err(JudgeError::input(format!(
            "the competition is played against {name}, which is not among the entrants that can play; hand it in beside the others, or change `against`"
        )))
    })
}

/// Takes a built-in bot for the chairs that nobody else takes.
fn filler(entry: &'static Entry, folder: &Path) -> Result<Contestant, JudgeError> {
    let filler = builtin::filler(entry, folder)?;
    let name = &filler.name;
    say!("  empty chairs are taken by {name}, which is not ranked");
    Ok(filler)
}

/// Checks that there are enough contestants for a game; in games for more than two, a
/// built-in bot takes the chairs that stay empty.
fn enough(
    entry: &Entry,
    contestants: usize,
    seats: usize,
    self_play: bool,
) -> Result<(), JudgeError> {
    let least = if self_play || seats > 2 { 1 } else { 2 };
    if contestants >= least {
        return Ok(());
    }
    let known = entry
        .baselines()
        .into_iter()
        .map(|(name, _)| format!("--with {}{name}", builtin::PREFIX));
    let known = known.collect::<Vec<_>>().join(", ");
    Err(JudgeError::input(format!(
        "{contestants} of the entrants can play, and a tournament takes {least}; mend the others, \
         or enter built-in bots ({known}), and run the command again"
    )))
}

/// The first interrupt sets the flag that is returned; a second one ends the program, and
/// with it the workers and the bots.
pub(super) fn stop_on_interrupt() -> Result<Arc<AtomicBool>, JudgeError> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        let code = i32::from(super::EXIT_INTERRUPTED);
        flag::register_conditional_shutdown(signal, code, Arc::clone(&stop))
            .and_then(|_| flag::register(signal, Arc::clone(&stop)))
            .map_err(|e| JudgeError::io("listen for", "interrupts", e))?;
    }
    Ok(stop)
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
        if let Ok(Form::Sources(entry, _)) = submission.form
            && !found.iter().any(|known| known.info.slug == entry.info.slug)
        {
            found.push(entry);
        }
    }
    let say = |text: &str| {
        Err(JudgeError::input(format!(
            "{text}; name the game with --game"
        )))
    };
    match found.as_slice() {
        [entry] => Ok(entry),
        [] => {
            let known: Vec<&str> = engines::GAMES.iter().map(|g| g.info.slug).collect();
            say(&format!(
                "nothing in the submissions tells which game they play (the games are {})",
                known.join(", ")
            ))
        }
        [one, other, ..] => say(&format!(
            "some submissions play {} and others {}",
            one.info.slug, other.info.slug
        )),
    }
}

fn contestants(entrants: &[Entrant]) -> Vec<Contestant> {
    let playing = entrants
        .iter()
        .filter_map(|entrant| match &entrant.readiness {
            Readiness::Ready(artifact) => Some(Contestant {
                name: entrant.name.clone(),
                artifact: artifact.clone(),
            }),
            Readiness::Broken { .. } => None,
        });
    playing.collect()
}
