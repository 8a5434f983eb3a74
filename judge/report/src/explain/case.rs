//! One entrant of a run, as every part of its explanation needs it.

use super::own_games::OwnGames;
use crate::sheet::Roles;
use scoring::{StandingsRow, StandingsTable};
use words::competition::Competition;
use words::points::Points;

/// What an explanation is made from.
pub(super) struct Case<'a> {
    pub(super) competition: &'a Competition,
    pub(super) roles: Roles,
    pub(super) table: &'a StandingsTable,
    pub(super) row: &'a StandingsRow,
    /// What being late takes off the grade, or off the prize where there are no grades.
    pub(super) penalty: Option<Points>,
    pub(super) own: &'a OwnGames,
    /// The command that plays the game with this number again.
    pub(super) repeat: &'a dyn Fn(usize) -> String,
}
