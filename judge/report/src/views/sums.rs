//! `SHA256SUMS`: the SHA-256 of every other file of a view, for `sha256sum --check`. A folder to verify is not trusted.

use super::latest::LATEST_NAME;
use model::draw::hexadecimal;
use rulebook::JudgeError;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use system::foreign::{Facts, ForeignFolder, Opened};
use system::run_folder::JOURNAL;

pub(crate) const SUMS_NAME: &str = "SHA256SUMS";
const CHUNK_BYTES: usize = 1 << 16;
/// Maximum length of a file of a view other than its journal, in bytes. The longest is the table of
/// games, with up to 500 bytes for each of 20 million.
const FILE_BYTES_MAX: u64 = 16 << 30;
/// Maximum number of entries; no view of the largest run has more.
pub const ENTRIES_MAX: usize = 1 << 20;
/// Least block of a file system, and thus the least hole in a file, in bytes.
const HOLE_BYTES: usize = 1 << 12;
/// Maximum depth of nested folders.
const DEPTH_MAX: usize = 8;

/// The SHA-256 of a file, or the reason why it has none.
type Sum = Result<String, String>;

/// Returns the SHA-256 of each file below a folder, by name with `/` between folders. A file that
/// no view has is not read, or not to its end.
pub(crate) fn sums(folder: &ForeignFolder) -> Result<BTreeMap<String, Sum>, JudgeError> {
    let (mut sums, mut left) = (BTreeMap::new(), ENTRIES_MAX);
    each_below(folder, "", DEPTH_MAX, &mut left, &mut |name, file| {
        let sum = match file {
            Some(file) => sum(&name, file)?,
            None => Err("it is not a regular file".to_owned()),
        };
        sums.insert(name, sum);
        Ok(())
    })?;
    Ok(sums)
}

/// Lists the files below a folder, by name with `/` between folders.
pub fn names(folder: &ForeignFolder) -> Result<Vec<String>, JudgeError> {
    let (mut names, mut left) = (Vec::new(), ENTRIES_MAX);
    each_below(folder, "", DEPTH_MAX, &mut left, &mut |name, _| {
        names.push(name);
        Ok(())
    })?;
    names.sort();
    Ok(names)
}

/// Function for each entry with its name and its file; `None` if it is not a regular file.
type Act<'a> = &'a mut dyn FnMut(String, Option<File>) -> io::Result<()>;

fn each_below(
    folder: &ForeignFolder,
    before: &str,
    depth: usize,
    left: &mut usize,
    act: Act<'_>,
) -> Result<(), JudgeError> {
    let failed = |e| JudgeError::io("read", folder.path(), e);
    let names = folder.sorted_names(*left).map_err(failed)?;
    *left -= names.len();
    for own in names {
        let name = format!("{before}{}", own.to_string_lossy());
        match folder.entry(&own).map_err(failed)? {
            Opened::Folder(inner) if depth > 0 => {
                each_below(&inner, &format!("{name}/"), depth - 1, left, act)?;
            }
            Opened::File(file) => act(name, Some(file)).map_err(failed)?,
            Opened::Folder(_) | Opened::Other(_) => act(name, None).map_err(failed)?,
        }
    }
    Ok(())
}

/// Computes a file's digest. A hole is free to make but takes as long to read as any content, and
/// it ends the reading. Nothing that judge publishes has that many NUL bytes in a row.
fn sum(name: &str, file: File) -> io::Result<Sum> {
    // Only the journal may have any length.
    if name != JOURNAL && Facts::of(&file)?.bytes > FILE_BYTES_MAX {
        let reason = format!(
            "it is longer than {} GiB, as no file here is",
            FILE_BYTES_MAX >> 30
        );
        return Ok(Err(reason));
    }
    let mut hasher = Sha256::new();
    let mut reader = BufReader::with_capacity(CHUNK_BYTES, file);
    loop {
        let chunk = reader.fill_buf()?;
        if chunk.is_empty() {
            return Ok(Ok(hexadecimal(&hasher.finalize())));
        }
        if chunk.len() >= HOLE_BYTES && chunk.iter().all(|byte| *byte == 0) {
            let many = chunk.len();
            return Ok(Err(format!(
                "it has {many} NUL bytes in a row, as no file here has"
            )));
        }
        hasher.update(chunk);
        let read = chunk.len();
        reader.consume(read);
    }
}

pub(super) fn text(folder: &ForeignFolder) -> Result<String, JudgeError> {
    let line = |(name, sum): (String, Sum)| match sum {
        Ok(sum) => Ok(format!("{sum}  {name}\n")),
        Err(reason) => Err(JudgeError::input(format!("{name}: {reason}"))),
    };
    // That file changes without the others.
    let sums = sums(folder)?.into_iter();
    sums.filter(|(name, _)| name != LATEST_NAME)
        .map(line)
        .collect()
}

pub(crate) fn wrong_sums(text: &str, found: &BTreeMap<String, Sum>) -> BTreeSet<String> {
    let mut listed: BTreeSet<&str> = text.lines().take(ENTRIES_MAX).collect();
    let wrong = |(name, sum): (&String, &Sum)| match sum {
        Ok(sum) if listed.remove(&*format!("{sum}  {name}")) => None,
        Ok(sum) => Some(format!(
            "{name}: {SUMS_NAME} does not have its SHA-256, {sum}"
        )),
        Err(reason) => Some(format!("{name}: {reason}")),
    };
    let others = found.iter().filter(|(name, _)| *name != SUMS_NAME);
    let mut wrong: BTreeSet<String> = others.filter_map(wrong).collect();
    wrong.extend(
        listed
            .iter()
            .map(|line| format!("{SUMS_NAME}: no file here has {line}")),
    );
    wrong
}
