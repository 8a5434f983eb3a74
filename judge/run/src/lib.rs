//! A run, from the submissions to its results. Each type is made only from the one before:
//!
//! [`RunSpec`] → [`Collected`] → [`Built`] → [`Scheduled`] → [`Played`] → [`Written`]
//!
//! A [`Sink`] receives the events. Nothing is printed here. [`watch`] repeats the line.

mod built;
pub mod builtin;
mod collected;
pub mod commands;
pub mod estimate;
mod event;
mod game;
mod game_of;
mod location;
mod matches;
mod merge;
mod part;
mod past_run;
mod permissions;
pub mod play;
mod played;
mod programs;
mod regrade;
mod scheduled;
pub mod shown_draw;
pub mod slurm;
mod spec;
pub mod tournament;
mod verify;
pub mod watch;

pub use built::Built;
pub use collected::Collected;
pub use estimate::Trial;
pub use event::{RunEvent, Sink};
pub use game::named_game;
pub use game_of::{are_for_one_game, is_found_by, no_game_known, no_such_game};
pub use location::{RESULTS, default_folder, watcher};
pub use matches::{Match, MatchSpec};
pub use merge::{MergeSpec, Merged};
pub use part::{PartSpec, Split, SplitSpec};
pub use past_run::{PastRun, run_in};
pub use played::{Place, Played, Written};
pub use programs::{THIS_PROGRAM, compared, copies, named_by_run, open_run_cgroups, toolchains};
pub use regrade::RegradeSpec;
pub use scheduled::Scheduled;
pub use spec::{CompetitionSpec, MachineUse, RunKind, RunSpec};
pub use verify::verify;
