//! Crazy Camel: against a second implementation, by example, by its tables and records, and
//! under hostile input.

#[path = "crazy_camel/compare.rs"]
mod compare;
#[path = "crazy_camel/golden.rs"]
mod golden;
#[path = "naive/crazy_camel.rs"]
mod naive;
#[path = "crazy_camel/perft.rs"]
mod perft;
#[path = "crazy_camel/rules.rs"]
mod rules;
#[path = "support"]
mod support {
    pub(crate) mod perft;
    pub(crate) mod picture;
    pub(crate) mod records;
    pub(crate) mod wire;
}
#[path = "crazy_camel/wire.rs"]
mod wire;
