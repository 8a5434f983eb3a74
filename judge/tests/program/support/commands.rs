//! Commands: their words, how they run, and what they say.

use super::{program, root};
use nix::unistd::geteuid;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

/// Words of a command line: a text with blanks between them, or a list.
pub(crate) trait Words {
    fn words(&self) -> Vec<&str>;
}

impl Words for str {
    fn words(&self) -> Vec<&str> {
        self.split_ascii_whitespace().collect()
    }
}

impl Words for String {
    fn words(&self) -> Vec<&str> {
        self.as_str().words()
    }
}

impl Words for [&str] {
    fn words(&self) -> Vec<&str> {
        self.to_vec()
    }
}

impl<const N: usize> Words for [&str; N] {
    fn words(&self) -> Vec<&str> {
        self.to_vec()
    }
}

impl Words for Vec<&str> {
    fn words(&self) -> Vec<&str> {
        self.clone()
    }
}

impl<T: Words + ?Sized> Words for &T {
    fn words(&self) -> Vec<&str> {
        (**self).words()
    }
}

/// A command that runs to its end, or is started with pipes or without any output.
pub(crate) trait Run {
    fn ended(&mut self) -> Ended;
    fn piped(&mut self) -> Child;
    fn muted(&mut self) -> Child;
}

impl Run for Command {
    fn ended(&mut self) -> Ended {
        Ended::of(self.output().expect("it starts"))
    }

    fn piped(&mut self) -> Child {
        let piped = self.stdout(Stdio::piped()).stderr(Stdio::piped());
        piped.spawn().expect("it starts")
    }

    fn muted(&mut self) -> Child {
        let muted = self.stdout(Stdio::null()).stderr(Stdio::null());
        muted.spawn().expect("it starts")
    }
}

pub(crate) trait Wait {
    fn ended(self) -> Ended;
}

impl Wait for Child {
    fn ended(self) -> Ended {
        Ended::of(self.wait_with_output().expect("it ends"))
    }
}

/// Has the system's toolchains, and none of the user's own.
pub(crate) const SYSTEM_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// The user whom root's tests become.
pub(crate) const ORDINARY: u32 = 65_534;

/// Returns the same command for an ordinary user, where root runs the tests.
pub(crate) fn as_ordinary_user(command: Command) -> Command {
    if !geteuid().is_root() {
        return command;
    }
    let mut user = Command::new("setpriv");
    let id = ORDINARY.to_string();
    user.args(["--reuid", &id, "--regid", &id, "--clear-groups"]);
    user.arg(command.get_program()).args(command.get_args());
    user
}

/// Returns the program as a command. It finds the system's toolchains, and none of the user's own.
pub(crate) fn judge() -> Command {
    let mut judge = Command::new(program());
    judge.env("PATH", SYSTEM_PATH);
    // No test takes a program that another one has built.
    judge.env("XDG_CACHE_HOME", "/dev/null");
    judge
}

/// Returns the program with a verb, places and flags.
pub(crate) fn judge_at(verb: &str, places: &[&Path], flags: &(impl Words + ?Sized)) -> Command {
    let mut command = judge();
    command.arg(verb).args(places).args(flags.words());
    command
}

#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ended {
    pub(crate) fn of(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).expect("UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("UTF-8"),
        }
    }

    #[track_caller]
    pub(crate) fn well(self) -> Self {
        assert_eq!(self.code, Some(0), "{self:?}");
        self
    }

    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{self:?}");
        self
    }

    #[track_caller]
    pub(crate) fn says(&self, words: &[&str]) {
        for word in words {
            assert!(self.stdout.contains(word), "{word:?} is not in {self:?}");
        }
    }

    #[track_caller]
    pub(crate) fn warns(&self, words: &[&str]) {
        self.stderr.has(words);
    }

    /// Asserts that the input was refused, with a message that contains all these words.
    #[track_caller]
    pub(crate) fn refused(self, words: &[&str]) -> Self {
        assert_eq!(self.code, Some(2), "{self:?}");
        self.warns(words);
        self
    }
}

pub(crate) trait Has {
    fn has(&self, words: &[&str]);
    fn lacks(&self, words: &[&str]);
}

impl Has for str {
    #[track_caller]
    fn has(&self, words: &[&str]) {
        for word in words {
            assert!(self.contains(word), "{word:?} is not in {self}");
        }
    }

    #[track_caller]
    fn lacks(&self, words: &[&str]) {
        for word in words {
            assert!(!self.contains(word), "{word:?} is in {self}");
        }
    }
}

/// Returns the same command for a machine where nobody may make namespaces, not even root: a filter
/// refuses the call. Within a test program, change `Isolation::namespaces` instead.
pub(crate) fn without_namespaces(command: &Command) -> Command {
    let mut bare = Command::new("/usr/bin/python3");
    bare.arg(root().join("judge/tests/hostile/without.py"))
        .arg("namespaces");
    bare.arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => bare.env(name, value),
            None => bare.env_remove(name),
        };
    }
    bare
}
