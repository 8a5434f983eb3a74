//! The data about one entrant that all parts of its explanation share.

use super::own_games::OwnGames;
use crate::sheet::Roles;
use scoring::{StandingsRow, StandingsTable};
use words::competition::Competition;
use words::points::Points;

/// The data behind an explanation.
pub(super) struct Case<'a> {
    pub(super) competition: &'a Competition,
    pub(super) roles: Roles,
    pub(super) table: &'a StandingsTable,
    pub(super) row: &'a StandingsRow,
    /// Penalty for lateness; it is taken off the grade, or off the prize where there are no grades.
    pub(super) penalty: Option<Points>,
    pub(super) own: &'a OwnGames,
    /// Returns the command that plays the game with this number again.
    pub(super) repeat: &'a dyn Fn(usize) -> String,
}
