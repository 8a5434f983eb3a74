//! Tests of Crazy Camel from outside. They use a second implementation, examples, its tables and
//! records, and hostile input.

mod compare;
mod naive;
mod rules;
