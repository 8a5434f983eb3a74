//! Plain data as JSON text. This module knows no game.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

const PLAIN: &str = "writing plain data to memory";

/// Appends a value as JSON.
pub(crate) fn write(value: &impl Serialize, out: &mut Vec<u8>) {
    out.append(&mut serde_json::to_vec(value).expect(PLAIN));
}

/// Returns a value as JSON text.
pub(crate) fn text(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect(PLAIN)
}

/// Returns a value as JSON, in the type for text that is known to be JSON.
pub(crate) fn raw(value: &impl Serialize) -> Box<RawValue> {
    to_raw_value(value).expect(PLAIN)
}
