//! Turns records into standings. Nothing here touches a process, a file or a clock.

mod bootstrap;
mod boundary;
mod disqualify;
mod normal;
mod order;
mod paired;
mod ranked;
mod sprt;
mod standings;
mod strength;
mod sums;
mod table;
mod tally;
mod ties;

pub use bootstrap::{Blocks, Difference, Drawn, RESAMPLES, Uncertainty};
pub use boundary::{Alarm, Change, Stake, alarms};
pub use disqualify::Conduct;
pub use paired::{Estimate, Paired};
pub use ranked::Ranked;
pub use sprt::{Accepted, Sprt, Unit, elo, score};
pub use standings::Lack;
pub use standings::{Beside, Standing, Standings, TieBetween};
pub use strength::{Encounters, Rating, Strengths};
pub use sums::Sums;
pub use table::{Gathering, Removed, StandingsRow, StandingsTable, ranks_of};
pub use tally::{points, points_apart_max, tally};
