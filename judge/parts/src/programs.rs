//! The programs of a part: how they travel, and that they are what was built.

use error::JudgeError;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::io::{self, Cursor, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use system::files::{copy_tree, hide_reading, text_of};
use system::kept_folder;
use words::artifact::Artifact;
use zip::result::ZipError;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

/// Where a part finds its programs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Programs {
    /// In its own file.
    Packed,
    /// In the run's folder, which is seen under the same path wherever the part is played.
    Shared(PathBuf),
}

/// The folders that programs lie in, by their names, each with the digest of what is in it.
pub(super) type ProgramFolders = BTreeMap<String, String>;

/// Returns artifacts as a part names them, their folders by name only; and those folders, with where
/// they are.
///
/// # Errors
/// When a program's folder cannot be read.
pub(super) fn detached(
    artifacts: &[&Artifact],
) -> Result<(Vec<Artifact>, ProgramFolders, Vec<PathBuf>), JudgeError> {
    let mut folders = ProgramFolders::new();
    let mut places = Vec::new();
    let mut detached = Vec::new();
    for artifact in artifacts {
        let place = PathBuf::from(&artifact.directory);
        let name = text_of(Path::new(place.file_name().unwrap_or_default()))?;
        if !folders.contains_key(&name) {
            let digest = kept_folder::digest(&place);
            let digest = digest.map_err(|e| JudgeError::io("read", &place, e))?;
            folders.insert(name.clone(), digest);
            places.push(place.clone());
        }
        let program = Path::new(&artifact.program);
        let program = program.strip_prefix(&place).unwrap_or(program);
        detached.push(Artifact {
            directory: name,
            program: text_of(program)?,
            ..(*artifact).clone()
        });
    }
    Ok((detached, folders, places))
}

/// Returns an artifact whose folder lies below `root`.
///
/// # Errors
/// When its path is not UTF-8.
pub(super) fn attached(artifact: &Artifact, root: &Path) -> Result<Artifact, JudgeError> {
    let directory = root.join(&artifact.directory);
    Ok(Artifact {
        // One that is a program of the system's stays where it is.
        program: text_of(&directory.join(&artifact.program))?,
        directory: text_of(&directory)?,
        ..artifact.clone()
    })
}

/// Packs folders into one zip, with the modes of what is in them.
///
/// # Errors
/// When they cannot be read, or something in them is neither a file nor a folder.
pub(super) fn pack(places: &[PathBuf]) -> Result<Vec<u8>, JudgeError> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for place in places {
        let name = place.file_name().unwrap_or_default().to_string_lossy();
        let packed = pack_folder(&mut zip, place, &name);
        packed.map_err(|e| JudgeError::io("pack", place, e))?;
    }
    let packed = zip.finish().map_err(io::Error::from);
    let packed = packed.map_err(|e| JudgeError::io("pack", "the programs", e))?;
    Ok(packed.into_inner())
}

fn pack_folder(
    zip: &mut ZipWriter<Cursor<Vec<u8>>>,
    place: &Path,
    name: &str,
) -> Result<(), io::Error> {
    let options = |mode: u32| {
        SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .unix_permissions(mode)
    };
    zip.add_directory(name, options(fs::metadata(place)?.permissions().mode()))?;
    let mut entries = fs::read_dir(place)?.collect::<io::Result<Vec<_>>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let own = entry.file_name();
        let own = own
            .to_str()
            .ok_or_else(|| io::Error::other("a name is not UTF-8"))?;
        let name = format!("{name}/{own}");
        let metadata = fs::symlink_metadata(entry.path())?;
        if metadata.is_dir() {
            pack_folder(zip, &entry.path(), &name)?;
        } else if metadata.is_file() {
            zip.start_file(name, options(metadata.permissions().mode()))?;
            zip.write_all(&fs::read(entry.path())?)?;
        } else {
            return Err(io::Error::other(format!("{own} is no file")));
        }
    }
    Ok(())
}

/// Unpacks what [`pack`] has packed below a folder.
///
/// # Errors
/// When the folder cannot be written, or it is no such zip.
fn unpack(packed: &[u8], root: &Path) -> Result<(), io::Error> {
    let mut zip = ZipArchive::new(Cursor::new(packed)).map_err(io::Error::from)?;
    let mut modes = Vec::new();
    for index in 0..zip.len() {
        let mut entry = zip.by_index(index)?;
        let strange = || io::Error::from(ZipError::InvalidArchive("a name leads outside".into()));
        let place = root.join(entry.enclosed_name().ok_or_else(strange)?);
        let mode = entry.unix_mode().unwrap_or_default() & 0o777;
        if entry.is_dir() {
            fs::create_dir(&place)?;
        } else {
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes)?;
            fs::write(&place, bytes)?;
        }
        modes.push((place, mode));
    }
    // A folder may be closed to us once it has its mode: what is in it comes first.
    for (place, mode) in modes.into_iter().rev() {
        fs::set_permissions(place, Permissions::from_mode(mode))?;
    }
    Ok(())
}

/// Puts the programs below a folder, and checks that they are what was built.
///
/// # Errors
/// When they are not, or the folder cannot be written.
pub(super) fn lay_out(
    programs: &Programs,
    packed: &[u8],
    folders: &ProgramFolders,
    root: &Path,
) -> Result<(), JudgeError> {
    let failed = |e| JudgeError::io("put the programs into", root, e);
    match programs {
        Programs::Packed => unpack(packed, root).map_err(failed)?,
        Programs::Shared(run) => {
            for name in folders.keys() {
                let from = run.join(ARTIFACTS).join(name);
                let copied = copy_tree(&from, &root.join(name));
                copied.map_err(|e| JudgeError::io("copy", from, e))?;
            }
        }
    }
    for (name, digest) in folders {
        let place = root.join(name);
        if kept_folder::digest(&place).map_err(failed)? != *digest {
            return Err(JudgeError::input(format!(
                "the program in {name} is not what was built: it was changed; rerun the same judge run command, which \
                 builds it again, and then judge split"
            )));
        }
        hide_reading(&place).map_err(failed)?;
        kept_folder::write_note(&place, &place, &())?;
    }
    Ok(())
}

/// Where programs are kept in a run's folder.
const ARTIFACTS: &str = "artifacts";
