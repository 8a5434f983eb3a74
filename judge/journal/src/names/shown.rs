//! The kinds of names that a view shows, in words: staff must see at once whether real names are
//! among them.

/// The kind of a public name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum NameKind {
    /// The name of the submission, which its author or staff chose.
    Own,
    /// The name of the submission, which a learning platform gave: a person's name or login.
    Platforms,
    /// The names on the roster of those behind it.
    Roster,
    /// The bot's own choice.
    Nickname,
    /// A colour and an animal.
    Pseudonym,
}

impl NameKind {
    pub(super) const fn words(self) -> &'static str {
        match self {
            Self::Own => "the submissions' own",
            Self::Platforms => "REAL NAMES that a learning platform gave",
            Self::Roster => "REAL NAMES on the roster",
            Self::Nickname => "nicknames",
            Self::Pseudonym => "pseudonyms",
        }
    }
}
