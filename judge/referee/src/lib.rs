//! One game. [`table`] plays a fixture and writes its record, [`external`] has the rules of a game
//! of one's own, [`service`] offers rules by lines of JSON, and [`verify`] referees a record again.
//! The crate starts no process, reads no clock and touches no file.

pub mod external;
pub mod service;
pub mod table;
pub mod verify;
