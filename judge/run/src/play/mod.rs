//! Runs bots, and is the worker process that plays games with them for the coordinator. A question
//! is one line, an answer is one line, and the time between them is measured. Nothing here knows a
//! game's rules.

mod calibration;
mod cpu_clock;
mod death;
mod forked;
mod game_program;
mod holdings;
mod machine;
mod machine_load;
mod own_files;
mod pipes;
mod process;
mod program_size;
mod reply_deadline;
mod scripted;
pub mod worker;

pub use calibration::calibrate;
pub use death::may_be_from_outside;
pub use game_program::{open_game, open_game_among};

pub use own_files::without_folder;
pub use process::{Company, ProcessPlayer, Quiet};
pub use referee::external::disconnect;
pub use scripted::{Scripted, ScriptedAnswer};
