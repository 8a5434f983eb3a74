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
//! 1. **Who owns a name** (`owners.rs`). Where students put files themselves, two can give one
//!    name. Staff's files win, then the user whose login it is, then a system account, then the
//!    first to be received. The others are refused under a name of their own. Between several places nobody knows who was
//!    first. There students give up a name that is in another place too, and staff must rename.
//! 2. **How many entrants a user has** (`one_each.rs`): one, where users put files themselves.
//! 3. **Which names look alike** (`look_alikes.rs`). Two names that look the same are spelled out,
//!    or one is refused. The name stays with the owner who has the best right to it.
//! 4. **Who is behind an entrant** (`claims.rs`). The list decides, or else a login, a name or a
//!    platform's number, and not a name that another user chose. Without any of these, nobody is
//!    behind it, and `judge` reports it to staff.
//!
//! Public names are decided elsewhere: `store::names` gives them, by the rule of the competition.
//! `platform/` reads the person and the attempt from a platform's name for a file; here it is a
//! name like any other.

mod claims;
mod entrant_name;
mod local_times;
mod look_alikes;
mod one_each;
mod owners;
mod platform_lists;
mod roster;

pub use claims::{Claimant, Claims, claim};
pub use owners::{NameOwners, in_several_places};
pub use roster::{EarlierExtensions, ListRules, ReadRoster, read, read_whole};

pub(super) use entrant_name::entrant_name;
pub(super) use look_alikes::tell_apart;
pub(super) use one_each::beyond_one_each;
pub(super) use owners::{Contest, contest};
pub use roster::FILE_NAME;
