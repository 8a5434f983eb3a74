//! Tests that a view and the listed moves reveal nothing hidden. The tests change something hidden,
//! and the seat's JSON must stay the same to the byte.

use super::{cases, seeded};
use crate::support::compare::Met;
use judge_engines::erased::AnyGame;
use judge_engines::monkey_metal_man::{Direction, Location, MonkeyMetalMan, Setup, View};
use judge_engines::{Game, Seat};
use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

const POSITIONS: u32 = 6_000;

/// The kinds of change, each behind its minimum number.
const CHANGES: &str = "2000 a hidden tile
1000 where a hidden enemy stands
1000 where a hidden enemy looks
1000 whether a hidden enemy lives
300 where a dead enemy lies
2000 the time-outs
500 the captures
2000 the switches";

#[test]
fn unseen_changes_leave_no_trace_in_view() {
    let mut rng = seeded(7);
    let mut changed = Met::default();
    let mut positions = 0;
    while positions < POSITIONS {
        let Some(game) = position(&mut rng) else {
            continue;
        };
        positions += 1;
        let seat = rng.random_range(0..AnyGame::seats(&game));
        let reported = reported(&game, seat);
        let view = Game::view(&game, Seat::new(seat));
        for _ in 0..8 {
            let mut setup = game.setup();
            let change = change(&mut setup, seat, &view, &mut rng);
            let Ok(other) = MonkeyMetalMan::start(&setup) else {
                continue;
            };
            if setup != game.setup() {
                changed.note(change);
            }
            assert_eq!(self::reported(&other, seat), reported, "{change} shows");
        }
    }
    changed.suffices(CHANGES);
}

/// Makes a random position, a few plies into a game.
fn position(rng: &mut ChaCha8Rng) -> Option<MonkeyMetalMan> {
    let mut game = super::start(cases::setup(rng))?;
    for _ in 0..rng.random_range(0..8) {
        let seat = AnyGame::to_move(&game).first()?;
        let listed = AnyGame::legal_moves(&game, seat);
        AnyGame::play(&mut game, seat, listed.choose(rng).unwrap()).unwrap();
    }
    AnyGame::to_move(&game).first().map(|_| game)
}

fn reported(game: &MonkeyMetalMan, seat: usize) -> String {
    let mut reported = Vec::new();
    AnyGame::write_view(game, Seat::new(seat), &mut reported);
    AnyGame::write_legal_moves(game, Seat::new(seat), &mut reported);
    let seen = Game::seen(game, Seat::new(seat));
    String::from_utf8(reported).unwrap() + &serde_json::to_string(&seen).unwrap()
}

fn set_tile(setup: &mut Setup, at: Location, letter: &str) {
    let column = usize::from(at.1);
    setup.map[usize::from(at.0)].replace_range(column..=column, letter);
}

/// Changes something that the seat does not see. Returns the name of the change.
fn change(setup: &mut Setup, seat: usize, view: &View, rng: &mut ChaCha8Rng) -> &'static str {
    let tiles = view.board.tiles();
    let hidden: Vec<Location> = tiles
        .filter(|&at| view.board.terrain(at).is_none())
        .collect();
    let is_hidden = |at: Location| view.board.terrain(at).is_none();
    let Some(&somewhere) = hidden.choose(rng) else {
        return "nothing";
    };
    let player = rng.random_range(0..setup.pieces.len());
    let kind = rng.random_range(0..2);
    match rng.random_range(0..8) {
        0 => {
            set_tile(setup, somewhere, ["W", "F", "O"].choose(rng).unwrap());
            "a hidden tile"
        }
        1 => {
            setup.pieces[player].timeouts = rng.random_range(0..3);
            "the time-outs"
        }
        2 => {
            setup.pieces[player].captures = rng.random_range(0..3);
            "the captures"
        }
        3 => {
            setup.timeouts_max = rng.random_range(2..9);
            setup.strict = rng.random();
            setup.dead_pieces_block = rng.random();
            setup.to_move = player;
            "the switches"
        }
        _ if player == seat => "nothing",
        choice => {
            let of = &mut setup.pieces[player];
            let (at, direction, alive) = match kind {
                0 => (
                    &mut of.spotter,
                    &mut of.spotter_direction,
                    &mut of.spotter_alive,
                ),
                _ => (
                    &mut of.assasin,
                    &mut of.assasin_direction,
                    &mut of.assasin_alive,
                ),
            };
            match choice {
                4 if *alive && is_hidden(*at) => {
                    *at = somewhere;
                    "where a hidden enemy stands"
                }
                5 if is_hidden(*at) => {
                    *direction = *Direction::ALL.choose(rng).unwrap();
                    "where a hidden enemy looks"
                }
                6 => {
                    if !*alive {
                        *at = somewhere;
                    }
                    if is_hidden(*at) {
                        *alive = !*alive;
                    }
                    of.lost = None;
                    "whether a hidden enemy lives"
                }
                7 if !*alive => {
                    let side = u8::try_from(view.board.side()).unwrap();
                    *at = Location(rng.random_range(0..side), rng.random_range(0..side));
                    "where a dead enemy lies"
                }
                _ => "nothing",
            }
        }
    }
}
