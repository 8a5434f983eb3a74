//! Reads a journal. Nothing here locks or changes it; a run may be active in its folder.

pub(crate) mod scan;

pub use scan::Inspector;

use crate::findings;
use crate::findings::Findings;
use crate::kept::{KeptGames, LineSpan};
use crate::keys::Keys;
use crate::line::{Signer, with_content};
use crate::machines::MachineLines;
use crate::moments::KeptMoment;
use model::draw::Secret;
use model::fixture::{Conditions, Terms};
use model::game_id::GameId;
use model::record::{MatchRecord, MatchResult};
use nix::fcntl::OFlag;
use rulebook::JudgeError;
use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use system::run_folder;

/// The finished games of a run, in any order.
#[derive(Debug)]
pub struct Games {
    pub(crate) path: PathBuf,
    pub(crate) file: File,
    pub(crate) kept: KeptGames,
    pub(crate) machines: MachineLines,
    pub(crate) moments: Vec<KeptMoment>,
    pub(crate) signer: Signer,
    pub(crate) terms: Terms,
    /// Problems in the file.
    pub findings: Findings,
}

impl Games {
    /// Skips a torn last line, and lines that the run has not written. `ids` lists the games of the run,
    /// which [`Games::listed`] returns; it may be empty.
    pub fn open(
        directory: &Path,
        conditions: &Conditions,
        ids: Vec<GameId>,
    ) -> Result<Self, JudgeError> {
        Self::scanned::<()>(directory, conditions, ids, None)
    }

    /// Checks the finished games as strictly as a continued run does, and changes nothing.
    pub fn inspect<T: Send>(
        directory: &Path,
        conditions: &Conditions,
        ids: Vec<GameId>,
        inspector: Inspector<'_, T>,
    ) -> Result<Self, JudgeError> {
        Self::scanned(directory, conditions, ids, Some(inspector))
    }

    fn scanned<T: Send>(
        directory: &Path,
        conditions: &Conditions,
        ids: Vec<GameId>,
        inspector: Option<Inspector<'_, T>>,
    ) -> Result<Self, JudgeError> {
        let keys = Keys::of_run(directory)?;
        let path = directory.join(run_folder::JOURNAL);
        let file = open_file(&path, OpenOptions::new().read(true))?;
        let mut games = Self::new(path, file, &keys.journal, conditions)?;
        // The note is read before the file, which may grow.
        let end = findings::noted(directory)?;
        let is_strict = inspector.is_some();
        let found = games.scan(KeptGames::listing(ids), is_strict, inspector, end)?;
        games.kept = found.games;
        games.machines = found.machines;
        games.moments = found.moments;
        games.findings = found.findings;
        Ok(games)
    }

    pub(crate) fn new(
        path: PathBuf,
        file: File,
        key: &Secret,
        conditions: &Conditions,
    ) -> Result<Self, JudgeError> {
        Ok(Self {
            path,
            file,
            kept: KeptGames::default(),
            machines: MachineLines::new(),
            moments: Vec::new(),
            signer: Signer::new(key),
            terms: rulebook::rules::terms_of(conditions)?,
            findings: Findings::default(),
        })
    }

    pub(crate) fn is_in_place(&self) -> Result<bool, JudgeError> {
        let open = self
            .file
            .metadata()
            .map_err(|e| JudgeError::io("read", &self.path, e))?;
        let there = fs::metadata(&self.path).ok();
        Ok(there.is_some_and(|there| (there.dev(), there.ino()) == (open.dev(), open.ino())))
    }

    /// Returns whether no game has been finished yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of finished games, including games that are no longer in the schedule.
    pub fn len(&self) -> usize {
        self.kept.len()
    }

    /// Returns the ids of the run's games, as they were listed when the journal was opened.
    pub fn listed(&self) -> &[GameId] {
        self.kept.listed()
    }

    /// Returns the machines that the journal describes, by the digests in game lines.
    pub const fn machines(&self) -> &MachineLines {
        &self.machines
    }

    /// Returns the machines on which the finished ones of these games were played.
    pub fn machines_of(&self, games: &[GameId]) -> Result<MachineLines, JudgeError> {
        let mut counting = MachineLines::new();
        if self.machines.is_empty() {
            return Ok(counting);
        }
        for &game in games {
            let digest = self.result(game)?.and_then(|result| result.machine);
            let Some(digest) = digest.filter(|digest| !counting.contains_key(digest)) else {
                continue;
            };
            if let Some(line) = self.machines.get(&digest) {
                counting.insert(digest, line.clone());
            }
        }
        Ok(counting)
    }

    /// Returns whether a game is finished.
    pub fn contains(&self, game: GameId) -> bool {
        self.kept.span(game).is_some()
    }

    /// Reads a finished game; none if it has not been played.
    pub fn read(&self, game: GameId) -> Result<Option<MatchRecord>, JudgeError> {
        self.line(game, MatchRecord::read)
    }

    /// Reads the result of a finished game, without its moves; none if it has not been played.
    pub fn result(&self, game: GameId) -> Result<Option<MatchResult>, JudgeError> {
        match self.kept.result(game) {
            None => self.line(game, MatchResult::read),
            kept => Ok(kept),
        }
    }

    fn line<T>(
        &self,
        game: GameId,
        parse: fn(&[u8], &Terms) -> Result<T, serde_json::Error>,
    ) -> Result<Option<T>, JudgeError> {
        let Some(span) = self.kept.span(game) else {
            return Ok(None);
        };
        let mut line = vec![0; span.length as usize];
        self.file
            .read_exact_at(&mut line, span.start)
            .map_err(|e| JudgeError::io("read", &self.path, e))?;
        let wrong = |reason: &dyn std::fmt::Display| {
            JudgeError::input(format!(
                "the line of game {game} in {} is damaged: {reason}; rerun the same judge run command, \
                 which plays the game again",
                self.path.display()
            ))
        };
        self.signer.check(&line).map_err(|reason| wrong(&reason))?;
        with_content(&mut line, |content| parse(content, &self.terms))
            .map(Some)
            .map_err(|error| wrong(&error))
    }
}

pub(crate) fn open_file(path: &Path, how: &OpenOptions) -> Result<File, JudgeError> {
    open_regular(path, how)
        .map_err(|e| JudgeError::io("read", path, e))?
        .ok_or_else(|| {
            JudgeError::input(format!(
                "{} is not a regular file; move it away, or choose another folder with --out",
                path.display()
            ))
        })
}

/// Opens a file if it is a regular one: opening other kinds could block.
pub(crate) fn open_regular(path: &Path, how: &OpenOptions) -> std::io::Result<Option<File>> {
    let mut how = how.clone();
    let file = how.custom_flags(OFlag::O_NONBLOCK.bits()).open(path)?;
    Ok(file.metadata()?.is_file().then_some(file))
}

/// Mode of a journal. Only the judge's user may read it: it reveals every draw.
pub(crate) const MODE: u32 = 0o600;

/// The games of a journal that match a prefix.
#[derive(Debug)]
pub struct MatchingGames {
    /// The games, in the order in which they finished.
    pub records: Vec<MatchRecord>,
    /// Number of damaged lines.
    pub damaged: usize,
}

/// Reads the finished games whose fixture ids begin with `prefix`. Skips a torn last line.
pub fn find_games(
    directory: &Path,
    conditions: &Conditions,
    prefix: &str,
) -> Result<MatchingGames, JudgeError> {
    let games = Games::open(directory, conditions, Vec::new())?;
    let mut found: Vec<(GameId, LineSpan)> = games
        .kept
        .iter()
        .filter(|(id, _)| id.text().starts_with(prefix))
        .collect();
    found.sort_by_key(|(_, span)| span.start);
    let records: Result<Vec<Option<MatchRecord>>, JudgeError> = found
        .iter()
        .map(|(id, _)| games.line(*id, MatchRecord::read))
        .collect();
    Ok(MatchingGames {
        records: records?.into_iter().flatten().collect(),
        damaged: games.findings.damaged.len(),
    })
}
