//! Crazy Camel: against a second implementation, by example, by its tables and records, and
//! under hostile input.

#[path = "crazy_camel/rules.rs"]
mod rules;
