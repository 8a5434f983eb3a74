//! A compiler or an interpreter.

/// A compiler or an interpreter, or what comes with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Program {
    /// The name by which it is called.
    pub name: &'static str,
    /// The package that has it on Debian and Ubuntu; none for what nobody calls by itself.
    pub package: Option<&'static str>,
    /// Its arguments when it is asked for its version.
    pub version: &'static [&'static str],
}

/// The version question of most programs.
pub(super) const VERSION: &[&str] = &["--version"];

impl Program {
    /// A program and its package.
    pub(super) const fn new(name: &'static str, package: &'static str) -> Self {
        Self {
            name,
            package: Some(package),
            version: VERSION,
        }
    }

    /// A program that comes with others.
    pub(super) const fn beside(name: &'static str) -> Self {
        Self {
            name,
            package: None,
            version: VERSION,
        }
    }

    /// The same, asked for its version by other arguments.
    pub(super) const fn asked(self, version: &'static [&'static str]) -> Self {
        Self { version, ..self }
    }

    /// Returns whether it is called by this name, whatever the version behind it.
    pub(super) fn is_called(&self, name: &str) -> bool {
        without_version(self.name) == without_version(name)
    }
}

/// Returns the name of `g++-13` or `python3.12` without the version.
pub(super) fn without_version(name: &str) -> &str {
    name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-')
}
