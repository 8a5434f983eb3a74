//! The competitions that come with a game, as text.

/// A competition file from a game's folder. The rules do not read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CourseText {
    /// The name on the command line, such as `crazy-camel`.
    pub name: &'static str,
    /// The file, as TOML.
    pub text: &'static str,
}
