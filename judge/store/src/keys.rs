//! `staff/keys.json`: with these secrets, anyone can forge the journal and knows the draw.

use model::competition::Competition;
use model::draw::hash;
use model::draw::{Draw, Secret};
use rulebook::{JudgeError, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Display;
use std::io::ErrorKind;
use std::path::Path;
use system::files::{if_there, make_private_folder, random, read_regular, write_whole};
use system::run_folder::STAFF;

/// The file's name in the staff's folder of a run.
pub const FILE_NAME: &str = "keys.json";

/// The secrets of a run, and the draws that are known outside.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Keys {
    /// The source of everything random, unless the competition has a seed.
    pub draw: Secret,
    /// The key that signs the journal's lines.
    pub journal: Secret,
    names: Secret,
    /// Whether `judge commit` committed to the draw before the run began.
    pub committed: bool,
    /// Whether `judge reveal` published the draw.
    pub revealed: bool,
    /// The rounds from which anything was shown, each with the artifacts at that time by entrant.
    pub shown: BTreeMap<String, BTreeMap<String, String>>,
    check: String,
}

impl Keys {
    /// Makes and writes the keys of a run. `committed` says whether this is before the run begins.
    pub fn make(run: &Path, committed: bool) -> Result<Self> {
        let mut keys = Self {
            draw: Secret::new(random()?),
            journal: Secret::new(random()?),
            names: Secret::new(random()?),
            committed,
            revealed: false,
            shown: BTreeMap::new(),
            check: String::new(),
        };
        keys.write(run)?;
        Ok(keys)
    }

    /// Reads the keys of a run; none if it has none.
    pub fn find(run: &Path) -> Result<Option<Self>> {
        let path = run.join(STAFF).join(FILE_NAME);
        let damaged = |reason: &dyn Display| {
            JudgeError::input(format!(
                "{} is damaged ({reason}); restore it from a backup, or begin another run in another folder",
                path.display()
            ))
        };
        let Some(text) = read_kept(&path, damaged)? else {
            return Ok(None);
        };
        let keys: Self = serde_json::from_slice(&text).map_err(|error| damaged(&error))?;
        if keys.check != keys.digest() {
            return Err(damaged(&"its content does not match its checksum"));
        }
        Ok(Some(keys))
    }

    /// Reads the keys of a played run.
    pub fn of_run(run: &Path) -> Result<Self> {
        Self::find(run)?.ok_or_else(|| {
            JudgeError::input(format!(
                "{} is missing: without its keys the games in {} can be neither checked nor continued; \
                 restore the folder {STAFF} from a backup, or begin another run in another folder",
                run.join(STAFF).join(FILE_NAME).display(),
                run.display()
            ))
        })
    }

    /// Writes the keys.
    pub fn write(&mut self, run: &Path) -> Result {
        self.check = self.digest();
        let staff = run.join(STAFF);
        make_private_folder(&staff)?;
        let mut text = serde_json::to_vec_pretty(self).expect("plain data");
        text.push(b'\n');
        write_whole(&staff.join(FILE_NAME), &text)
    }

    fn digest(&self) -> String {
        let bare = Self {
            check: String::new(),
            ..self.clone()
        };
        hash(&[&serde_json::to_vec(&bare).expect("plain data")])
    }

    /// Returns the draw of a competition.
    pub fn draw(&self, competition: &Competition) -> Draw {
        match competition.seed {
            Some(seed) => Draw::public(seed, &competition.round),
            None => Draw::new(self.draw.clone(), &competition.round, self.names.clone()),
        }
    }

    /// Returns a text that identifies this run's keys without revealing them.
    pub fn fingerprint(&self) -> String {
        hash(&[b"keys", self.journal.bits()])
    }

    /// Returns a sort key for an entrant whose order reveals nothing about it.
    pub fn sort_key(&self, entrant: &str) -> [u8; 32] {
        *self.names.derive(entrant).bits()
    }

    /// Returns a MAC of a file of this run: 32 hexadecimal digits.
    pub fn mac(&self, name: &str, content: &[u8]) -> String {
        let mut text = self
            .journal
            .derive(&format!("{name} {}", hash(&[content])))
            .text();
        text.truncate(32);
        text
    }

    /// Returns the key that signs a part's journal, which follows from the run's key and the part.
    pub fn part_key(&self, part: &str) -> Secret {
        self.journal.derive(&format!("part {part}"))
    }

    /// Returns a name for something of this run that is meaningless without the keys.
    pub fn pseudonym(&self, label: &str) -> String {
        let mut text = self.names.derive(label).text();
        text.truncate(32);
        text
    }
}

/// Reads a file of a run, if there is one. Only damage makes it too large.
pub(super) fn read_kept(
    path: &Path,
    damaged: impl FnOnce(&dyn Display) -> JudgeError,
) -> Result<Option<Vec<u8>>> {
    if_there(read_regular(path)).map_err(|e| match e.kind() {
        ErrorKind::FileTooLarge => damaged(&e),
        _ => JudgeError::io("read", path, e),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::refused;
    use std::fs::{self, File};
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn kept_keys_are_found_and_private() {
        let run = tempfile::tempdir().expect("a temporary folder");
        assert_eq!(Keys::find(run.path()).expect("nothing is wrong"), None);
        let mut keys = Keys::make(run.path(), true).expect("valid");
        assert_eq!(Keys::of_run(run.path()).expect("kept"), keys);
        keys.revealed = true;
        keys.write(run.path()).expect("writable");
        assert_eq!(Keys::of_run(run.path()).expect("kept"), keys);
        let other = tempfile::tempdir().expect("a temporary folder");
        let other = Keys::make(other.path(), true).expect("valid");
        assert_ne!(other.draw, keys.draw);
        assert_ne!(other.fingerprint(), keys.fingerprint());
        let path = run.path().join("staff/keys.json");
        let mode = fs::metadata(path).expect("there").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn any_changed_bit_or_length_is_found_out() {
        let run = tempfile::tempdir().expect("a temporary folder");
        Keys::make(run.path(), false).expect("valid");
        let path = run.path().join("staff/keys.json");
        let text = fs::read(&path).expect("there");
        for (place, byte) in text.iter().enumerate() {
            for bit in 0..8 {
                let mut changed = text.clone();
                changed[place] = byte ^ 1 << bit;
                fs::write(&path, &changed).expect("writable");
                match Keys::find(run.path()) {
                    Err(error) => assert!(error.to_string().contains("is damaged"), "{error}"),
                    // Blanks between the words.
                    Ok(_) => assert!(byte.is_ascii_whitespace(), "{place}"),
                }
            }
        }
        // Keys of terabytes are not read.
        let file = File::options().write(true).open(path).expect("readable");
        file.set_len(1 << 42).expect("it has no content");
        refused(Keys::find(run.path()), "is damaged (it is longer than ");
    }

    #[test]
    fn missing_keys_are_named_with_what_to_do() {
        let run = tempfile::tempdir().expect("a temporary folder");
        refused(Keys::of_run(run.path()), "staff/keys.json is missing");
        refused(Keys::of_run(run.path()), "from a backup");
    }
}
