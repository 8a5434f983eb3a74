//! A reader of JSON that explains errors in plain words with the path of the value. It is stricter
//! than derived readers, at any depth: a struct is an object, a name without content is a string and
//! never `{"down":null}`, a list has no unread items, and `-0` is 0. Also the writer.

use crate::complaint::Complaint;
use crate::prelude::*;
use crate::quote::{NAME_CHARS_MAX, safe_sentence, shortened};
use core::convert::Infallible;
use core::fmt;
use core::marker::PhantomData;
use serde::de::value::{EnumAccessDeserializer, MapDeserializer, SeqDeserializer};
use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, EnumAccess, Error, IgnoredAny, IntoDeserializer,
    MapAccess, SeqAccess, Unexpected, VariantAccess, Visitor,
};
use serde::{Serialize, forward_to_deserialize_any};
use serde_json::Number;
use serde_json::value::{RawValue, to_raw_value};
use serde_path_to_error::{Segment, Track};

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

pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Reads a value.
pub fn read<'de, T: Deserialize<'de>>(text: &'de str) -> Result<T, String> {
    let text =
        serde_json::from_str(text).map_err(|error| safe_sentence(&format!("not JSON: {error}")))?;
    let value = Strict {
        text,
        depth: DEPTH_MAX,
    };
    T::deserialize(value).map_err(|complaint| {
        // A second time, because tracking the path costs too much for every reading.
        let mut track = Track::new();
        let reader = serde_path_to_error::Deserializer::new(value, &mut track);
        drop(T::deserialize(reader));
        let path = track.path();
        let mut steps: Vec<&Segment> = path.iter().collect();
        if matches!(complaint, Complaint::UnknownField(_)) {
            // The last step is the field that the words name.
            steps.pop();
        }
        let path = written(&steps);
        let colon = if path.is_empty() { "" } else { ": " };
        safe_sentence(&format!("{path}{colon}{complaint}"))
    })
}

fn written(steps: &[&Segment]) -> String {
    let mut path = String::new();
    for step in steps {
        match step {
            Segment::Seq { index } => path.extend(["[", &index.to_string(), "]"]),
            Segment::Map { key: name } | Segment::Enum { variant: name } => {
                if !path.is_empty() {
                    path.push('.');
                }
                path += &shortened(name, NAME_CHARS_MAX);
            }
            Segment::Unknown => path.push('?'),
        }
    }
    path
}

/// As many lists and objects within each other as `serde_json` reads, and one.
const DEPTH_MAX: u8 = 128;

/// The name by which a [`RawValue`] asks for itself.
const RAW: &str = "$serde_json::private::RawValue";

/// A value whose parts are read when they are asked for.
#[derive(Clone, Copy)]
struct Strict<'de> {
    text: &'de RawValue,
    /// How many lists and objects may still lie within each other.
    depth: u8,
}

impl<'de> Strict<'de> {
    fn first(self) -> u8 {
        self.text.get().as_bytes()[0]
    }

    fn parse<T: Deserialize<'de>>(self) -> Result<T, Complaint> {
        serde_json::from_str(self.text.get()).map_err(Complaint::custom)
    }

    fn part(self, text: &'de RawValue) -> Self {
        let depth = self.depth - 1;
        Self { text, depth }
    }

    fn check_depth(self) -> Result<(), Complaint> {
        match self.depth {
            0 | 1 => Err(Complaint::custom("recursion limit exceeded")),
            _ => Ok(()),
        }
    }

    fn fields(self) -> Result<impl Iterator<Item = (String, Self)>, Complaint> {
        self.check_depth()?;
        let fields = serde_json::Deserializer::from_str(self.text.get())
            .deserialize_map(Fields)
            .map_err(Complaint::custom)?;
        let part = move |(name, text)| (name, self.part(text));
        Ok(fields.into_iter().map(part))
    }
}

/// Reads the fields of an object, even if some have the same name.
struct Fields;

impl<'de> Visitor<'de> for Fields {
    type Value = Vec<(String, &'de RawValue)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        core::iter::from_fn(|| map.next_entry().transpose()).collect()
    }
}

impl<'de> IntoDeserializer<'de, Complaint> for Strict<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Strict<'de> {
    type Error = Complaint;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Complaint> {
        match self.first() {
            b'n' => visitor.visit_unit(),
            b't' => visitor.visit_bool(true),
            b'f' => visitor.visit_bool(false),
            b'"' => visitor.visit_string(self.parse()?),
            b'{' => visitor.visit_map(MapDeserializer::new(self.fields()?)),
            b'[' => {
                self.check_depth()?;
                let items: Vec<&RawValue> = self.parse()?;
                let parts = items.into_iter().map(|text| self.part(text));
                let mut list = SeqDeserializer::new(parts);
                let value = visitor.visit_seq(&mut list)?;
                match list.next_element::<IgnoredAny>()? {
                    None => Ok(value),
                    Some(_) => Err(Complaint::custom("the list is too long")),
                }
            }
            _ => {
                let number: Number = self.parse()?;
                match (number.as_u64(), number.as_i64(), number.as_f64()) {
                    (Some(number), ..) => visitor.visit_u64(number),
                    (_, Some(number), _) => visitor.visit_i64(number),
                    (.., Some(-0.0)) if self.first() == b'-' => visitor.visit_u64(0),
                    (.., number) => visitor.visit_f64(number.expect("a number")),
                }
            }
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Complaint> {
        match self.first() {
            b'n' => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Complaint> {
        visitor.visit_unit()
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Complaint> {
        if name != RAW {
            return visitor.visit_newtype_struct(self);
        }
        serde_json::Deserializer::from_str(self.text.get())
            .deserialize_newtype_struct(name, visitor)
            .map_err(Complaint::custom)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Complaint> {
        match self.first() {
            b'[' => Err(Complaint::invalid_type(Unexpected::Seq, &visitor)),
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Complaint> {
        match self.first() {
            b'"' => visitor.visit_enum(self.parse::<String>()?.into_deserializer()),
            b'{' => visitor.visit_enum(OneKey(MapDeserializer::new(self.fields()?))),
            _ => self.deserialize_any(NoName).map(|never| match never {}),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map identifier
    }
}

/// Refuses everything.
struct NoName;

impl Visitor<'_> for NoName {
    type Value = Infallible;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string or an object with one key")
    }
}

/// An object that names a variant with content.
struct OneKey<A>(A);

impl<'de, A: MapAccess<'de>> OneKey<A> {
    fn only<S: DeserializeSeed<'de>>(mut self, seed: S) -> Result<S::Value, A::Error> {
        let content = self.0.next_value_seed(seed)?;
        match self.0.next_key::<IgnoredAny>()? {
            None => Ok(content),
            Some(_) => Err(A::Error::custom("expected an object with one key only")),
        }
    }
}

impl<'de, A: MapAccess<'de>> EnumAccess<'de> for OneKey<A> {
    type Error = A::Error;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'de>>(
        mut self,
        seed: S,
    ) -> Result<(S::Value, Self), A::Error> {
        match self.0.next_key_seed(seed)? {
            Some(name) => Ok((name, self)),
            None => Err(A::Error::custom("expected an object with one key")),
        }
    }
}

impl<'de, A: MapAccess<'de>> VariantAccess<'de> for OneKey<A> {
    type Error = A::Error;

    fn unit_variant(self) -> Result<(), A::Error> {
        self.only(PhantomData::<IgnoredAny>)?;
        Err(A::Error::invalid_type(Unexpected::Map, &"unit variant"))
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, A::Error> {
        self.only(seed)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, A::Error> {
        self.only(Parts(visitor))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, A::Error> {
        self.only(Parts(visitor))
    }
}

/// The parts of a variant.
struct Parts<V>(V);

impl<'de, V: Visitor<'de>> DeserializeSeed<'de> for Parts<V> {
    type Value = V::Value;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<V::Value, D::Error> {
        reader.deserialize_any(self.0)
    }
}

/// Reads an enum, all of whose variants have content, from an object with exactly one key.
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
        T::deserialize(EnumAccessDeserializer::new(OneKey(map))).map(Message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(serde::Deserialize, Debug)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only errors are looked at")]
    struct Outer {
        #[serde(default)]
        side: u8,
        #[serde(default)]
        inner: Vec<Inner>,
        #[serde(default)]
        deed: Option<Deed>,
    }

    #[derive(serde::Deserialize, Debug)]
    struct Inner {
        at: Tile,
    }

    #[derive(serde::Deserialize, Debug)]
    struct Tile(i8, i8);

    #[derive(serde::Deserialize, Debug)]
    #[serde(rename_all = "lowercase")]
    #[expect(dead_code, reason = "only errors are looked at")]
    enum Deed {
        Step(Tile),
        Stay,
    }

    #[test]
    fn complaints_name_field_and_value_in_plain_words() {
        for row in include_str!("../testdata/complaints.jsonl").lines() {
            let (text, words): (String, String) = serde_json::from_str(row).expect("a row");
            let error = read::<Outer>(&text).expect_err("no such thing");
            assert_eq!(error, words, "{text}");
        }
        for text in [r#"{"deed":"stay"}"#, r#"{"deed":{"step":[0,1]}}"#] {
            read::<Outer>(text).expect(text);
        }
    }

    #[test]
    fn too_large_number_error_states_limit() {
        #[derive(serde::Deserialize, Debug)]
        #[expect(dead_code, reason = "only errors are looked at")]
        struct Drawn {
            seed: u64,
        }
        for (seed, words) in [
            ("18446744073709551616", "1.8446744073709552e19"),
            ("1e19", "1e19"),
            (&"9".repeat(100), "1e100"),
        ] {
            let error = read::<Drawn>(&format!("{{\"seed\": {seed} }}")).expect_err("too large");
            let limit = "a whole number from 0 to 18446744073709551615";
            assert_eq!(error, format!("seed: expected {limit}, found {words}"));
        }
        let error = read::<Drawn>("{\"seed\":1.50}").expect_err("no whole number");
        assert_eq!(error, "seed: expected a whole number, found 1.5");
    }

    #[test]
    fn long_found_value_is_quoted_in_part() {
        let text = format!("{{\"side\":{:?}}}", "ü".repeat(1000));
        let error = read::<Outer>(&text).expect_err("no number");
        assert!(
            error.ends_with("üü…") && error.chars().count() < 140,
            "{error}"
        );
    }

    #[test]
    fn long_names_are_quoted_partly_without_escapes() {
        let long = "`, expected \u{1b}[2J".repeat(1 << 16);
        for text in [
            serde_json::json!({ &long: 1 }),
            serde_json::json!({ "deed": &long }),
            serde_json::json!({ "deed": { &long: 1 } }),
            serde_json::json!({ "side": &long }),
        ] {
            let error = read::<Outer>(&text.to_string()).expect_err("unknown");
            assert!(error.chars().count() < 200, "{error}");
            assert!(!error.contains('\u{1b}') && error.contains('…'), "{error}");
        }
        let nested = format!("{}1", "{\"a\":[".repeat(60));
        let error = read::<Outer>(&nested).expect_err("no end");
        assert!(error.chars().count() < 200, "{error}");
    }

    #[test]
    fn minus_zero_becomes_zero_other_numbers_unchanged() {
        let side = |text: &str| read::<Outer>(text).map(|outer| outer.side);
        assert_eq!(side(r#"{"side":-0}"#), Ok(0));
        assert_eq!(side(r#"{"side":7}"#), Ok(7));
        assert!(side(r#"{"side":0.0}"#).is_err());
        let at = read::<Outer>(r#"{"inner":[{"at":[-0,-1]}]}"#).expect("a tile");
        assert_eq!((at.inner[0].at.0, at.inner[0].at.1), (0, -1));
    }
}
