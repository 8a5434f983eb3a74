//! Crazy Camel: two masters walk to opposite sides of a board and lay camels in each
//! other's way; elsewhere known as Quoridor, here on 7×7 with 8 walls each.
//!
//! Rules: the course text "Crazy Camel Competition". Where it is silent or contradicts
//! itself: player 0 starts at the top and moves first; straight on behind a master that is
//! passed diagonally lies a camel *or the edge of the board* (the text's rules section, not
//! its task section, which says only "camel"); camels may touch end to end and as a T; the
//! text knows no draw, so a game that reaches the ply cap is worth 0 to both, unless that
//! very ply wins; a seat that gives no legal move loses. Boards have 3×3 to 11×11 tiles: a set
//! of tiles is a machine word of at most 128 bits.
//!
//! ```
//! use judge_engines::crazy_camel::{Camel, Config, CrazyCamel, Direction, Move, Tile};
//! use judge_engines::rand_chacha::{ChaCha8Rng, rand_core::SeedableRng};
//! use judge_engines::{Game, Seat};
//!
//! let mut rng = ChaCha8Rng::seed_from_u64(1);
//! let setup = CrazyCamel::draw(&Config::default(), &mut rng)?;
//! let mut game = CrazyCamel::start(&setup)?;
//! game.play(Seat::new(0), Move::Step(Direction::Down))?;
//! game.play(Seat::new(1), Move::Camel(Camel::H(Tile(3, 1))))?;
//! let refused = game.play(Seat::new(0), Move::Step(Direction::Down));
//! assert_eq!(refused.expect_err("a camel lies below").rule, "camel-between");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bots;
mod frame;
mod illegal;
mod info;
mod kit;
mod maze;
mod moves;
mod notation;
mod opening;
mod paths;
mod pieces;
mod position;
mod rules;
mod setup;
mod view;
mod word;

pub use maze::{SIDE_MAX, SIDE_MIN};
pub use moves::{Camel, Direction, Move, Tile, camels_intersect};
pub use opening::OPENING_LEAD_MAX;

pub use position::CrazyCamel;
pub use setup::{CAMELS_MAX, Config, OPENING_PLIES_MAX, PLIES_MAX, Player, Setup};
pub use view::View;
