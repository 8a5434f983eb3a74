//! Tests of the crate's public interface.

#![expect(clippy::disallowed_methods, reason = "tests read what they have made")]

mod brief;
mod standings;
