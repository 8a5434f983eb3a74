//! Records become standings. Nothing here touches a process, a file or a clock.

mod bootstrap;
mod disqualify;
mod points;
mod standings;
mod table;
mod tally;
mod ties;

pub use bootstrap::{Blocks, Difference, Drawn, RESAMPLES, Uncertainty};
pub use disqualify::Conduct;
pub use points::Points;
pub use standings::{Ranked, Standing, Standings};
pub use table::{Gathering, Row, Table};
pub use tally::{Tally, points, tally};
