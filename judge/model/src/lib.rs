//! The terms of the referee as data, without processes, files, clocks or the network.

#![no_std]

#[macro_use]
extern crate alloc;
#[cfg(test)]
extern crate std;

/// The format of all stored files. A change of a draw, an end or a stored byte raises it, and a judge
/// refuses every other number.
pub const FORMAT: u32 = 5;

pub mod advice;
pub mod artifact;
pub mod clock;
pub mod competition;
pub mod draw;
pub mod entrant;
pub mod entrants_folder;
pub mod fault;
pub mod fixture;
pub mod game_id;
pub mod language;
pub mod lateness;
pub mod note;
pub mod numbers;
pub mod platform;
pub mod points;
pub mod protocol;
pub mod record;
pub mod startup;
pub mod stderr;
pub mod table;
pub mod tally;
pub mod text;
pub mod verdict;

/// The names of built-in bots among the entrants.
pub mod builtin {
    /// The beginning of a built-in bot's name as an entrant.
    pub const PREFIX: &str = "builtin:";

    /// The beginning of the name of a bot that fills empty seats.
    pub const FILLER_PREFIX: &str = "filler (";

    /// Returns whether only built-in bots have such a name, as entrants or in empty seats.
    pub fn is_builtin(name: &str) -> bool {
        name.starts_with(PREFIX) || name.starts_with(FILLER_PREFIX)
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::{String, ToString};
    use alloc::vec::Vec;

    /// Splits a table into rows, and each row at `|`.
    pub(crate) fn rows<const N: usize>(table: &str) -> Vec<[String; N]> {
        let cells = |row: &str| -> [String; N] {
            let cells: Vec<String> = row.split('|').map(|cell| cell.trim().to_string()).collect();
            cells.try_into().expect("a cell for each column")
        };
        let rows = table.lines().filter(|row| !row.trim().is_empty());
        let rows: Vec<_> = rows.map(cells).collect();
        assert!(!rows.is_empty(), "no rows");
        rows
    }
}
