//! Reads a journal. Nothing here locks or changes it; a run may be active in its folder.

pub(crate) mod scan;

pub use scan::Inspector;

use scan::Scan;
use crate::findings;
use crate::findings::Findings;
use crate::kept::{KeptGames, LineSpan};
use crate::keys::Keys;
use crate::line::{Signer, with_content};
use crate::machines::MachineLines;
use crate::moments::{KeptMoment, Moment};
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
        games.fill(found);
        Ok(games)
    }

    pub(crate) fn fill(&mut self, found: Scan) {
        self.kept = found.games;
        self.machines = found.machines;
        self.moments = found.moments;
        self.findings = found.findings;
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

    /// Returns the length of the file; none if another one or none is in its place.
    pub(crate) fn length_in_place(&self) -> Result<Option<u64>, JudgeError> {
        let failed = |e| JudgeError::io("read", &self.path, e);
        let open = self.file.metadata().map_err(failed)?;
        let there = fs::metadata(&self.path).ok();
        let same = there.filter(|it| (it.dev(), it.ino()) == (open.dev(), open.ino()));
        Ok(same.map(|_| open.len()))
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

    /// Returns the moments of the journal, in file order.
    pub fn moments(&self) -> impl DoubleEndedIterator<Item = &Moment> + ExactSizeIterator {
        self.moments.iter().map(|kept| &kept.moment)
    }

    /// Returns whether a game was finished before the moment with this index, from 0.
    pub fn was_finished(&self, game: GameId, moment: usize) -> bool {
        let before = self.moments.get(moment).map(|kept| kept.start);
        let game = self.kept.span(game).map(|span| span.start);
        matches!((game, before), (Some(game), Some(before)) if game < before)
    }

    /// Returns the machines that the journal describes, by the digests in game lines.
    pub const fn machines(&self) -> &MachineLines {
        &self.machines
    }

    /// Returns the machines on which the finished ones of these games were played.
    pub fn machines_of(&self, games: &[GameId]) -> Result<MachineLines, JudgeError> {
        let mut counting = MachineLines::new();
        for &game in games.iter().filter(|_| !self.machines.is_empty()) {
            let digest = self.result(game)?.and_then(|result| result.machine);
            let known = digest.and_then(|digest| self.machines.get_key_value(&digest));
            if let Some((digest, line)) = known.filter(|(digest, _)| !counting.contains_key(*digest)) {
                counting.insert(digest.clone(), line.clone());
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
        let checked = self.signer.check(&line).map_err(str::to_owned);
        let read = checked.and_then(|_| {
            let read = with_content(&mut line, |content| parse(content, &self.terms));
            read.map_err(|error| error.to_string())
        });
        read.map(Some).map_err(|reason| {
            JudgeError::input(format!(
                "the line of game {game} in {} is damaged: {reason}; rerun the same judge run command, \
                 which plays the game again",
                self.path.display()
            ))
        })
    }
}

pub(crate) fn open_file(path: &Path, how: &OpenOptions) -> Result<File, JudgeError> {
    let opened = open_regular(path, how).map_err(|e| JudgeError::io("read", path, e))?;
    opened.ok_or_else(|| {
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
    let mut found: Vec<(GameId, LineSpan)> = (games.kept.iter())
        .filter(|(id, _)| id.text().starts_with(prefix))
        .collect();
    found.sort_by_key(|(_, span)| span.start);
    let records = found.iter().filter_map(|(id, _)| games.read(*id).transpose());
    Ok(MatchingGames {
        records: records.collect::<Result<_, _>>()?,
        damaged: games.findings.damaged.len(),
    })
}
