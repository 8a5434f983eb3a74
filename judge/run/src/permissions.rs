//! Refuses what other users of the machine could change, as sshd refuses a key that others can
//! write. Folders above are not checked; an author's own folder may belong to anybody.

use crate::commands::path_for_shell;
use intake::{LIST_NAME, people};
use nix::sys::statfs::{FsType, statfs};
use nix::unistd::geteuid;
use rulebook::{JudgeError, Result, refuse};
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use system::foreign::{ForeignFolder, Kind};

/// File systems that hold no modes or owners, or not always: statfs(2).
const WITHOUT_MODES: [FsType; 10] = [
    FsType(0x4d44),      // FAT
    FsType(0x2011_bab0), // exFAT
    FsType(0x5346_544e), // NTFS
    FsType(0x7366_746e), // NTFS, the newer driver
    FsType(0x0102_1997), // 9p: drives of Windows in WSL 2, folders of virtual machines
    FsType(0x5346_4846), // drives of Windows in WSL 1
    FsType(0x6573_5546), // FUSE and virtiofs: folders of macOS in containers
    FsType(0xff53_4d42), // CIFS
    FsType(0xfe53_4d42), // SMB 2
    FsType(0x786f_4256), // folders of VirtualBox
];

const EVERYBODY_WRITES: u32 = 0o002;
const STICKY: u32 = 0o1000;

const DEPTH_MAX: usize = 64;

pub(crate) struct Staff {
    users: Vec<u32>,
    holds_modes: fn(&Path) -> bool,
}

#[derive(Debug, PartialEq, Eq)]
enum Defect {
    Writable,
    /// It belongs to this user, who is none of staff's.
    Foreign(u32),
}

impl Staff {
    /// Root, the judge's user, the one who called sudo, and the owners of the places.
    pub(crate) fn of(places: &[PathBuf]) -> Self {
        let sudo = std::env::var("SUDO_UID")
            .ok()
            .and_then(|user| user.parse().ok());
        let owners = places.iter().filter_map(|place| {
            let place = place.canonicalize().ok()?;
            let top = if place.is_dir() {
                &place
            } else {
                place.parent()?
            };
            Some(fs::metadata(top).ok()?.uid())
        });
        Self {
            users: [0, geteuid().as_raw()]
                .into_iter()
                .chain(sudo)
                .chain(owners)
                .collect(),
            holds_modes,
        }
    }

    /// Refuses a file or folder that others can change. A missing one is its reader's matter.
    pub(crate) fn admit(&self, path: &Path) -> Result {
        let found = fs::metadata(path).ok().filter(|_| (self.holds_modes)(path));
        let defect = found.and_then(|found| self.defect(found.uid(), found.mode()));
        defect.map_or(Ok(()), |defect| Err(defect.refusal(path, "")))
    }

    pub(crate) fn admit_game(&self, place: &Path) -> Result {
        self.admit(place)?;
        let mut defect = None;
        let folder = ForeignFolder::open(place).ok();
        if let Some(folder) = folder.filter(|_| (self.holds_modes)(place)) {
            folder.each_below(DEPTH_MAX, &mut |inside| {
                let inside = inside.ok().filter(|inside| inside.kind != Kind::Link);
                defect = inside.and_then(|inside| self.defect(inside.owner, inside.mode));
                defect.is_none()
            });
        }
        defect.map_or(Ok(()), |defect| Err(defect.refusal(place, "-R ")))
    }

    /// Refuses drop folders, and lists, zips and rosters that others can change.
    pub(crate) fn admit_place(&self, place: &Path) -> Result {
        let Ok(folder) = ForeignFolder::open(place) else {
            let ending = place.extension().unwrap_or_default();
            let is_class = ["txt", "zip"]
                .iter()
                .any(|known| ending.eq_ignore_ascii_case(known));
            return if is_class { self.admit(place) } else { Ok(()) };
        };
        let mode = folder.facts().map_or(0, |own| own.mode);
        let names = folder.names().into_iter().flatten().flatten();
        let owners = names.filter_map(|name| Some(folder.facts_of(&name).ok()?.owner));
        if (self.holds_modes)(place) && self.is_drop_folder(mode, owners) {
            let place = path_for_shell(place);
            return refuse(format!(
                "every user of this machine can submit for anybody in {place}, and several have put files there. Mend that with `chmod o-w {place}`, and make a folder in it for each student",
            ));
        }
        let mut orders = [LIST_NAME, people::FILE_NAME].into_iter();
        orders.try_for_each(|name| self.admit(&place.join(name)))
    }

    /// `owners` are those of its entries; staff count as one.
    fn is_drop_folder(&self, mode: u32, owners: impl Iterator<Item = u32>) -> bool {
        if mode & EVERYBODY_WRITES == 0 {
            return false;
        }
        let person = |owner| (!self.users.contains(&owner)).then_some(owner);
        owners.map(person).collect::<BTreeSet<_>>().len() > 1
    }

    fn defect(&self, owner: u32, mode: u32) -> Option<Defect> {
        if mode & EVERYBODY_WRITES != 0 && mode & STICKY == 0 {
            return Some(Defect::Writable);
        }
        (!self.users.contains(&owner)).then_some(Defect::Foreign(owner))
    }
}

impl Defect {
    fn refusal(self, path: &Path, flag: &str) -> JudgeError {
        let (path, me) = (path_for_shell(path), geteuid());
        let sudo = if me.is_root() { "" } else { "sudo " };
        JudgeError::input(match self {
            Self::Writable => format!(
                "every user of this machine can change {path}, and with it the run; mend that with `chmod {flag}o-w {path}`"
            ),
            Self::Foreign(user) => format!(
                "{path} belongs to another user ({user}), who can change it, and with it the run; check it, and mend that with `{sudo}chown {flag}{me} {path}`"
            ),
        })
    }
}

pub(crate) fn note(places: &[PathBuf]) -> Option<String> {
    let place = places.iter().find(|place| !holds_modes(place))?;
    Some(format!(
        "the file system of {} holds no modes, so judge cannot tell who else may write there",
        path_for_shell(place)
    ))
}

fn holds_modes(path: &Path) -> bool {
    statfs(path).map_or(true, |found| {
        !WITHOUT_MODES.contains(&found.filesystem_type())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;

    const PROF: u32 = 1000;
    const ANN: u32 = 1501;
    const EVE: u32 = 1503;

    /// Staff, if root judges a folder of the professor's.
    fn staff() -> Staff {
        Staff {
            users: vec![0, PROF],
            holds_modes,
        }
    }

    #[test]
    fn what_others_can_change_is_refused() {
        for (owner, mode, defect) in [
            (PROF, 0o100_644, None),
            (0, 0o100_644, None),
            (PROF, 0o100_664, None),
            (PROF, 0o040_775, None),
            (PROF, 0o041_777, None),
            (PROF, 0o100_646, Some(Defect::Writable)),
            (PROF, 0o040_777, Some(Defect::Writable)),
            (ANN, 0o100_644, Some(Defect::Foreign(ANN))),
            (ANN, 0o041_777, Some(Defect::Foreign(ANN))),
            (33, 0o100_644, Some(Defect::Foreign(33))),
        ] {
            assert_eq!(staff().defect(owner, mode), defect, "{owner} {mode:o}");
        }
    }

    #[test]
    fn a_folder_that_everybody_fills_is_refused() {
        for (mode, owners, is_drop) in [
            // Folders of students that staff made, and lists of staff's.
            (0o040_755, &[ANN, EVE, PROF, 0][..], false),
            (0o040_775, &[ANN, EVE, PROF], false),
            (0o041_777, &[], false),
            (0o041_777, &[PROF, 0], false),
            (0o041_777, &[EVE, EVE], false),
            (0o041_777, &[ANN, EVE], true),
            (0o041_733, &[PROF, EVE], true),
            (0o040_777, &[0, ANN], true),
        ] {
            let owners = owners.iter().copied();
            let found = staff().is_drop_folder(mode, owners.clone());
            assert_eq!(found, is_drop, "{mode:o} {:?}", owners.collect::<Vec<_>>());
        }
    }

    #[test]
    fn lists_and_zips_writable_by_others_are_refused() {
        let folder = tempfile::tempdir().expect("where everybody may write");
        let list = folder.path().join(LIST_NAME);
        let places = [folder.path().to_owned()];
        let staff = Staff::of(&places);
        let zip = folder.path().join("class.ZIP");
        for (mode, is_admitted) in [(0o644, true), (0o646, false)] {
            for file in [&list, &zip] {
                fs::write(file, "").expect("writable");
                fs::set_permissions(file, Permissions::from_mode(mode)).expect("writable");
            }
            for place in [&list, &zip, &places[0]] {
                assert_eq!(staff.admit_place(place).is_ok(), is_admitted, "{place:?}");
            }
        }
        let without_modes = Staff {
            holds_modes: |_| false,
            ..staff
        };
        without_modes
            .admit_place(&places[0])
            .expect("nobody can tell");
    }
}
