//! The received files that a run still keeps, and which of them it needs.

use super::versions::{CONTENT_NAME, Store, SubmissionVersion, VersionLog};
use rulebook::JudgeError;
use std::collections::{BTreeSet, HashSet};
use std::ffi::{OsStr, OsString};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use system::foreign::ForeignFolder;

/// Number of working versions of an entrant that may play in place of the newest: in time, late, and
/// where an extension ends.
const AGAIN_MAX: usize = 3;

/// The kept files of a version. Another version may have the same.
#[derive(Debug)]
pub(super) struct KeptFiles {
    pub(super) entrant: String,
    /// Whether it plays, is the newest, or may play in place of the newest.
    pub(super) is_needed: bool,
    /// Whether a program was ever built from it.
    pub(super) is_built: bool,
    /// Their folder.
    pub(super) place: PathBuf,
}

impl Store {
    /// Lists what the run keeps of all versions: those whose files are there, oldest first for each
    /// entrant. `playing` are the hashes of the programs that play now.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub(super) fn kept(&self, playing: &BTreeSet<String>) -> Result<Vec<KeptFiles>, JudgeError> {
        let mut all = Vec::new();
        let lists = self.lists()?;
        let unlisted = self.unlisted(&lists)?.into_iter().map(|place| KeptFiles {
            entrant: String::new(),
            is_needed: false,
            is_built: false,
            place,
        });
        all.extend(unlisted);
        for VersionLog {
            entrant, versions, ..
        } in lists
        {
            let worked = |version: &SubmissionVersion| version.works == Some(true);
            let mut working = versions.iter().rev().filter(|one| worked(one));
            let again: Vec<&str> = working
                .by_ref()
                .take(AGAIN_MAX)
                .map(|one| one.hash.as_str())
                .collect();
            let last = versions.last().map(|last| last.hash.as_str());
            for version in &versions {
                let place = self.folder.join(CONTENT_NAME).join(&version.hash);
                if place.exists() {
                    let hash = version.hash.as_str();
                    let plays = |artifact| playing.contains(artifact);
                    all.push(KeptFiles {
                        entrant: entrant.clone(),
                        is_needed: last == Some(hash)
                            || again.contains(&hash)
                            || version.artifact.as_ref().is_some_and(plays),
                        is_built: version.artifact.is_some(),
                        place,
                    });
                }
            }
        }
        Ok(all)
    }

    /// Lists the kept files that no list names any more. A damaged list may have named them.
    fn unlisted(&self, lists: &[VersionLog]) -> Result<Vec<PathBuf>, JudgeError> {
        let entries = |folder: &Path| {
            let names = ForeignFolder::open(folder).and_then(|one| one.names()?.collect());
            match names {
                Err(e) if e.kind() == ErrorKind::NotFound => Ok(Vec::new()),
                names => names.map_err(|e| JudgeError::io("read", folder, e)),
            }
        };
        let content = self.folder.join(CONTENT_NAME);
        let beside: Vec<OsString> = entries(&self.folder)?;
        if beside.len() != lists.len() + 1 {
            return Ok(Vec::new());
        }
        let listed: HashSet<&OsStr> = lists
            .iter()
            .flat_map(|list| &list.versions)
            .map(|one| OsStr::new(&one.hash))
            .collect();
        Ok(entries(&content)?
            .into_iter()
            .filter(|name| !listed.contains(&**name))
            .map(|name| content.join(name))
            .collect())
    }
}
