//! The program from end to end, in one test program. Each module is about one thing that users of
//! `judge` meet.
//!
//! All tests may run at once as threads of one process (`cargo test`), or each in its own process
//! (`cargo nextest`). This is why none changes the process's environment, folder, limits or
//! signals.

#![expect(clippy::disallowed_methods, reason = "tests read what they have made")]

mod alone;
mod architecture;
mod blame;
mod book;
mod bridges;
mod builds;
mod cached_builds;
mod charging;
mod check;
mod classes;
mod completions;
mod coordinator;
mod copies;
mod courses;
mod deadline;
mod draw;
mod endings;
mod events;
mod explain;
mod external;
mod from_outside;
mod games;
mod grades;
mod groups;
mod help;
mod holdings;
mod hostile;
mod hostile_builds;
mod hostile_days;
mod hostile_reach;
mod hostile_table;
mod html;
mod intake;
mod isolation;
mod kept;
mod languages;
mod leftovers;
mod matches;
mod memory;
mod namespaces;
mod new;
mod notes;
mod off_turn;
mod parts;
mod perft;
mod platforms;
mod play;
mod protocol;
mod readme;
mod real_names;
mod referee;
mod regrade;
mod releases;
mod repro;
mod run;
mod slurm;
mod starts;
mod support;
mod templates;
mod toolchains;
mod trees;
mod verify;
mod version;
mod versions;
mod view_terminal;
mod views;
mod warm_cages;
mod watch;
mod watch_published;
mod wire;
mod zips;
