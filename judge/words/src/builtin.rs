//! How the built-in bots of the games are named among the entrants.

/// What a built-in bot's name as an entrant begins with.
pub const PREFIX: &str = "builtin:";

/// What the name of a bot that fills empty chairs begins with.
pub const FILLER_PREFIX: &str = "filler (";

/// Returns whether a name is one that only built-in bots have, as entrants or on empty chairs.
pub fn is_builtin(name: &str) -> bool {
    name.starts_with(PREFIX) || name.starts_with(FILLER_PREFIX)
}
