//! The games and journal of a part, which its holder can sign: only lines of its games count.

use super::author_log::BYTES_PER_ENTRANT_MAX;
use super::games::open_regular;
use super::keys::{Keys, read_kept};
use super::line::{Kind, LINE_BYTES_MAX, Signer, split, with_content};
use super::machines::MachineLine;
use model::FORMAT;
use model::draw::Secret;
use model::fixture::{Conditions, Terms};
use model::game_id::GameId;
use model::note::Note;
use model::record::MatchRecord;
use model::stderr::{Stderr, TurnMark};
use rulebook::{IoContext, JudgeError, Result};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashSet};
use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, Error, ErrorKind, Read, Seek, SeekFrom};
use std::iter;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use system::files::{if_there, make_private_folder, write_whole};
use system::run_folder::STAFF;

const FOLDER: &str = "parts";

/// The games that the owner of a key may sign.
#[derive(Clone, Debug)]
pub enum Scope {
    /// All games of a run.
    Run,
    /// The games of a part, as ids of fixtures.
    Part(Arc<HashSet<GameId>>),
}

impl Scope {
    /// Makes the scope of a part from the ids of its fixtures.
    pub fn part(games: impl Iterator<Item = GameId>) -> Self {
        Self::Part(Arc::new(games.collect()))
    }

    pub(super) fn has(&self, game: GameId) -> bool {
        match self {
            Self::Run => true,
            Self::Part(games) => games.contains(&game),
        }
    }
}

/// Records the games of a part.
pub fn write_part_games(
    run: &Path,
    keys: &Keys,
    part: &str,
    games: impl Iterator<Item = GameId>,
) -> Result {
    make_private_folder(&run.join(STAFF))?;
    let folder = run.join(STAFF).join(FOLDER);
    make_private_folder(&folder)?;
    let mut list = String::new();
    for game in games {
        list += &game.text();
        list.push('\n');
    }
    let text = format!("{}\n{list}", keys.mac(part, list.as_bytes()));
    write_whole(&folder.join(part), text.as_bytes())
}

pub(super) fn parts(run: &Path) -> Vec<String> {
    fs::read_dir(run.join(STAFF).join(FOLDER))
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.file_name())
        .filter_map(|name| name.into_string().ok())
        .collect()
}

pub(super) fn read_scope(run: &Path, keys: &Keys, part: &str) -> Result<Scope> {
    let path = run.join(STAFF).join(FOLDER).join(part);
    let lost = |what: &str| {
        JudgeError::input(format!(
            "{} {what}: it lists the games of the part, and without it judge cannot take any of them; restore it from \
             a backup, or play the part's games again: judge split RUN",
            path.display()
        ))
    };
    let bytes = read_kept(&path, |_| lost("is damaged"))?.ok_or_else(|| lost("is missing"))?;
    let scope = || {
        let (mac, games) = str::from_utf8(&bytes).ok()?.split_once('\n')?;
        if mac != keys.mac(part, games.as_bytes()) {
            return None;
        }
        let ids: Option<_> = (games.lines())
            .map(|id| GameId::parse(id.as_bytes()))
            .collect();
        Some(Scope::Part(Arc::new(ids?)))
    };
    scope().ok_or_else(|| lost("is damaged"))
}

const FOREIGN: &str = "its part does not contain this game, and a part may sign only its own games";

/// One entry of a part's journal.
#[derive(Debug)]
pub enum PartLine {
    /// The next games were played on another machine, or at another time.
    Machine(Box<MachineLine>),
    /// A game was finished.
    Game {
        /// The finished game.
        record: Box<MatchRecord>,
        /// The output of the bots on standard error, by seat; empty if it was not kept.
        stderr: Vec<Stderr>,
    },
    /// A line that was not written for this part.
    Rejected {
        /// Its number in the file, from 1.
        number: usize,
        /// The problem.
        reason: String,
    },
}

/// The owner of a journal, from the view of a run.
#[derive(Debug)]
pub enum JournalOwner {
    /// The run or a part of it.
    ThisRun(Box<PartLines>),
    /// Another run, or every line is damaged.
    OtherRun,
    /// Nobody: no line looks like a journal's.
    NotAJournal,
    /// Unknown: the file has no whole line yet.
    Empty,
}

/// A reader of a part's journal.
#[derive(Clone, Debug)]
pub struct PartLines {
    path: PathBuf,
    signer: Signer,
    terms: Terms,
    scope: Scope,
    offset: u64,
    number: usize,
    /// The bots' output in the game whose line comes next.
    pending_stderr: Option<StderrLine>,
}

impl PartLines {
    /// Starts at the beginning of a file that need not exist yet. Games outside the scope do not fit.
    pub fn new(path: &Path, key: &Secret, conditions: &Conditions, scope: Scope) -> Result<Self> {
        Ok(Self {
            path: path.to_owned(),
            signer: Signer::new(key),
            terms: rulebook::rules::terms_of(conditions)?,
            scope,
            offset: 0,
            number: 0,
            pending_stderr: None,
        })
    }

    /// Opens a journal of the run or of any part, by its lines or their MACs.
    pub fn of_run(
        path: &Path,
        keys: &Keys,
        conditions: &Conditions,
        run: &Path,
    ) -> Result<JournalOwner> {
        let signed_by = |part: Option<String>| {
            let own = part.as_ref().map(|part| keys.part_key(part));
            let key = own.unwrap_or_else(|| keys.journal.clone());
            (part, Signer::new(&key), key)
        };
        let all = iter::once(None).chain(parts(run).into_iter().map(Some));
        let known: Vec<_> = all.map(signed_by).collect();
        let journal = open(path).map_err(|e| match e.kind() {
            ErrorKind::NotFound => JudgeError::input(format!(
                "there is no file {}; give a journal that judge part wrote (its --out)",
                path.display()
            )),
            _ => JudgeError::io("read", path, e),
        })?;
        let mut reader = BufReader::new(journal);
        let mut line = Vec::new();
        let mut whose = JournalOwner::Empty;
        while read_line(&mut reader, &mut line).or_io("read", path)? {
            line.pop();
            let named = part_named(&line).map(|part| signed_by(Some(part)));
            let mut all = known.iter().chain(&named);
            if let Some((part, _, key)) = all.find(|(_, signer, _)| signer.check(&line).is_ok()) {
                let scope = match part {
                    None => Scope::Run,
                    Some(part) => read_scope(run, keys, part)?,
                };
                let lines = Self::new(path, key, conditions, scope)?;
                return Ok(JournalOwner::ThisRun(Box::new(lines)));
            }
            whose = match whose {
                JournalOwner::Empty | JournalOwner::NotAJournal if split(&line).is_none() => {
                    JournalOwner::NotAJournal
                }
                _ => JournalOwner::OtherRun,
            };
        }
        Ok(whose)
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Passes the new whole lines to `take`. A missing file has no lines. A file that has become shorter
    /// is read again from its beginning.
    pub fn read_new(&mut self, take: &mut dyn FnMut(PartLine) -> Result) -> Result {
        // Open the file anew: only then does a network file system fetch another machine's writes.
        let path = self.path.clone();
        let Some(mut file) = if_there(open(&path)).or_io("read", &path)? else {
            return Ok(());
        };
        if file.metadata().or_io("read", &path)?.len() < self.offset {
            (self.offset, self.number) = (0, 0);
        }
        file.seek(SeekFrom::Start(self.offset))
            .or_io("read", &path)?;
        let mut reader = BufReader::new(file);
        let mut line = Vec::new();
        while read_line(&mut reader, &mut line).or_io("read", &path)? {
            self.offset += line.len() as u64;
            self.number += 1;
            line.pop();
            match self.parse_line(&mut line) {
                Ok(None) => {}
                Ok(Some(parsed)) => take(parsed)?,
                Err(reason) => take(PartLine::Rejected {
                    number: self.number,
                    reason,
                })?,
            }
        }
        Ok(())
    }

    fn parse_line(&mut self, line: &mut [u8]) -> Result<Option<PartLine>, String> {
        let signed = self.signer.check(line).map_err(str::to_owned)?;
        let reported = |error: serde_json::Error| error.to_string();
        let terms = &self.terms;
        match signed.kind {
            // A moment follows from all games of the run.
            Kind::Break(_) | Kind::Moment => Ok(None),
            Kind::Machine => {
                let machine = with_content(line, MachineLine::read).map_err(reported)?;
                Ok(Some(PartLine::Machine(Box::new(machine))))
            }
            Kind::StderrLine => {
                let read = with_content(line, |content| serde_json::from_slice(content));
                self.pending_stderr = Some(read.map_err(reported)?);
                Ok(None)
            }
            Kind::Game(_) => {
                let read = with_content(line, |content| MatchRecord::read(content, terms));
                let record = Box::new(read.map_err(reported)?);
                if !self.scope.has(record.fixture) {
                    return Err(FOREIGN.to_owned());
                }
                if let Some((field, number)) = record.out_of_bounds_number() {
                    return Err(format!("{field}: no game can have {number}"));
                }
                let pending = self.pending_stderr.take();
                let own = pending.filter(|pending| pending.wrote == record.fixture);
                let stderr = own.map(StderrLine::by_seat).unwrap_or_default();
                Ok(Some(PartLine::Game { record, stderr }))
            }
        }
    }
}

fn open(path: &Path) -> std::io::Result<File> {
    open_regular(path, OpenOptions::new().read(true))?
        .ok_or_else(|| Error::new(ErrorKind::InvalidInput, "it is not a regular file"))
}

fn read_line(reader: &mut BufReader<File>, line: &mut Vec<u8>) -> std::io::Result<bool> {
    line.clear();
    let mut bounded = reader.take(LINE_BYTES_MAX + 1);
    bounded.read_until(b'\n', line)?;
    if line.len() as u64 > LINE_BYTES_MAX {
        return Err(Error::other("a line is far too long for a journal"));
    }
    Ok(line.last() == Some(&b'\n'))
}

/// Returns the part that a line names, if any; the line may be forged.
fn part_named(line: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct Named {
        about: About,
    }
    #[derive(Deserialize)]
    struct About {
        part: String,
    }
    // Game lines are long, and none names a part.
    if !line.starts_with(b"{\"v\":") || line.len() > NAMING_BYTES_MAX {
        return None;
    }
    let named: Named = serde_json::from_slice(line).ok()?;
    Some(named.about.part)
}

const NAMING_BYTES_MAX: usize = 1 << 14;

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StderrLine {
    v: u32,
    wrote: GameId,
    stderr: Vec<String>,
    turns: Vec<Vec<TurnMark>>,
    /// The bots' notes, by seat; empty if there are none at all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    notes: Vec<Vec<Note>>,
}

impl StderrLine {
    fn by_seat(self) -> Vec<Stderr> {
        let notes = self.notes.into_iter().chain(iter::repeat(Vec::new()));
        self.stderr
            .into_iter()
            .zip(self.turns)
            .zip(notes)
            .map(|((text, turns), notes)| Stderr { text, turns, notes })
            .collect()
    }
}

/// Amount of each entrant's output that a part has carried, in bytes: the run keeps only so much.
#[derive(Debug, Default)]
pub(super) struct StderrBudget(BTreeMap<String, u64>);

impl StderrBudget {
    /// Returns the line with the output of a game's bots, by seat; none if there is nothing to carry.
    pub(super) fn content(&mut self, record: &MatchRecord, stderr: &[Stderr]) -> Option<Vec<u8>> {
        let mut content = StderrLine {
            v: FORMAT,
            wrote: record.fixture,
            stderr: Vec::new(),
            turns: Vec::new(),
            notes: Vec::new(),
        };
        for (seat, wrote) in record.seats.iter().zip(stderr) {
            let carried = self.0.entry(seat.entrant.clone()).or_default();
            let mut kept = Stderr::default();
            if *carried < BYTES_PER_ENTRANT_MAX {
                let notes: usize = wrote.notes.iter().map(Note::bytes).sum();
                *carried += (wrote.text.len() + notes) as u64;
                kept.clone_from(wrote);
            }
            content.stderr.push(kept.text);
            content.turns.push(kept.turns);
            content.notes.push(kept.notes);
        }
        if content.notes.iter().all(Vec::is_empty) {
            content.notes.clear();
        }
        let is_silent = content.notes.is_empty() && content.stderr.iter().all(String::is_empty);
        (!is_silent).then(|| serde_json::to_vec(&content).expect("plain data"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::refused;

    #[test]
    fn changed_or_missing_game_list_is_not_trusted() {
        let run = tempfile::tempdir().expect("a temporary folder");
        let keys = Keys::make(run.path(), false).expect("valid");
        let id = |digit: &str| GameId::parse(digit.repeat(32).as_bytes()).expect("an id");
        let own = ["1", "2"].map(id);
        write_part_games(run.path(), &keys, "p", own.into_iter()).expect("writable");
        assert_eq!(parts(run.path()), ["p"]);
        let scope = read_scope(run.path(), &keys, "p").expect("readable");
        assert!(scope.has(id("2")) && !scope.has(id("3")));
        let path = run.path().join("staff/parts/p");
        let text = fs::read_to_string(&path).expect("there");
        fs::write(&path, text + "three\n").expect("writable");
        refused(read_scope(run.path(), &keys, "p"), "is damaged");
        refused(read_scope(run.path(), &keys, "q"), "is missing");
    }
}
