use super::cage::{BotRights, Cage};
use super::groups::ControlGroups;
use super::isolation::Isolation;
use super::launch::Launch;
use super::namespaces::Namespaces;
use super::spawn::Failure;
use super::{account, files, seccomp};
use crate::cage::Limits;
use model::artifact::IsolationLevel;
use nix::errno::Errno;
use std::path::Path;

const ANY_FOLDER: &str = "/usr";
const TRIES: usize = 3;
const NO_PROGRAM: &str = "/usr/no such program";

impl Isolation {
    /// Tries out every mechanism. A machine is weak only if it was so several times. Somebody may
    /// end the processes of a try.
    pub fn find() -> Self {
        let tries = (0..TRIES).map(|_| Self::try_out());
        let is_last = |(number, found): &(usize, Self)| {
            *number + 1 == TRIES || found.level() == IsolationLevel::Sealed
        };
        tries
            .enumerate()
            .find(is_last)
            .expect("the last try counts")
            .1
    }

    fn try_out() -> Self {
        let ids = account::free_ids();
        let mut found = Self {
            landlock_version: files::landlock_version(),
            seccomp: seccomp::is_available(),
            namespaces: Namespaces::find(ids.is_some()),
            ids,
            groups: ControlGroups::find(),
            closed: Vec::new(),
            opened: Vec::new(),
            read: Vec::new(),
            cold: false,
        };
        if found.level() == IsolationLevel::Sealed
            && let Err(why) = try_cage(&found)
        {
            found.namespaces = Namespaces::Missing(why);
        }
        found
    }
}

fn try_cage(isolation: &Isolation) -> Result<(), String> {
    let folder = Path::new(ANY_FOLDER);
    let cage = Cage::for_bots(isolation, folder, 0, BotRights::default());
    let launch = Launch {
        program: Path::new(NO_PROGRAM),
        args: &[],
        directory: folder,
        forks: false,
        limits: Limits::BOT,
        cage: &cage.map_err(|error| error.to_string())?,
        group: None,
    };
    match launch.try_start(&[]) {
        Err(Failure::Execute(error)) if error.raw_os_error() == Some(Errno::ENOENT as i32) => {
            Ok(())
        }
        Err(Failure::Execute(error) | Failure::Before(error)) => Err(error.to_string()),
        Err(Failure::Kit) => unreachable!("nothing is forked"),
        Ok(_) => Err(format!("{NO_PROGRAM} can be executed")),
    }
}
