//! The words of the referee as data: what is to be played, what was played, what a bot did
//! wrong, what its clock said, who takes part and by which rules.
//!
//! Nothing here can name a process, a file, a clock or the network: the crate has no standard
//! library.

#![no_std]

#[macro_use]
extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod artifact;
pub mod builtin;
pub mod clock;
pub mod competition;
pub mod draw;
pub mod entrant;
pub mod entrants_folder;
pub mod fault;
pub mod fixture;
pub mod hash;
pub mod isolation;
pub mod language;
pub mod lateness;
pub mod nearest;
pub mod numbers;
pub mod points;
pub mod protocol;
pub mod record;
pub mod slurm;
pub mod stderr;
pub mod tally;
pub mod text;
pub mod tie;
pub mod toolchain;
pub mod watch;
