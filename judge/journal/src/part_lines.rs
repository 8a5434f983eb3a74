//! The journal of a part, read from outside, whole or while it grows. Nothing here locks or
//! changes it; a part may be played by another machine, which shares the file.

use super::keys::Keys;
use super::line::{Kind, LINE_BYTES_MAX, Signer, is_signed, with_content};
use super::machines::MachineLine;
use super::part_games::{self, Scope};
use super::part_stderr::StderrLine;
use error::JudgeError;
use nix::fcntl::OFlag;
use serde::Deserialize;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom};
use std::iter;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use words::draw::Secret;
use words::fixture::{Conditions, Terms};
use words::record::MatchRecord;
use words::stderr::Stderr;

const FOREIGN: &str =
    "its part does not have this game, and whoever has a part may sign its own games only";

/// What the journal of a part says, line by line.
#[derive(Debug)]
pub enum PartLine {
    /// Games after this were played on another machine, or at another time.
    Machine(Box<MachineLine>),
    /// A game was finished.
    Game {
        /// What happened.
        record: Box<MatchRecord>,
        /// What the bots wrote on standard error, by seat; nothing where that was not kept.
        stderr: Vec<Stderr>,
    },
    /// A line that was not written for this part.
    Unfit {
        /// Its number in the file, from 1.
        number: usize,
        /// What is wrong with it.
        reason: String,
    },
}

/// Whose journal a file is, as seen from a run.
#[derive(Debug)]
pub enum Whose {
    /// That of the run or of a part of it.
    Runs(Box<PartLines>),
    /// Of another run, or every line is damaged.
    Others,
    /// Nobody's: no line looks like one of a journal.
    NoJournals,
    /// It has no whole line yet.
    Nothing,
}

/// Reads the journal of a part.
#[derive(Clone, Debug)]
pub struct PartLines {
    path: PathBuf,
    signer: Signer,
    terms: Terms,
    scope: Scope,
    /// Where the next line begins, in bytes.
    offset: u64,
    /// How many lines have been read.
    number: usize,
    /// What bots wrote in the game whose line comes next.
    written: Option<StderrLine>,
}

impl PartLines {
    /// Begins at the beginning; the file need not be there yet. Games outside the scope do not fit.
    ///
    /// # Errors
    /// When there is no such game.
    pub fn new(
        path: &Path,
        key: &Secret,
        conditions: &Conditions,
        scope: Scope,
    ) -> Result<Self, JudgeError> {
        Ok(Self {
            path: path.to_owned(),
            signer: Signer::new(key),
            terms: rules::terms_of(conditions)?,
            scope,
            offset: 0,
            number: 0,
            written: None,
        })
    }

    /// Begins with a journal of any part of the run in a folder, or of the run itself: which one it
    /// is its lines say, or their MACs where the lines that say so are lost.
    ///
    /// # Errors
    /// When it is not there, or cannot be read, or it is not known any more which games the part
    /// has.
    pub fn of_run(
        path: &Path,
        keys: &Keys,
        conditions: &Conditions,
        run: &Path,
    ) -> Result<Whose, JudgeError> {
        let failed = |e| JudgeError::io("read", path, e);
        let parts = part_games::parts(run);
        let part_keys = parts.iter().map(|part| (Some(part), keys.part_key(part)));
        let known = iter::once((None, keys.journal.clone())).chain(part_keys);
        let known: Vec<_> = known
            .map(|(part, key)| (part, Signer::new(&key), key))
            .collect();
        let lines = |key: &Secret, scope| {
            let lines = Self::new(path, key, conditions, scope)?;
            Ok(Whose::Runs(Box::new(lines)))
        };
        let journal = open(path).map_err(|e| match e.kind() {
            ErrorKind::NotFound => JudgeError::input(format!(
                "there is no file {}; give a journal that judge part wrote (its --out)",
                path.display()
            )),
            _ => failed(e),
        })?;
        let mut reader = BufReader::new(journal);
        let mut line = Vec::new();
        let mut whose = Whose::Nothing;
        while read_line(&mut reader, &mut line).map_err(failed)? {
            line.pop();
            let fitting = known
                .iter()
                .find(|(_, signer, _)| signer.check(&line).is_ok());
            if let Some((part, _, key)) = fitting {
                let scope = match part {
                    None => Scope::Run,
                    Some(part) => part_games::read(run, keys, part)?,
                };
                return lines(key, scope);
            }
            if let Some(part) = part_named(&line) {
                let key = keys.part_key(&part);
                if Signer::new(&key).check(&line).is_ok() {
                    return lines(&key, part_games::read(run, keys, &part)?);
                }
            }
            whose = match whose {
                Whose::Nothing | Whose::NoJournals if !is_signed(&line) => Whose::NoJournals,
                _ => Whose::Others,
            };
        }
        Ok(whose)
    }

    /// Returns which file it reads.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads the whole lines that have come since the last time, and hands each to `take`; what is
    /// not whole yet waits. A file that is not there yet has none, and one that has become shorter
    /// is read again from its beginning.
    ///
    /// # Errors
    /// When the file cannot be read, and those of `take`.
    pub fn read_new(
        &mut self,
        take: &mut dyn FnMut(PartLine) -> Result<(), JudgeError>,
    ) -> Result<(), JudgeError> {
        // Opened anew: only then a network file system asks for what another machine has written.
        let mut file = match open(&self.path) {
            Ok(file) => file,
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(()),
            Err(e) => return Err(JudgeError::io("read", &self.path, e)),
        };
        let path = self.path.clone();
        let failed = |e| JudgeError::io("read", &path, e);
        if file.metadata().map_err(failed)?.len() < self.offset {
            (self.offset, self.number) = (0, 0);
        }
        file.seek(SeekFrom::Start(self.offset)).map_err(failed)?;
        let mut reader = BufReader::new(file);
        let mut line = Vec::new();
        while read_line(&mut reader, &mut line).map_err(failed)? {
            self.offset += line.len() as u64;
            self.number += 1;
            line.pop();
            match self.understand(&mut line) {
                Ok(None) => {}
                Ok(Some(understood)) => take(understood)?,
                Err(reason) => take(PartLine::Unfit {
                    number: self.number,
                    reason,
                })?,
            }
        }
        Ok(())
    }

    /// Reads a line without its newline; none where it is of no use by itself.
    fn understand(&mut self, line: &mut [u8]) -> Result<Option<PartLine>, String> {
        let signed = self.signer.check(line).map_err(str::to_owned)?;
        let told = |error: serde_json::Error| error.to_string();
        let terms = &self.terms;
        match signed.kind {
            // How a run stands follows from all of its games.
            Kind::Break(_) | Kind::Moment => Ok(None),
            Kind::Machine => {
                let machine = with_content(line, MachineLine::read).map_err(told)?;
                Ok(Some(PartLine::Machine(Box::new(machine))))
            }
            Kind::StderrLine => {
                self.written = Some(with_content(line, StderrLine::read).map_err(told)?);
                Ok(None)
            }
            Kind::Game(_) => {
                let record = with_content(line, |content| MatchRecord::read(content, terms));
                let record = Box::new(record.map_err(told)?);
                if !self.scope.has(&record.fixture) {
                    return Err(FOREIGN.to_owned());
                }
                if let Some((field, number)) = record.wild_number() {
                    return Err(format!("{field}: no game can have {number}"));
                }
                let written = self.written.take();
                let written = written.filter(|written| written.wrote == record.fixture);
                let stderr = written.map(StderrLine::by_seat).unwrap_or_default();
                Ok(Some(PartLine::Game { record, stderr }))
            }
        }
    }
}

fn open(path: &Path) -> std::io::Result<File> {
    let mut how = OpenOptions::new();
    let how = how.read(true).custom_flags(OFlag::O_NONBLOCK.bits());
    let file = how.open(path)?;
    if file.metadata()?.is_file() {
        return Ok(file);
    }
    Err(std::io::Error::other("it is not a regular file"))
}

/// Reads a line with its newline; returns whether there was a whole one.
fn read_line(reader: &mut BufReader<File>, line: &mut Vec<u8>) -> std::io::Result<bool> {
    line.clear();
    let mut bounded = reader.take(LINE_BYTES_MAX + 1);
    bounded.read_until(b'\n', line)?;
    if line.len() as u64 > LINE_BYTES_MAX {
        return Err(std::io::Error::other(
            "a line is far too long for a journal",
        ));
    }
    Ok(line.last() == Some(&b'\n'))
}

/// Returns which part a line says that it is of, if it says so; it may be forged.
fn part_named(line: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct Named {
        about: About,
    }
    #[derive(Deserialize)]
    struct About {
        part: String,
    }
    // Lines of games are long, and none says so.
    if !line.starts_with(b"{\"v\":") || line.len() > NAMING_BYTES_MAX {
        return None;
    }
    let named: Named = serde_json::from_slice(line).ok()?;
    Some(named.about.part)
}

/// No line that describes a machine is longer.
const NAMING_BYTES_MAX: usize = 1 << 14;
