//! Tests of the rules from outside: against second implementations, perft tables, recorded games
//! and hostile input. They are one program, so that it is linked once.

mod catch_the_cat;
mod connect_four;
mod crazy_camel;
mod documents;
mod every_game;
mod monkey_metal_man;
mod reversi;
mod support;
