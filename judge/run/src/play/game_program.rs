//! The program with the rules of a game: a process in a bot's sandbox, which nobody is charged.

use crate::play::process::launch_of;
use crate::play::{ProcessPlayer, WorkerBots};
use engines::SEATS_MAX;
use model::artifact::Artifact;
use model::fault::{Cause, Phase, quote};
use model::fixture::Conditions;
use nix::errno::Errno;
use nix::unistd::Pid;
use referee::external::{Connect, GameProgram, Server};
use referee::table::player::{Allowance, Player};
use rulebook::rules::Rules;
use rulebook::{JudgeError, Result};
use sandbox::{BotRights, Cage, Isolation};
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use system::cleanup::TemporaryFolder;

/// Time for an answer: CPU time, and silence.
const ANSWER: Allowance = Allowance {
    cpu_us: Some(10_000_000),
    wall: Duration::from_secs(10),
    idle: None,
};

/// The same for the first answer, before which a program loads its libraries.
const FIRST_ANSWER: Allowance = Allowance {
    cpu_us: Some(30_000_000),
    wall: Duration::from_secs(30),
    idle: None,
};

const QUESTIONS_UNCHECKED_MAX: u32 = 64;

/// More than a bot's, for positions and lists of moves.
const LINE_BYTES_MAX: usize = 1 << 20;

/// The last lines of Python name the place, the code and the reason.
const LAST_LINES: usize = 3;

thread_local! {
    static RUNNING: RefCell<Vec<Pid>> = const { RefCell::new(Vec::new()) };
}

/// Lists the programs with rules that this thread runs. They are its children, as bots are.
pub(crate) fn running() -> Vec<Pid> {
    RUNNING.with_borrow(Clone::clone)
}

/// Opens the game whose rules an artifact serves. `read` has the place that it was read from, and a
/// folder that is removed with the last of the rules.
pub fn open_game(
    artifact: Artifact,
    isolation: &Isolation,
    read: Option<(PathBuf, TemporaryFolder)>,
) -> Result<Arc<dyn Rules>> {
    let isolation = isolation.with_toolchains(&artifact.toolchains);
    let (place, folder) = read.unzip();
    let connect: Arc<dyn Connect> = Arc::new(InCage {
        artifact: artifact.clone(),
        isolation,
        _folder: folder,
    });
    referee::external::open(GameProgram {
        artifact,
        connect,
        place,
    })
}

pub(crate) fn open_game_among(
    artifacts: &[Artifact],
    conditions: &Conditions,
    isolation: &Isolation,
) -> Result<Arc<dyn Rules>> {
    let known = rulebook::rules::of(conditions);
    let Some(program) = conditions.rules_program().filter(|_| known.is_err()) else {
        return known;
    };
    let artifact = artifacts
        .iter()
        .find(|one| one.hash == program)
        .ok_or_else(|| {
            JudgeError::input(format!("the program of the game ({program}) is missing"))
        })?;
    let rules = open_game(artifact.clone(), isolation, None)?;
    rulebook::rules::add(&conditions.game, &rules);
    Ok(rules)
}

/// Returns whether a line of standard error tells more than where a library of Node was.
fn tells(line: &str) -> bool {
    let is_nodes = line.starts_with("at ") || line.starts_with("Node.js v");
    line.contains(char::is_alphanumeric) && !is_nodes
}

#[derive(Debug)]
struct InCage {
    artifact: Artifact,
    isolation: Isolation,
    _folder: Option<TemporaryFolder>,
}

impl Connect for InCage {
    fn connect(&self) -> Result<Box<dyn Server>> {
        let folder: &Path = self.artifact.directory.as_ref();
        // A seat that no bot has, and thus a user that no bot is.
        let cage = Cage::for_bots(&self.isolation, folder, SEATS_MAX, BotRights::default())?;
        let launch = launch_of(&self.artifact, &cage);
        let mut player = ProcessPlayer::start(&launch, 1, &WorkerBots::default(), &[])?;
        player.line_bytes_max = LINE_BYTES_MAX;
        let pid = player.process().map(Pid::from_raw);
        RUNNING.with_borrow_mut(|running| running.extend(pid));
        Ok(Box::new(InProcess {
            player,
            pid,
            unchecked_left: 0,
            is_started: false,
            line: Vec::new(),
            folder: folder.to_owned(),
            _cage: cage,
        }))
    }
}

struct InProcess {
    player: ProcessPlayer,
    pid: Option<Pid>,
    is_started: bool,
    unchecked_left: u32,
    line: Vec<u8>,
    folder: PathBuf,
    _cage: Cage,
}

impl InProcess {
    fn ask_in_full(&mut self, is_to_be_sent: bool) -> Result<Result<(), String>> {
        let allowance = if self.is_started {
            ANSWER
        } else {
            FIRST_ANSWER
        };
        self.player.cpu.charge_us()?;
        let message = if is_to_be_sent { &self.line[..] } else { &[] };
        let spent = self.player.ask(Phase::Turn, message, allowance)?;
        if let Err(offence) = spent.result {
            // A program that has used up its CPU time got that from the machine.
            if spent.cost.overloaded && offence.cause != Cause::Time {
                let action =
                    "get an answer from the rules of the game while the machine is overloaded";
                return Err(JudgeError::os(action, Errno::ETIMEDOUT));
            }
            return Ok(Err(offence.detail));
        }
        self.is_started = true;
        self.unchecked_left = QUESTIONS_UNCHECKED_MAX;
        Ok(Ok(()))
    }
}

impl Server for InProcess {
    fn ask(&mut self, request: &[u8], answer: &mut Vec<u8>) -> Result<Result<(), String>> {
        self.line.clear();
        self.line.extend_from_slice(request);
        self.line.push(b'\n');
        let asked = match self.unchecked_left.checked_sub(1) {
            None => self.ask_in_full(true)?,
            Some(left) => {
                self.unchecked_left = left;
                match self.player.answers_at_once(&self.line) {
                    Ok(true) => Ok(()),
                    Ok(false) => self.ask_in_full(false)?,
                    Err(offence) => Err(offence.detail),
                }
            }
        };
        if asked.is_ok() {
            answer.extend_from_slice(self.player.line());
        }
        Ok(asked)
    }

    fn complaints(&mut self) -> String {
        let stderr = self.player.take_stderr().into_stderr(&[]);
        let text = without_folder(&stderr.text, &self.folder);
        let lines: Vec<String> = text
            .lines()
            .map(str::trim)
            .filter(|line| tells(line))
            .map(|line| quote(line.as_bytes()))
            .collect();
        lines[lines.len().saturating_sub(LAST_LINES)..].join(" | ")
    }
}

impl Drop for InProcess {
    fn drop(&mut self) {
        // At the end of a thread, the list may be gone already.
        let _ = RUNNING.try_with(|running| {
            running.borrow_mut().retain(|pid| Some(*pid) != self.pid);
        });
    }
}

/// Removes a program's folder from a text: its author knows only the files in it.
fn without_folder(text: &str, folder: &Path) -> String {
    let real = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    [&*real, folder]
        .iter()
        .fold(text.to_owned(), |text, folder| {
            let folder = folder.display().to_string();
            let text = text.replace(&format!("{folder}/"), "");
            text.replace(&folder, ".")
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn folder_and_real_path_are_removed_from_text() {
        let above = tempfile::tempdir().expect("a temporary folder");
        let (real, link) = (above.path().join("real"), above.path().join("link"));
        std::fs::create_dir(&real).expect("writable");
        symlink(&real, &link).expect("writable");
        for folder in [&real, &link] {
            let folder = folder.display();
            let text = format!("File \"{folder}/src/game.py\", line 3");
            assert_eq!(without_folder(&text, &link), "File \"src/game.py\", line 3");
        }
    }
}
