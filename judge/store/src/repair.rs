//! Repairs a journal: removes lines that do not belong to it.

use super::games::{Games, MODE, Scan};
use super::kept::LineSpan;
use super::keys::{self, Keys};
use super::line::{BEGINNING, Kind, Mac};
use super::manifest::Manifest;
use rulebook::{IoContext, JudgeError, Result, refuse};
use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::{self, OpenOptions};
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use system::run_folder::{JOURNAL, STAFF};

/// Lines that do not belong to a run's journal. A part's file has this ending after its whole name.
pub const DAMAGED_NAME: &str = "journal.damaged";
const DAMAGED_ENDING: &str = "damaged";

/// Refuses a journal without a line of this run: setting all aside would destroy another run.
pub(super) fn refuse_foreign(games: &Games, directory: &Path, keys: &Keys, reason: &str) -> Result {
    let known = Manifest::read(directory)?;
    if known.is_some_and(|known| known.keys == keys.fingerprint()) {
        return Ok(());
    }
    refuse(format!(
        "no line of {} was written with the keys in {STAFF}/{} under these settings (line 1: {reason}); restore the \
         matching journal and folder {STAFF}, use the old settings, or choose another folder with --out",
        games.path.display(),
        keys::FILE_NAME
    ))
}

/// Returns the path of a file next to a journal. A part's journal keeps its whole name, because
/// others may be in the folder; for a run's, the ending replaces the old one.
pub(super) fn sibling(journal: &Path, ending: &str) -> PathBuf {
    if journal.file_name() == Some(OsStr::new(JOURNAL)) {
        return journal.with_extension(ending);
    }
    let mut name = journal.file_name().unwrap_or_default().to_owned();
    name.push(".");
    name.push(ending);
    journal.with_file_name(name)
}

pub(super) fn repair(games: &mut Games, found: &mut Scan) -> Result {
    if found.bad.is_empty() && found.findings.missing_before.is_empty() {
        if found.torn {
            games
                .file
                .set_len(found.valid_bytes)
                .or_io("repair", &games.path)?;
        }
        return Ok(());
    }
    set_aside(&sibling(&games.path, DAMAGED_ENDING), found)?;
    rewrite(games, found)
}

fn set_aside(path: &Path, found: &Scan) -> Result {
    let mut how = OpenOptions::new();
    let mut out = how
        .create(true)
        .append(true)
        .mode(MODE)
        .open(path)
        .or_io("write", path)?;
    for (line, damaged) in found.bad.iter().zip(&found.findings.damaged) {
        let head = format!("line {}: {}\n", damaged.number, damaged.reason);
        let all = [head.as_bytes(), line, b"\n"].concat();
        out.write_all(&all).or_io("write", path)?;
    }
    out.sync_data().or_io("write", path)
}

/// Replaces the file with its good lines, and a note wherever the chain of MACs is broken.
fn rewrite(games: &mut Games, found: &mut Scan) -> Result {
    let path = games.path.clone();
    let failed = |e| JudgeError::io("repair", &path, e);
    let bad: HashSet<usize> = found
        .findings
        .damaged
        .iter()
        .map(|line| line.number)
        .collect();
    let fresh_path = sibling(&path, "jsonl.new");
    // Leftover of a repair that was killed.
    let _ = fs::remove_file(&fresh_path);
    let mut how = OpenOptions::new();
    how.read(true).append(true).create_new(true).mode(MODE);
    let mut fresh = BufWriter::new(how.open(&fresh_path).map_err(failed)?);
    let old = OpenOptions::new().read(true).open(&path).map_err(failed)?;
    let mut chain = Chain {
        last: BEGINNING,
        start: 0,
    };
    let mut moments = found.moments.iter_mut();
    for (number, line) in (1..).zip(BufReader::new(old).split(b'\n')) {
        let line = line.map_err(failed)?;
        if bad.contains(&number) {
            continue;
        }
        let Ok(signed) = games.signer.check(&line) else {
            // The torn end.
            break;
        };
        if signed.after != chain.last {
            let (note, _) = games.signer.note_break(&signed.after, &chain.last);
            chain.write(&mut fresh, &note).map_err(failed)?;
        }
        match signed.kind {
            Kind::Game(id) => found.games.move_to(id, LineSpan::of(chain.start, &line)),
            Kind::Moment => moments.next().expect("it was read").start = chain.start,
            Kind::Machine | Kind::StderrLine | Kind::Break(_) => {}
        }
        chain.last = signed.next();
        chain.write(&mut fresh, &line).map_err(failed)?;
    }
    let fresh = fresh.into_inner().map_err(|e| failed(e.into_error()))?;
    fresh.sync_all().map_err(failed)?;
    fs::rename(&fresh_path, &path).map_err(failed)?;
    (found.last, found.valid_bytes) = (chain.last, chain.start);
    games.file = fresh;
    Ok(())
}

struct Chain {
    last: Mac,
    start: u64,
}

impl Chain {
    fn write(&mut self, out: &mut impl Write, line: &[u8]) -> std::io::Result<()> {
        self.start += line.len() as u64 + 1;
        out.write_all(line)?;
        out.write_all(b"\n")
    }
}
