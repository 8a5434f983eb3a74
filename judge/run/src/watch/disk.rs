//! The bound on a run's folder. Programs that do not play any more are removed first, because they
//! can be built again from the kept versions.

#![expect(
    clippy::disallowed_methods,
    reason = "only the judge writes into a run's folder"
)]

use error::JudgeError;
use journal::manifest::Manifest;
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, Instant};

/// The interval between two looks.
const LOOK_INTERVAL: Duration = Duration::from_secs(60);
/// The unit in which a file system counts blocks.
const BLOCK_BYTES: u64 = 512;

/// The bound on a run's folder.
#[derive(Default)]
pub(super) struct Disk {
    looked: Option<Looked>,
}

/// The result of the last look.
struct Looked {
    at: Instant,
    /// The bound at that time.
    bytes_max: u64,
    refusal: Option<String>,
}

impl Disk {
    /// Returns whether there is no space to build or to play.
    pub(super) fn is_full(&self) -> bool {
        let looked = self.looked.as_ref();
        looked.is_some_and(|looked| looked.refusal.is_some())
    }

    /// Frees space in a run's folder that is larger than `bytes_max`. Returns why nothing may be
    /// built or played, if there is still too little space.
    ///
    /// # Errors
    /// When the manifest cannot be read, or a program cannot be removed.
    pub(super) fn refusal(
        &mut self,
        run: &Path,
        bytes_max: Option<u64>,
    ) -> Result<Option<String>, JudgeError> {
        let Some(bytes_max) = bytes_max else {
            self.looked = None;
            return Ok(None);
        };
        if let Some(looked) = &self.looked
            && looked.bytes_max == bytes_max
            && looked.at.elapsed() < LOOK_INTERVAL
        {
            return Ok(looked.refusal.clone());
        }
        if bytes_of(run) > bytes_max {
            intake::remove_programs_but(run, &in_use(run)?)?;
        }
        let held = bytes_of(run);
        let refusal = (held > bytes_max).then(|| {
            let [held, most] = [held, bytes_max].map(|bytes| bytes.div_ceil(1_000_000));
            format!(
                "{} holds {held} MB, but disk_max is {most} MB: judge still receives versions, but builds and plays \
                 nothing until there is room; raise disk_max, or move away files that are not needed (logs, parts)",
                run.display()
            )
        });
        self.looked = Some(Looked {
            at: Instant::now(),
            bytes_max,
            refusal: refusal.clone(),
        });
        Ok(refusal)
    }
}

/// Returns the hashes of the programs that play now.
fn in_use(run: &Path) -> Result<BTreeSet<String>, JudgeError> {
    let manifest = Manifest::read(run)?;
    let mut hashes = BTreeSet::new();
    if let Some(manifest) = &manifest {
        let playing = manifest.entrants.iter();
        hashes.extend(playing.filter_map(|line| line.artifact.clone()));
        let filler = manifest.filler.iter();
        hashes.extend(filler.map(|filler| filler.artifact.to_string()));
    }
    Ok(hashes)
}

/// Returns the size of a folder on the disk, in bytes; files that disappear meanwhile count
/// nothing.
fn bytes_of(folder: &Path) -> u64 {
    let mut bytes = 0;
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let Ok(meta) = entry.metadata() else {
            continue;
        };
        bytes += meta.blocks() * BLOCK_BYTES;
        if meta.is_dir() {
            bytes += bytes_of(&entry.path());
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_that_nobody_plays_with_go_first() {
        let run = tempfile::tempdir().expect("a temporary folder");
        let program = run.path().join("artifacts/old");
        fs::create_dir_all(&program).expect("ours");
        fs::write(program.join("bot"), vec![1; 3_000_000]).expect("ours");
        fs::write(run.path().join("artifacts/old.json"), "{}").expect("ours");
        fs::create_dir(run.path().join("versions")).expect("ours");
        let list = r#"{"v":1,"entrant":"ann","versions":[{"hash":"h","received":"","origin":"","works":true,"artifact":"old"}]}"#;
        fs::write(run.path().join("versions/ann.json"), list).expect("ours");
        let told = Disk::default().refusal(run.path(), Some(1_000_000));
        assert_eq!(told.expect("readable"), None);
        let left = fs::read_dir(run.path().join("artifacts")).expect("there");
        assert_eq!(left.count(), 0);
        fs::write(run.path().join("journal.jsonl"), vec![1; 3_000_000]).expect("ours");
        let mut disk = Disk::default();
        let told = disk.refusal(run.path(), Some(1_000_000)).expect("readable");
        let told = told.expect("it is full");
        assert!(told.contains("disk_max is 1 MB"), "{told}");
        let free = Disk::default().refusal(run.path(), Some(10_000_000));
        assert_eq!(free.expect("readable"), None);
        assert_eq!(disk.refusal(run.path(), None).expect("readable"), None);
    }
}
