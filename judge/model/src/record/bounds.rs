//! Bounds on the numbers of a record, to check before any arithmetic. The record's author may have
//! the key and want sums to overflow.

use super::MatchRecord;
use alloc::string::{String, ToString};

/// The maximum time of a game, in microseconds. No game takes as long.
const TIME_US_MAX: u64 = 1_000_000_000_000;
/// The maximum points of a game, in its own points, and of its tie breaks. No game gives more.
pub const POINTS_MAX: u64 = 1_000_000_000;

impl MatchRecord {
    /// Returns the first number beyond its bounds, with the name of its field.
    pub fn wild_number(&self) -> Option<(&'static str, String)> {
        let seats = self.seats.iter().flat_map(|seat| {
            [
                ("cpu_us", seat.cpu_us),
                ("off_turn_us", seat.off_turn_us),
                ("wall_us", seat.wall_us),
                ("uncharged_us", seat.uncharged_us),
                ("startup_wall_us", seat.startup_wall_us),
                ("idle_us", seat.idle_us),
            ]
        });
        let turns = self
            .turns
            .iter()
            .flat_map(|turn| [("cpu_us", turn.cpu_us), ("wall_us", turn.wall_us)]);
        let faults = self.faults.iter();
        let faults =
            faults.flat_map(|fault| [("cpu_us", fault.cpu_us), ("wall_us", fault.wall_us)]);
        let time = seats
            .chain(turns)
            .chain(faults)
            .find(|(_, us)| *us > TIME_US_MAX);
        let mut outcome = self
            .outcome
            .seats
            .iter()
            .flat_map(|seat| {
                [
                    ("points", seat.points.unsigned_abs()),
                    ("tie_break", seat.tie_break.unsigned_abs()),
                    ("placement", u64::from(seat.placement)),
                ]
            })
            .filter(|(_, number)| *number > POINTS_MAX);
        time.or_else(|| outcome.next())
            .map(|(field, number)| (field, number.to_string()))
    }
}
