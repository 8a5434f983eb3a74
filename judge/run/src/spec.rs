//! The specification of a run, as plain data, and its competition.

#![expect(
    clippy::disallowed_methods,
    reason = "who writes the competition makes the rules: it is staff's"
)]

use crate::game;
use crate::game_of::only_game_of;
use crate::permissions::Staff;
use engines::Lifetime;
use intake::{ProgramCache, Submission, did_you_mean_path};
use model::competition::FILE_NAME;
use model::fixture::Conditions;
use rulebook::nearest::did_you_mean;
use rulebook::rules::Rules;
use rulebook::{Changes, JudgeError, Loaded, Result, courses, read_with, refuse};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use store::{MachineLine, MachineLines, UnequalMachines};
use system::files::parent_of;
use system::foreign::ForeignFolder;

/// The specification of a run.
#[derive(Clone, Debug, Default)]
pub struct RunSpec {
    /// The judge's version, with the commit that it is built from.
    pub build: &'static str,
    /// The purpose of the run.
    pub kind: RunKind,
    /// The places of the submissions.
    pub places: Vec<PathBuf>,
    /// The places of the pool that the submissions play against, and not each other.
    pub pool_places: Vec<PathBuf>,
    /// The built-in bots of the pool, by names with `builtin:`.
    pub pool_builtins: Vec<String>,
    /// The roster; by default the one next to the submissions.
    pub roster: Option<PathBuf>,
    /// Built-in bots that take part, with or without `builtin:`.
    pub builtins: Vec<String>,
    /// The run's folder; by default one in `results`, named after the game and the places.
    pub out: Option<PathBuf>,
    /// The competition; by default the one next to the submissions, or the game's standard one.
    pub competition: CompetitionSpec,
    /// How this machine plays.
    pub machine: MachineUse,
    /// Whether games count although this machine is not like those of the other games.
    pub mixed: bool,
    /// Whether programs may play that were submitted after games on this draw had been shown.
    pub on_shown_draw: bool,
    /// Paths that bots may not reach, besides the places and the run's folder.
    pub closed: Vec<PathBuf>,
}

/// The purpose of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RunKind {
    /// Play it and keep everything.
    #[default]
    Played,
    /// Compare bots, and publish nothing; otherwise as `Played`.
    Compared,
    /// Continue while submissions arrive, under the watch's own lock, perhaps without entrants.
    /// Failed builds are not started again; otherwise, staff may have changed the machine.
    Watched,
    /// Play trial games. If there is no run yet, only the programs are kept for it.
    TriedOut,
    /// Continue in a folder made from another run, whose programs and charges it keeps.
    FromPast,
}

/// How this machine plays.
#[derive(Clone, Debug, Default)]
pub struct MachineUse {
    /// Number of games played at once, and of submissions built at once.
    pub jobs: usize,
    /// Whether each worker and its bots are bound to a CPU of their own.
    pub pins: bool,
    /// Whether strangers' programs run although the machine isolates them weakly.
    pub weak_isolation: bool,
    /// Whether each process starts in a new sandbox.
    pub cold: bool,
    /// Programs that were built before; `None` if every build is started.
    pub cache: Option<ProgramCache>,
}

impl MachineUse {
    /// The flags of a command that play in the same way, as words of a shell.
    pub(crate) fn flags(&self) -> Vec<&'static str> {
        let flags = [
            ("--no-pin", !self.pins),
            ("--weak-isolation", self.weak_isolation),
            ("--cold", self.cold),
        ];
        flags
            .into_iter()
            .filter_map(|(flag, is_set)| is_set.then_some(flag))
            .collect()
    }
}

impl RunSpec {
    /// All but a match, and a run of bots that are named one by one.
    pub(crate) fn has_strangers(&self) -> bool {
        let game = self.competition.game.as_ref();
        match self.kind {
            RunKind::Compared => false,
            RunKind::Played | RunKind::TriedOut => {
                !(self.places.iter()).all(|place| intake::is_single(place, game))
            }
            RunKind::Watched | RunKind::FromPast => true,
        }
    }

    pub(crate) fn all_places(&self) -> Vec<PathBuf> {
        [&*self.places, &*self.pool_places].concat()
    }

    pub(crate) fn staff(&self) -> Staff {
        Staff::of(&self.all_places())
    }

    pub(crate) fn read_competition(&self) -> Result<Option<Loaded>> {
        let staff = self.staff();
        if self.competition.names_game() {
            let mut file = self.competition.named.iter();
            file.try_for_each(|file| staff.admit(file.as_ref()))?;
            return self.competition.read_named();
        }
        let mut files = self.places.iter().map(|place| place.join(FILE_NAME));
        files.try_for_each(|file| staff.admit(&file))?;
        competition_beside(&self.places)
    }

    /// Or to the standard one of the named game or of the submissions' game.
    pub(crate) fn change(
        &self,
        loaded: Option<Loaded>,
        submissions: &[Submission],
    ) -> Result<Loaded> {
        let changed = (self.competition).change(loaded, submissions, &self.all_places())?;
        if let Some(place) = changed.rules.place() {
            self.staff().admit_game(place)?;
        }
        Ok(changed)
    }

    pub(crate) fn admit_places(&self) -> Result {
        let staff = self.staff();
        let all = self.all_places();
        all.iter().try_for_each(|place| staff.admit_place(place))
    }

    /// They change with a new submission or a change of the competition.
    pub(crate) fn watched(&self) -> Vec<PathBuf> {
        let competition = self.competition.named.iter().map(PathBuf::from);
        self.all_places()
            .into_iter()
            .chain(self.roster.clone())
            .chain(competition)
            .collect()
    }

    pub(crate) fn admit_machine(&self, machine: &MachineLine, before: &MachineLines) -> Result {
        let is_accepted = self.mixed || UnequalMachines::among(before.values()).is_some();
        let all = before.values().chain([machine]);
        let Some(unequal) = UnequalMachines::among(all).filter(|_| !is_accepted) else {
            return Ok(());
        };
        refuse(format!(
            "the games of this run were played on machines of a different speed than this one: {}. Clocks would \
             decide games differently, and judge scales no times; continue on a machine like those, or accept the \
             difference with --mixed, which tables and page will state",
            unequal.words()
        ))
    }
}

/// Maximum number of bytes read from a course's own file; a competition takes fewer.
const BYTES_MAX: u64 = 16 << 20;

const BANK_TELLS: &str = "the time left in a bank tells each turn how much earlier turns have used, so agents are not \
    stateless (lifetime = \"turn\"); limit each turn by turn_s instead of bank_s";

pub(super) fn bank_note(conditions: &Conditions) -> Option<&'static str> {
    let is_stateless = conditions.lifetime == Lifetime::Turn;
    let mut clocks = conditions.clocks.values();
    let has_bank = conditions.time.bank_us.is_some() || clocks.any(|clock| clock.bank_us.is_some());
    (is_stateless && has_bank).then_some(BANK_TELLS)
}

fn read(path: &Path, name: &str, text: &str) -> Result<Loaded> {
    let folder = parent_of(path);
    open_named_game(folder, text)?;
    let loaded = read_with(name, text, &|file| course_file(folder, file))?;
    intake::limit(loaded.competition.submissions);
    Ok(loaded)
}

/// A text that cannot be read names none; its reader says so.
fn open_named_game(folder: &Path, text: &str) -> Result {
    let table: toml::Table = text.parse().unwrap_or_default();
    let Some(name) = table.get("game").and_then(toml::Value::as_str) else {
        return Ok(());
    };
    let place = folder.join(name);
    if !game::is_of_files(name, &place) {
        return Ok(());
    }
    let folders = table
        .get("toolchains")
        .and_then(toml::Value::as_table)
        .into_iter()
        .flatten()
        .filter_map(|(program, at)| Some((program.clone(), at.as_str()?.to_owned())))
        .collect();
    game::open_files(name, &place, &folders).map(|_| ())
}

fn course_file(folder: &Path, path: &str) -> Result<Vec<u8>, String> {
    let unreadable = |e: io::Error| match e.kind() {
        ErrorKind::NotFound => "is not in the competition file's folder".to_owned(),
        _ => format!("cannot be read: {e}"),
    };
    let home = folder.canonicalize().map_err(unreadable)?;
    let place = home.join(path).canonicalize().map_err(unreadable)?;
    if !place.starts_with(&home) {
        return Err("is outside the competition file's folder; copy it there".to_owned());
    }
    if !fs::metadata(&place).map_err(unreadable)?.is_file() {
        return Err("is not a file".to_owned());
    }
    let mut bytes = Vec::new();
    File::open(&place)
        .and_then(|file| file.take(BYTES_MAX).read_to_end(&mut bytes))
        .map(|_| bytes)
        .map_err(unreadable)
}

fn competition_beside(places: &[PathBuf]) -> Result<Option<Loaded>> {
    let mut found: Option<(PathBuf, String)> = None;
    for folder in places.iter().filter(|place| place.is_dir()) {
        let path = folder.join(FILE_NAME);
        let text = match text_in(folder) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            Err(error) => {
                return refuse(format!(
                    "cannot read {}: {error}; put a text file of your own there, or name the competition with --competition",
                    path.display()
                ));
            }
        };
        if let Some((other, said)) = &found
            && *said != text
        {
            return refuse(format!(
                "{} and {} are different competitions; choose one with --competition",
                other.display(),
                path.display()
            ));
        }
        found.get_or_insert((path, text));
    }
    let read = |(path, text): (PathBuf, String)| read(&path, &path.display().to_string(), &text);
    found.map(read).transpose()
}

/// It follows no link, and waits for no pipe.
fn text_in(folder: &Path) -> io::Result<String> {
    let bytes = ForeignFolder::open(folder)?.read(OsStr::new(FILE_NAME), BYTES_MAX)?;
    String::from_utf8(bytes).map_err(|error| io::Error::new(ErrorKind::InvalidData, error))
}

pub(crate) fn named_competition(name: &str) -> Result<Loaded> {
    if let Some(course) = courses().find(|course| course.name == name) {
        return rulebook::read(name, course.text);
    }
    let unreadable = |error: io::Error| match error.kind() {
        ErrorKind::IsADirectory => {
            format!("--competition {name} is a folder; name the file in it")
        }
        ErrorKind::NotFound => {
            let known: Vec<&str> = courses().map(|course| course.name).collect();
            let meant = match did_you_mean(name, known.iter().copied()) {
                none if none.is_empty() => did_you_mean_path(Path::new(name)),
                meant => meant,
            };
            format!(
                "--competition {name}{meant}: no such file and no such built-in competition; built in are {}",
                known.join(", ")
            )
        }
        _ => format!("--competition {name} cannot be read: {error}"),
    };
    let text = fs::read_to_string(name).map_err(|error| JudgeError::input(unreadable(error)))?;
    read(Path::new(name), name, &text)
}

/// Choice of a competition, as plain data.
#[derive(Clone, Debug, Default)]
pub struct CompetitionSpec {
    /// A built-in competition by its name, or a TOML file.
    pub named: Option<String>,
    /// The game, if no competition is named.
    pub game: Option<Arc<dyn Rules>>,
    /// Changes to the competition.
    pub changes: Changes,
}

impl CompetitionSpec {
    /// Returns whether the game is known without the submissions.
    pub const fn names_game(&self) -> bool {
        self.game.is_some() || self.named.is_some()
    }

    /// Says where the rules are from, if the submissions alone have named a game of one's own.
    pub fn note_on_rules(&self, loaded: &Loaded) -> Option<String> {
        loaded.rules.program()?;
        let is_named = self.names_game() || loaded.is_of_file();
        let slug = loaded.rules.info().slug;
        (!is_named).then(|| format!("the rules are those in ./{slug}, which judge.toml names"))
    }

    /// Reads the named competition, if any.
    pub fn read_named(&self) -> Result<Option<Loaded>> {
        self.named.as_deref().map(named_competition).transpose()
    }

    /// Or to the standard one of the named game or of the game of the submissions from `places`.
    pub(crate) fn change(
        &self,
        loaded: Option<Loaded>,
        submissions: &[Submission],
        places: &[PathBuf],
    ) -> Result<Loaded> {
        let loaded = match (loaded, &self.game) {
            (Some(loaded), _) => loaded,
            (None, Some(rules)) => Loaded::standard(Arc::clone(rules)),
            (None, None) => Loaded::standard(only_game_of(submissions, places)?),
        };
        loaded.changed(&self.changes)
    }

    /// Reads the named competition and applies the changes; else as the standard one of the game.
    pub fn load(&self, submissions: &[Submission], places: &[PathBuf]) -> Result<Loaded> {
        self.change(self.read_named()?, submissions, places)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::fixture::OwnClock;

    #[test]
    fn stateless_agents_with_a_bank_get_a_note() {
        let rules = rulebook::rules::find("catch-the-cat").expect("registered");
        let mut conditions = rulebook::standard(&*rules).conditions;
        for (lifetime, bank_us, has_note) in [
            (Lifetime::Turn, Some(1_000_000), true),
            (Lifetime::Turn, None, false),
            (Lifetime::Game, Some(1_000_000), false),
        ] {
            conditions.lifetime = lifetime;
            conditions.time.bank_us = bank_us;
            assert_eq!(bank_note(&conditions).is_some(), has_note, "{lifetime:?}");
        }
        conditions.lifetime = Lifetime::Turn;
        conditions.time.bank_us = None;
        let own = OwnClock {
            bank_us: Some(1_000_000),
            ..OwnClock::default()
        };
        conditions.clocks.insert("ann".to_owned(), own);
        assert!(bank_note(&conditions).is_some());
    }
}
