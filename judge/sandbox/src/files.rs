//! The files that a program may reach: a Landlock ruleset for each folder that programs run in.

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd,
    Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetError, Scope,
};
use model::language::LANGUAGES;
use nix::errno::Errno;
use rulebook::{JudgeError, Result};
use std::collections::BTreeSet;
use std::fs::{self, DirEntry};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The newest rights that this code knows; older kernels enforce the ones that they have.
const RIGHTS: ABI = ABI::V6;

/// Folders of programs, libraries and the files that they need to start. Some may not exist.
pub const SYSTEM: &[&str] = &[
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/opt",
    // Some distributions keep all of the above here.
    "/nix/store",
    "/gnu/store",
    "/run/current-system/sw",
];

/// Configuration that loaders, compilers and interpreters read, besides that of [`LANGUAGES`]; `*`
/// is any ending. Not all of `/etc`: its data on users, hosts and services must stay hidden.
const CONFIGURATION: &[&str] = &[
    "/etc/alternatives",
    "/etc/crypto-policies",
    "/etc/debian_version",
    "/etc/dpkg/origins",
    "/etc/fedora-release",
    "/etc/fonts",
    "/etc/inputrc",
    "/etc/ld.so.*",
    "/etc/locale.*",
    "/etc/localtime",
    "/etc/lsb-release",
    "/etc/magic*",
    "/etc/mime.types",
    "/etc/nsswitch.conf",
    "/etc/octave*",
    "/etc/os-release",
    "/etc/papersize",
    "/etc/pki/ca-trust/extracted",
    "/etc/pki/tls/cert.pem",
    "/etc/pki/tls/certs",
    "/etc/pki/tls/openssl*",
    "/etc/redhat-release",
    "/etc/ssl/cert.pem",
    "/etc/ssl/certs",
    "/etc/ssl/openssl.cnf",
    "/etc/system-release",
    "/etc/terminfo",
    "/etc/timezone",
    "/dev/urandom",
    "/dev/random",
    "/sys/devices/system/cpu",
    "/sys/kernel/mm/transparent_hugepage",
    "/proc/cpuinfo",
    "/proc/filesystems",
    "/proc/meminfo",
    "/proc/stat",
    "/proc/sys/vm/overcommit_memory",
    "/proc/version",
];

const SINK: &str = "/dev/null";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FolderAccess {
    /// Read and execute.
    ReadOnly,
    /// Everything. The files of compilers can be read, too.
    Scratch,
}

/// Makes the ruleset; none without Landlock. `opened` folders are as the system's, `closed` ones
/// unreachable but for the own folder. `processes` is the `/proc` of the own namespaces.
pub(super) fn ruleset(
    folder: &Path,
    kind: FolderAccess,
    closed: &[PathBuf],
    opened: &[PathBuf],
    processes: Option<PathBuf>,
) -> Result<Option<OwnedFd>> {
    let failed = |e: RulesetError| {
        let reason = io::Error::other(e);
        JudgeError::io("restrict programs with Landlock to", folder, reason)
    };
    let all = AccessFs::from_all(RIGHTS);
    let read = BitFlags::from(AccessFs::ReadFile) | AccessFs::ReadDir;
    let run = read | AccessFs::Execute;
    let own = match kind {
        FolderAccess::ReadOnly => run,
        FolderAccess::Scratch => all,
    };
    let mut ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(all)
        .and_then(|ruleset| ruleset.handle_access(AccessNet::from_all(RIGHTS)))
        .and_then(|ruleset| ruleset.scope(Scope::from_all(RIGHTS)))
        .and_then(Ruleset::create)
        .map_err(failed)?;
    let sink = AccessFs::from_file(RIGHTS) & !BitFlags::from(AccessFs::Execute);
    // A link's target is allowed under its own path, if at all.
    let folders = readable(opened, closed).filter(|path| !path.is_symlink());
    let paths = folders
        .map(|path| (path, run))
        .chain(configuration().map(|path| (path, read)))
        .chain(compilers(kind).map(|path| (path.into(), run)))
        .chain(processes.map(|path| (path, read)));
    for (path, rights) in paths.chain([(SINK.into(), sink)]) {
        // A missing path needs no rule.
        let Ok(opened) = PathFd::new(&path) else {
            continue;
        };
        // A file cannot be listed.
        let fitting = if path.is_dir() {
            all
        } else {
            AccessFs::from_file(RIGHTS)
        };
        let rule = PathBeneath::new(opened, rights & fitting);
        ruleset = ruleset.add_rule(rule).map_err(failed)?;
    }
    let opened =
        PathFd::new(folder).map_err(|e| JudgeError::io("open", folder, io::Error::other(e)))?;
    let own = PathBeneath::new(opened, own);
    Ok(ruleset.add_rule(own).map_err(failed)?.into())
}

/// Lists the folders of programs and libraries by their usual names, which may be links.
pub(super) fn system_names<'a>() -> impl Iterator<Item = &'a Path> {
    SYSTEM.iter().map(Path::new)
}

/// Lists the system's folders and opened ones by their real names, or their parts outside closed
/// folders. The list includes links.
pub(super) fn readable(opened: &[PathBuf], closed: &[PathBuf]) -> impl Iterator<Item = PathBuf> {
    let all = system_names().chain(opened.iter().map(PathBuf::as_path));
    all.flat_map(|path| open_parts(path, closed))
}

pub(super) fn listed(kind: FolderAccess) -> impl Iterator<Item = PathBuf> {
    let others = compilers(kind).chain([SINK]);
    configuration().chain(others.map(PathBuf::from))
}

fn compilers(kind: FolderAccess) -> impl Iterator<Item = &'static str> {
    let files = LANGUAGES.iter().flat_map(|it| it.compiler_files).copied();
    files.filter(move |_| kind == FolderAccess::Scratch)
}

/// Looks once through each folder where a pattern ends in `*`.
fn configuration() -> impl Iterator<Item = PathBuf> {
    let beginnings = || patterns().filter_map(|pattern| pattern.strip_suffix('*'));
    let folders: BTreeSet<&Path> = beginnings()
        .filter_map(|beginning| Path::new(beginning).parent())
        .collect();
    let begins = move |path: &PathBuf| {
        let path = path.as_os_str().as_bytes();
        beginnings().any(|beginning| path.starts_with(beginning.as_bytes()))
    };
    let found = folders
        .into_iter()
        .flat_map(entries)
        .map(|entry| entry.path())
        .filter(begins);
    let whole = patterns().filter(|pattern| !pattern.ends_with('*'));
    whole.map(PathBuf::from).chain(found)
}

fn patterns() -> impl Iterator<Item = &'static str> {
    let of_languages = LANGUAGES.iter().flat_map(|language| language.configuration);
    CONFIGURATION.iter().chain(of_languages).copied()
}

/// Returns a folder, or its parts that neither are in a closed folder nor contain one: Landlock can
/// only allow, and allows everything below a folder. Links remain links.
fn open_parts(path: &Path, closed: &[PathBuf]) -> Vec<PathBuf> {
    let Ok(real) = fs::canonicalize(path) else {
        return Vec::new();
    };
    if closed.iter().any(|closed| real.starts_with(closed)) {
        return Vec::new();
    }
    if !closed.iter().any(|closed| closed.starts_with(&real)) {
        return vec![real];
    }
    let parts = entries(&real).map(|entry| entry.path()).map(|path| {
        if path.is_symlink() {
            return vec![path];
        }
        open_parts(&path, closed)
    });
    parts.flatten().collect()
}

/// Lists what can be listed of a folder.
pub(super) fn entries(folder: &Path) -> impl Iterator<Item = DirEntry> + use<> {
    fs::read_dir(folder).into_iter().flatten().flatten()
}

/// Puts the calling process and its descendants under the ruleset for good. Makes one system call
/// and allocates nothing. Needs `no_new_privs`.
pub(super) fn restrict_self(ruleset: &OwnedFd) -> nix::Result<()> {
    #[expect(unsafe_code, reason = "the safe wrapper allocates")]
    // SAFETY: the call takes integers only.
    let result = unsafe { libc::syscall(libc::SYS_landlock_restrict_self, ruleset.as_raw_fd(), 0) };
    Errno::result(result).map(drop)
}

pub(super) fn landlock_version() -> u32 {
    const VERSION: libc::c_uint = 1; // LANDLOCK_CREATE_RULESET_VERSION
    #[expect(unsafe_code, reason = "no safe wrapper exists")]
    // SAFETY: with this flag, the call takes a null pointer of size 0.
    let version = unsafe {
        libc::syscall(
            libc::SYS_landlock_create_ruleset,
            std::ptr::null::<libc::c_void>(),
            0,
            VERSION,
        )
    };
    u32::try_from(version).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_pattern_of_configuration_covers_a_secret() {
        for secret in include_str!("secrets.txt").lines() {
            for pattern in patterns() {
                let covers = match pattern.strip_suffix('*') {
                    Some(beginning) => secret.starts_with(beginning),
                    None => Path::new(secret).starts_with(pattern),
                };
                assert!(!covers, "{pattern} covers {secret}");
            }
        }
    }

    #[test]
    fn what_is_beside_a_closed_folder_stays_open() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let root = fs::canonicalize(folder.path()).expect("there");
        for path in ["bin", "course/run/artifacts", "course/tools"] {
            fs::create_dir_all(root.join(path)).expect("new");
        }
        std::os::unix::fs::symlink(root.join("course"), root.join("link")).expect("new");
        let parts = |closed: &[&str]| {
            let closed: Vec<PathBuf> = closed.iter().map(|path| root.join(path)).collect();
            let mut parts = open_parts(&root, &closed);
            parts.sort();
            parts
        };
        assert_eq!(parts(&[]), std::slice::from_ref(&root));
        let link = root.join("link");
        assert_eq!(parts(&["course"]), [root.join("bin"), link.clone()]);
        let tools = [root.join("bin"), root.join("course/tools"), link.clone()];
        assert_eq!(parts(&["course/run"]), tools);
        let found = parts(&["course/run", "bin"]);
        assert_eq!(found, [root.join("course/tools"), link]);
        assert!(parts(&["."]).is_empty());
        assert!(open_parts(&root.join("bin"), std::slice::from_ref(&root)).is_empty());
    }
}
