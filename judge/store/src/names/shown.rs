//! Describes the kinds of names that a view shows: staff must see at once whether real names are
//! among them.

/// The kind of a public name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum NameKind {
    /// The name of the submission, chosen by its author or staff.
    Own,
    /// The name of the submission, given by a learning platform: a person's name or login.
    Platforms,
    /// The roster's names of the people behind the entrant.
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
