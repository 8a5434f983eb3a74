//! `judge verify`: checks that a run, or its published view, agrees with its journal, within bounds
//! of size.

mod files;
mod inspection;
mod records;
mod run;
mod view;

use self::inspection::{Inspection, refused, tell_notes};
use super::exit::{Done, stop_on_interrupt};
use ::run::commands::shown;
use ::run::named_game;
use clap::Args;
use model::competition::Schedule;
use model::fixture::Participant;
use model::numbers::counted;
use model::points::Points;
use model::text::readable;
use report::{MARK_NAME, View, read_mark};
use rulebook::{CPU_STEP_MS_MAX, JudgeError, RATE_MAX, STATES_MAX, schedule};
use std::collections::HashSet;
use std::ffi::OsStr;
use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use store::manifest::{EntrantLine, Manifest};
use system::foreign::ForeignFolder;

/// Maximum number of entries of a folder with those of all students: more than any course has.
const ENTRIES_MAX: usize = 100_000;

#[derive(Args)]
pub(super) struct VerifyArgs {
    /// A run folder, or a folder that `judge report` wrote for the public or for students
    place: PathBuf,
    /// The game of a view, if it is one's own: the file or folder that was played with
    #[arg(long, value_name = "PATH")]
    game: Option<String>,
}

impl VerifyArgs {
    /// Reads the folder without changing it, and prints the checks and the differences.
    pub(super) fn execute(&self) -> Result<Done, JudgeError> {
        let stop = stop_on_interrupt()?;
        self.game.as_deref().map(named_game).transpose()?;
        let other = |what: &dyn fmt::Display| {
            let reason = format!(
                "{what}; give a run folder, or one that judge report wrote for the public or for students"
            );
            refused(&self.place, &reason)
        };
        let folder = self.place.canonicalize().map_err(|e| other(&e))?;
        if folder.is_file() {
            return Err(other(&"it is a file"));
        }
        let opened = ForeignFolder::open(&folder);
        let opened =
            opened.map_err(|e| refused(&self.place, &format!("it cannot be read: {e}")))?;
        inspect(&opened, &stop)
    }
}

fn inspect(folder: &ForeignFolder, stop: &AtomicBool) -> Result<Done, JudgeError> {
    let mut inspection = Inspection::default();
    let place = folder.path();
    if files::is_there(folder, MARK_NAME) {
        match read_mark(&files::text(folder, MARK_NAME)?) {
            Some((View::Public, _)) => view::public(folder, stop, &mut inspection)?,
            Some((View::Student, Some(name))) => view::student(folder, name, &mut inspection)?,
            Some((View::Student, None)) => return inspect_students(folder, stop),
            Some((View::Staff, _)) => {
                let reason = "the staff view is a copy of the run's tables; give the run folder";
                return Err(refused(place, reason));
            }
            None => {
                let reason = format!("its {MARK_NAME} is not one that judge report writes");
                return Err(refused(place, &reason));
            }
        }
    } else {
        run::inspect(folder, stop, &mut inspection)?;
    }
    inspection.tell(&shown(place))
}

/// Inspects the folders of all students. Nothing else may be there but hidden folders, which a watch
/// has while it publishes.
fn inspect_students(all: &ForeignFolder, stop: &AtomicBool) -> Result<Done, JudgeError> {
    let unreadable = |e| refused(all.path(), &format!("it cannot be read: {e}"));
    let (mut students, mut notes) = (HashSet::new(), Vec::new());
    let (mut differ, mut failed) = (false, 0);
    for name in all.sorted_names(ENTRIES_MAX).map_err(unreadable)? {
        if stop.load(Ordering::Relaxed) {
            return Err(JudgeError::Interrupted);
        }
        if name == MARK_NAME || name.as_bytes().starts_with(b".") {
            continue;
        }
        match inspect_student(all, &name, &mut students, &mut notes) {
            Ok(done) => differ |= !matches!(done, Done::Success),
            Err(error) => {
                say!("{}", readable(&error.to_string()));
                failed += 1;
            }
        }
    }
    tell_notes(&notes, students.len());
    if differ {
        return Ok(Done::Unverified);
    }
    if failed > 0 {
        let folders = counted(failed, "folder");
        return Err(refused(all.path(), &format!("{folders} failed, see above")));
    }
    if students.is_empty() {
        return Err(refused(all.path(), "it has no student's folder"));
    }
    let students = counted(students.len() as u64, "student");
    say!("{}: {students}, nothing differs", shown(all.path()));
    Ok(Done::Success)
}

/// Inspects the folder of one student among those of all. Adds the public name to `students`, and
/// what holds for others too to `notes`.
fn inspect_student(
    all: &ForeignFolder,
    name: &OsStr,
    students: &mut HashSet<String>,
    notes: &mut Vec<(String, Vec<String>)>,
) -> Result<Done, JudgeError> {
    let refused = |reason: &str| refused(&all.path().join(name), reason);
    let folder = all.folder(name).map_err(|e| refused(&e.to_string()))?;
    if !files::is_there(&folder, MARK_NAME) {
        return Err(refused("it is no student's folder"));
    }
    let mark = files::text(&folder, MARK_NAME)?;
    let Some((View::Student, Some(student))) = read_mark(&mark) else {
        return Err(refused("it is no student's folder"));
    };
    if !students.insert(student.to_owned()) {
        return Err(refused("another folder is of the same student"));
    }
    let mut inspection = Inspection::default();
    view::student(&folder, student, &mut inspection)?;
    let name = readable(&name.to_string_lossy());
    inspection.tell_among(&shown(folder.path()), &name, notes)
}

/// Lists all players with their programs, the one that fills seats last.
fn players(manifest: &Manifest) -> Vec<Participant> {
    let mut players = manifest.playing();
    players.extend(manifest.filler.clone());
    players
}

/// Limit on games; no run has more.
const GAMES_MAX: usize = 20_000_000;
/// Maximum penalty for being late, in points.
const PENALTY_MAX: Points = Points::whole(1_000_000);
/// Limit on places; no table has more.
const RANKS_MAX: usize = 1_000_000_000;

/// Checks that a manifest describes a possible schedule. Returns the number of seats.
fn check_manifest(manifest: &Manifest) -> Result<usize, JudgeError> {
    let wrong =
        |reason: &str| JudgeError::input(format!("run.json does not describe a run: {reason}"));
    let competition = &manifest.competition;
    let seats = schedule::roles(competition).map_err(|error| match error {
        JudgeError::Rules { .. } => wrong(&error.to_string()),
        error => error,
    })?;
    let seats = seats.len();
    let scoring = &competition.scoring;
    let playing = manifest.playing();
    let mut names: HashSet<&str> = playing.iter().map(|one| &*one.entrant).collect();
    let has_twins = names.len() < playing.len();
    names.extend(competition.opponents().map(String::as_str));
    let (many, states) = (playing.len() as u128, u128::from(competition.states));
    let met = |against: &[String]| many * against.len() as u128 * seats as u128;
    let games = match &competition.schedule {
        Schedule::Pairs { .. } => many * many * states,
        Schedule::Gauntlet { against } => met(against) * states,
        Schedule::Groups => many.max(1) * seats as u128 * states,
    };
    let graded = scoring
        .graded_games()
        .map_or(0, |games| met(&games.against) * u128::from(games.states));
    let tests = met(&scoring.prize_needs.ahead_of) * states;
    let is_dealt = competition.schedule == Schedule::Groups;
    let filler = manifest.filler.as_ref().map(|filler| &*filler.entrant);
    let others = names.iter().filter(|name| Some(**name) != filler).count();
    let drawn = competition.states_drawn();
    let told = manifest.draw.states.len();
    let mut penalties = manifest.entrants.iter().filter_map(EntrantLine::penalty);
    for (is_wrong, reason) in [
        (has_twins, "two entrants have the same name"),
        (
            competition.states == 0 || drawn > STATES_MAX,
            "it has more initial states than a competition can have, or none",
        ),
        (
            penalties.any(|penalty| !(Points::default()..=PENALTY_MAX).contains(&penalty)),
            "it has a penalty that no competition has",
        ),
        (
            told > 0 && told != drawn as usize,
            "it gives the draw for another number of initial states",
        ),
        (graded > 0 && seats != 2, "graded games are of two seats"),
        (
            games + graded + tests > GAMES_MAX as u128,
            "it has more games than can be played",
        ),
        (
            is_dealt && (others == 0 || (playing.len() < seats && filler.is_none())),
            "there is no entrant to deal into groups",
        ),
        (
            !is_dealt && seats != 2 && competition.schedule.opponents().is_empty(),
            "pairs play a game of two seats",
        ),
        (
            !(0.0..=RATE_MAX).contains(&scoring.points_per_cpu_second),
            "points_per_cpu_second is out of range",
        ),
        (
            scoring.cpu_step_ms > CPU_STEP_MS_MAX.into(),
            "cpu_step_ms is out of range",
        ),
        (
            scoring.prizes.iter().any(|prize| prize.to_rank > RANKS_MAX),
            "a prize is for a rank that cannot exist",
        ),
    ] {
        if is_wrong {
            return Err(wrong(reason));
        }
    }
    Ok(seats)
}
