//! Mounts, process ids, IPC and network of its own for each program of a worker: a bot sees the
//! system's files, its own folder and itself. Made once; each process enters them, see
//! [`spawn`](super::spawn).

mod pid_namespace;
mod private_root;

pub(super) use pid_namespace::{PID_IN_WARM_CAGE, PidNamespace};
pub(super) use private_root::PrivateRoot;

use super::files::FolderAccess;
use nix::errno::Errno;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;

/// Whether programs get namespaces of their own on this machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Namespaces {
    /// Yes: the judge is root and has the capabilities.
    AsRoot,
    /// Yes, inside a user namespace, in which the judge's user may make the others.
    InUserNamespace,
    /// No, for this reason.
    Missing(String),
}

const ANY_FOLDER: &str = "/usr";

impl Namespaces {
    /// `own_users`: programs run under users that the judge's user namespace would not have.
    pub(super) fn find(own_users: bool) -> Self {
        let root = PrivateRoot::of(&[ANY_FOLDER.into()], FolderAccess::ReadOnly, &[]);
        let mut missing = String::new();
        let both = [Self::AsRoot, Self::InUserNamespace];
        for found in both.into_iter().take(if own_users { 1 } else { 2 }) {
            let made = found.make(&root, FolderAccess::ReadOnly);
            let entered = made.and_then(|made| {
                let entered = made.inside().run_inside(|| Ok(()));
                entered.or_refused("enter namespaces")
            });
            match entered {
                Ok(()) => return found,
                Err(refused) => missing = refused.to_string(),
            }
        }
        Self::Missing(missing)
    }

    /// For a player, or a build in its scratch folder.
    pub(super) fn make(
        &self,
        root: &PrivateRoot,
        access: FolderAccess,
    ) -> Result<PidNamespace, Refused> {
        let counts = access == FolderAccess::Scratch;
        PidNamespace::make(root, *self == Self::InUserNamespace, counts)
    }

    /// Returns whether programs get namespaces.
    pub fn are_used(&self) -> bool {
        !matches!(self, Self::Missing(_))
    }
}

/// A step that the system refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refused(Cow<'static, str>, Errno);

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(step, errno) = self;
        write!(f, "cannot {step}: {}", errno.desc())
    }
}

impl std::error::Error for Refused {}

trait OrRefused<T> {
    fn or_refused(self, step: &'static str) -> Result<T, Refused>;
}

impl<T> OrRefused<T> for nix::Result<T> {
    fn or_refused(self, step: &'static str) -> Result<T, Refused> {
        self.map_err(|errno| Refused(step.into(), errno))
    }
}

const REPORT_BYTES: usize = 64;

/// Encodes an outcome as a report: errno, and the step. Allocates nothing.
fn report(outcome: &Result<(), Refused>) -> [u8; REPORT_BYTES] {
    let mut report = [0; REPORT_BYTES];
    if let Err(Refused(step, errno)) = outcome {
        report[..4].copy_from_slice(&(*errno as i32).to_ne_bytes());
        report[4..][..step.len()].copy_from_slice(step.as_bytes());
    }
    report
}

fn read_report(report: [u8; REPORT_BYTES]) -> Result<(), Refused> {
    let (errno, step) = report.split_first_chunk().expect("it has one");
    let errno = i32::from_ne_bytes(*errno);
    if errno == 0 {
        return Ok(());
    }
    let step = String::from_utf8_lossy(step)
        .trim_end_matches('\0')
        .to_owned();
    Err(Refused(step.into(), Errno::from_raw(errno)))
}

#[cfg(test)]
mod tests {
    use super::super::spawn::{Program, Spawned, StdPipes, spawn, std_pipes};
    use super::*;
    use nix::errno::Errno;
    use nix::sys::signal::{Signal, kill};
    use nix::sys::wait::waitpid;
    use std::io::{self, Read};
    use std::os::fd::AsFd;
    use std::path::Path;
    use std::time::SystemTime;
    use std::{fs, thread};

    /// Makes namespaces that contain this folder; none if the machine does not allow it.
    fn namespaces_of(folder: &Path) -> Option<PidNamespace> {
        let how = Namespaces::find(false);
        let root = PrivateRoot::of(&[folder.to_owned()], FolderAccess::ReadOnly, &[]);
        let made = how.make(&root, FolderAccess::ReadOnly);
        how.are_used().then(|| made.expect("just tried"))
    }

    fn of_usr() -> Option<PidNamespace> {
        namespaces_of(Path::new("/usr"))
    }

    fn start(namespace: &PidNamespace, script: &str) -> (Spawned, StdPipes) {
        namespace.await_clear().expect("it is there");
        let args = ["-c", script].map(str::to_owned);
        let program = Program {
            path: Path::new("/bin/sh"),
            args: &args,
            environment: &[],
            directory: Path::new("/usr"),
            inside: Some(namespace.inside()),
            execve_key: None,
        };
        let (ours, theirs) = std_pipes().expect("descriptors");
        let descriptors = theirs.each_ref().map(AsFd::as_fd);
        #[expect(unsafe_code, reason = "this is what is tested")]
        // SAFETY: nothing is done in the new process.
        let spawned = unsafe { spawn(program, descriptors, &|| Ok(()), None) };
        (spawned.expect("it starts"), ours)
    }

    fn said((spawned, pipes): (Spawned, StdPipes)) -> String {
        let (_, mut stdout, _) = pipes;
        let mut text = String::new();
        stdout.read_to_string(&mut text).expect("text");
        waitpid(spawned.pid, None).expect("a running child");
        text
    }

    #[test]
    fn program_sees_only_system_files_and_own_processes() {
        // Never below /dev/shm, which must not be seen.
        let folder = || tempfile::tempdir_in("/var/tmp").expect("a temporary folder");
        let (folder, beside) = (folder(), folder());
        let mine = folder.path().join("mine");
        fs::write(&mine, "").expect("writable");
        let never = fs::FileTimes::new().set_accessed(SystemTime::UNIX_EPOCH);
        for path in [&mine, folder.path()] {
            let file = fs::File::open(path).expect("readable");
            file.set_times(never).expect("writable");
        }
        let Some(namespace) = namespaces_of(folder.path()) else {
            return;
        };
        let script = format!(
            "echo $$ $PPID; cat {0}/mine; ls {0}; test -e {1} || echo hidden; ls -d /proc/[0-9]*; ls /; ls /dev; \
             echo x 2>&- >/usr/x || echo read-only",
            folder.path().display(),
            beside.path().display(),
        );
        let text = said(start(&namespace, &script));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[..3], ["2 0", "mine", "hidden"], "{text}");
        // Reading leaves no message.
        for path in [&mine, folder.path()] {
            let accessed = fs::metadata(path).and_then(|meta| meta.accessed());
            assert_eq!(accessed.expect("valid"), SystemTime::UNIX_EPOCH, "{path:?}");
        }
        // Whether it sees the first process depends on its user.
        let mut processes = lines.iter().filter(|line| line.starts_with("/proc/"));
        let holds = processes.all(|line| ["/proc/1", "/proc/2"].contains(line));
        assert!(holds, "{text}");
        for line in ["usr", "bin", "proc", "null", "stderr", "read-only"] {
            assert!(lines.contains(&line), "{line}: {text}");
        }
        for line in ["home", "root", "run", "mem", "shm"] {
            assert!(!lines.contains(&line), "{line}: {text}");
        }
    }

    #[test]
    fn every_player_has_same_pid_leaving_no_process() {
        let Some(namespace) = of_usr() else { return };
        for _ in 0..3 {
            // A process in a session of its own that holds the pipe open, and more process numbers.
            let script = "setsid sleep 1000 <&- & true & true & wait $!; echo $$";
            let (spawned, mut pipes) = start(&namespace, script);
            let mut line = [0; 2];
            pipes.1.read_exact(&mut line).expect("a line");
            kill(spawned.pid, Signal::SIGKILL).expect("a running child");
            waitpid(spawned.pid, None).expect("a running child");
            namespace.clear();
            assert_eq!(&line, b"2\n");
            // The pipe ends when every process that holds it has ended.
            io::copy(&mut pipes.1, &mut io::sink()).expect("it ends");
        }
        assert!(namespace.is_alive());
    }

    #[test]
    fn killing_first_process_ends_namespace_and_is_noticed() {
        let Some(namespace) = of_usr() else { return };
        let (spawned, _pipes) = start(&namespace, "sleep 1000");
        namespace.send(Signal::SIGKILL);
        let status = waitpid(spawned.pid, None).expect("a running child");
        assert!(format!("{status:?}").contains("SIGKILL"), "{status:?}");
        assert!(!namespace.is_alive());
        assert!(namespace.await_clear().is_err());
        namespace.clear();
        assert!(namespace.await_clear().is_err());
    }

    #[test]
    fn one_that_is_stopped_from_outside_goes_on() {
        let Some(namespace) = of_usr() else { return };
        namespace.send(Signal::SIGSTOP);
        namespace.clear();
        namespace.await_clear().expect("it is continued");
        assert_eq!(said(start(&namespace, "echo $$")), "2\n");
    }

    #[test]
    fn unreaped_process_is_not_awaited_forever() {
        let Some(namespace) = of_usr() else { return };
        let spawned = start(&namespace, "exit 0");
        assert!(!namespace.end(1), "its program has not been reaped");
        assert_eq!(said(spawned), "");
        // Now nothing keeps it.
        drop(namespace);
    }

    #[test]
    fn silent_namespace_is_not_awaited_forever() {
        let Some(namespace) = of_usr() else { return };
        let heard = namespace.read_report(&mut [0], 1);
        assert_eq!(heard, Err(Errno::ETIMEDOUT));
        assert!(namespace.end(super::super::spawn::ATTEMPTS_MAX));
        let heard = namespace.read_report(&mut [0], 1);
        assert_eq!(heard, Err(Errno::ECHILD));
    }

    #[test]
    fn namespace_ends_with_its_creating_thread() {
        let made = thread::spawn(of_usr).join().expect("no panic");
        let Some(namespace) = made else { return };
        while namespace.is_alive() {
            thread::yield_now();
        }
    }

    #[test]
    fn what_was_refused_comes_over_whole() {
        assert_eq!(read_report(report(&Ok(()))), Ok(()));
        let sources = [
            include_str!("mod.rs"),
            include_str!("pid_namespace.rs"),
            include_str!("private_root.rs"),
        ];
        let steps = sources
            .iter()
            .flat_map(|text| text.split(concat!("or_", "refused(\"")).skip(1))
            .map(|rest| rest.split('"').next().expect("it ends"));
        let mut count = 0;
        for step in steps {
            let refused = Refused(step.to_owned().into(), Errno::EPERM);
            assert_eq!(read_report(report(&Err(refused.clone()))), Err(refused));
            count += 1;
        }
        assert!(count >= 19, "{count} steps");
        let shown = Refused("mount /proc".into(), Errno::EPERM).to_string();
        assert_eq!(shown, "cannot mount /proc: Operation not permitted");
    }
}
