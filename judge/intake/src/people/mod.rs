//! People, their submissions and their names.
//!
//! A **person** is one line of the course's list ([`model::entrant::Person`]): an id, and other
//! facts that the course knows. `roster.rs` reads the list, `platform_lists.rs` makes one from a
//! learning platform's export, and `local_times.rs` reads the dates in it.
//!
//! A **name** identifies an entrant in a run. It comes from the folder, the file or the line of a
//! submission. `entrant_name.rs` writes it such that it can be shown and is not reserved. A run
//! keeps everything about an entrant under its name.
//!
//! These modules decide, in this order:
//!
//! 1. **Which names look alike** (`look_alikes.rs`). Two names that look the same are spelled out.
//! 2. **Who is behind an entrant** (`claims.rs`). The list decides, or else a login, a name or a
//!    platform's number. Without any of these, nobody is behind it, and `judge` reports it to staff.
//!
//! Public names are decided elsewhere: `store::names` gives them, by the rule of the competition.
//! `platform/` reads the person and the attempt from a platform's name for a file; here it is a
//! name like any other.

mod claims;
mod entrant_name;
mod local_times;
mod look_alikes;
mod platform_lists;
mod roster;

pub use claims::{Claims, claim};
pub use roster::{EarlierExtensions, ListRules, ReadRoster, read, read_whole};

pub(super) use entrant_name::entrant_name;
pub(super) use look_alikes::tell_apart;
pub use roster::FILE_NAME;
