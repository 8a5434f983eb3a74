//! People, and whose is what.
//!
//! A **person** is one line of the course's list ([`words::entrant::Person`]): an id, and what else
//! the course knows. `roster.rs` reads the list, `platform_lists.rs` makes one of what a learning
//! platform exports, and `local_times.rs` reads the dates in it.
//!
//! A **name** is what an entrant is called in a run. It comes from the folder, the file or the
//! line where somebody submitted something, and `entrant_name.rs` writes it so that it can be shown
//! and is nobody else's kind of name. Everything that a run keeps about an entrant is kept under
//! its name.
//!
//! Who decides, in this order:
//!
//! 1. **Whose a name is** (`owners.rs`). Where students put files themselves, two can give one name.
//!    Staff's files win, then the user whose login it is, then who was received first. The others
//!    are refused under a name of their own. Between several places nobody can tell who was first:
//!    there students give a name up that is in another place too, and staff must rename.
//! 2. **Which names look alike** (`look_alikes.rs`). Two names that cannot be told apart by eye are
//!    spelled out, or one is refused. The name stays with its first owner.
//! 3. **Who is behind an entrant** (`claims.rs`). The list says so, or else a login, a name or a
//!    platform's number does. Where nothing tells, nobody is behind it, and `judge` reports it to staff.
//!
//! What the public calls an entrant is not decided here: `journal::names` gives public names, by the
//! rule of the competition. What a platform's name for a file says (whose it is, which attempt) is
//! in `platform/`; here it is a name like any other.

mod claims;
mod entrant_name;
mod local_times;
mod look_alikes;
mod owners;
mod platform_lists;
mod roster;

pub use claims::{Claims, claim};
pub use owners::{NameOwners, in_several_places};
pub use roster::{EarlierExtensions, ListRules, ReadRoster, read, read_whole};

pub(super) use entrant_name::entrant_name;
pub(super) use look_alikes::tell_apart;
pub(super) use owners::{Contest, contest};
pub(super) use roster::FILE_NAME;
