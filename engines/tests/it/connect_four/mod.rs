//! Connect Four from outside: against a naive second implementation, its perft table, and its
//! recorded games.

mod compare;
mod golden;
mod naive;
mod perft;
