//! Who enters a tournament, and how it is played: what flags and the competition say.

use super::display::{path_for_shell, program};
use super::first_sight::ReceiptSources;
use super::past_run::PastRun;
use super::places;
use super::run_folder::RunLocation;
use super::settings::{Scored, Settings, untold_game, with_game};
use crate::builtin;
use clap::Args;
use competition::Loaded;
use engines::Entry;
use error::JudgeError;
use intake::roster::ReadRoster;
use intake::{Collected, PolledRepositories, Submission, roster};
use jiff::Timestamp;
use jiff::tz::Offset;
use journal::{MachineLine, MachineLines, UnequalMachines};
use std::cmp::Reverse;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::SystemTime;
use words::competition::Competition;
use words::entrant::Roster;

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
    /// [REFERENCE [FOLDER]]; or a single submission, to play built-in bots; may be repeated
    #[arg(long, value_name = "PLACE", required_unless_present = "with")]
    pub(super) submissions: Vec<PathBuf>,
    /// A CSV file that says who submitted what: columns submission, id, name, email, section; or
    /// a list that Moodle, Canvas or Artemis has exported
    /// [default: roster.csv beside the submissions, if there is one]
    #[arg(long, value_name = "FILE")]
    pub(super) roster: Option<PathBuf>,
    /// Enter a built-in bot too, for example random; may be repeated
    #[arg(long, value_name = "BOT")]
    pub(super) with: Vec<String>,
    /// The run folder; an existing run is continued [default: results/GAME, or results/GAME-NAME with the name of the submissions' folder]
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
    #[command(flatten)]
    pub(super) workers: Workers,
    /// Let programs play that were submitted after games on this draw had been shown; the table
    /// marks them
    #[arg(long)]
    pub(super) on_shown_draw: bool,
    /// Continue a run on a machine whose speed differs by more than half from those that its
    /// games were played on; tables and page say so
    #[arg(long)]
    pub(super) mixed: bool,
    #[command(flatten)]
    pub(super) settings: Settings,
    #[command(flatten)]
    pub(super) scored: Scored,
    /// Where what is given was read from, if that is no place of a tournament.
    #[arg(skip)]
    pub(super) given_in: Vec<PathBuf>,
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
            let words = places.iter().map(|path| path_for_shell(path));
            let words: Vec<String> = words.collect();
            let named = self.settings.named_game()?;
            let told = named.or_else(|| singles.iter().find_map(Submission::game));
            let command =
                |flag: &str| format!("{} match {} {flag}", program(), words[..2].join(" "));
            let games = engines::GAMES.iter();
            let games = games.filter(|one| told.is_none_or(|told| told.info.slug == one.info.slug));
            return Err(JudgeError::input(format!(
                "{} are single submissions, but each of several places must be a folder of submissions. Move them into one \
                 empty folder and give that folder, or let two of them play each other:\n{}",
                words.join(" and "),
                with_game(command, games)
            )));
        }
        self.submissions.append(places);
        Ok(())
    }

    /// Enters built-in bots beside what is given, which was read from `given_in`, in a folder of
    /// their own.
    pub(super) fn in_folder(
        folder: PathBuf,
        given_in: Vec<PathBuf>,
        with: Vec<String>,
        workers: Workers,
    ) -> Self {
        Self {
            given_in,
            with,
            out: Some(folder),
            workers,
            on_shown_draw: true,
            mixed: true,
            ..Self::default()
        }
    }

    /// Returns where it is said who submitted what, if it is.
    pub(super) fn roster_path<'a>(&'a self, collected: &'a Collected) -> Option<&'a Path> {
        let path = self.roster.as_ref().or(collected.roster.as_ref());
        path.map(PathBuf::as_path)
    }

    /// Reads who submitted what, where there is a list; `loaded` is the competition's file.
    pub(super) fn read_roster(
        &self,
        collected: &Collected,
        (loaded, competition): (Option<&Loaded>, &Competition),
        now: SystemTime,
    ) -> Result<(Option<Roster>, ReceiptSources), JudgeError> {
        let mut sources = ReceiptSources {
            zone: loaded.and_then(|loaded| loaded.zone),
            judges_clock_counts: loaded.is_some_and(|loaded| loaded.judges_clock_counts),
            ..ReceiptSources::default()
        };
        let Some(path) = self.roster_path(collected) else {
            return Ok((None, sources));
        };
        let around = (competition.deadline, sources.zone);
        let read = Self::read_roster_at(path, around, collected, now)?;
        sources.roster = Some(path.to_owned());
        sources.times_at = read.times_at;
        Ok((Some(read.roster), sources))
    }

    /// Reads who submitted what from a list; extensions before the `deadline`, if one is given,
    /// are refused, and times of a platform are read at `zone`.
    pub(super) fn read_roster_at(
        path: &Path,
        (deadline, zone): (Option<Timestamp>, Option<Offset>),
        collected: &Collected,
        now: SystemTime,
    ) -> Result<ReadRoster, JudgeError> {
        let mut read = roster::read_as_far_as_it_goes(path, deadline, zone)?;
        let now = Timestamp::try_from(now).unwrap_or(Timestamp::MAX);
        roster::leave_out_future(&mut read.roster, now);
        let names = collected.submissions.iter().map(|one| one.name.as_str());
        roster::find_entrants(&mut read.roster, names);
        Ok(read)
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
    pub(super) fn check_builtins(
        &self,
        entry: &Entry,
        competition: &Competition,
    ) -> Result<(), JudgeError> {
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
    pub(super) fn builtins<'a>(&'a self, competition: &'a Competition) -> Vec<&'a String> {
        let bot = |name: &'a str| name.strip_prefix(words::builtin::PREFIX);
        let asked = |met: &str| {
            self.with
                .iter()
                .any(|name| bot(name).unwrap_or(name) == met)
        };
        let met = competition.schedule.opponents().iter();
        let met = met.chain(&competition.scoring.prize_needs.ahead_of);
        let met = met.filter(|name| bot(name).is_some_and(|met| !asked(met)));
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
