//! Readers of JSON objects. Derived readers of structs also accept a list of the fields.

use crate::strict::OneKey;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;
use serde::Serialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::{RawValue, to_raw_value};

/// Reads a struct from a JSON object only.
#[derive(Debug)]
pub struct Object<T>(pub T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Reader(PhantomData))
    }
}

struct Reader<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Reader<T> {
    type Value = Object<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(Object)
    }
}

/// Reads an enum, all of whose variants have content, from a JSON object with exactly one key.
#[derive(Debug)]
pub struct Message<T>(pub T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Message<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MessageReader(PhantomData))
    }
}

struct MessageReader<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for MessageReader<T> {
    type Value = Message<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with one key")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        T::deserialize(OneKey(map)).map(Message)
    }
}

/// Reads a list of objects, for `deserialize_with`.
pub fn list<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    Ok(Vec::<Object<T>>::deserialize(deserializer)?
        .into_iter()
        .map(|object| object.0)
        .collect())
}

/// Reads two objects, for `deserialize_with`.
pub fn pair<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<[T; 2], D::Error> {
    let objects = <[Object<T>; 2]>::deserialize(deserializer)?;
    Ok(objects.map(|object| object.0))
}

/// Reads an object or null, for `deserialize_with`.
pub fn optional<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    let object = Option::<Object<T>>::deserialize(deserializer)?;
    Ok(object.map(|object| object.0))
}

pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

const PLAIN: &str = "writing plain data to memory";

pub(crate) fn write(value: &impl Serialize, out: &mut Vec<u8>) {
    out.append(&mut serde_json::to_vec(value).expect(PLAIN));
}

pub(crate) fn text(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect(PLAIN)
}

pub(crate) fn raw(value: &impl Serialize) -> Box<RawValue> {
    to_raw_value(value).expect(PLAIN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[derive(Debug, PartialEq, serde::Deserialize)]
    struct Pair {
        a: u8,
        b: u8,
    }

    #[test]
    fn a_list_of_the_fields_is_no_object() {
        let read = serde_json::from_str::<Object<Pair>>;
        assert_eq!(
            read(r#"{"a":1,"b":2}"#).expect("an object").0,
            Pair { a: 1, b: 2 }
        );
        for text in ["[1,2]", "null", "1", "\"a\""] {
            let error = read(text).expect_err("no object").to_string();
            assert!(error.contains("expected an object"), "{text}: {error}");
        }
    }
}
