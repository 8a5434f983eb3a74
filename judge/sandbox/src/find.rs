//! Finds out by trying which sandbox mechanisms this machine has.

use super::cage::{BotRights, Cage};
use super::groups::ControlGroups;
use super::launch::Launch;
use super::limits::Limits;
use super::namespaces::Namespaces;
use super::spawn::Failure;
use super::tier::Isolation;
use super::warm::WarmCages;
use super::{account, files, seccomp};
use model::isolation::Tier;
use nix::errno::Errno;
use std::path::Path;

/// A folder that every system has.
const ANY_FOLDER: &str = "/usr";
const NO_PROGRAM: &str = "/usr/no such program";

impl Isolation {
    /// Tries out every mechanism on this machine.
    pub fn find() -> Self {
        let ids = account::free_ids();
        let mut found = Self {
            tier: Tier::C,
            landlock_version: files::landlock_version(),
            seccomp: seccomp::is_available(),
            namespaces: Namespaces::find(ids.is_some()),
            ids,
            groups: ControlGroups::find(),
            warm: WarmCages::Kept,
            closed: Vec::new(),
            opened: Vec::new(),
            read: Vec::new(),
        };
        found.tier = found.rank();
        found.warm = find_warm_cages(&found);
        found
    }
}

/// Tries to start a warm cage.
fn find_warm_cages(isolation: &Isolation) -> WarmCages {
    if !isolation.namespaces.are_used() {
        return WarmCages::Missing("they live in namespaces".to_owned());
    }
    if !isolation.seccomp {
        return WarmCages::Missing("nothing filters system calls".to_owned());
    }
    let folder = Path::new(ANY_FOLDER);
    let cage = match Cage::for_bots(isolation, folder, 0, BotRights::default()) {
        Ok(cage) => cage,
        Err(error) => return WarmCages::Missing(error.to_string()),
    };
    let launch = Launch {
        program: Path::new(NO_PROGRAM),
        args: &[],
        directory: folder,
        forks: false,
        limits: Limits::BOT,
        cage: &cage,
        group: None,
        tells: None,
    };
    match launch.try_start(&[]) {
        Err(Failure::Execute(error)) if error.raw_os_error() == Some(Errno::ENOENT as i32) => {
            WarmCages::Kept
        }
        Err(Failure::Execute(error) | Failure::Before(error)) => {
            WarmCages::Missing(error.to_string())
        }
        Err(Failure::Kit) => unreachable!("nothing is forked"),
        Ok(_) => WarmCages::Missing(format!("{NO_PROGRAM} can be executed")),
    }
}
