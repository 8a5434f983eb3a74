//! Tests of Connect Four from outside. They use a naive second implementation, its perft table, and
//! its recorded games.

mod compare;
mod naive;
mod perft;
