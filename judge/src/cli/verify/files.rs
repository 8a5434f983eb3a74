//! The files of a folder that is verified: they may be anything.

use error::JudgeError;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::path::Path;
use system::foreign::{ForeignFolder, Opened};
use words::hash::hexadecimal;

/// How much is read at a time.
const CHUNK_BYTES: usize = 1 << 16;
/// How long a text is that is read whole.
const TEXT_BYTES_MAX: u64 = 256 << 20;
/// More than a view of the largest run has.
const ENTRIES_MAX: usize = 1 << 20;
/// How deep folders lie in each other.
const DEPTH_MAX: usize = 8;

/// Opens a regular file below a folder, by a path with `/` between folders. No link is followed.
///
/// # Errors
/// When it is none, or cannot be read.
pub(super) fn open(folder: &ForeignFolder, name: &str) -> Result<File, JudgeError> {
    let path = folder.path().join(name);
    let above = folder.folder_below(Path::new(name).parent().unwrap_or(Path::new("")));
    let above = above.map_err(|e| JudgeError::io("read", &path, e))?;
    let own = path.file_name().unwrap_or_default();
    match above
        .entry(own)
        .map_err(|e| JudgeError::io("read", &path, e))?
    {
        Opened::File(file) => Ok(file),
        Opened::Folder(_) | Opened::Other(_) => Err(JudgeError::input(format!(
            "{} is not a regular file",
            path.display()
        ))),
    }
}

/// Returns whether an entry is in a folder, whatever it is.
pub(super) fn is_there(folder: &ForeignFolder, name: &str) -> bool {
    folder.facts_of(OsStr::new(name)).is_ok()
}

/// Reads a text, as [`open`].
///
/// # Errors
/// When it is none, is far too long, or cannot be read.
pub(super) fn text(folder: &ForeignFolder, name: &str) -> Result<String, JudgeError> {
    let mut text = String::new();
    let file = open(folder, name)?;
    let read = file.take(TEXT_BYTES_MAX).read_to_string(&mut text);
    let path = folder.path().join(name);
    read.map_err(|e| JudgeError::input(format!("cannot read {}: {e}", path.display())))?;
    Ok(text)
}

/// Lists what is below a folder, by name with `/` between folders, and the SHA-256 of each; none
/// for what is neither a file nor a folder.
///
/// # Errors
/// When something cannot be read.
pub(super) fn sums(folder: &ForeignFolder) -> Result<BTreeMap<String, Option<String>>, JudgeError> {
    let mut sums = BTreeMap::new();
    let mut left = ENTRIES_MAX;
    add_sums(folder, "", DEPTH_MAX, &mut left, &mut sums)?;
    Ok(sums)
}

fn add_sums(
    folder: &ForeignFolder,
    before: &str,
    depth: usize,
    left: &mut usize,
    sums: &mut BTreeMap<String, Option<String>>,
) -> Result<(), JudgeError> {
    let failed = |e| JudgeError::io("read", folder.path(), e);
    let names = folder.sorted_names(*left).map_err(failed)?;
    *left -= names.len();
    for own in names {
        let name = format!("{before}{}", own.to_string_lossy());
        match folder.entry(&own).map_err(failed)? {
            Opened::Folder(inner) if depth > 0 => {
                add_sums(&inner, &format!("{name}/"), depth - 1, left, sums)?;
            }
            Opened::File(file) => {
                let sum = sum(file).map_err(failed)?;
                sums.insert(name, Some(sum));
            }
            Opened::Folder(_) | Opened::Other(_) => {
                sums.insert(name, None);
            }
        }
    }
    Ok(())
}

fn sum(file: File) -> io::Result<String> {
    let mut hasher = Sha256::new();
    let mut reader = BufReader::with_capacity(CHUNK_BYTES, file);
    loop {
        let chunk = reader.fill_buf()?;
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
pub(super) fn compare(
    found: &ForeignFolder,
    made: &ForeignFolder,
    name: &str,
) -> Result<Option<String>, JudgeError> {
    let open_found = || match open(found, name) {
        Ok(file) => Ok(Ok(file)),
        Err(JudgeError::Io { source, .. }) if source.kind() == ErrorKind::NotFound => {
            Ok(Err("it is missing"))
        }
        Err(JudgeError::Input(_)) => Ok(Err("it is not a regular file")),
        Err(error) => Err(error),
    };
    let file = match open_found()? {
        Ok(file) => file,
        Err(why) => return Ok(Some(why.to_owned())),
    };
    let failed = |e| JudgeError::io("read", found.path().join(name), e);
    let Some(place) = first_difference(file, open(made, name)?).map_err(failed)? else {
        return Ok(None);
    };
    let cell = Path::new(name).extension().is_some_and(|it| it == "csv");
    let cell = cell.then(|| first_cell(open(found, name)?, open(made, name)?));
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
