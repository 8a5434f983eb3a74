//! How the built-in bots of the games are named among the entrants.

/// What a built-in bot's name as an entrant begins with.
pub const PREFIX: &str = "builtin:";

/// What the name of a bot that fills empty chairs begins with.
pub const FILLER_PREFIX: &str = "filler (";
