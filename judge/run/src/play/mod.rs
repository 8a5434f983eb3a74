//! Bots as processes, and the worker that plays games with them. Nothing here knows a game's rules.

mod game_program;
mod machine;
mod machine_load;
mod offences;
mod pipes;
mod process;
mod reply_deadline;
pub mod worker;

pub use game_program::open_game;
pub(crate) use game_program::open_game_among;
pub use machine::calibrate;
pub(crate) use machine::whole_us;
pub(crate) use offences::may_be_from_outside;
pub use process::{IdleReport, ProcessPlayer, WorkerBots};
pub(crate) use referee::external::disconnect;
