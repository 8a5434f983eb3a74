//! Tests of Connect Four from outside. They use a naive second implementation and
//! its recorded games.

mod compare;
mod naive;
