//! The failures of the judge. A bot's fault is a [`model::fault::Fault`] instead.

use nix::errno::Errno;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The result of what the judge does.
pub type Result<T = (), E = JudgeError> = core::result::Result<T, E>;

/// Refuses a wrong command or input: the thing, the reason and the next step.
pub fn refuse<T>(message: impl Into<String>) -> Result<T> {
    Err(JudgeError::input(message))
}

/// Makes a [`JudgeError`] of a failed operation.
pub trait IoContext<T> {
    /// Names the operation, such as `read`, and the file or pipe.
    fn or_io(self, action: &'static str, path: impl AsRef<Path>) -> Result<T>;
}

impl<T, E: Into<io::Error>> IoContext<T> for Result<T, E> {
    fn or_io(self, action: &'static str, path: impl AsRef<Path>) -> Result<T> {
        self.map_err(|error| JudgeError::io(action, path, error.into()))
    }
}

/// A failure of the judge or of the machine, or a wrong input. It is never charged to a bot.
#[derive(Debug, Error)]
pub enum JudgeError {
    /// A wrong input. The text names the thing, the reason and the next step.
    #[error("{0}")]
    Input(String),
    /// A file or pipe operation failed.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// The operation, such as `read`.
        action: &'static str,
        /// The file or pipe.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// A system call failed.
    #[error("cannot {action}: {source}")]
    Os {
        /// The operation.
        action: &'static str,
        /// The system's answer.
        source: Errno,
    },
    /// A program could not be started.
    #[error("cannot start {}: {source}", program.display())]
    Launch {
        /// The program.
        program: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// The kernel does not execute a program. This is the program's fault, not ours.
    #[error("the system does not execute {}: {source}", program.display())]
    Execute {
        /// The program.
        program: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// A build step could not run, for reasons of ours.
    #[error("{reason}")]
    Build {
        /// The reason.
        reason: String,
        /// Whether one file or folder is in the way ([`JudgeError::is_of_one_place`]).
        of_one_place: bool,
    },
    /// Something other than the judge killed the process that ran a build step.
    #[error("the process that ran a build step ended ({0}); rerun the same command to build again")]
    BuilderLost(String),
    /// The rules refuse a setup or configuration that the judge itself gave them.
    #[error("the rules refuse {what}: {reason}")]
    Rules {
        /// The setup or configuration.
        what: &'static str,
        /// The reason.
        reason: engines::Refused,
    },
    /// The program with the rules of a game has failed.
    #[error("the rules of {game} failed: {reason}")]
    Game {
        /// The game's slug.
        game: String,
        /// Its failure, and its last words on standard error.
        reason: String,
    },
    /// A line between the coordinator and a worker, or in a file of ours, is not readable.
    #[error("cannot read {what}: {source}")]
    Format {
        /// The kind of line or file.
        what: String,
        /// The reader's complaint.
        source: serde_json::Error,
    },
    /// This machine lacks something that a submission needs. Another machine may have it.
    #[error("this machine cannot check {submission}, which says nothing about the bot: {reason}")]
    Lacking {
        /// The submission's name.
        submission: String,
        /// The missing thing.
        reason: String,
    },
    /// A cluster does not do what it should. The text says what to do next.
    #[error("{0}")]
    Cluster(String),
    /// Somebody asked the program to end.
    #[error("interrupted; rerun the same command to continue")]
    Interrupted,
    /// A recorded game that is played again differs from its record, which is of no further use.
    #[error("{0}")]
    RecordEnds(String),
    /// Games could not be played because of judge errors.
    #[error(
        "games that could not be played: {games}; the last reason: {reason}. \
         No bot is charged for them; rerun the same command to play them"
    )]
    Unplayed {
        /// The number of games.
        games: usize,
        /// The last reason.
        reason: String,
    },
}

impl JudgeError {
    /// Makes the error of a failed operation on a path.
    pub fn io(action: &'static str, path: impl AsRef<Path>, source: io::Error) -> Self {
        Self::Io {
            action,
            path: path.as_ref().to_owned(),
            source,
        }
    }

    /// Makes the error of a failed system call.
    pub fn os(action: &'static str, source: Errno) -> Self {
        Self::Os { action, source }
    }

    /// Makes the error of a wrong input: the thing, the reason and the next step.
    pub fn input(message: impl Into<String>) -> Self {
        Self::Input(message.into())
    }

    /// Returns whether one file or folder is the problem, by its name, its kind or its permissions,
    /// and not the machine. Other places are not affected.
    pub fn is_of_one_place(&self) -> bool {
        use io::ErrorKind::{
            AlreadyExists, DirectoryNotEmpty, InvalidFilename, InvalidInput, IsADirectory,
            NotADirectory, NotFound, PermissionDenied,
        };
        let source = match self {
            Self::Io { source, .. } => source,
            Self::Build { of_one_place, .. } => return *of_one_place,
            _ => return false,
        };
        let is_of_kind = matches!(
            source.kind(),
            AlreadyExists
                | DirectoryNotEmpty
                | InvalidFilename
                | InvalidInput
                | IsADirectory
                | NotADirectory
                | NotFound
                | PermissionDenied
        );
        let code = source.raw_os_error().map(Errno::from_raw);
        is_of_kind || matches!(code, Some(Errno::ELOOP | Errno::EILSEQ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_error_is_local_and_full_disk_global() {
        let of = |errno: Errno| JudgeError::io("write", "place", errno.into()).is_of_one_place();
        assert!(of(Errno::ENAMETOOLONG) && of(Errno::EACCES) && of(Errno::ENOTDIR));
        let unfit = io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file");
        assert!(JudgeError::io("read", "place", unfit).is_of_one_place());
        for errno in [
            Errno::ENOSPC,
            Errno::EDQUOT,
            Errno::EMFILE,
            Errno::ENOMEM,
            Errno::EIO,
        ] {
            assert!(!of(errno), "{errno}");
        }
        assert!(!JudgeError::Interrupted.is_of_one_place());
    }
}
