//! The files of a folder to verify, which may be anything, and their comparison with rebuilt versions.

use super::Inspection;
use crate::html::{FILE_NAME, data_of};
use model::numbers::counted;
use rulebook::{IoContext, JudgeError, Result, refuse};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::path::Path;
use system::cleanup::TemporaryFolder;
use system::foreign::{Facts, ForeignFolder, Opened, read_whole};

const CHUNK_BYTES: usize = 1 << 16;
/// Maximum length of a text that is read whole, in bytes. The longest is the list of moments: some
/// 200 moments with 300 bytes for each entrant.
const TEXT_BYTES_MAX: u64 = 256 << 20;

/// Opens a regular file below a folder, by a path with `/` between folders, and follows no link.
pub fn open(folder: &ForeignFolder, name: &str) -> Result<File> {
    let path = folder.path().join(name);
    let above = folder
        .folder_below(Path::new(name).parent().unwrap_or(Path::new("")))
        .or_io("read", &path)?;
    let own = path.file_name().unwrap_or_default();
    match above.entry(own).or_io("read", &path)? {
        Opened::File(file) => Ok(file),
        Opened::Folder(_) | Opened::Other(_) => {
            refuse(format!("{} is not a regular file", path.display()))
        }
    }
}

/// Returns whether a folder has an entry of this name, of any kind.
pub fn is_there(folder: &ForeignFolder, name: &str) -> bool {
    folder.facts_of(OsStr::new(name)).is_ok()
}

/// Reads a text, as [`open`] does.
pub fn text(folder: &ForeignFolder, name: &str) -> Result<String> {
    String::from_utf8(bytes(folder, name)?).map_err(|e| unreadable(folder, name, &e))
}

/// Reads a file whole, like [`text`], but with any content.
pub fn bytes(folder: &ForeignFolder, name: &str) -> Result<Vec<u8>> {
    read_whole(open(folder, name)?, TEXT_BYTES_MAX).map_err(|e| unreadable(folder, name, &e))
}

fn unreadable(folder: &ForeignFolder, name: &str, reason: &dyn std::error::Error) -> JudgeError {
    JudgeError::input(format!(
        "cannot read {}: {reason}; get the folder again from the people who published it",
        folder.path().join(name).display()
    ))
}

fn compare_file(found: &ForeignFolder, made: &ForeignFolder, name: &str) -> Result<Option<String>> {
    let file = match open(found, name) {
        Ok(file) => file,
        Err(JudgeError::Io { source, .. }) if source.kind() == ErrorKind::NotFound => {
            return Ok(Some("it is missing".to_owned()));
        }
        Err(JudgeError::Input(_)) => return Ok(Some("it is not a regular file".to_owned())),
        Err(error) => return Err(error),
    };
    let failed = |e| JudgeError::io("read", found.path().join(name), e);
    let of_made = open(made, name)?;
    // A difference comes before the end of the shorter file, or at it.
    let looked_at = Facts::of(&of_made).map_err(failed)?.bytes + CHUNK_BYTES as u64;
    let place = first_difference(file.take(looked_at), of_made).map_err(failed)?;
    let is_table = Path::new(name).extension().is_some_and(|it| it == "csv");
    let cell = if place.is_some() && is_table {
        first_cell(open(found, name)?.take(looked_at), open(made, name)?)
    } else {
        None
    };
    Ok(place.map(|(line, byte)| cell.unwrap_or_else(|| format!("line {line}, byte {byte}"))))
}

/// Returns the line, from 1, and the offset in the file.
fn first_difference(found: impl Read, made: impl Read) -> io::Result<Option<(usize, usize)>> {
    let mut found = BufReader::with_capacity(CHUNK_BYTES, found);
    let mut made = BufReader::with_capacity(CHUNK_BYTES, made);
    let (mut line, mut byte) = (1, 0);
    loop {
        let (a, b) = (found.fill_buf()?, made.fill_buf()?);
        let both = a.len().min(b.len());
        let same = a.iter().zip(b).take_while(|(a, b)| a == b).count();
        let newlines = a[..same].iter().filter(|byte| **byte == b'\n');
        line += newlines.count();
        byte += same;
        if same < both || (both == 0 && a.len() != b.len()) {
            return Ok(Some((line, byte)));
        }
        if both == 0 {
            return Ok(None);
        }
        found.consume(both);
        made.consume(both);
    }
}

fn first_cell(found: impl Read, made: impl Read) -> Option<String> {
    let (mut found, mut made) = (rows(found), rows(made));
    let line = |row: &csv::ByteRecord| row.position().map_or(0, csv::Position::line);
    let mut header: Option<csv::ByteRecord> = None;
    loop {
        let (found, made) = match (found.next().transpose(), made.next().transpose()) {
            (Ok(Some(found)), Ok(Some(made))) => (found, made),
            (Ok(Some(found)), Ok(None)) => {
                return Some(format!("line {}: there are more rows", line(&found)));
            }
            (Ok(None), Ok(Some(made))) => {
                return Some(format!("line {}: a row is missing", line(&made)));
            }
            _ => return None,
        };
        let header = header.get_or_insert_with(|| made.clone());
        let mut columns = 0..found.len().max(made.len());
        let Some(column) = columns.find(|&column| found.get(column) != made.get(column)) else {
            continue;
        };
        let name = header
            .get(column)
            .map_or("beyond the last column".into(), String::from_utf8_lossy);
        let cell = |row: &csv::ByteRecord| {
            let cell = row.get(column).map(String::from_utf8_lossy);
            cell.map_or_else(|| "no cell".to_owned(), |cell| format!("{cell:?}"))
        };
        let (line, expected, found) = (line(&made), cell(&made), cell(&found));
        return Some(format!(
            "line {line}, {name}: expected {expected}, found {found}"
        ));
    }
}

fn rows<R: Read>(file: R) -> csv::ByteRecordsIntoIter<BufReader<R>> {
    let mut reader = csv::ReaderBuilder::new();
    reader.has_headers(false).flexible(true);
    reader.from_reader(BufReader::new(file)).into_byte_records()
}

/// Compares the named files in `folder` with their rebuilt versions in `made`. Of pages by another
/// build than this, only the data is compared.
pub fn compare(
    (folder, build): (&ForeignFolder, &str),
    made: &ForeignFolder,
    names: &[String],
    inspection: &mut Inspection,
) -> Result {
    let is_page = |name: &str| name == FILE_NAME || Path::new(name).starts_with("games");
    let mut of_others = 0;
    for (what, of_pages) in [("tables", false), ("pages", true)] {
        let (mut number, mut differ) = (0, 0);
        for name in names.iter().filter(|name| is_page(name) == of_pages) {
            number += 1;
            let difference = compare_file(folder, made, name)?;
            if difference.is_some() && of_pages && build != inspection.build {
                let found = text(folder, name).unwrap_or_default();
                let data = text(made, name)?;
                if data_of(&data).is_some_and(|data| data_of(&found) == Some(data)) {
                    of_others += 1;
                    continue;
                }
            }
            if let Some(difference) = difference {
                differ += 1;
                inspection.differs(format!("{name}: {difference}"));
            }
        }
        if number > 0 {
            inspection.row(what, number, "file", differ);
        }
    }
    if of_others > 0 {
        inspection.note(format!(
            "of {}, the data was compared and not the HTML around it: judge {build} wrote it, and this is {}",
            counted(of_others, "page"),
            inspection.build
        ));
    }
    Ok(())
}

/// Reports that files cannot be rebuilt. This is a difference, unless the machine is at fault.
pub fn failed(error: JudgeError, inspection: &mut Inspection) -> Result {
    match error {
        JudgeError::Input(_) | JudgeError::Rules { .. } | JudgeError::Format { .. } => {
            inspection.differs(format!("tables and pages cannot be made again: {error}"));
            Ok(())
        }
        _ => Err(error),
    }
}

/// Opens the folder of rebuilt files.
pub fn open_made(made: &Path) -> Result<ForeignFolder> {
    ForeignFolder::open(made).or_io("read", made)
}

/// Makes a folder for rebuilt files.
pub fn temporary_folder() -> Result<TemporaryFolder> {
    TemporaryFolder::new("verify", 0o700).or_io("make", "a temporary folder")
}
