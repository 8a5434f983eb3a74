//! The data about one entrant that all parts of its explanation share.

use super::own_games::OwnGames;
use crate::sheet::Roles;
use model::competition::Competition;
use model::points::Points;
use rulebook::scoring::{StandingsRow, StandingsTable};

/// The commands for the game with a number.
#[derive(Clone, Copy)]
pub struct GameCommands<'a> {
    /// Plays it again.
    pub repeat: &'a dyn Fn(usize) -> String,
    /// Shows it.
    pub watch: &'a dyn Fn(usize) -> String,
}

/// The data behind an explanation.
pub(super) struct Case<'a> {
    pub(super) competition: &'a Competition,
    pub(super) roles: Roles,
    pub(super) table: &'a StandingsTable,
    pub(super) row: &'a StandingsRow,
    /// Penalty for lateness; it is taken off the grade, or off the prize where there are no grades.
    pub(super) penalty: Option<Points>,
    pub(super) own: &'a OwnGames,
    /// The commands for a game.
    pub(super) commands: GameCommands<'a>,
}
