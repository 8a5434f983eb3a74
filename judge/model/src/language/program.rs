//! A compiler or an interpreter.

/// A compiler or an interpreter, or a program that comes with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Program {
    /// The name of the program.
    pub name: &'static str,
    /// The package that has it on Debian and Ubuntu; none for a program that nobody calls directly.
    pub package: Option<&'static str>,
    /// The arguments that make it print its version.
    pub version: &'static [&'static str],
}

/// The version arguments of most programs.
pub(super) const VERSION: &[&str] = &["--version"];

impl Program {
    /// Makes a program with its package.
    pub(super) const fn new(name: &'static str, package: &'static str) -> Self {
        Self {
            name,
            package: Some(package),
            version: VERSION,
        }
    }

    /// Makes a program that comes with others.
    pub(super) const fn beside(name: &'static str) -> Self {
        Self {
            name,
            package: None,
            version: VERSION,
        }
    }

    /// Replaces the version arguments.
    pub(super) const fn asked(self, version: &'static [&'static str]) -> Self {
        Self { version, ..self }
    }

    /// Returns whether this is the program's name, apart from a version at its end.
    pub(super) fn is_called(&self, name: &str) -> bool {
        without_version(self.name) == without_version(name)
    }
}

/// Returns a name such as `g++-13` or `python3.12` without the version.
pub(super) fn without_version(name: &str) -> &str {
    name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-')
}
