//! The names of built-in bots among the entrants.

/// The beginning of a built-in bot's name as an entrant.
pub const PREFIX: &str = "builtin:";

/// The beginning of the name of a bot that fills empty seats.
pub const FILLER_PREFIX: &str = "filler (";

/// Returns whether only built-in bots have such a name, as entrants or in empty seats.
pub fn is_builtin(name: &str) -> bool {
    name.starts_with(PREFIX) || name.starts_with(FILLER_PREFIX)
}
