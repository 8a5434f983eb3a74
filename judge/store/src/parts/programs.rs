//! The programs of a part: packs and unpacks them, and checks that they are unchanged.

use model::artifact::Artifact;
use rulebook::{IoContext, JudgeError, Result, refuse};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Cursor, Read};
use std::path::{Component, Path, PathBuf};
use system::files::{copy_tree, set_mode, text_of};
use system::foreign::{Facts, ForeignFolder, Opened};
use system::kept_folder;
use system::run_folder::ARTIFACTS;
use zip::result::ZipError;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

/// The place where a part finds its programs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Programs {
    /// In its own file.
    Packed,
    /// In the run's folder, which has the same path wherever the part is played.
    Shared(PathBuf),
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ProgramFolder {
    pub(super) name: String,
    content: String,
    /// Length of its zip in bytes; 0 if it is not in the file.
    packed: usize,
}

#[derive(Debug, Default)]
pub(super) struct ProgramCache(BTreeMap<PathBuf, (ProgramFolder, Vec<u8>)>);

impl ProgramCache {
    /// Returns a folder, and its zip if `programs` are packed.
    pub(super) fn folder(
        &mut self,
        place: &Path,
        programs: &Programs,
    ) -> Result<&(ProgramFolder, Vec<u8>)> {
        if !self.0.contains_key(place) {
            let name = text_of(Path::new(place.file_name().unwrap_or_default()))?;
            let content = kept_folder::digest(place).or_io("read", place)?;
            let zip = match programs {
                Programs::Packed => pack(place, &name)?,
                Programs::Shared(_) => Vec::new(),
            };
            let folder = ProgramFolder {
                name,
                content,
                packed: zip.len(),
            };
            self.0.insert(place.to_owned(), (folder, zip));
        }
        Ok(&self.0[place])
    }
}

/// Returns an artifact without its location: its folder is a name only.
pub(super) fn detached(artifact: &Artifact, folder: &ProgramFolder) -> Result<Artifact> {
    let program = Path::new(&artifact.program);
    let inner = program.strip_prefix(&artifact.directory);
    Ok(Artifact {
        directory: folder.name.clone(),
        program: text_of(inner.unwrap_or(program))?,
        ..artifact.clone()
    })
}

const FOLDER_BYTES_MAX: u64 = 4 << 30;
const FOLDER_ENTRIES_MAX: usize = 1 << 20;

/// The author of a part may want to see or change other folders of the machine that plays it.
pub(super) fn check(
    artifacts: &[Artifact],
    folders: &[ProgramFolder],
    programs: &Programs,
) -> Result<(), String> {
    let outside = |what: &str, path: &str| {
        let path = model::text::readable(path);
        Err(format!(
            "the {what} {path} is not where a part keeps programs: the part may be malicious; play only parts from \
             people whom you trust"
        ))
    };
    if let Some(folder) = folders.iter().find(|folder| !is_name(&folder.name)) {
        return outside("folder", &folder.name);
    }
    for artifact in artifacts {
        let directory = &artifact.directory;
        if folders.iter().all(|folder| folder.name != *directory) {
            return outside("folder", directory);
        }
        if !leads_down(Path::new(&artifact.program)) {
            return outside("program", &artifact.program);
        }
    }
    match programs {
        Programs::Shared(run) if !(run.is_absolute() && leads_down(run)) => {
            outside("run", &run.display().to_string())
        }
        Programs::Shared(_) | Programs::Packed => Ok(()),
    }
}

fn is_name(text: &str) -> bool {
    let mut components = Path::new(text).components();
    let first = components.next();
    matches!(first, Some(Component::Normal(name)) if name == text) && components.next().is_none()
}

fn leads_down(path: &Path) -> bool {
    let mut components = path.components().peekable();
    components.next_if(|first| *first == Component::RootDir);
    components.peek().is_some() && components.all(|one| matches!(one, Component::Normal(_)))
}

pub(super) fn attached(artifact: &Artifact, root: &Path) -> Result<Artifact> {
    let directory = root.join(&artifact.directory);
    Ok(Artifact {
        // A program of the system keeps its absolute path.
        program: text_of(&directory.join(&artifact.program))?,
        directory: text_of(&directory)?,
        ..artifact.clone()
    })
}

fn pack(place: &Path, name: &str) -> Result<Vec<u8>> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let folder = ForeignFolder::open(place).or_io("pack", place)?;
    pack_folder(&mut zip, &folder, name).or_io("pack", place)?;
    let packed = zip.finish().map_err(io::Error::from).or_io("pack", place)?;
    Ok(packed.into_inner())
}

fn pack_folder(
    zip: &mut ZipWriter<Cursor<Vec<u8>>>,
    place: &ForeignFolder,
    name: &str,
) -> Result<(), io::Error> {
    let options = |mode: u32| {
        SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .unix_permissions(mode)
    };
    // Without this slash, a folder called `d\` would get none.
    zip.add_directory(format!("{name}/"), options(place.facts()?.mode))?;
    for own in place.sorted_names(FOLDER_ENTRIES_MAX)? {
        let text = own
            .to_str()
            .ok_or_else(|| io::Error::other("a name is not UTF-8"))?;
        let name = format!("{name}/{text}");
        match place.entry(&own)? {
            Opened::Folder(inner) => pack_folder(zip, &inner, &name)?,
            Opened::File(mut file) => {
                zip.start_file(name, options(Facts::of(&file)?.mode))?;
                io::copy(&mut file, zip)?;
            }
            Opened::Other(_) => return Err(io::Error::other(format!("{text} is not a file"))),
        }
    }
    Ok(())
}

/// Unpacks the output of [`pack`] below a folder; all of it is in a folder called `name`.
fn unpack(packed: &[u8], root: &Path, name: &str) -> Result<(), io::Error> {
    let too_large = || io::Error::other(format!("{name} is larger than any program"));
    let mut zip = ZipArchive::new(Cursor::new(packed)).map_err(io::Error::from)?;
    if zip.len() > FOLDER_ENTRIES_MAX {
        return Err(too_large());
    }
    let (mut modes, mut left) = (Vec::new(), FOLDER_BYTES_MAX);
    for index in 0..zip.len() {
        let mut entry = zip.by_index(index)?;
        let strange = || io::Error::from(ZipError::InvalidArchive("a name leads outside".into()));
        // Unlike in zips of Windows programs, `\` and `:` are parts of names.
        let path = PathBuf::from(&*entry.name().map_err(io::Error::from)?);
        if !leads_down(&path) || !path.starts_with(name) {
            return Err(strange());
        }
        let place = root.join(path);
        let mode = entry.unix_mode().unwrap_or_default();
        // S_IFMT and S_IFDIR.
        if mode & 0o170_000 == 0o040_000 {
            fs::create_dir(&place)?;
        } else {
            let mut file = File::create_new(&place)?;
            left -= io::copy(&mut (&mut entry).take(left), &mut file)?;
            if left == 0 {
                return Err(too_large());
            }
        }
        modes.push((place, mode & 0o777));
    }
    // A folder's mode may exclude the judge, so its entries get theirs first.
    for (place, mode) in modes.into_iter().rev() {
        set_mode(place, mode)?;
    }
    Ok(())
}

pub(super) fn lay_out(
    programs: &Programs,
    mut packed: &[u8],
    folders: &[ProgramFolder],
    root: &Path,
) -> Result {
    let failed = |e| JudgeError::io("put the programs into", root, e);
    for folder in folders {
        let (name, place) = (&folder.name, root.join(&folder.name));
        match programs {
            Programs::Packed => {
                let own = packed
                    .split_at_checked(folder.packed)
                    .ok_or_else(|| failed(io::Error::other("a zip is too short")));
                let zip;
                (zip, packed) = own?;
                unpack(zip, root, name).map_err(failed)?;
            }
            Programs::Shared(run) => {
                let from = run.join(ARTIFACTS).join(name);
                copy_tree(&from, &place).or_io("copy", from)?;
            }
        }
        if kept_folder::digest(&place).map_err(failed)? != folder.content {
            return refuse(format!(
                "the program in {name} was changed after the build; rerun the same judge run command, which builds it \
                 again, and then judge split"
            ));
        }
        kept_folder::write_note(&place, &place, &())?;
    }
    Ok(())
}
