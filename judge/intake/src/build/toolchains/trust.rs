//! The folders that are searched for programs, and those that are opened to strangers' programs.

#![expect(clippy::disallowed_methods, reason = "it is a file of the system's")]

use crate::build::toolchain::ask;
use sandbox::SYSTEM;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path, PathBuf};

pub(super) const AMONG: &str = "is inside submissions or runs";

/// Folders of the system's root that belong to everybody, and are nobody's toolchain.
const SHARED: [&str; 12] = [
    "/", "/home", "/root", "/etc", "/var", "/tmp", "/proc", "/sys", "/dev", "/run", "/mnt",
    "/media",
];

/// Folders below a home folder that contain more than a toolchain.
const PERSONAL: [&str; 6] = [".local", ".config", ".cache", ".cargo", ".ssh", ".gnupg"];

pub(super) fn check_folder(folder: &Path, closed: &[PathBuf]) -> Result<(), &'static str> {
    if !folder.is_absolute() || folder.components().any(|part| part == Component::ParentDir) {
        return Err("is not an absolute path");
    }
    let real = folder.canonicalize().map_err(|_| "is not there")?;
    if is_among(&real, closed) {
        return Err(AMONG);
    }
    Ok(())
}

pub(super) fn is_among(real: &Path, closed: &[PathBuf]) -> bool {
    closed.iter().any(|closed| real.starts_with(closed))
}

pub(super) fn is_program(path: &Path) -> bool {
    let meta = fs::metadata(path);
    meta.is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

pub(super) fn is_of_system(path: &Path) -> bool {
    let real = |folder: &&str| Path::new(folder).canonicalize();
    let mut folders = SYSTEM.iter().filter_map(|folder| real(folder).ok());
    folders.any(|folder| path.starts_with(folder))
}

pub(super) fn check_prefix(folder: &Path, closed: &[PathBuf]) -> Result<(), String> {
    let shown = folder.display();
    let homes = homes();
    let holds_home = homes.iter().any(|home| home.starts_with(folder));
    let is_personal = |home: &PathBuf| PERSONAL.iter().any(|name| home.join(name) == folder);
    let is_shared = SHARED.iter().any(|shared| Path::new(shared) == folder);
    if holds_home || is_shared || homes.iter().any(is_personal) {
        return Err(format!(
            "{shown} holds more than a toolchain, so submissions get no access to it"
        ));
    }
    let meets = |closed: &PathBuf| closed.starts_with(folder) || folder.starts_with(closed);
    if closed.iter().any(meets) {
        return Err(format!(
            "{shown} holds submissions or runs, so submissions get no access to it"
        ));
    }
    Ok(())
}

/// Lists the home folders of users in `/etc/passwd`, by their number. The C library knows more users,
/// but would have to load parts of itself for that, which a static program cannot do.
pub(crate) fn homes_of(is_meant: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    fs::read_to_string("/etc/passwd")
        .unwrap_or_default()
        .lines()
        .map(|line| line.split(':').collect::<Vec<_>>())
        .filter(|fields| fields.get(2).is_some_and(|user| is_meant(user)))
        .filter_map(|fields| fields.get(5).map(PathBuf::from))
        .collect()
}

fn homes() -> Vec<PathBuf> {
    let mut homes = homes_of(|_| true);
    homes.extend(std::env::var_os("HOME").map(PathBuf::from));
    homes
        .iter()
        .filter_map(|home| home.canonicalize().ok())
        .filter(|home| home.parent().is_some())
        .collect()
}

pub(super) fn asked(program: &Path, args: &[&str]) -> Option<String> {
    let said = ask(program, args).ok()?;
    let text = String::from_utf8(said.stdout).ok()?;
    said.status.success().then(|| text.trim().to_owned())
}
