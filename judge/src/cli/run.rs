//! `judge run`: the straight line from a folder of submissions to the results.

use super::Done;
use super::settings::Settings;
use crate::artifact::Artifact;
use crate::author_log::AuthorLog;
use crate::builtin;
use crate::competition::Competition;
use crate::error::JudgeError;
use crate::files::make_folder;
use crate::fixture::Fixture;
use crate::intake::{self, Collected, Entrant, Form, Readiness, Roster, Submission, Workshop};
use crate::journal::{self, Journal};
use crate::manifest::{Machine, Manifest};
use crate::report::{Progress, RunFiles, final_table, write_csvs, write_identities};
use crate::sandbox::Isolation;
use crate::schedule::{self, Contestant};
use crate::scoring::Standings;
use crate::tournament::{self, Event, Plan};
use crate::worker::Order;
use clap::Args;
use engines::Entry;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use std::collections::HashSet;
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
    /// The run's folder; an existing run is continued [default: results/GAME]
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
    names: Vec<String>,
    artifacts: Vec<Artifact>,
    fixtures: Vec<Fixture>,
    roles: &'static [&'static str],
    folder: &'a Path,
    isolation: &'a Isolation,
}

impl Run {
    pub(super) fn execute(&self) -> Result<Done, JudgeError> {
        let stop = stop_on_interrupt()?;
        let collected = self.collect(&stop)?;
        let roster = self.roster.as_ref().or(collected.roster.as_ref());
        let roster = roster.map(|path| Roster::read(path)).transpose()?;
        let isolation = Isolation::find();
        isolation.admit(self.weak_isolation)?;
        let entry = self.game(&collected.submissions)?;
        let competition = self.settings.competition(entry)?;
        let folder = self.folder(entry)?;
        let mut journal = Journal::open(&folder)?;
        let old = Manifest::read(&folder)?;
        if let Some(old) = old.filter(|_| !journal.is_empty()) {
            old.admits(&competition, &folder)?;
        }
        self.greet(entry, &collected, &journal);
        say!("  {}", isolation.announce());
        let workshop = Workshop {
            run: &folder,
            game: entry,
            jobs: self.jobs(),
            isolation: &isolation,
            received: SystemTime::now(),
            stop: &stop,
        };
        let mut entrants = intake::prepare(collected.submissions, workshop)?;
        write_identities(&folder, &entrants, roster.as_ref())?;
        for name in &self.with {
            entrants.push(builtin::entrant(entry, name, &folder)?);
        }
        entrants.sort_by(|a, b| a.name.cmp(&b.name));
        if let Some(twice) = entrants.windows(2).find(|two| two[0].name == two[1].name) {
            return Err(JudgeError::input(format!(
                "--with {} is given twice",
                twice[0].name
            )));
        }
        tell_readiness(&entrants);
        if let Some(roster) = &roster {
            tell_roster(roster, &entrants);
        }
        let machine = Machine::look(!self.no_pin, isolation.clone());
        Manifest::new(competition.clone(), &entrants, machine).write(&folder)?;
        let contestants = contestants(&entrants);
        let roles = schedule::roles(&competition)?;
        enough(entry, contestants.len(), roles.len(), competition.self_play)?;
        let filler = if roles.len() > contestants.len() {
            Some(builtin::filler(entry, &folder)?)
        } else {
            None
        };
        if let Some(filler) = &filler {
            say!(
                "  empty chairs are taken by {}, which is not ranked",
                filler.name
            );
        }
        let contest = Contest {
            fixtures: schedule::fixtures(&competition, &contestants, filler.as_ref())?,
            artifacts: contestants
                .iter()
                .chain(&filler)
                .map(|c| c.artifact.clone())
                .collect(),
            names: contestants.into_iter().map(|c| c.name).collect(),
            competition: &competition,
            roles,
            folder: &folder,
            isolation: &isolation,
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
        let written = write_csvs(&run);
        outcome?;
        let (paths, ranked) = written?;
        say!("\n{}", final_table(roles, &ranked));
        let missing = fixtures.iter().filter(|f| !journal.contains(&f.id)).count();
        tell_ending(&folder, &paths, missing);
        Ok(if missing == 0 {
            Done::Well
        } else {
            Done::Interrupted
        })
    }

    fn collect(&self, stop: &AtomicBool) -> Result<Collected, JudgeError> {
        match &self.submissions {
            Some(place) => intake::collect(place, self.settings.named_game()?, stop),
            None => Ok(Collected::default()),
        }
    }

    fn jobs(&self) -> usize {
        let all = || std::thread::available_parallelism().map_or(1, usize::from);
        self.jobs.map_or_else(all, usize::from)
    }

    fn folder(&self, entry: &Entry) -> Result<PathBuf, JudgeError> {
        let default = || Path::new("results").join(entry.info.slug);
        let folder = self.out.clone().unwrap_or_else(default);
        let refused = |reason: &str| {
            let folder = folder.display();
            JudgeError::input(format!(
                "cannot use {folder} for the results: {reason}; choose another folder with --out"
            ))
        };
        make_folder(&folder).map_err(|e| refused(&e.to_string()))?;
        // Bots run in folders of their own, so every path that they need is absolute.
        let folder = folder.canonicalize().map_err(|e| refused(&e.to_string()))?;
        if folder.to_str().is_none() {
            return Err(refused("its name is not UTF-8"));
        }
        let submissions = self
            .submissions
            .as_ref()
            .and_then(|path| path.canonicalize().ok());
        if submissions.is_some_and(|submissions| submissions == folder) {
            return Err(refused("the submissions are in it"));
        }
        Ok(folder)
    }

    /// Takes the game that was named, or the one that the submissions are for.
    fn game(&self, submissions: &[Submission]) -> Result<&'static Entry, JudgeError> {
        if let Some(entry) = self.settings.named_game()? {
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

    fn greet(&self, entry: &Entry, collected: &Collected, journal: &Journal) {
        let title = entry.info.title;
        if let Some(folder) = &self.submissions {
            say!(
                "{title}: {} submissions in {}",
                collected.submissions.len(),
                folder.display()
            );
        } else {
            say!("{title}");
        }
        if !collected.ignored.is_empty() {
            let ignored = collected.ignored.join(", ");
            say!("  passed over: {ignored}");
        }
        if journal.damaged > 0 {
            let (count, kept) = (journal.damaged, journal::DAMAGED_NAME);
            say!(
                "  {count} line(s) of the journal could not be read; they are kept in {kept}, and their games are played again"
            );
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
            },
            pin: !self.no_pin,
            jobs: self.jobs(),
            stop: Arc::clone(stop),
        };
        let fixtures = &contest.fixtures;
        let mut standings = Standings::new(
            contest.competition.scoring,
            &contest.names,
            contest.roles.len(),
        );
        let mut played = 0;
        for fixture in fixtures {
            if let Some(record) = journal.read(&fixture.id)? {
                standings.add(&record);
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
        let log = AuthorLog::open(contest.folder)?;
        let mut progress = Progress::new(standings, played, fixtures.len());
        let mut log_failure = Ok(());
        let mut draining = false;
        let result = tournament::play(&plan, fixtures, journal, &mut |event| {
            match event {
                Event::Finished(record, stderr) => {
                    progress.finished(record);
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
fn stop_on_interrupt() -> Result<Arc<AtomicBool>, JudgeError> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        let code = i32::from(super::EXIT_INTERRUPTED);
        flag::register_conditional_shutdown(signal, code, Arc::clone(&stop))
            .and_then(|_| flag::register(signal, Arc::clone(&stop)))
            .map_err(|e| JudgeError::io("listen for", "interrupts", e))?;
    }
    Ok(stop)
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

fn tell_readiness(entrants: &[Entrant]) {
    for entrant in entrants {
        for warning in &entrant.warnings {
            say!("  {}: note: {warning}", entrant.name);
        }
        if let Some(replaced) = &entrant.receipt.replaced {
            say!("  {}: {replaced}", entrant.name);
        }
        if let Readiness::Broken { reason, log } = &entrant.readiness {
            let see = log
                .as_ref()
                .map(|path| format!(" (see {})", shown(path)))
                .unwrap_or_default();
            say!("  {}: does not play: {reason}{see}", entrant.name);
        }
    }
}

/// How many names are listed before the rest is only counted.
const NAMES_SHOWN: usize = 10;

fn tell_roster(roster: &Roster, entrants: &[Entrant]) {
    let list = |names: &[&str]| {
        let shown = names[..names.len().min(NAMES_SHOWN)].join(", ");
        let more = names.len().saturating_sub(NAMES_SHOWN);
        let more = if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        };
        format!("{shown}{more}")
    };
    let unclaimed = roster.unclaimed(entrants);
    if !unclaimed.is_empty() {
        say!("  not on the roster: {}", list(&unclaimed));
    }
    let absent = roster.absent(entrants);
    if !absent.is_empty() {
        let ids: Vec<&str> = absent.iter().map(|person| person.id.as_str()).collect();
        say!("  on the roster, but handed in nothing: {}", list(&ids));
    }
}

fn tell_ending(folder: &Path, paths: &[PathBuf], missing: usize) {
    for path in paths {
        say!("wrote {}", shown(path));
    }
    say!(
        "every move of every game is in {}",
        shown(&folder.join(journal::FILE_NAME))
    );
    if missing > 0 {
        say!(
            "\n{missing} games are still to be played; to go on: {}",
            this_command()
        );
    } else {
        say!(
            "\nto go on after a change of submissions, or with more --states: {}",
            this_command()
        );
    }
}

/// Shows a path as short as it can be from where the user is.
fn shown(path: &Path) -> String {
    let here = std::env::current_dir().ok();
    let below = here.and_then(|here| path.strip_prefix(here).ok().map(Path::to_owned));
    below
        .unwrap_or_else(|| path.to_owned())
        .display()
        .to_string()
}

/// Gives the command that is running, fit to be typed again.
fn this_command() -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./=,:+@%".contains(c);
    let words = std::env::args_os().map(|word| word.to_string_lossy().into_owned());
    let quoted = words.map(|word| {
        if !word.is_empty() && word.chars().all(plain) {
            word
        } else {
            format!("'{}'", word.replace('\'', r"'\''"))
        }
    });
    quoted.collect::<Vec<_>>().join(" ")
}
