//! The programs that a run needs: this one, the bots, the tools that build them.

use intake::{Compared, Copies, KeptSubmissions, Toolchains, find_copies};
use model::artifact::{Artifact, READ};
use model::entrant::{Blame, Entrant};
use model::entrants_folder::EntrantsFolder;
use rulebook::{JudgeError, Result};
use sandbox::{Isolation, OpenRunCgroups, RunCgroups};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use store::manifest::{EntrantLine, Manifest};
use system::files::make_private_folder;
use system::kept_folder;

/// Path of this program, also when its file has been replaced since the start.
pub const THIS_PROGRAM: &str = "/proc/self/exe";

pub(crate) fn intact(artifact: &Artifact) -> Result<(), String> {
    match kept_folder::is_intact(Path::new(&artifact.directory)) {
        Ok(true) => Ok(()),
        Ok(false) => Err("its files were changed or removed".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

/// Finds tools in the competition's folders, then in PATH, and opens what programs may read.
pub fn toolchains(
    named: &BTreeMap<String, String>,
    isolation: &mut Isolation,
) -> Result<Toolchains> {
    let path = std::env::var_os("PATH");
    let toolchains = Toolchains::new(path.as_deref(), named, &isolation.closed)?;
    isolation.read = toolchains.read().to_vec();
    Ok(toolchains)
}

/// Returns the folders that the competition of a run named, as far as they are here.
pub fn named_by_run(manifest: &Manifest) -> BTreeMap<String, String> {
    that_are_here(&manifest.toolchain_folders)
}

/// Leaves out the folders that do not exist: another machine has the programs elsewhere.
pub(crate) fn that_are_here(named: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let mut named = named.clone();
    named.retain(|name, folder| name == READ || Path::new(folder).is_dir());
    named
}

/// Opens control groups if bots may start processes; removes those of killed runs.
pub fn open_run_cgroups(
    isolation: &mut Isolation,
    processes: bool,
) -> Result<Option<OpenRunCgroups>> {
    isolation.admit_processes(processes)?;
    let Some(groups) = isolation.groups.as_mut() else {
        return Ok(None);
    };
    groups.sweep();
    if !processes {
        return Ok(None);
    }
    let run_cgroups = RunCgroups::open(groups.clone())?;
    groups.clone_from(run_cgroups.run_cgroups().groups());
    Ok(Some(run_cgroups))
}

/// Reads the files and programs of all entrants, as the run keeps them.
pub fn compared(run: &Path, lines: &[EntrantLine]) -> Result<Vec<Compared>> {
    let kept = KeptSubmissions::of_run(run);
    let mut all = Vec::new();
    for line in lines {
        // A withdrawn submission is nobody's; it may exist under another name.
        let is_there = line.blame != Some(Blame::Withdrawn);
        let Some(number) = line.version.filter(|_| is_there) else {
            continue;
        };
        if let Some(files) = kept.files(&line.name, number)? {
            all.push(Compared {
                entrant: line.name.clone(),
                artifact: line.artifact.clone(),
                files,
            });
        }
    }
    Ok(all)
}

/// Finds the entrants of a run with the same program or the same sources.
pub fn copies(run: &Path, manifest: &Manifest) -> Result<Vec<Copies>> {
    let rules = rulebook::rules::of(&manifest.competition.conditions)?;
    Ok(find_copies(&*rules, &compared(run, &manifest.entrants)?))
}

/// The folder with a link to each program that needs nothing else to run.
const EXECUTABLES: &str = "executables";

/// In a copy of a run's folder there may be files in their place.
#[expect(
    clippy::disallowed_methods,
    reason = "the folder is private to the judge's user"
)]
pub(crate) fn link_executables(run: &Path, entrants: &[Entrant]) -> Result {
    let folder = run.join(EXECUTABLES);
    make_private_folder(&folder)?;
    let failed = |e| JudgeError::io("write links in", &folder, e);
    for old in fs::read_dir(&folder).map_err(failed)? {
        let old = old.map_err(failed)?;
        if !old.file_type().map_err(failed)?.is_dir() {
            fs::remove_file(old.path()).map_err(failed)?;
        }
    }
    for entrant in entrants {
        if let Some(program) = executable(run, entrant) {
            let name = EntrantsFolder::Sources.folder_of(&entrant.name);
            symlink(program, folder.join(name)).map_err(failed)?;
        }
    }
    Ok(())
}

/// Relative, so that a run's folder can be moved.
fn executable(run: &Path, entrant: &Entrant) -> Option<PathBuf> {
    let artifact = entrant.artifact().filter(|it| it.args.is_empty())?;
    let inside = Path::new(&artifact.program).strip_prefix(run).ok()?;
    Some(Path::new("..").join(inside))
}
