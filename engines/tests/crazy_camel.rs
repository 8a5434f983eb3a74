//! Crazy Camel: against a second implementation, by example, by its tables and records, and
//! under hostile input.

#[path = "crazy_camel/compare.rs"]
mod compare;
#[path = "naive/crazy_camel.rs"]
mod naive;
#[path = "crazy_camel/perft.rs"]
mod perft;
#[path = "crazy_camel/records.rs"]
mod records;
#[path = "crazy_camel/rules.rs"]
mod rules;
#[path = "crazy_camel/wire.rs"]
mod wire;
