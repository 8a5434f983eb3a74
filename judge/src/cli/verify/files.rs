//! The files of a folder that is verified: they may be anything.

use error::JudgeError;
use nix::fcntl::OFlag;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use words::hash::hexadecimal;

/// How much is read at a time.
const CHUNK_BYTES: usize = 1 << 16;
/// How long a text is that is read whole.
const TEXT_BYTES_MAX: u64 = 256 << 20;
/// How deep folders lie in each other.
const DEPTH_MAX: usize = 8;

/// Opens a regular file; of anything else reading might never end.
///
/// # Errors
/// When it is none, or cannot be read.
pub(super) fn open(path: &Path) -> Result<File, JudgeError> {
    let mut how = OpenOptions::new();
    let how = how.read(true).custom_flags(OFlag::O_NONBLOCK.bits());
    let failed = |e| JudgeError::io("read", path, e);
    let file = how.open(path).map_err(failed)?;
    if file.metadata().map_err(failed)?.is_file() {
        return Ok(file);
    }
    Err(not_regular(path))
}

fn not_regular(path: &Path) -> JudgeError {
    JudgeError::input(format!("{} is not a regular file", path.display()))
}

/// Reads a text.
///
/// # Errors
/// When it is none, is far too long, or cannot be read.
pub(super) fn text(path: &Path) -> Result<String, JudgeError> {
    let mut text = String::new();
    let read = open(path)?.take(TEXT_BYTES_MAX).read_to_string(&mut text);
    read.map_err(|e| JudgeError::input(format!("cannot read {}: {e}", path.display())))?;
    Ok(text)
}

/// Says why a folder cannot be verified.
pub(super) fn refused(place: &Path, reason: &str) -> JudgeError {
    JudgeError::input(format!("cannot verify {}: {reason}", place.display()))
}

/// Lists what is below a folder, by name with `/` between folders, and the SHA-256 of each; none
/// for what is neither a file nor a folder.
///
/// # Errors
/// When something cannot be read.
pub(super) fn sums(folder: &Path) -> Result<BTreeMap<String, Option<String>>, JudgeError> {
    let mut sums = BTreeMap::new();
    add_sums(folder, "", DEPTH_MAX, &mut sums)?;
    Ok(sums)
}

fn add_sums(
    folder: &Path,
    before: &str,
    depth: usize,
    sums: &mut BTreeMap<String, Option<String>>,
) -> Result<(), JudgeError> {
    let failed = |e| JudgeError::io("read", folder, e);
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = format!("{before}{}", entry.file_name().to_string_lossy());
        let kind = entry.file_type().map_err(failed)?;
        if kind.is_dir() && depth > 0 {
            add_sums(&entry.path(), &format!("{name}/"), depth - 1, sums)?;
        } else if kind.is_file() {
            sums.insert(name, Some(sum(&entry.path())?));
        } else {
            sums.insert(name, None);
        }
    }
    Ok(())
}

fn sum(path: &Path) -> Result<String, JudgeError> {
    let mut hasher = Sha256::new();
    let mut reader = BufReader::with_capacity(CHUNK_BYTES, open(path)?);
    loop {
        let chunk = reader.fill_buf();
        let chunk = chunk.map_err(|e| JudgeError::io("read", path, e))?;
        if chunk.is_empty() {
            return Ok(hexadecimal(&hasher.finalize()));
        }
        hasher.update(chunk);
        let read = chunk.len();
        reader.consume(read);
    }
}

/// Compares a file with the one that was made again; returns what differs first, if anything.
///
/// # Errors
/// When a file cannot be read.
pub(super) fn compare(found: &Path, made: &Path) -> Result<Option<String>, JudgeError> {
    if found.symlink_metadata().is_err() {
        return Ok(Some("it is missing".to_owned()));
    }
    if !found.metadata().is_ok_and(|found| found.is_file()) {
        return Ok(Some("it is not a regular file".to_owned()));
    }
    let failed = |e| JudgeError::io("read", found, e);
    let Some(place) = first_difference(open(found)?, open(made)?).map_err(failed)? else {
        return Ok(None);
    };
    let cell = made.extension().is_some_and(|it| it == "csv");
    let cell = cell.then(|| first_cell(open(found)?, open(made)?));
    let cell = cell.transpose()?.flatten();
    Ok(Some(cell.unwrap_or_else(|| {
        format!("line {}, byte {}", place.line, place.byte)
    })))
}

/// A place in a file.
struct BytePlace {
    /// From 1.
    line: usize,
    /// From 0, in the file.
    byte: usize,
}

fn first_difference(found: File, made: File) -> io::Result<Option<BytePlace>> {
    let mut found = BufReader::with_capacity(CHUNK_BYTES, found);
    let mut made = BufReader::with_capacity(CHUNK_BYTES, made);
    let mut place = BytePlace { line: 1, byte: 0 };
    loop {
        let (a, b) = (found.fill_buf()?, made.fill_buf()?);
        let both = a.len().min(b.len());
        let same = a.iter().zip(b).take_while(|(a, b)| a == b).count();
        let newlines = a[..same].iter().filter(|byte| **byte == b'\n');
        place.line += newlines.count();
        place.byte += same;
        if same < both || (both == 0 && a.len() != b.len()) {
            return Ok(Some(place));
        }
        if both == 0 {
            return Ok(None);
        }
        found.consume(both);
        made.consume(both);
    }
}

/// Finds the first cell that differs.
fn first_cell(found: File, made: File) -> Result<Option<String>, JudgeError> {
    let rows = |file| {
        let mut reader = csv::ReaderBuilder::new();
        reader.has_headers(false).flexible(true);
        reader.from_reader(BufReader::new(file)).into_byte_records()
    };
    let (mut found, mut made) = (rows(found), rows(made));
    let mut header: Option<csv::ByteRecord> = None;
    loop {
        let (found, made) = match (found.next(), made.next()) {
            (Some(Ok(found)), Some(Ok(made))) => (found, made),
            (Some(Ok(found)), None) => {
                return Ok(Some(format!("line {}: there are more rows", line(&found))));
            }
            (None, Some(Ok(made))) => {
                return Ok(Some(format!("line {}: a row is missing", line(&made))));
            }
            (None | Some(Err(_)), None | Some(_)) | (Some(_), Some(Err(_))) => return Ok(None),
        };
        let header = header.get_or_insert_with(|| made.clone());
        let cells = found.len().max(made.len());
        for column in 0..cells {
            if found.get(column) != made.get(column) {
                let name = header.get(column).map(String::from_utf8_lossy);
                let name = name.unwrap_or("beyond the last column".into());
                let cell = |row: &csv::ByteRecord| {
                    let cell = row.get(column).map(String::from_utf8_lossy);
                    cell.map_or_else(|| "no cell".to_owned(), |cell| format!("{cell:?}"))
                };
                return Ok(Some(format!(
                    "line {}, {name}: expected {}, found {}",
                    line(&made),
                    cell(&made),
                    cell(&found)
                )));
            }
        }
    }
}

fn line(row: &csv::ByteRecord) -> u64 {
    row.position().map_or(0, csv::Position::line)
}
