//! A reader of JSON that is stricter than derived readers, at any depth: a name without content is
//! a string and never `{"down":null}`, a list has no unread items, and `-0` is 0.

use crate::complaint::Complaint;
use core::cell::Cell;
use core::fmt;
use serde::de::value::StrDeserializer;
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error, IgnoredAny, IntoDeserializer, MapAccess,
    SeqAccess, Unexpected, VariantAccess, Visitor,
};

/// The reason for a refusal, because an error of `serde_json` is only text.
#[derive(Default)]
pub(super) struct Kept(Cell<Option<Complaint>>);

impl Kept {
    fn keep<E: Error>(&self, complaint: Complaint) -> E {
        self.0.set(Some(complaint));
        E::custom("refused")
    }

    fn take(&self, error: impl fmt::Display) -> Complaint {
        self.0.take().unwrap_or_else(|| Complaint::custom(error))
    }
}

pub(super) struct Strict<'k, T> {
    inner: T,
    kept: &'k Kept,
}

impl<'k, T> Strict<'k, T> {
    pub(super) fn new(inner: T, kept: &'k Kept) -> Self {
        Self { inner, kept }
    }
}

macro_rules! forward {
    ($($method:ident($($name:ident: $type:ty),*) $inner:ident($($passed:ident),*))*) => {
        $(fn $method<V: Visitor<'de>>(self, $($name: $type,)* visitor: V) -> Result<V::Value, Complaint> {
            let kept = self.kept;
            let visitor = Strict::new(visitor, kept);
            self.inner.$inner($($passed,)* visitor).map_err(|error| kept.take(error))
        })*
    };
}

// `serde_json` checks a value's kind itself when a reader asks for one kind. `deserialize_any` asks
// the visitor, whose refusal is a `Complaint`.
impl<'de, D: Deserializer<'de>> Deserializer<'de> for Strict<'_, D> {
    type Error = Complaint;

    forward! {
        deserialize_any() deserialize_any()
        deserialize_option() deserialize_option()
        deserialize_ignored_any() deserialize_ignored_any()
        deserialize_newtype_struct(name: &'static str) deserialize_newtype_struct(name)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Complaint> {
        self.deserialize_any(Variant(visitor))
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map struct identifier
    }

    fn is_human_readable(&self) -> bool {
        self.inner.is_human_readable()
    }
}

macro_rules! visit {
    ($($method:ident($($value:ident: $type:ty)?))*) => {
        $(fn $method<E: Error>(self, $($value: $type)?) -> Result<V::Value, E> {
            self.inner.$method($($value)?).map_err(|complaint| self.kept.keep(complaint))
        })*
    };
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Strict<'_, V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.expecting(f)
    }

    visit! {
        visit_bool(value: bool) visit_i64(value: i64) visit_u64(value: u64) visit_str(value: &str)
        visit_borrowed_str(value: &'de str) visit_unit() visit_none()
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<V::Value, E> {
        if value == 0.0 && value.is_sign_negative() {
            return self.visit_u64(0);
        }
        self.inner
            .visit_f64(value)
            .map_err(|complaint| self.kept.keep(complaint))
    }

    fn visit_some<D: Deserializer<'de>>(self, reader: D) -> Result<V::Value, D::Error> {
        self.inner
            .visit_some(Strict::new(reader, self.kept))
            .map_err(|complaint| self.kept.keep(complaint))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, reader: D) -> Result<V::Value, D::Error> {
        let reader = Strict::new(reader, self.kept);
        self.inner
            .visit_newtype_struct(reader)
            .map_err(|complaint| self.kept.keep(complaint))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<V::Value, A::Error> {
        let value = self
            .inner
            .visit_seq(Strict::new(&mut list, self.kept))
            .map_err(|complaint| self.kept.keep(complaint))?;
        match list.next_element::<IgnoredAny>()? {
            None => Ok(value),
            Some(_) => Err(self.kept.keep(Complaint::custom("the list is too long"))),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<V::Value, A::Error> {
        self.inner
            .visit_map(Strict::new(map, self.kept))
            .map_err(|complaint| self.kept.keep(complaint))
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for Strict<'_, S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<S::Value, D::Error> {
        self.inner
            .deserialize(Strict::new(reader, self.kept))
            .map_err(|complaint| self.kept.keep(complaint))
    }
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for Strict<'_, A> {
    type Error = Complaint;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Complaint> {
        self.inner
            .next_element_seed(Strict::new(seed, self.kept))
            .map_err(|error| self.kept.take(error))
    }

    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint()
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Strict<'_, A> {
    type Error = Complaint;

    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Complaint> {
        self.inner
            .next_key_seed(Strict::new(seed, self.kept))
            .map_err(|error| self.kept.take(error))
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Complaint> {
        self.inner
            .next_value_seed(Strict::new(seed, self.kept))
            .map_err(|error| self.kept.take(error))
    }

    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint()
    }
}

/// Reads a string for a name alone, or an object with one key for a name with content.
struct Variant<V>(V);

impl<'de, V: Visitor<'de>> Visitor<'de> for Variant<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string or an object with one key")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<V::Value, E> {
        let name: StrDeserializer<'_, E> = name.into_deserializer();
        self.0.visit_enum(name)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<V::Value, A::Error> {
        self.0.visit_enum(OneKey(map))
    }
}

/// Reads an object as a variant with content.
pub(super) struct OneKey<A>(pub(super) A);

const ONE_KEY_ONLY: &str = "expected an object with one key only";

impl<'de, A: MapAccess<'de>> EnumAccess<'de> for OneKey<A> {
    type Error = A::Error;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'de>>(
        mut self,
        seed: S,
    ) -> Result<(S::Value, Self), A::Error> {
        let name = self
            .0
            .next_key_seed(seed)?
            .ok_or_else(|| A::Error::custom("expected an object with one key"))?;
        Ok((name, self))
    }
}

/// Reads an enum only.
impl<'de, A: MapAccess<'de>> Deserializer<'de> for OneKey<A> {
    type Error = A::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, A::Error> {
        visitor.visit_enum(self)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier
        ignored_any
    }
}

impl<'de, A: MapAccess<'de>> OneKey<A> {
    fn only<S: DeserializeSeed<'de>>(mut self, seed: S) -> Result<S::Value, A::Error> {
        let content = self.0.next_value_seed(seed)?;
        match self.0.next_key::<IgnoredAny>()? {
            None => Ok(content),
            Some(_) => Err(A::Error::custom(ONE_KEY_ONLY)),
        }
    }
}

impl<'de, A: MapAccess<'de>> VariantAccess<'de> for OneKey<A> {
    type Error = A::Error;

    fn unit_variant(self) -> Result<(), A::Error> {
        self.only(core::marker::PhantomData::<IgnoredAny>)?;
        Err(A::Error::invalid_type(Unexpected::Map, &"unit variant"))
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, A::Error> {
        self.only(seed)
    }

    fn tuple_variant<V: Visitor<'de>>(
        self,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, A::Error> {
        self.only(Tuple(length, visitor))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, A::Error> {
        self.only(Fields(visitor))
    }
}

struct Tuple<V>(usize, V);

impl<'de, V: Visitor<'de>> DeserializeSeed<'de> for Tuple<V> {
    type Value = V::Value;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<V::Value, D::Error> {
        reader.deserialize_tuple(self.0, self.1)
    }
}

struct Fields<V>(V);

impl<'de, V: Visitor<'de>> DeserializeSeed<'de> for Fields<V> {
    type Value = V::Value;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<V::Value, D::Error> {
        reader.deserialize_map(self.0)
    }
}
